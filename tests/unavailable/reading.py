"""A page as people read it."""

import html
import re

from django.test import Client

LANE = re.compile(r'<li class="lane .*?</li>', re.S)
PASSED = re.compile(r"(?<!neither )\bpass(ed|es)?\b|✓", re.IGNORECASE)  # but for a judge that said neither


def plain(markup: str) -> str:
    """Its words without its marks."""
    return " ".join(html.unescape(re.sub(r"<[^>]*>", " ", markup)).split())


def page(client: Client, address: str) -> str:
    """What stands between its header and its end."""
    response = client.get(address)
    assert response.status_code == 200, f"{address}: {response.status_code}"
    markup: str = response.content.decode()
    return markup.partition("<main")[2] or markup


def part(markup: str, tag: str, holds: str) -> str:
    """The one element of that name, without another of its name inside, that holds the text."""
    found = [one for one in re.findall(rf"<{tag}[ >].*?</{tag}>", markup, re.S) if holds in one]
    assert len(found) == 1, f"{len(found)} of <{tag}> hold {holds}"
    return str(found[0])


def judgings(markup: str) -> list[str]:
    """The lanes of a timeline in which a judge was asked."""
    return [lane for lane in LANE.findall(markup) if ">REVIEW " in lane]
