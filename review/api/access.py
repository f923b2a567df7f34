"""Who reviews over REST: a service, or a person who may review in the browser too."""

from django.contrib.auth.models import User
from django.http import HttpRequest
from django.utils.translation import gettext as _
from ninja.errors import AuthorizationError

from generation.access import ApiKeyAuth, ApiRequest
from generation.errors import Conflict
from generation.models import ApiKey
from review.groups import CAN_REVIEW


class ReviewerAuth(ApiKeyAuth):
    """A key of scope `review` whose person, where it has one, may review: the rules of the pages hold here too."""

    def __init__(self) -> None:
        super().__init__("review")

    def authenticate(self, request: HttpRequest, token: str) -> ApiKey:
        key = super().authenticate(request, token)
        if key.user is not None and not key.user.has_perm(CAN_REVIEW):
            raise AuthorizationError(
                message=_("The person of this key is no reviewer; an admin adds them to the group.")
            )
        return key


def person_of(request: ApiRequest) -> User:
    """The key's person; Conflict where the key is a service's."""
    if request.auth.user is None:
        raise Conflict(_("Only a person can do this: use a key that was made with --user."))
    return request.auth.user
