"""Tracebacks in logs say where and what kind, and none of an error's words."""

import sys

from config.tracebacks import without_words


def broken() -> None:
    try:
        int("a secret record")
    except ValueError as error:
        raise RuntimeError("Failing row contains (a secret record)") from error


def test_places_and_kinds_are_told_and_words_are_not() -> None:
    try:
        broken()
    except RuntimeError as error:
        for given in (True, error, sys.exc_info()):
            told = without_words(None, "error", {"event": "run_broke", "exc_info": given})
            assert told["event"] == "run_broke" and "exc_info" not in told
            assert "in broken" in told["exception"] and "test_tracebacks.py" in told["exception"]
            assert told["exception"].index("builtins.ValueError") < told["exception"].index(
                "builtins.RuntimeError"
            )
            assert "a secret record" not in told["exception"].replace('int("a secret record")', "").replace(
                '"Failing row contains (a secret record)"', ""
            )


def test_an_error_that_is_handed_on_by_itself_loses_its_words_too() -> None:
    error = ValueError("a secret record")
    told = without_words(None, "error", {"event": "x", "exception": error, "error": str(error)})
    assert told == {"event": "x", "exception": "builtins.ValueError", "error": "ValueError"}


def test_a_line_without_an_error_is_left_alone() -> None:
    assert without_words(None, "info", {"event": "x", "exc_info": None}) == {"event": "x"}
    assert without_words(None, "info", {"event": "x"}) == {"event": "x"}
