"""The same texts in logs: one event is one line, no terminal is steered, and no word of a record is told."""

import io
import json
import logging
from collections.abc import Iterator

import pytest
import structlog
from django.conf import settings

from tests import people
from tests.generation.scripted import Scripted
from tests.hostile.runs import sent
from tests.hostile.texts import TEXTS

ALL = [text for kind, texts in TEXTS.items() if kind != "huge" for text in texts]


@pytest.fixture(params=["line", "json"])
def written(request: pytest.FixtureRequest) -> Iterator[io.TextIOWrapper]:
    """What the application's own handler writes with each renderer, as UTF-8."""
    stream = io.TextIOWrapper(io.BytesIO(), "utf-8", write_through=True)
    handler = logging.StreamHandler(stream)
    handler.setFormatter(
        structlog.stdlib.ProcessorFormatter(
            processors=[
                structlog.stdlib.ProcessorFormatter.remove_processors_meta,
                *settings.LOG_RENDERERS[request.param],
            ],
            foreign_pre_chain=settings.SHARED_LOG_PROCESSORS,
        )
    )
    handler.handleError = _fail  # type: ignore[method-assign]
    root = logging.getLogger()
    root.addHandler(handler)
    level, root.level = root.level, logging.INFO
    yield stream
    root.removeHandler(handler)
    root.level = level


def _fail(record: logging.LogRecord) -> None:
    raise AssertionError("a line could not be written")


def lines(stream: io.TextIOWrapper) -> list[str]:
    raw: io.BytesIO = stream.buffer  # type: ignore[assignment]
    return raw.getvalue().decode().splitlines()


def test_one_event_is_one_line(written: io.TextIOWrapper) -> None:
    for text in ALL:
        structlog.get_logger("foldback.test").warning("told", path=text, model=text, deep={"x": [text]})
        structlog.get_logger("foldback.test").warning(text)
        logging.getLogger("some.library").warning("Not found: %s", text)
    told = lines(written)
    assert len(told) == 3 * len(ALL)
    assert all(line.isprintable() or _of_scripts(line) for line in told)


def _of_scripts(line: str) -> bool:
    """What `isprintable` refuses and no terminal minds: signs that scripts need, and tags without a shape."""
    return not any(ord(char) < 32 or 127 <= ord(char) < 160 or char in "\u2028\u2029\u202e\u2066" for char in line)


@pytest.mark.django_db
@pytest.mark.parametrize("kind", ["log lines", "terminal", "markup"])
def test_a_whole_run_tells_no_word_of_its_record(kind: str, learning: Scripted, written: io.TextIOWrapper) -> None:
    for text in TEXTS[kind][:2]:
        sent(text, learning)
    told = lines(written)
    assert any("run_finished" in line for line in told)
    for line in told:
        assert "Alpha" not in line and "omega" not in line and "forged" not in line, line
        assert line.startswith("{") is False or json.loads(line)


@pytest.mark.django_db
@pytest.mark.parametrize("path", ["/%0aforged", "/runs/%1b[31mx/", "/api/v1/%0d%0aforged", "/api/v1/%c2%9b31m"])
def test_an_address_forges_no_line(path: str, written: io.TextIOWrapper) -> None:
    client = people.outsider()
    client.get(path, headers={"X-Request-ID": "id forged=1", "User-Agent": "a\x1b[31m"})
    for line in lines(written):
        assert not line.startswith("forged") and "\x1b" not in line and "\x9b" not in line
