"""The style sheets: each is linked by some page, each link leads to one, and one alone has colours."""

import re
from pathlib import Path

import pytest
from django.conf import settings

CSS = Path(settings.BASE_DIR) / "static" / "css"
SHEETS = sorted(str(path.relative_to(CSS)) for path in CSS.rglob("*.css"))
LINK = re.compile(r"{% static 'css/([\w/-]+\.css)' %}")
COLOUR = re.compile(
    r"#[0-9a-f]{3,8}\b|\b(?:rgba?|hsla?|hwb|lab|lch|oklab|oklch|color|light-dark)\(", re.IGNORECASE
)


def linked() -> set[str]:
    pages = (Path(settings.BASE_DIR) / "templates").rglob("*.html")
    return {name for page in pages for name in LINK.findall(page.read_text(encoding="utf-8"))}


def test_every_sheet_is_linked_and_every_link_leads_to_one() -> None:
    flows = {name for name in SHEETS if name.startswith("records/")}  # linked by the name of the flow
    assert linked() == set(SHEETS) - flows


@pytest.mark.parametrize("name", [name for name in SHEETS if name != "tokens.css"])
def test_colours_stand_in_tokens_alone(name: str) -> None:
    rules = re.sub(r"/\*.*?\*/|url\(.*?\)", "", (CSS / name).read_text(encoding="utf-8"), flags=re.DOTALL)
    values = re.findall(r"(?<=:)[^;{}]+(?=;)", rules)
    assert [value for value in values if COLOUR.search(value)] == []
