"""Every address that the resolver knows, asked for by an outsider, a reviewer, an adjudicator and an admin.

A new address comes with its line in EXPECTED, or the first test fails. What they get is read with GET, and with
POST where GET is refused; nobody who should be kept out gets further than a refusal.
"""

import uuid
from collections.abc import Iterator
from typing import Any

import pytest
from django.contrib.auth.models import Group, User
from django.db import transaction
from django.test import Client
from django.urls import URLPattern, URLResolver, get_resolver

from generation import prompts
from generation.models import (
    ApiKey,
    Batch,
    Call,
    Institution,
    Prompt,
    PromptVersion,
    Run,
    Submission,
    Trial,
    TriedRun,
    WebhookEndpoint,
)
from generation.webhooks import outbox
from learning import guidance
from learning.models import Backtest, FieldSynonym, Guidance, PolicyChoice, Proposal, Switch
from review import groups
from review.models import BulkAct, Claim, Export, ReviewEvent, ReviewForm, ReviewPolicy, SavedView
from tests import people
from tests.factories import DraftFactory, ReviewEventFactory, RunFactory, SubcategoryFactory, UserFactory

pytestmark = pytest.mark.django_db
IN, FORBIDDEN, LOGIN, KEY = "in", "forbidden", "login", "key"
WHO = ("outsider", "reviewer", "adjudicator", "admin")
ALL = (IN, IN, IN, IN)
SIGNED_IN = (LOGIN, IN, IN, IN)
ADMINS = (LOGIN, FORBIDDEN, FORBIDDEN, IN)
KEYS = (KEY, KEY, KEY, KEY)  # a session is no key, whoever has it

EXPECTED = {
    "healthz": ALL,
    "readyz": ALL,
    "metrics": ALL,
    "login/": ALL,
    "logout/": ALL,
    "admin/login/": (LOGIN, FORBIDDEN, FORBIDDEN, IN),
    "api/v1/docs": ALL,
    "api/v1/openapi.json": ALL,
    "api/v1/": ALL,  # a 404 for every other path below it
    "": SIGNED_IN,
    "batches/<uuid:batch_id>/": SIGNED_IN,
    "learning/": SIGNED_IN,
    "learning/cost/": SIGNED_IN,
    "learning/people/": SIGNED_IN,
    "learning/run/<uuid:run_id>/": SIGNED_IN,
    "learning/judges/": SIGNED_IN,
    "learning/judges/runs/": SIGNED_IN,
    "learning/evidence/": SIGNED_IN,
    "learning/<slug:slug>/": SIGNED_IN,
    "learning/<slug:slug>/life/": SIGNED_IN,
    "learning/<slug:slug>/switch/": ADMINS,
    "queue/": SIGNED_IN,
    "queue/next/": SIGNED_IN,
    "queue/ahead/": SIGNED_IN,
    "queue/undo/": SIGNED_IN,
    "queue/bulk/": SIGNED_IN,  # each act asks for its own right
    "queue/bulk/<int:act_id>/": (LOGIN, FORBIDDEN, FORBIDDEN, IN),  # of another
    "queue/views/": SIGNED_IN,
    "queue/views/<int:view_id>/": SIGNED_IN,
    "exports/": ADMINS,
    **{f"exports/<uuid:export_id>/{part}/": ADMINS for part in ("file", "delete")},
    "runs/<uuid:run_id>/": SIGNED_IN,
    **{f"runs/<uuid:run_id>/{part}/": SIGNED_IN for part in (
        "progress", "record.json", "changes", "events", "review", "form", "claim", "skip", "leave", "undo")},
    **{f"runs/<uuid:run_id>/{part}/": ADMINS for part in ("retry", "cancel", "release")},
    **{f"runs/<uuid:run_id>/{part}/": (LOGIN, FORBIDDEN, IN, IN) for part in ("set-aside", "put-back")},
    "runs/<uuid:run_id>/leave-out/<int:event_id>/": (LOGIN, FORBIDDEN, IN, IN),  # of another's review
}  # fmt: skip
OUTSIDE_THE_RULE = {  # of administration: who is signed in may leave, or change the own password
    "admin/logout/": (LOGIN, IN, IN, IN),
    "admin/password_change/": ADMINS,
    "admin/jsi18n/": ADMINS,
}


NAMED = ("a", "b", "flow", "kind", "number", "position")  # parts of addresses in administration that are no key


