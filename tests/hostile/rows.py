"""A database with one text in every column that takes text, and every address that shows it."""

import re
from typing import Any

from django.contrib.auth.models import User
from django.utils import timezone

from generation import prompts
from generation.models import (
    ApiKey,
    Batch,
    Call,
    Category,
    Injection,
    Institution,
    Judgement,
    NodeEvent,
    Prompt,
    Run,
    Status,
    Subcategory,
)
from generation.reading import storable
from learning import backtests, guidance, thresholds
from learning.models import Backtest, FieldSynonym, Guidance, Proposal, ProposalDecision, Switch
from learning.thresholds import Place
from review.models import Claim, ReviewEvent, ReviewForm
from tests.factories import DraftFactory, RunFactory
from tests.learning.histories import said

SIGNALS = {"bad_format": True, "wrong_information": True, "wrong_physical_dimensions": True}
UNCHANGEABLE = ("in", "out")


def filled(text: str, *people: User) -> dict[str, str]:
    """Fill everything with the text; addresses by name. people: whose names become the text, too."""
    text = storable(text)
    prompts.seed()
    guidance.seed()
    for number, person in enumerate(people):
        person.first_name, person.last_name = text[:100], text[100:200] or text[:50]
        person.email = f"{number}@a.test"
        person.save()
    where = Subcategory.objects.create(
        slug="s", name=text[:200], category=Category.objects.create(name=text[:200])
    )
    house = Institution.objects.create(slug="i", name=text[:200])
    batch = Batch.objects.create(name=text[:200])
    runs = {
        status: _run(text, status, where, house, batch, people[0])
        for status in (Status.AWAITING_REVIEW, Status.APPROVED, Status.GENERATING, Status.FAILED, Status.REJECTED)
    }
    open_run, decided = runs[Status.AWAITING_REVIEW], runs[Status.APPROVED]
    ReviewForm.objects.create(
        run=open_run, reviewer=people[0], notes=text[:4000], missing_spec=[text[:80]], subcategory=where
    )
    Claim.objects.create(run=runs[Status.FAILED], reviewer=people[0], expires_at=timezone.now())
    _settings(text, where, people[0])
    base = f"/learning/{where.slug}/?flow=item&stage="
    return {
        "overview": "/",
        "queue": "/queue/",
        "in progress": "/queue/?view=progress",
        "failed": "/queue/?view=failed",
        "reviewed": "/queue/?view=reviewed",
        "open run": f"/runs/{open_run.pk}/",
        "decided run": f"/runs/{decided.pk}/",
        "running": f"/runs/{runs[Status.GENERATING].pk}/",
        "failed run": f"/runs/{runs[Status.FAILED].pk}/",
        "rejected run": f"/runs/{runs[Status.REJECTED].pk}/",
        "batch": f"/batches/{batch.pk}/",
        "learning": "/learning/",
        **{f"learning, {stage}": base + stage for stage in ("categorizer", "extraction", "supervisor")},
        "after a review": f"/queue/?done={decided.pk}",
        "learning of run": f"/learning/run/{decided.pk}/",
        "docs": "/api/v1/docs",
    }


def admin_addresses() -> dict[str, str]:
    """Lists, one row of each, and a prompt's pages."""
    models = {
        "generation": (Run, Batch, Institution, Call, ApiKey, Category, Subcategory),
        "review": (ReviewEvent, ReviewForm, Claim),
        "learning": (Guidance, FieldSynonym, Switch),
        "auth": (User,),
    }
    found = {"administration": "/admin/"}
    for app, kinds in models.items():
        for kind in kinds:
            name = kind._meta.model_name
            found[f"{app} {name}"] = f"/admin/{app}/{name}/"
            row: Any = kind._default_manager.first()
            found[f"one {app} {name}"] = f"/admin/{app}/{name}/{row.pk}/change/"
    found["proposals"] = "/admin/studio/proposals/"
    for proposal in Proposal.objects.all():
        found[f"{proposal.state} proposal"] = f"/admin/studio/proposals/{proposal.pk}/"
    where = Subcategory.objects.get(slug="s")
    found["thresholds"] = "/admin/studio/thresholds/"
    found["place"] = f"/admin/studio/thresholds/item/subcategory/{where.pk}/"
    found["backtest"] = f"/admin/studio/backtests/{Backtest.objects.latest('pk').pk}/"
    text = Guidance.objects.get(flow="item", key="bad_format.extraction")
    found["guidance text"] = f"/admin/studio/influence/{text.pk}/"
    found["guidance version"] = f"/admin/studio/influence/{text.pk}/versions/1/"
    prompt = Prompt.objects.get(flow="item", stage="extraction")
    found["prompt"] = f"/admin/generation/prompt/{prompt.pk}/change/"
    found["version"] = f"/admin/generation/prompt/{prompt.pk}/versions/1/"
    return found


