"""A faultless page by rules: the topics' own sentences, laid out; none is made up, and none stands twice."""

import re
from collections.abc import Iterator
from typing import Any

from generation.flows.editorial.names import has_words, holds
from generation.providers.demo.editorial.topics import PRICE, QUOTED, Topic, keyword_of, topics_of

Record = dict[str, Any]
HERO_LENGTH = 90
SENTENCES_EACH = 2  # in a paragraph
TAGS = 6
OCCUPATION = r"{name}, (?:(?:a|an|the|its|their) )?(?P<what>[^,.;:“”\"]{{3,60}})[,.]"


def compose(source: str) -> Record:
    """The page of a source as the flow renders it."""
    keyword, topics = keyword_of(source), topics_of(source)
    hero, people = hero_of(topics), [name for topic in topics for name in topic.people]
    blocks: list[Record] = [{"type": "hero", "text": hero, "caption": None}] if hero else []
    for topic in topics:
        blocks += _scene(topic, hero, people, first=topic is topics[0])
    _enough(blocks, keyword, topics)
    tags = list(dict.fromkeys(_tag(name) for name in (keyword, *(b for topic in topics for b in topic.brands))))
    blocks += [{"type": "divider"}, {"type": "hashtags", "tags": [tag for tag in tags if tag][:TAGS]}]
    if urls := [topic.url for topic in topics if topic.url]:
        blocks.append({"type": "credits", "lines": urls})
    title = topics[0].title if topics else keyword
    subtitle = ", ".join([keyword, *(topic.title[:1].lower() + topic.title[1:] for topic in topics[1:3])])
    return {"title": (title or "untitled")[:200], "subtitle": subtitle, "blocks": blocks}


def hero_of(topics: list[Topic]) -> str:
    """The shortest plain sentence of the first topic that has one, set large; the empty string where none has."""
    for topic in topics:
        plain = (one for one in topic.sentences[1:] if not QUOTED.search(one) and not PRICE.search(one))
        if short := [one for one in plain if len(one) <= HERO_LENGTH]:
            return min(short, key=len)
    return ""


def _scene(topic: Topic, hero: str, people: list[str], *, first: bool) -> Iterator[Record]:
    """One topic: a heading, its sentences, and what of them stands better by itself."""
    if not first:
        yield {"type": "headline", "text": topic.title[:200]}
    quote = next((block for one in topic.sentences if (block := _quote(one, people))), None)
    products = [_product(name, topic) for name in topic.brands]
    apart = {hero} | {block["text"] for block in products} | ({quote["sentence"]} if quote else set())
    running = [one for one in topic.sentences if one not in apart] or topic.sentences[:1]
    parts = [running[at : at + SENTENCES_EACH] for at in range(0, len(running), SENTENCES_EACH)]
    yield {"type": "body_text", "paragraphs": [" ".join(part) for part in parts]}
    if quote:
        yield {"type": "quote", "text": quote["said"], "speaker": quote["speaker"]}
    yield from (
        {"type": "person", "name": name, "occupation": _occupation(name, topic), "text": None}
        for name in topic.people
    )
    yield from products


def _quote(sentence: str, people: list[str]) -> Record | None:
    found = QUOTED.search(sentence)
    if found is None:
        return None
    speaker = next((name for name in people if holds(sentence, name)), None)
    return {"said": found["said"].strip(" ,"), "speaker": speaker, "sentence": sentence}


def _product(name: str, topic: Topic) -> Record:
    """With the sentence that tells its price, where one does."""
    priced = next((one for one in topic.sentences if PRICE.search(one) and not QUOTED.search(one)), None)
    own = priced if priced and name == topic.brands[0] else None
    price = PRICE.search(own) if own else None
    return {"type": "product", "name": name, "brand": None, "text": own, "price": price.group() if price else None}


def _occupation(name: str, topic: Topic) -> str | None:
    found = re.search(OCCUPATION.format(name=re.escape(name)), topic.summary)
    return " ".join(found["what"].split()) if found else None


def _enough(blocks: list[Record], keyword: str, topics: list[Topic]) -> None:
    """Two paragraphs, also from a single sentence."""
    bodies = [block for block in blocks if block["type"] == "body_text"]
    if sum(has_words(text) for block in bodies for text in block["paragraphs"]) >= 2:
        return
    sentences = [one for block in bodies for text in block["paragraphs"] for one in re.split(r"(?<=[.!?]) ", text)]
    sentences = [one for one in sentences if has_words(one)]
    more = [f"{one}." for one in (keyword, *(topic.title for topic in topics)) if has_words(one)]
    sentences = [*more[: 2 - len(sentences)], *sentences] if len(sentences) < 2 else sentences
    blocks[:] = [block for block in blocks if block["type"] != "body_text"]
    at = 1 if blocks and blocks[0]["type"] == "hero" else 0
    blocks.insert(at, {"type": "body_text", "paragraphs": sentences})


def _tag(name: str) -> str:
    return "".join(re.findall(r"\w+", name.title() if " " in name else name))
