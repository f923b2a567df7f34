"""The rules for Prometheus in docs/alerts.yml: read as YAML, and held to what /metrics shows."""

import re
from typing import Any

import pytest
import yaml
from django.test import Client

from tests.config.test_environment import ROOT

RULES: list[dict[str, Any]] = [
    rule
    for group in yaml.safe_load((ROOT / "docs" / "alerts.yml").read_text())["groups"]
    for rule in group["rules"]
]
METRIC = re.compile(r"foldback_\w+")
LABEL = re.compile(r'(foldback_\w+)\{(\w+)[!=~]+"([^"]*)"\}')
TIMES = re.compile(r"\d+[smhd]")


@pytest.fixture
def shown() -> dict[str, str]:
    """Metric → what kind it is."""
    text = Client().get("/metrics").content.decode()
    return dict(re.findall(r"^# TYPE (\w+) (\w+)$", text, re.MULTILINE))


@pytest.mark.django_db
def test_every_metric_is_shown_and_its_labels_have_such_values(shown: dict[str, str]) -> None:
    used = {name for rule in RULES for name in METRIC.findall(rule["expr"])}
    assert used <= set(shown), used - set(shown)
    text = Client().get("/metrics").content.decode()
    for metric, label, value in (found for rule in RULES for found in LABEL.findall(rule["expr"])):
        if metric != "foldback_runs_postponed":  # shows the reasons that there are
            assert f'{metric}{{{label}="{value}"}}' in text


def test_each_rule_has_what_prometheus_and_a_person_need() -> None:
    assert len({rule["alert"] for rule in RULES}) == len(RULES) > 9
    for rule in RULES:
        assert set(rule) <= {"alert", "expr", "for", "labels", "annotations"}, rule["alert"]
        assert re.fullmatch(r"[A-Za-z]\w*", rule["alert"])
        assert TIMES.fullmatch(rule.get("for", "0s")), rule["alert"]
        assert rule["labels"]["severity"] in ("page", "warn")
        assert set(rule["annotations"]) == {"summary", "description"}
        for opened, closed in ("()", "[]", "{}"):
            assert rule["expr"].count(opened) == rule["expr"].count(closed)


@pytest.mark.django_db
def test_the_docs_name_every_metric(shown: dict[str, str]) -> None:
    told = set(METRIC.findall((ROOT / "docs" / "deploy.md").read_text()))
    counters = {f"{name}_total" for name, kind in shown.items() if kind == "counter"}
    names = {name for name in shown if name.startswith("foldback_")} | counters
    assert told <= names, told - names
    assert {name for name in shown if name.startswith("foldback_") and not {name, f"{name}_total"} & told} == set()
