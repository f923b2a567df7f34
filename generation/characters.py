"""Characters of untrusted text: look-alikes, and what nobody sees. Words, units and scripts stay as written."""

import re
import unicodedata
from functools import cache, lru_cache

ZWNJ, ZWJ, EMOJI_STYLE = "\u200c", "\u200d", "\ufe0f"
MARKS_PER_LETTER = 4  # no script that is written needs more on one letter; piles of marks are noise

ANSI = re.compile(r"(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)?|\x1b[@-Z\\-_]?")
LINE_ENDS = re.compile("\r\n|[\r\v\f\x1c\x1d\x1e\x85\u2028\u2029]")
# NFKC would change what these say: 1½ into 11⁄2, 10² into 102, ″ into ′′, µ into another letter, ´ into a space.
KEPT = re.compile(
    "([\u00bc-\u00be\u2150-\u215f\u2189\u00b2\u00b3\u00b9\u2070\u2074-\u208e\u2033\u2034\u2057\u00b5\u00aa\u00ba"
    "\u00a8\u00af\u00b4\u00b8\u2026\u2122])"
)
# Letters, marks and symbols by their category that show nothing, and carry hidden text or split words.
INVISIBLE = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0\ufffc\U0001d159\U00016fe4") | frozenset(
    chr(point) for a, b in ((0x180B, 0x1810), (0xFE00, 0xFE10), (0xE0100, 0xE01F0)) for point in range(a, b)
)


def clean(text: str, *, data: bool = False) -> str:
    """The text in NFKC (but for what that would falsify), without anything that has no shape of its own.

    data: tabs stay, for they part columns, and so do letters that are no look-alikes of ASCII, as their writer
    wrote them.
    """
    text = LINE_ENDS.sub("\n", ANSI.sub("", text))
    if text.isascii():
        return _visible(text, data)
    parts = KEPT.split(text)
    parts[::2] = [_plain(part) if data else unicodedata.normalize("NFKC", part) for part in parts[::2]]
    return _visible("".join(parts), data)


def _plain(text: str) -> str:
    return "".join(map(_ascii_form, unicodedata.normalize("NFC", text)))


@lru_cache(maxsize=4096)
def _ascii_form(char: str) -> str:
    """What the character is in NFKC, where that has ASCII in it; else the character."""
    form = unicodedata.normalize("NFKC", char)
    return form if any(part.isascii() for part in form) else char


def _visible(text: str, data: bool) -> str:
    kept: list[str] = []
    marks = 0
    for index, char in enumerate(text):
        category = unicodedata.category(char)
        marks = marks + 1 if category in ("Mn", "Me") else 0
        if char == "\n" or (data and char == "\t"):
            kept.append(char)
        elif char == "\t" or category == "Zs":
            kept.append(" ")
        elif char in (ZWNJ, ZWJ, EMOJI_STYLE):
            if _needed(char, kept[-1] if kept else "", text[index + 1 : index + 2]):
                kept.append(char)
        elif category[0] in "LMNPS" and char not in INVISIBLE and marks <= MARKS_PER_LETTER:
            kept.append(char)
    return "".join(kept)


def _needed(char: str, before: str, after: str) -> bool:
    """Whether an invisible sign does what it is for: joining or parting letters, or making one emoji."""
    if char == EMOJI_STYLE:
        return _pictured(before)
    if _joins(before) and _joins(after):
        return True
    return char == ZWJ and (_pictured(before) or before == EMOJI_STYLE) and _pictured(after)


def _joins(char: str) -> bool:
    """Arabic, Syriac and the scripts of India, where a joiner changes the shape of a word."""
    return bool(char) and unicodedata.category(char)[0] in "LM" and "\u0600" <= char <= "\u0dff"


def _pictured(char: str) -> bool:
    return bool(char) and (unicodedata.category(char) == "So" or "\U0001f3fb" <= char <= "\U0001f3ff")


_ALIKE = {
    **dict(zip("авсԁеһнікӏмоԛгрѕтуѵԝхј", "abcdehhiklmoqrpstyvwxj", strict=True)),
    **dict(zip("αβεηικνορςτυχγω", "abenikvopstuxyw", strict=True)),
    **dict(zip("ΑΒΕΖΗΙΚΜΝΟΡΤΥΧϳ", "abezhikmnoptyxj", strict=True)),
    **dict(zip("սօհոզց", "uohnqg", strict=True)),
    **dict(zip("ᴀʙᴄᴅᴇꜰɢʜɪᴊᴋʟᴍɴᴏᴘʀꜱᴛᴜᴠᴡʏᴢɑɡıǃ", "abcdefghijklmnoprstuvwyzagi!", strict=True)),
    **{chr(0x1F150 + n): chr(97 + n) for n in range(26)},  # white letters in black circles
    **{chr(0x1F170 + n): chr(97 + n) for n in range(26)},  # and squares
    **{chr(0x1F1E6 + n): chr(97 + n) for n in range(26)},  # letters of flags
}


@cache
def _bare(char: str) -> str:
    if char.isascii():
        return char.lower()
    small = char.lower()[0]
    wide = unicodedata.normalize("NFKC", small)
    bare = unicodedata.normalize("NFD", wide if len(wide) == 1 else small)[0]
    return next((_ALIKE[form] for form in (char, small, bare) if form in _ALIKE), bare)


def skeleton(text: str) -> str:
    """The text as it looks, character for character: without case and accents, other alphabets' twins as Latin."""
    return "".join(map(_bare, text))
