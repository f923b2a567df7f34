"""Reading the topics of a prompt, and what their sentences hold."""

import re
from dataclasses import dataclass

HEAD = re.compile(r"^topic (?P<number>\d+): (?P<title>.*)$", re.MULTILINE)
LIST = re.compile(r"^(?P<name>brands|people|url): (?P<values>.+)$", re.MULTILINE)
SENTENCE = re.compile(r"(?<=[.!?])\s+(?=[^\W\d_a-zäöüß]|[“„\"])|(?<=[.!?][”“\"])\s+")
QUOTED = re.compile(r"[“„\"](?P<said>[^“”\"]{8,240})[”“\"]")
PRICE = re.compile(r"(?:€|£|\$|CHF|EUR)\s?\d[\d.,]*\d|(?:€|£|\$)\s?\d|\d[\d.,]*\s?(?:€|CHF|EUR|euros?)")
FIGURE = re.compile(r"\d+(?:[.,]\d+)*")
FULL_NAME = re.compile(r"\b[A-ZÄÖÜ][a-zäöüß]+(?: [A-ZÄÖÜ][a-zäöüß]+)+\b")


@dataclass(frozen=True)
class Topic:
    number: int
    title: str
    summary: str
    brands: tuple[str, ...] = ()
    people: tuple[str, ...] = ()
    url: str = ""

    @property
    def sentences(self) -> list[str]:
        return [one.strip() for one in SENTENCE.split(" ".join(self.summary.split())) if one.strip()]


def keyword_of(source: str) -> str:
    first = source.strip().partition("\n")[0]
    return first.removeprefix("keyword:").strip()


def topics_of(source: str) -> list[Topic]:
    """The topics of a source as the flow renders it."""
    heads = list(HEAD.finditer(source))
    ends = [head.start() for head in heads[1:]] + [len(source)]
    return [
        _topic(int(head["number"]), head["title"].strip(), source[head.end() : end])
        for head, end in zip(heads, ends, strict=True)
    ]


def _topic(number: int, title: str, rest: str) -> Topic:
    lists = {found["name"]: found["values"] for found in LIST.finditer(rest)}
    brands, people = (
        tuple(name.strip() for name in lists.get(key, "").split(";") if name.strip())
        for key in ("brands", "people")
    )
    return Topic(number, title, LIST.sub("", rest).strip(), brands, people, lists.get("url", ""))