def _run(text: str, status: str, where: Subcategory, house: Institution, batch: Batch, person: User) -> Run:
    run: Run = RunFactory(
        title=text[:200],
        source={"title": text[:1000], "text": f"{text}\nWeight: 3 kg\n{text}", "url": text[:2000]},
        metadata={text[:50]: text},
        subcategory=where,
        institution=house,
        batch=batch,
        external_id=text[:200],
        status=status,
        suspicion=text[:300],
        error={"code": text[:40], "detail": text},
        provider=text[:40],
        model=text[:100],
        revision=2,
        degradations=[text[:40]],
    )
    record = {
        "name": text,
        "description": text,
        "specifications": [{"name": text, "value": text, "unit": text}, {"name": "w", "value": 3, "unit": "kg"}],
        "dimensions": {"length": {"value": 3, "unit": text}},
        "sources": [text],
        text: {text: [text]},
    }
    finding = {"field": "/name", "code": text, "severity": "error", "detail": text}
    DraftFactory(run=run, revision=1, content={"name": "w"}, made_by=text[:40])
    draft = DraftFactory(run=run, revision=2, content=record, made_by=text[:40], findings=[finding])
    call = Call.objects.create(
        run=run, stage=text[:40], provider=text[:40], model=text[:100], system=text,
        user=f"{text} guidance {text}", answer=text, error={"code": text[:40], "detail": text},
        request={text: text},
    )  # fmt: skip
    Injection.objects.create(
        call=call, placeholder="X", guidance_key=text[:100], text=f"guidance {text}", reason=text[:100]
    )
    Judgement.objects.create(
        run=run, draft=draft, call=call, round=1, cycle=1, kind=text[:40], outcome="failed",
        result={"feedback": text, "findings": [finding]},
    )  # fmt: skip
    for kind in ("node_enter", "node_complete"):
        NodeEvent.objects.create(run=run, kind=kind, node=text[:40], badge=text[:10], detail=text[:300])
    said(
        run, draft=draft, reviewer=person, decision="approve", notes=text[:4000], missing_spec=[text[:80]],
        corrections={text: {"from": text, "to": text}}, **SIGNALS,
    )  # fmt: skip
    summary = {"decision": "approve", "reviewer": text[:80], "notes": text, "form": 0}
    Run.objects.filter(pk=run.pk).update(latest_review=summary)
    run.refresh_from_db()
    return run


def _settings(text: str, where: Subcategory, person: User) -> None:
    """What admins write."""
    row = Guidance.objects.get(flow="item", key="bad_format.extraction")
    written = guidance.save_version(row, text[:2000], author=person, note=text[:300])
    guidance.make_live(written, by=person, why=text[:300])
    here, of_ten = Place("item", where), {"bad_format_trigger": 1}
    thresholds.save(here, of_ten, by=person, why=text[:300], based_on=None)
    backtests.start(here, of_ten, person)
    FieldSynonym.objects.create(flow="item", name=text[:80], canonical=text[:80])
    Switch.objects.create(subcategory=where, why=text[:300], by=person)
    ApiKey.objects.create(name=text[:100], hash="h", scopes=["read"])
    for number, state in enumerate(Proposal.State.values):
        proposal = Proposal.objects.create(
            flow="item", stage="extraction", subcategory=where, cause="still_missing", signal="missing_spec",
            field=text[:80], field_key=f"{number}", text=text[:1000], state=state, wording="provider",
            provider=text[:40], model=text[:100], request={"system": text, "user": text}, answer=text,
            figures=[{"subcategory": where.pk, "count": 3, "of": 3, "threshold": 3, "cells": []}],
            failure=text[:40], events=list(ReviewEvent.objects.values_list("pk", flat=True)),
        )  # fmt: skip
        if state == Proposal.State.DECLINED:
            ProposalDecision.objects.create(proposal=proposal, state=state, by=person, why=text[:500])
    live = prompts.live("item", "extraction")
    prompt = Prompt.objects.get(pk=live.prompt_id)
    words = re.sub("<(?=<)|>(?=>)", "", text)  # a malformed placeholder is refused
    version = prompts.save_version(
        prompt, system=words, user=f"{live.user}\n{words}", author=person, note=text[:300]
    )
    prompts.make_live(version, by=person, why=text[:300])
