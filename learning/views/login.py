"""Signing in, for the application and its administration alike."""

import math
from typing import Any

from django.conf import settings
from django.contrib import admin
from django.contrib.auth.decorators import login_not_required
from django.contrib.auth.forms import AuthenticationForm
from django.contrib.auth.views import LoginView
from django.core.exceptions import ValidationError
from django.forms.utils import ErrorDict
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.decorators import method_decorator
from django.utils.http import urlencode
from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_safe

from generation import sign_ins


class SignInForm(AuthenticationForm):
    """Every refusal reads the same, whether the name is unknown, the password wrong or the account closed."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for field in self.fields.values():
            field.widget.attrs["class"] = "input"

    def clean(self) -> dict[str, Any]:
        try:
            return super().clean()
        except ValidationError:
            self.add_error("password", _("This name and password do not fit together."))
            self.fields["username"].widget.attrs.pop("autofocus", None)
            self.fields["password"].widget.attrs["autofocus"] = True
            return self.cleaned_data

    def confirm_login_allowed(self, user: Any) -> None:
        if not user.is_active:
            raise ValidationError("", code="inactive")

    def add_error(self, field: str | None, error: Any) -> None:
        super().add_error(field, error)
        if field in self.fields:
            name = self[field].id_for_label
            self.fields[field].widget.attrs |= {"aria-invalid": "true", "aria-describedby": f"{name}_error"}


class TooMany(SignInForm):
    """The form with one error and no look at the password."""

    def __init__(self, refusal: str, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.refusal = refusal

    def full_clean(self) -> None:
        self._errors = ErrorDict()
        self.cleaned_data: dict[str, Any] = {}
        self.add_error("password", self.refusal)


def words_of_waiting(seconds: int) -> str:
    minutes = math.ceil(seconds / 60)
    refusal = ngettext(
        "Too many failed sign-ins. Try again in %d minute.",
        "Too many failed sign-ins. Try again in %d minutes.",
        minutes,
    )
    return refusal % minutes


@method_decorator(login_not_required, name="dispatch")
class SignIn(LoginView):
    form_class = SignInForm
    redirect_authenticated_user = True

    def post(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        """429 after too many failures, whether or not the password is right this time: it is not looked at."""
        name = request.POST.get("username", "")
        attempt = sign_ins.attempt(name, request.META.get("REMOTE_ADDR", ""))
        if attempt.wait:
            return self.too_many(name, attempt.wait)
        response = super().post(request, *args, **kwargs)
        if response.status_code == 302:
            attempt.succeeded()
        return response

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        return super().get_context_data(elsewhere=settings.FOLDBACK_OIDC_NAME if settings.OIDC else "", **kwargs)

    def too_many(self, name: str, seconds: int) -> HttpResponse:
        form = TooMany(words_of_waiting(seconds), data={"username": name})
        response = self.render_to_response(self.get_context_data(form=form), status=429)
        response["Retry-After"] = str(seconds)
        return response

    def form_invalid(self, form: Any) -> HttpResponse:
        """422: the form comes back with its errors."""
        response = super().form_invalid(form)
        response.status_code = 422
        return response


@login_not_required
@require_safe
def admin_sign_in(request: HttpRequest) -> HttpResponse:
    """Administration has no door of its own; who is in and not an admin is told so."""
    if admin.site.has_permission(request):
        return redirect("admin:index")
    if request.user.is_authenticated:
        return render(request, "admin/not_an_admin.html", status=403)
    following = request.GET.get("next", reverse("admin:index"))
    return redirect(f"{reverse('login')}?{urlencode({'next': following})}")
