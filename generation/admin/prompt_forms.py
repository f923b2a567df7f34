"""What is typed on the pages of prompts: a new version's wording, and why a version is made live."""

from typing import Any

from django import forms
from django.utils.translation import gettext as translate
from django.utils.translation import gettext_lazy as _

from generation import prompts
from generation.errors import BadInput
from generation.models import Prompt, PromptVersion


def plain_textarea() -> forms.Textarea:
    return forms.Textarea(attrs={"rows": 4, "spellcheck": "false"})


class VersionForm(forms.Form):
    """A new version's wording. A placeholder that is unknown or malformed is told at its field.

    start: the number of the version that the editor opened with; newest: of the newest that there was then.
    """

    system = forms.CharField(label=_("System prompt"), required=False, strip=False, widget=plain_textarea())
    user = forms.CharField(label=_("User prompt"), strip=False, widget=plain_textarea())
    model = forms.CharField(
        label=_("Model"), required=False, max_length=100, help_text=_("Empty: the installation's own.")
    )
    parameters = forms.JSONField(
        label=_("Parameters"),
        required=False,
        initial=dict,
        widget=plain_textarea(),
        help_text=_("A JSON object."),
    )
    note = forms.CharField(label=_("Note"), required=False, max_length=300, help_text=_("What changed, and why."))
    start = forms.IntegerField(required=False, widget=forms.HiddenInput)
    newest = forms.IntegerField(required=False, widget=forms.HiddenInput)

    def clean_system(self) -> str:
        return plain(self.cleaned_data["system"])

    def clean_user(self) -> str:
        return plain(self.cleaned_data["user"])

    def clean_parameters(self) -> dict[str, Any]:
        given = self.cleaned_data["parameters"] or {}
        if not isinstance(given, dict):
            raise forms.ValidationError(translate("This must be a JSON object."))
        return given

    def save(self, prompt: Prompt, author: Any) -> PromptVersion | None:
        """The new version; None, with the errors at their fields, where it was refused. As prompts.Overtaken."""
        wording = self.cleaned_data
        try:
            return prompts.save_version(
                prompt,
                **{name: wording[name] for name in ("system", "user", "model", "parameters", "note")},
                author=author,
                newest_seen=wording["newest"],
            )
        except BadInput as refusal:
            for problem in refusal.problems:
                field = problem.pointer.strip("/").partition("/")[0]
                self.add_error(field if field in self.fields else None, problem.detail)
            return None

    def as_typed(self, prompt: Prompt) -> PromptVersion:
        """What the form holds now as a version that is nowhere stored, whatever is wrong with it."""
        self.is_valid()
        given = self.cleaned_data
        return PromptVersion(
            prompt=prompt,
            number=0,
            system=given.get("system", ""),
            user=given.get("user", ""),
            model=given.get("model", ""),
            parameters=given.get("parameters") or {},
        )


def plain(text: str) -> str:
    """Browsers send CRLF; versions keep LF, so that equal texts are equal bytes."""
    return text.replace("\r\n", "\n")


class WhyForm(forms.Form):
    """live: the number of the version that was live when the page showed what would change."""

    why = forms.CharField(label=_("Why"), max_length=300)
    live = forms.IntegerField(required=False, widget=forms.HiddenInput)
