"""Realistic rows for page tests and screenshots: a queue as a reviewer finds it on a Monday."""

from datetime import datetime, timedelta
from typing import Any

from django.contrib.auth.models import Group, User
from django.utils import timezone

from generation.models import Batch, Call, Draft, Judgement, JudgeOutcome, NodeEvent, Run, Status, Subcategory
from review.groups import seed as seed_groups
from review.models import Claim
from tests.factories import CategoryFactory, DraftFactory, RunFactory, SubcategoryFactory, UserFactory

DRILL_TEXT = """Zweigang-Akku-Bohrschrauber mit bürstenlosem Motor für Holz, Metall und Kunststoff.
Akkuspannung 18 V, Kapazität 4,0 Ah, Li‑Ion
Drehmoment hart / weich: 60 / 34 Nm
Leerlaufdrehzahl 1. Gang 0–500 min⁻¹, 2. Gang 0–1.900 min⁻¹
Bohrfutter-Spannbereich 1,5–13 mm, Vollmetall
Max. Bohr-Ø in Holz 38 mm, in Stahl 13 mm
20 Drehmomentstufen und Bohrstufe
Abmessungen: Länge 194 mm, Höhe 252 mm, Kopfbreite 66 mm
Gewicht mit Akku 1,7 kg
Vibration beim Bohren in Metall 2,5 m/s² (K = 1,5 m/s²)
Schalldruckpegel 74 dB(A)
Lieferumfang: 2 Akkus 4,0 Ah, Schnellladegerät AL 30 (Ladezeit 45 min), L-Koffer"""

DRILL: dict[str, Any] = {
    "name": "Nordhaus AB 18-60 Li cordless drill driver",
    "description": "Akku-Bohrschrauber mit bürstenlosem Motor für Holz, Metall und Kunststoff",
    "specifications": [
        {"name": "Battery voltage", "value": 18, "unit": "V"},
        {"name": "Battery capacity", "value": 4.0, "unit": "Ah"},
        {"name": "Battery type", "value": "Li-ion", "unit": None},
        {"name": "Torque, hard", "value": 60, "unit": "Nm"},
        {"name": "Torque, soft", "value": 34, "unit": "Nm"},
        {"name": "No-load speed", "value": "0–500 / 0–1,900", "unit": "rpm"},
        {"name": "Impact rate", "value": 28500, "unit": "bpm"},
        {"name": "Chuck", "value": "1.5–13", "unit": "mm"},
        {"name": "Drilling, wood", "value": 38, "unit": "mm"},
        {"name": "Drilling, steel", "value": 10, "unit": "mm"},
    ],
    "dimensions": {
        "length": {"value": 1940, "unit": "mm"},
        "width": {"value": 66, "unit": "mm"},
        "height": {"value": 252, "unit": "mm"},
        "depth": None,
        "diameter": None,
        "weight": {"value": 1.7, "unit": "kg"},
    },
    "sources": ["source"],
}
FINDINGS = [
    {
        "field": "/dimensions/length",
        "code": "implausible_size",
        "severity": "warning",
        "detail": "length 1940 mm is 9.8 times the median of 41 approved records, 198 mm",
    }
]
FEEDBACK = (
    "Drilling, steel: line 7 gives 13 mm. The record mixes two machines; the hammer version is another product."
)


def reviewer(username: str = "mara", first: str = "Mara", last: str = "Koch", *, staff: bool = False) -> User:
    """A person of the reviewers' group who may sign in."""
    seed_groups()
    user: User = UserFactory(username=username, first_name=first, last_name=last, is_staff=staff)
    user.groups.add(Group.objects.get(name="reviewer"))
    return user


def subcategories() -> dict[str, Subcategory]:
    tools, office, kitchen = (CategoryFactory(name=name) for name in ("Power tools", "Office", "Kitchen"))
    return {
        "drills": SubcategoryFactory(slug="cordless-drills", name="Cordless drills", category=tools),
        "printers": SubcategoryFactory(slug="label-printers", name="Label printers", category=office),
        "scales": SubcategoryFactory(slug="coffee-scales", name="Coffee scales", category=kitchen),
    }


def drill(subcategory: Subcategory, **given: Any) -> Run:
    """The run of the review page: three drafts, a failed judgement, a suspicious length."""
    wanted: dict[str, Any] = {
        "subcategory": subcategory,
        "title": "Nordhaus AB 18-60 Li",
        "source": {"title": "Nordhaus AB 18-60 Li Akku-Bohrschrauber", "text": DRILL_TEXT},
        "status": Status.NEEDS_HUMAN_REVIEW,
        "judge_outcome": JudgeOutcome.NEEDS_HUMAN_REVIEW,
        "suspicion": "length 1940 mm is 9.8 times the median of 41 approved records, 198 mm",
        "revision": 2,
        "provider": "demo",
    } | given
    run: Run = RunFactory(**wanted)
    older = DRILL | {
        "specifications": [*DRILL["specifications"][:9], {"name": "Drilling, steel", "value": 8, "unit": "mm"}]
    }
    first: Draft = DraftFactory(run=run, revision=1, content=older)
    newest: Draft = DraftFactory(run=run, revision=2, content=DRILL, findings=FINDINGS)
    for cycle, draft in enumerate((first, newest), 1):
        Judgement.objects.create(
            run=run, draft=draft, round=1, cycle=cycle, kind="supervisor", outcome="failed",
            result={"feedback": FEEDBACK, "findings": []}, correction_applied=cycle == 1,
        )  # fmt: skip
    return run


