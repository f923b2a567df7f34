"""The shipped product texts: a file per subcategory, products parted by a line of three dashes."""

from dataclasses import dataclass
from pathlib import Path

FOLDER = Path(__file__).parent
CATEGORY = {
    "cordless-drills": ("Cordless drills", "Tools"),
    "label-printers": ("Label printers", "Office"),
    "coffee-scales": ("Coffee scales", "Kitchen"),
}


@dataclass(frozen=True)
class Product:
    subcategory: str  # its slug
    title: str
    text: str

    @property
    def whole(self) -> str:
        """As the prompt shows it: the title is the first line."""
        return f"{self.title}\n{self.text}"

    @property
    def source(self) -> dict[str, str]:
        """As the `source` of an `item` run."""
        return {"title": self.title, "text": self.text}


def products() -> list[Product]:
    """All products, the subcategories taking turns, so that any first few show each of them."""
    by_subcategory = [_read(slug) for slug in CATEGORY]
    longest = max(len(found) for found in by_subcategory)
    return [found[i] for i in range(longest) for found in by_subcategory if i < len(found)]


def _read(slug: str) -> list[Product]:
    texts = (FOLDER / f"{slug}.txt").read_text(encoding="utf-8").split("\n---\n")
    parted = (text.strip().partition("\n") for text in texts)
    return [Product(slug, title, text) for title, _, text in parted]
