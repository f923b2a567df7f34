"""The two stages by a script."""

from typing import Any

import pytest

from tests.generation.question.records import question, scores
from tests.generation.scripted import Scripted


@pytest.fixture
def play(scripted: Scripted) -> Any:
    """The scripts of the two stages; a good run where nothing else is said."""

    def play(question_: Any = question(), judge: Any = scores()) -> Scripted:  # noqa: B008  a text
        scripted.play(question=question_, judge=judge)
        return scripted

    return play
