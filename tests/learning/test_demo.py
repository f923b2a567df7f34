"""The demo content, its reviewer by rules, and the simulation."""

import re
from io import StringIO
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from pytest_django.fixtures import Settings

from generation.models import Run, Subcategory
from generation.providers.demo.extract import clean_record
from learning.demo.content import CATEGORY, Product, products
from learning.demo.loading import REVIEWED, load
from learning.demo.reviewer import review
from review.models import ReviewEvent

SOURCE = "Kestrel K1 drill\nVoltage: 18 V\nTorque: 40 Nm\nDimensions: 20 x 8 x 22 cm\nWeight: 1.4 kg"


def test_content_is_broad_enough() -> None:
    found = products()
    assert {product.subcategory for product in found} == set(CATEGORY)
    assert len(found) >= 30
    assert len({product.title for product in found}) == len(found)
    assert all(product.text for product in found)


def test_rules_approve_a_clean_record() -> None:
    fields = review(SOURCE, clean_record(SOURCE))
    assert fields.decision == "approve"
    assert not fields.missing_spec


@pytest.mark.parametrize("product", products(), ids=lambda product: product.title)
def test_rules_approve_every_faultless_record(product: Product) -> None:
    assert review(product.whole, clean_record(product.whole)).decision == "approve"


def break_size(record: dict[str, Any]) -> None:
    record["dimensions"]["weight"]["unit"] = "g"


def break_fact(record: dict[str, Any]) -> None:
    record["specifications"][0]["value"] = 99


def break_form(record: dict[str, Any]) -> None:
    record["specifications"][0].update(value="18 V", unit=None)


def break_completeness(record: dict[str, Any]) -> None:
    del record["specifications"][0]


@pytest.mark.parametrize(
    ("fault", "signal"),
    [
        (break_size, "wrong_physical_dimensions"),
        (break_fact, "wrong_information"),
        (break_form, "bad_format"),
        (break_completeness, "missing_spec"),
    ],
)
def test_rules_name_the_fault_and_no_other(fault: Any, signal: str) -> None:
    record = clean_record(SOURCE)
    fault(record)
    fields = review(SOURCE, record)
    signals = ("wrong_physical_dimensions", "wrong_information", "bad_format", "missing_spec")
    assert [name for name in signals if getattr(fields, name)] == [signal]
    assert fields.decision == "revise"
    assert review(SOURCE, record, last_round=True).decision == "reject"


@pytest.mark.django_db
def test_load_leaves_reviews_and_a_queue(settings: Settings) -> None:
    """The same on every first start: its own history has no part in what is drawn."""
    settings.FOLDBACK_HOLDOUT = settings.FOLDBACK_BLIND_REVIEW = 1.0
    load()
    past = Run.objects.reviewed()
    assert past.filter(arm="guided", holdout_share=0, drawn_blind=False).count() == past.count()
    assert not ReviewEvent.objects.filter(blind_to_judge=True).exists()
    for slug, reviewed in REVIEWED.items():
        runs = Run.objects.filter(subcategory__slug=slug)
        assert runs.reviewed().count() == reviewed
        assert runs.filter(status="queued").count() == runs.count() - reviewed
    with pytest.raises(CommandError, match="here already"):
        call_command("demo")


@pytest.mark.django_db
def test_simulate_prints_both_arms_and_leaves_nothing(
    caplog: pytest.LogCaptureFixture, settings: Settings
) -> None:
    settings.FOLDBACK_HOLDOUT = 1.0
    out = StringIO()
    call_command("simulate", runs=60, stdout=out)
    assert not caplog.records  # thousands of lines would bury the table
    text = out.getvalue()
    assert text.startswith("SIMULATION")
    without, learned = re.findall(r"first-pass acceptance, all 60 runs +(\d+)% +(\d+)%", text)[0]
    assert int(learned) > int(without)  # whatever share is held out of learning
    assert "fault rate" in text
    assert not Run.objects.exists()
    assert not ReviewEvent.objects.exists()
    assert not Subcategory.objects.exists()
