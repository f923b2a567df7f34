"""The record of the question flow. Its form is lenient: what is missing in it is the structural rules' to tell."""

import re
from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, model_validator

LETTERS = "ABCDE"
KEY = re.compile(r"\(?(?:option\s+)?\(?([a-e])[).:]*", re.IGNORECASE)


def _text(value: Any) -> Any:
    """Blank for null; without the spaces around it."""
    return "" if value is None else value.strip() if isinstance(value, str) else value


def _letter(value: Any) -> Any:
    """ "b", "(B)" and "Option B." are B; anything else stays as it is."""
    found = KEY.fullmatch(value.strip()) if isinstance(value, str) else None
    return found.group(1).upper() if found else _text(value)


Text = Annotated[str, BeforeValidator(_text)]


class Part(BaseModel):
    """Every field is asked for; one that an answer leaves out is blank all the same."""

    model_config = ConfigDict(extra="ignore")

    @model_validator(mode="before")
    @classmethod
    def _blank(cls, given: Any) -> Any:
        return dict.fromkeys(cls.model_fields) | given if isinstance(given, dict) else given


class Option(Part):
    """One answer to choose."""

    text: Text = Field(description="the answer alone, without its letter")
    correct: Annotated[bool, BeforeValidator(lambda value: False if value is None else value)]
    explanation: Text = Field(description="why this option is right or wrong, in one or two sentences")


class Question(Part):
    """A clinical multiple-choice question with one best answer."""

    vignette: Text = Field(description="the case: patient, presentation, findings; no question in it")
    stem: Text = Field(description="one question about the case")
    options: Annotated[list[Option], BeforeValidator(lambda value: [] if value is None else value)] = Field(
        description="four or five, exactly one of them correct"
    )
    key: Annotated[str, BeforeValidator(_letter)] = Field(
        description="the letter of the correct option: A is the first"
    )
    explanation: Text = Field(description="why the key is the best answer, from the findings of the case")
