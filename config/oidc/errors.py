"""Why nobody was signed in: a code for the log, and words for the sign-in page."""

from django.utils.translation import gettext as _


class NotSignedIn(Exception):
    """`code`: one of `words`."""

    def __init__(self, code: str) -> None:
        super().__init__(code)
        self.code = code


def words(code: str, name: str) -> str:
    """For a person who wanted to sign in; `name` is the provider's."""
    told = {
        "unreachable": _("%s cannot be reached at the moment. Try again later, or sign in with a password."),
        "cancelled": _("Signing in with %s was cancelled."),
        "outdated": _("This way in was used already, or took too long. Sign in with %s again."),
        "refused": _("%s did not sign you in. Ask an admin of this installation."),
        "unsound": _("What %s answered cannot be trusted, so nobody was signed in. Tell an admin."),
        "closed": _("%s knows you, but your account here is closed. Ask an admin of this installation."),
    }
    return told[code] % name
