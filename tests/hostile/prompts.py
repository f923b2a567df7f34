"""What must hold for every prompt, however hostile the texts in it: read off the prompt alone."""

import re
import unicodedata
from collections import Counter

from generation.characters import skeleton

DIGEST = re.compile(r"quote-[0-9a-f]{12}")
TAG = re.compile(
    r"<\s*/\s*[a-z][\w-]*[^<>]{0,80}>|<[a-z][\w-]*[^<>]{0,80}>|<\s*(?:source|draft|feedback|suspected|quote-)"
)
ROLE = (
    "system|assistant|user|human|developer|benutzer|nutzer|assistent|utilisateur|usuario|"
    "система|пользователь|ассистент|系统|用户"
)
FORBIDDEN = {
    "a turn": re.compile(rf"^[\W\d_]*(?:{ROLE})(?:[^\w\]}}]|_)*?[:：∶﹕︰]", re.M),
    "a role in JSON": re.compile(r"[\"']role[\"']\s*:"),
    "a chat token": re.compile(r"<\||\|>|\[/?inst\]|<</?sys>>|</?s>|<\w+_of_turn>|</?(?:system|user|assistant)>"),
    "a heading": re.compile(r"^[ >]*#{1,6}\s", re.M),
    "a fence": re.compile(r"`{3}|~{3}|\"{3}|'{3}"),
    "a placeholder": re.compile(r"<<+\s*\w|<[^\S\n]*<|\w\s*>>+|\{\{|\{%|\{#"),
    "an image": re.compile(r"!\["),
    "markup": re.compile(r"<!--|-->|<!\[cdata|\]\]>"),
}
# Joiners that scripts and emoji need, and the sign that makes an emoji of a letter.
NEEDED = "\u200c\u200d\ufe0f\n\t"


def shape(prompt: str) -> Counter[str]:
    """What a model would read as more than words: every tag and every forbidden form, counted."""
    plain = skeleton(unicodedata.normalize("NFKC", DIGEST.sub("quote-*", prompt)))
    found = Counter(TAG.findall(plain))
    for name, pattern in FORBIDDEN.items():
        found[name] += len(pattern.findall(plain))
    return +found


def order(prompt: str) -> list[str]:
    """The prompt's tags in their order."""
    return TAG.findall(skeleton(unicodedata.normalize("NFKC", DIGEST.sub("quote-*", prompt))))


def unseen(prompt: str) -> set[str]:
    """Characters without a shape of their own."""
    return {
        f"U+{ord(char):04X}"
        for char in prompt
        if char not in NEEDED and unicodedata.category(char)[0] not in "LMNPS" and char != " "
    }
