"""Choosing a subcategory by the words that a product text shares with its name."""

import re

from generation.providers.demo.prompt import Category

# (English words, German stems) of one thing. An English word counts as a whole; a German stem also where a word
# begins with it or ends in it, for compounds put the thing last ("Etikettendrucker").
STEMS: tuple[tuple[tuple[str, ...], tuple[str, ...]], ...] = (
    (("drill", "screwdriver", "chuck"), ("bohr", "schrauber")),
    (("cordless",), ("akku",)),
    (("printer",), ("drucker", "druckbreite", "druckauflösung")),
    (("label", "labeller"), ("etikett",)),
    (("scale",), ("waage",)),
    (("coffee", "espresso"), ("kaffee",)),
    (("camera",), ("kamera",)),
    (("lamp", "light"), ("lampe", "leuchte")),
    (("shoe",), ("schuh",)),
    (("chair",), ("stuhl",)),
    (("table", "desk"), ("tisch",)),
    (("saw",), ("säge",)),
    (("bag", "backpack"), ("tasche", "rucksack")),
    (("lure", "bait"), ("köder",)),
    (("glasses", "sunglasses", "goggles", "eyewear"), ("brille",)),
)
WORD = re.compile(r"[^\W\d_]{3,}")
TITLE_WEIGHT = 3
LONGEST = 5000  # characters of the text that are looked at


def best(source: str, categories: list[Category], feedback: str = "") -> Category | None:
    """The subcategory that shares most with the title and the text; None where none shares a word.

    Where a reviewer's correction names one of them, it is that one.
    """
    for category in categories:
        if any(_names(name, feedback) for name in (category.slug, category.name)):
            return category
    title, _, text = source.strip()[:LONGEST].partition("\n")
    heavy, light = words(title), words(text)
    scores = [(_score(category, heavy, light), -index) for index, category in enumerate(categories)]
    score, index = max(scores, default=(0, 0))
    return categories[-index] if score else None


def _names(name: str, text: str) -> bool:
    return bool(re.search(rf"(?<![\w-]){re.escape(name)}(?![\w-])", text, re.IGNORECASE))


def words(text: str) -> frozenset[str]:
    """The text's words, each as the thing it names; whole words only: "portable" has no "table" in it."""
    found: set[str] = set()
    for word in WORD.findall(text.casefold()):
        found.add(_singular(word))
        found |= {english[0] for english, german in STEMS if _names_thing(word, english, german)}
    return frozenset(found)


def _score(category: Category, heavy: frozenset[str], light: frozenset[str]) -> int:
    own = words(f"{category.name} {category.slug.replace('-', ' ')}")
    wider = words(category.category) - own
    shared = TITLE_WEIGHT * len(own & heavy) + len(own & light)
    return 2 * shared + len(wider & (heavy | light))


def _names_thing(word: str, english: tuple[str, ...], german: tuple[str, ...]) -> bool:
    return _singular(word) in english or word in english or word.startswith(german) or word.endswith(german)


def _singular(word: str) -> str:
    return word[:-1] if word.endswith("s") and not word.endswith("ss") and len(word) > 3 else word
