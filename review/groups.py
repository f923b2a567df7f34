"""Who may do what: reviewers review and nothing else, adjudicators also decide decided runs again."""

from django.contrib.auth.models import Group, Permission
from django.db.models import Q

REVIEWER = "reviewer"
ADJUDICATOR = "adjudicator"

PERMISSIONS = {
    REVIEWER: ("generation.view_run", "review.add_reviewform", "review.change_reviewform"),
    ADJUDICATOR: (
        "generation.view_run",
        "review.add_reviewform",
        "review.change_reviewform",
        "generation.adjudicate_run",
        "review.leave_out_reviewevent",
    ),
}
CAN_READ = "generation.view_run"  # every page: runs, prompts, what learning says
CAN_REVIEW = "review.add_reviewform"
CAN_ADJUDICATE = "generation.adjudicate_run"  # decided runs again, and those whose reviewers disagree
CAN_LEAVE_OUT = "review.leave_out_reviewevent"  # others' reviews; one's own needs no permission
CAN_PLACE = "generation.adjudicate_run"  # set runs aside, put them back, assign them
CAN_RELEASE = "review.delete_claim"  # others' claims; one's own needs no permission
CAN_EXPORT = "review.add_export"  # whole histories, with names: an admin's
CAN_STEER = "generation.change_run"  # cancel and retry: an admin's; reviewers send back


def seed() -> None:
    """Make both groups and give them exactly their permissions; running it again changes nothing."""
    for name, wanted in PERMISSIONS.items():
        group, _made = Group.objects.get_or_create(name=name)
        group.permissions.set(_permissions(wanted))


def _permissions(wanted: tuple[str, ...]) -> list[Permission]:
    one_of = Q()
    for permission in wanted:
        app, codename = permission.split(".")
        one_of |= Q(content_type__app_label=app, codename=codename)
    found = list(Permission.objects.filter(one_of))
    if len(found) != len(wanted):
        raise LookupError(f"permissions are missing, run migrate first: {', '.join(wanted)}")
    return found
