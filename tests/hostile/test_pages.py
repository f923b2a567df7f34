"""The same texts on every page: they stay text, in elements, attributes, scripts and addresses."""

from collections.abc import Iterator
from html.parser import HTMLParser
from typing import Any
from urllib.parse import urlsplit

import pytest
from django.contrib.auth.models import User
from django.db import transaction

from tests import people
from tests.hostile.rows import admin_addresses, filled
from tests.hostile.texts import TEXTS, twin

pytestmark = pytest.mark.django_db
REST = (
    "forged turns", "placeholders", "unseen characters", "terminal", "log lines", "headers", "formulas",
    "unstorable",
)  # fmt: skip
PILES = {"markup": ("markup", "closes tags"), "addresses": ("addresses",), "the rest": REST}
LINKS = {"href", "src", "action", "formaction", "xlink:href", "srcset", "poster", "hx-get", "hx-post", "data"}
WORDS = "Plain words in the place of all that, 3 of them\nand a second line."


class Read(HTMLParser):
    """Which elements with which attributes there are, where links lead, and what scripts and styles hold."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.shapes: set[tuple[str, frozenset[str]]] = set()
        self.links: set[str] = set()
        self.languages: set[str] = set()  # guessed from the text, so not the same for another one
        self.inside: list[str] = []
        self._in = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.languages |= {value or "" for name, value in attrs if name == "lang"}
        self.shapes.add((tag, frozenset(name for name, _ in attrs if name != "lang")))
        self.links |= {value or "" for name, value in attrs if name in LINKS}
        self._in = tag

    def handle_endtag(self, tag: str) -> None:
        self._in = ""

    def handle_data(self, data: str) -> None:
        if self._in in ("script", "style") and data.strip():
            self.inside.append(data)


def read(html: str) -> Read:
    found = Read()
    found.feed(html)
    found.close()
    return found


def pages(text: str) -> Iterator[tuple[str, Any]]:
    """Every page as an admin and as a reviewer, and nothing left of it."""
    with transaction.atomic():
        admin = User.objects.create_superuser("mk", password="secret")
        reviewer = people.a_reviewer()
        shown = filled(text, reviewer, admin)
        for who, user, addresses in (
            ("admin", admin, shown | admin_addresses()),
            ("reviewer", reviewer, shown),
        ):
            client = people.signed_in(user)
            for name, address in addresses.items():
                with transaction.atomic():
                    yield f"{name} as {who}", client.get(address, follow=True)
        transaction.set_rollback(True)


def shapes(text: str) -> dict[str, Read]:
    found = {}
    for name, response in pages(text):
        assert response.status_code == 200, f"{name}: {response.status_code}"
        found[name] = read(response.content.decode())
    return found


@pytest.mark.parametrize("pile", PILES)
def test_no_element_attribute_script_or_address_comes_of_a_text(pile: str) -> None:
    text = " ".join(text for kind in PILES[pile] for text in TEXTS[kind])
    plain, hostile = shapes(twin(text.replace("\r", " "))), shapes(text)
    wrong = []
    for name, page in hostile.items():
        if more := page.shapes - plain[name].shapes:
            wrong.append(f"{name}: {sorted((tag, sorted(attrs)) for tag, attrs in more)[:5]}")
        if page.inside != plain[name].inside:
            wrong.append(f"{name}: a script or style of another text")
        wrong += [f"{name}: the language {found!r}" for found in page.languages if len(found) != 2]
        wrong += [
            f"{name}: leads to {link!r}"
            for link in page.links
            if urlsplit(link).scheme not in ("", "https") or link.startswith("//") or "evil" in link
        ]
    assert not wrong, "\n".join(wrong[:20])


@pytest.mark.parametrize(
    "html", ["<b onclick=x>", "<a href=javascript:x>y</a>", "<script>x</script>", "<p><img src=//evil.test>"]
)
def test_the_reading_would_see_it(html: str) -> None:
    plain, hostile = read("<p>"), read(f"<p>{html}")
    assert hostile.shapes - plain.shapes


def test_every_page_was_there() -> None:
    assert len(shapes(WORDS)) >= 60
