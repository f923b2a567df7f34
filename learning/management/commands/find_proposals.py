"""find_proposals: look now for what base prompts should say themselves."""

from typing import Any

from django.core.management.base import BaseCommand

from learning.models import Proposal
from learning.studio.proposals import finding, wording


class Command(BaseCommand):
    help = (
        "Looks for what reviewers keep correcting and proposes changes of base prompts; the worker does it, too."
    )

    def handle(self, *args: Any, **options: Any) -> None:
        made = finding.find()
        wording.write_waiting()
        for proposal in made:
            self.stdout.write(f"{proposal.pk}\t{proposal}\t{proposal.get_cause_display()}")
        self.stderr.write(f"{len(made)} new proposals, {Proposal.objects.open().count()} open")