def trail(run: Run) -> None:
    """The calls and stages of a run that was generated."""
    nodes = [
        ("extraction", "", 1),
        ("supervisor", "REVIEW", 1),
        ("extraction", "FIX", 2),
        ("supervisor", "REVIEW", 2),
    ]
    for number, (node, badge, attempt) in enumerate(nodes, 1):
        for kind in ("node_enter", "node_complete"):
            NodeEvent.objects.create(run=run, kind=kind, node=node, badge=badge, attempt=attempt)
        Call.objects.create(
            run=run, cycle=attempt, stage=node, attempt=1, provider="demo", duration_ms=40 * number,
            system="You extract product records.", user=f"<source>\n{run.title}\n</source>", answer="{}",
        )  # fmt: skip


def queue(me: User, other: User) -> dict[str, Run]:
    """Twelve runs up for review in three subcategories, some held, and some in every other state."""
    sub = subcategories()
    now = timezone.now()
    batch = Batch.objects.create(name="Autumn catalogue")
    runs = {"drill": drill(sub["drills"], batch=batch, changed_at=now - timedelta(days=3, hours=4))}
    for title, where, hours, given in _WAITING:
        run: Run = RunFactory(
            title=title, subcategory=sub[where], batch=batch, changed_at=_ago(now, hours), **given
        )
        DraftFactory(run=run, content=_small(title))
        runs[title] = run
    for title, where, given in _OTHERS:
        runs[title] = RunFactory(title=title, subcategory=sub[where], batch=batch, **given)
    for title, minutes in (("Tara 2 coffee scale with timer", 4), ("LP-58 mobile label printer", 9)):
        Claim.objects.create(
            run=runs[title], reviewer=other, expires_at=now + timedelta(minutes=minutes, seconds=30)
        )
    return runs


def _ago(now: datetime, hours: int) -> datetime:
    return now - timedelta(hours=hours)


def _small(title: str) -> dict[str, Any]:
    return {"name": title, "description": None, "specifications": [], "dimensions": {}, "sources": []}


_ESCALATED = {"status": Status.NEEDS_HUMAN_REVIEW, "judge_outcome": JudgeOutcome.NEEDS_HUMAN_REVIEW}
_UNAVAILABLE = {"status": Status.NEEDS_HUMAN_REVIEW, "judge_outcome": JudgeOutcome.UNAVAILABLE}
_FAILED = {"status": Status.FAILED, "judge_outcome": JudgeOutcome.FAILED}
_PASSED = {"judge_outcome": JudgeOutcome.PASSED}
_CORRECTED = {"judge_outcome": JudgeOutcome.CORRECTED}


def _error(code: str, detail: str) -> dict[str, Any]:
    return {"error": {"code": code, "detail": detail}}


_SENT_BACK = {"round": 2, "latest_review": {"decision": "revise", "reviewer": "Rosa Stein", "form": 0}}
_LIGHT = {"suspicion": "weight 0.19 kg is 7.4 times smaller than the median of 23 approved records, 1.41 kg"}
_WAITING: list[tuple[str, str, int, dict[str, Any]]] = [
    (
        "Etikett Pro 420 label printer", "printers", 67,
        _ESCALATED | _error("exhausted", "failed 3 judgements; 2 fixes were allowed"),
    ),
    (
        "Tara 2 coffee scale with timer", "scales", 54,
        _UNAVAILABLE | _error("timeout", "timeout: no answer within 120 s"),
    ),
    ("Hofmeister HB 12 cordless drill", "drills", 46, _PASSED | _SENT_BACK),
    ("Werkant SD 10 drill, bare tool", "drills", 44, _PASSED | _LIGHT),
    ("LP-58 mobile label printer", "printers", 27, _CORRECTED),
    ("Drip tray scale, stainless", "scales", 22, _FAILED | _error("no_draft", "the second fix gave no record")),
    ("Pour-over scale, 0.1 g, waterproof", "scales", 17, _PASSED),
    ("Thermo-Etikettendrucker TD 4550", "printers", 16, _PASSED | {"suspicion": "'Zol' is no known unit"}),
    ("Akku-Bohrhammer KH 18 Kompakt", "drills", 9, _CORRECTED),
    ("Espressowaage Nano mit USB-C und einem Namen, der länger ist als jede Spalte", "scales", 1, _PASSED),
]  # fmt: skip
_OTHERS: list[tuple[str, str, dict[str, Any]]] = [
    ("Bohrständer BS 45", "drills", {"status": Status.GENERATING, "revision": 0}),
    ("Label tape 12 mm", "printers", {"status": Status.QUEUED, "revision": 0}),
    (
        "Handwaage HW 5",
        "scales",
        _FAILED | {"revision": 0} | _error("unreachable", "The provider was unreachable"),
    ),
    ("Ladegerät AL 30", "drills", _PASSED | {"status": Status.APPROVED}),
]