def routes(resolver: Any = None, before: str = "") -> Iterator[str]:
    for found in (resolver or get_resolver()).url_patterns:
        route = before + str(found.pattern).removeprefix("^").removesuffix("$").removesuffix("\\Z")
        if isinstance(found, URLResolver):
            yield from routes(found, route)
        elif isinstance(found, URLPattern):
            yield route


ROUTES = sorted(set(routes()))


def expected(route: str) -> tuple[str, ...]:
    if route in EXPECTED:
        return EXPECTED[route]
    if route.startswith("admin/"):
        return OUTSIDE_THE_RULE.get(route, ADMINS)
    assert route.startswith("api/v1/"), f"{route}: who may come here? Give it a line in EXPECTED"
    return KEYS


@pytest.fixture
def world() -> dict[str, str]:
    """A row of everything, and what stands for each part of an address."""
    prompts.seed()
    guidance.seed()
    groups.seed()
    draft = DraftFactory(run=RunFactory(subcategory=SubcategoryFactory()))
    event = ReviewEventFactory(run=draft.run, draft=draft)
    proposal = Proposal.objects.create(
        flow="item",
        stage="extraction",
        cause="came_back",
        signal="bad_format",
        text="Be exact.",
        wording="template",
    )
    rows: dict[str, Any] = {
        "generation/run": draft.run,
        "generation/batch": Batch.objects.create(name="b"),
        "generation/submission": Submission.objects.create(provider="anthropic", name="b", requests=1),
        "generation/institution": Institution.objects.create(slug="i", name="I"),
        "generation/call": Call.objects.create(run=draft.run, stage="extraction", provider="demo"),
        "generation/apikey": ApiKey.objects.create(name="k", hash="h", scopes=["read"]),
        "generation/prompt": Prompt.objects.first(),
        "generation/category": draft.run.subcategory.category,
        "generation/subcategory": draft.run.subcategory,
        "review/reviewevent": event,
        "review/reviewform": ReviewForm.objects.create(run=draft.run, reviewer=event.reviewer),
        "review/reviewpolicy": ReviewPolicy.objects.create(flow="item", reviewers=1),
        "review/claim": Claim.objects.create(
            run=RunFactory(), reviewer=UserFactory(), expires_at="2040-01-01T00:00Z"
        ),
        "generation/webhookendpoint": (hook := WebhookEndpoint.objects.create(url="https://a.org/", types=["x"])),
        "generation/webhookdelivery": outbox.send_test(hook, "webhook.test"),
        "learning/guidance": Guidance.objects.first(),
        "learning/proposal": proposal,
        "studio/proposals": proposal,
        "learning/fieldsynonym": FieldSynonym.objects.create(flow="item", name="Größe", canonical="size"),
        "studio/influence": Guidance.objects.first(),
        "studio/backtests": Backtest.objects.create(flow="item", subcategory=draft.run.subcategory),
        "studio/thresholds": draft.run.subcategory,
        "learning/policychoice": PolicyChoice.objects.create(policy="window"),
        "learning/switch": Switch.objects.create(subcategory=draft.run.subcategory),
        "auth/user": event.reviewer,
        "auth/group": Group.objects.first(),
        "studio/prompts": Prompt.objects.first(),
        "studio/trials": trial(draft.run, event.reviewer),
    }
    version = PromptVersion.objects.filter(prompt=rows["generation/prompt"]).first()
    return {
        "run_id": str(draft.run.pk),
        "batch_id": str(rows["generation/batch"].pk),
        "event_id": str(event.pk),
        "export_id": str(Export.objects.create(wanted={"kind": "reviews", "format": "csv"}).pk),
        "act_id": str(BulkAct.objects.create(kind="retry", by=event.reviewer).pk),
        "view_id": str(SavedView.objects.create(owner=event.reviewer, name="Mine", shared=True).pk),
        "slug": draft.run.subcategory.slug,
        "flow": "item",
        "kind": "subcategory",
        "version": str(version.pk if version else 1),
        **{f"admin/{name}": str(row.pk) for name, row in rows.items()},
    }


def trial(run: Run, by: User) -> Trial:
    assert run.subcategory is not None
    made = Trial.objects.create(version=PromptVersion.objects.latest("pk"), subcategory=run.subcategory, by=by)
    TriedRun.objects.create(trial=made, run=run, position=1)
    return made


def address(route: str, world: dict[str, str]) -> str:
    """The route with something that there is in each place of it."""
    parts = []
    for part in route.split("/"):
        name = part.strip("<>").rsplit(":", 1)[-1]
        if not part.startswith("<"):
            parts.append(part)
        elif route.startswith("admin/"):
            model = "/".join(route.split("/")[:3])
            given = world.get(name) if "version" in name or name in NAMED else world.get(model)
            parts.append(given or "1")
        else:
            parts.append(world.get(name, "1"))
    return "/" + "/".join(parts)


