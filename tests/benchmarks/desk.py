"""A reviewer's open page, as its two requests reach the server: fetch the next body ahead, submit and go on."""

import re
from typing import Any

from django.contrib.auth.models import User
from django.test import Client

from generation.models import Run
from review.queue import claim_next

HEADERS = {"HX-Request": "true", "HX-Target": "desk"}
BODY = re.compile(r'data-run="([^"]+)" data-stamp="([^"]+)"')


class Desk:
    """`shown` is the run on screen; `waiting` run and stamp of the body that waits unseen."""

    def __init__(self, user: User) -> None:
        self.web = Client()
        self.web.force_login(user)
        claim = claim_next(user)
        assert claim
        self.shown, self.revision = str(claim.run_id), claim.run.revision
        self.waiting: tuple[str, str] = ("", "")

    def fetch(self) -> None:
        answer = self._post("/queue/ahead/", {"shown": self.shown})
        found = BODY.search(answer.text)
        assert found
        self.waiting = (found[1], found[2])

    def submit(self) -> None:
        """The review of what is shown; the answer says that the body that waits may be shown."""
        waits = dict(zip(("ahead", "stamp"), self.waiting, strict=True))
        fields = {"decision": "approve", "bad_format": "yes", "revision": str(self.revision)}
        answer = self._post(f"/runs/{self.shown}/review/", fields | waits)
        assert answer.headers["Desk"] == "kept", answer.content

    def go_on(self) -> None:
        """What waited is shown."""
        self.shown = self.waiting[0]
        self.revision = Run.objects.values_list("revision", flat=True).get(pk=self.shown)

    def _post(self, path: str, fields: dict[str, str]) -> Any:
        answer = self.web.post(path, fields, headers=HEADERS)
        assert answer.status_code == 200, answer.content
        return answer
