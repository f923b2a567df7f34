"""The structured form as the browser sends it, and as it is shown again with what was typed."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from generation.errors import BadInput
from generation.models import Run, Subcategory
from review.correcting import as_text, place_of
from review.models import SIGNALS, Decision, ReviewForm
from review.normalise import MAX_NOTES_LENGTH, to_bool, to_names
from review.recording import Fields
from review.words import Words

SHOWN = {True: "yes", False: "no", None: ""}
VALUE = "value:"  # before the pointer of a value that is corrected in place
THREE_WAY = [("yes", _("Yes")), ("no", _("No")), ("", _("Unset"))]


class Names(forms.MultipleChoiceField):
    """Any names at all: the suggestions are no limits."""

    def valid_value(self, value: Any) -> bool:
        return True


class StructuredForm(forms.Form):
    """What a reviewer says. Limits are the recorder's; its refusals come back through `refuse`."""

    information_present = forms.ChoiceField(choices=THREE_WAY, required=False)
    bad_format = forms.ChoiceField(choices=THREE_WAY, required=False)
    wrong_information = forms.ChoiceField(choices=THREE_WAY, required=False)
    wrong_physical_dimensions = forms.ChoiceField(choices=THREE_WAY, required=False)
    missing_spec = Names(required=False)
    missing_spec_more = forms.CharField(required=False)  # typed, not yet a chip; several with commas
    notes = forms.CharField(required=False, strip=False)
    decision = forms.ChoiceField(
        choices=Decision.choices,
        required=False,
        error_messages={"invalid_choice": _("Choose approve, revise or reject.")},
    )
    subcategory = forms.ModelChoiceField(
        Subcategory.objects.all(),
        to_field_name="slug",
        required=False,
        error_messages={"invalid_choice": _("This subcategory is not known any more.")},
    )
    revision = forms.IntegerField(required=False, min_value=0)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.refused_values: dict[str, str] = {}  # by pointer, what would be right

    def fields_for(self, run: Run) -> Fields:
        """What was said, for the recorder. The subcategory only where it differs from the run's."""
        said = self.cleaned_data
        subcategory = said["subcategory"]
        return Fields(
            decision=said["decision"],
            missing_spec=to_names([*said["missing_spec"], *said["missing_spec_more"].split(",")]),
            notes=said["notes"].replace("\r\n", "\n"),
            subcategory=subcategory if subcategory and subcategory.pk != run.subcategory_id else None,
            values=self.values,
            information_present=to_bool(said["information_present"]),
            bad_format=to_bool(said["bad_format"]),
            wrong_information=to_bool(said["wrong_information"]),
            wrong_physical_dimensions=to_bool(said["wrong_physical_dimensions"]),
        )

    @property
    def values(self) -> dict[str, str]:
        """What was typed in place of values, by their pointers; what stands there already is taken out later."""
        return {
            name.removeprefix(VALUE): str(text).replace("\r\n", "\n")
            for name, text in self.data.items()
            if name.startswith(VALUE)
        }

    def refuse(self, problem: BadInput) -> None:
        """Put the recorder's refusals at their fields."""
        for found in problem.problems:
            name = found.pointer[1:].partition("/")[0]
            detail = _("Choose approve, revise or reject.") if name == "decision" else found.detail
            if name == "corrections":
                self.refused_values[place_of(found.pointer)] = str(detail)
            if name not in self.errors:  # one at a field is enough
                self.add_error(name if name in self.fields else None, str(detail))


@dataclass(frozen=True)
class Signal:
    """One three-way row: the value that raises it stands out in the attention colour."""

    name: str
    key: str
    label: str
    why: str
    raises: str
    value: str
    doubt: str = ""  # what the checks say about this signal, before the reviewer does


@dataclass(frozen=True)
class Typed:
    """The form's values as they are shown: from a submission that was refused, from what was saved, or empty."""

    signals: dict[str, str]
    missing_spec: list[str]
    notes: str
    decision: str
    subcategory: str
    values: Mapping[str, str]
    more: str = ""

    @classmethod
    def of_form(cls, form: StructuredForm, run: Run) -> "Typed":
        data = form.data
        names = data.getlist("missing_spec") if hasattr(data, "getlist") else data.get("missing_spec", [])
        return cls(
            signals={name: SHOWN[to_bool(data.get(name))] for name in SIGNALS},
            missing_spec=to_names(names),
            notes=data.get("notes", ""),
            decision=data.get("decision", ""),
            subcategory=data.get("subcategory", ""),
            values=form.values,
            more=data.get("missing_spec_more", ""),
        )

    @classmethod
    def of_saved(cls, saved: ReviewForm | None, run: Run) -> "Typed":
        current = run.subcategory.slug if run.subcategory else ""
        if saved is None:
            return cls(dict.fromkeys(SIGNALS, ""), [], "", "", current, {})
        return cls(
            signals={name: SHOWN[getattr(saved, name)] for name in SIGNALS},
            missing_spec=list(saved.missing_spec),
            notes=saved.notes,
            decision=saved.decision,
            subcategory=saved.subcategory.slug if saved.subcategory else current,
            values={pointer: as_text(value) for pointer, value in saved.values.items()},
        )

    def rows(self, doubts: Mapping[str, str], words: Words) -> list[Signal]:
        """The four yes, no or unset, as the flow calls them. Having too little is raised by a no."""
        return [
            Signal(
                name,
                str(key),
                str(words[name][0]),
                str(words[name][1]),
                "no" if name == "information_present" else "yes",
                self.signals[name],
                doubts.get(name, ""),
            )
            for key, name in enumerate(SIGNALS, 1)
        ]


NOTES_LIMIT = MAX_NOTES_LENGTH