def users() -> dict[str, User | None]:
    groups.seed()
    made = {"reviewer": User(username="rs"), "adjudicator": User(username="ad")}
    for group, user in made.items():
        user.save()
        user.groups.add(Group.objects.get(name=group))
    admin = User.objects.create(username="mk", is_staff=True, is_superuser=True)
    return {"outsider": None, **made, "admin": admin}


def client_of(user: User | None) -> Client:
    return people.signed_in(user) if user else people.outsider()


def outcome(client: Client, url: str) -> tuple[str, Any]:
    client.raise_request_exception = False
    response = client.get(url)
    if response.status_code == 405:
        response = client.generic(response["Allow"].split(",")[0].strip(), url)
    if response.status_code == 302 and response["Location"].split("?")[0] in ("/login/", "/admin/login/"):
        if url in ("/logout/", "/admin/logout/") and "next" not in response["Location"]:
            return IN, response  # signed out
        if response["Location"].startswith("/admin/login/"):
            return outcome(client, response["Location"])
        return LOGIN, response
    kinds = {401: KEY, 403: FORBIDDEN}
    return kinds.get(response.status_code, IN), response


def test_who_may_come_where(world: dict[str, str]) -> None:
    wrong = []
    everybody = users()
    for route in ROUTES:
        for who, wanted in zip(WHO, expected(route), strict=True):
            with transaction.atomic():  # what one does there, the next one finds undone
                found, response = outcome(client_of(everybody[who]), address(route, world))
                transaction.set_rollback(True)
            nobody_may = (
                who == "admin" and found == FORBIDDEN and route.startswith("admin/")
            )  # what is never written
            if (response.status_code >= 500 and route != "readyz") or (found != wanted and not nobody_may):
                wrong.append(f"{who} at {address(route, world)}: {response.status_code} and not {wanted}")
            try:
                strict(response)
            except (AssertionError, KeyError) as error:
                wrong.append(f"{who} at {address(route, world)}: {error!r}")
    assert not wrong, "\n".join(wrong)


def strict(response: Any) -> None:
    """The policy stands on every page, also one that refuses, and has no unsafe part."""
    if not response.get("Content-Type", "").startswith("text/html"):
        return
    policy = response["Content-Security-Policy"]
    assert "unsafe" not in policy and "default-src 'none'" in policy and "*" not in policy
    assert response["X-Frame-Options"] == "DENY"
    assert response["X-Content-Type-Options"] == "nosniff"


@pytest.mark.parametrize("url", ["/nothing/", "/static/css/tokens.css", "/static/nothing.css", "/runs/7/"])
def test_the_policy_stands_on_what_is_no_page_too(url: str) -> None:
    response = people.outsider().get(url)
    assert "unsafe" not in response.get("Content-Security-Policy", "default-src 'none'")


def test_it_stands_on_our_own_errors(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*args: Any, **kwargs: Any) -> None:
        raise RuntimeError

    monkeypatch.setattr("generation.views.batch_page", broken)
    client = client_of(users()["admin"])
    client.raise_request_exception = False
    response = client.get(f"/batches/{Batch.objects.create().pk}/")
    assert response.status_code == 500 and response["Content-Type"].startswith("text/html")
    strict(response)


def test_a_person_outside_the_groups_reads_and_reviews_nothing(world: dict[str, str]) -> None:
    client = people.signed_in(User.objects.create_user("stranger"))
    for route in ROUTES:
        if route == "" or route.startswith(("queue/", "runs/", "learning/", "batches/")):
            assert outcome(client, address(route, world))[0] == FORBIDDEN, route
    assert ReviewEvent.objects.count() == 1


def test_rows_that_there_are_not_are_404(world: dict[str, str]) -> None:
    client = client_of(users()["admin"])
    nobody = {
        **world,
        "run_id": str(uuid.UUID(int=0)),
        "batch_id": str(uuid.UUID(int=0)),
        "export_id": str(uuid.UUID(int=0)),
        "slug": "nowhere",
    }
    nobody |= {"act_id": "0", "view_id": "0"}
    for route in ROUTES:
        if "<" in route and not route.startswith(("admin/", "api/")):
            found = outcome(client, address(route, nobody))[1]
            assert found.status_code == 404 or found.get("Location") == f"/runs/{uuid.UUID(int=0)}/", route
