"""What `generate --wait` writes of a judge that could not judge."""

import io

import pytest
from django.core.management.base import OutputWrapper

from generation.models import Run
from generation.terminal import Lines
from tests.unavailable.far_end import BY_NAME, CASES, PASSES, Case, words
from tests.unavailable.reading import PASSED

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize("case", [*CASES, *((flow, PASSES) for flow in BY_NAME)])
def test_its_lines(walk: dict[Case, Run], case: Case) -> None:
    out = io.StringIO()
    Lines(OutputWrapper(out)).show(walk[case])
    judged = [line for line in out.getvalue().splitlines() if "[REVIEW " in line]
    if case[1] == PASSES:
        assert len(judged) == 1 and judged[0].startswith("✓ ") and judged[0].endswith("passed")
    else:
        assert judged[-1].startswith("? ") and words(case) in judged[-1]
        assert not PASSED.search("\n".join(judged))
