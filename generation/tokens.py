"""How many tokens a text may have, without a network or a vocabulary: an upper bound, and a rule of thumb."""

import unicodedata


def tokens_at_most(text: str) -> int:
    """No tokenizer in use makes more tokens of the text; most make a quarter or less of Latin ones.

    A token of a byte-level vocabulary stands for one byte of UTF-8 or more, and what has no token of its own falls
    back to bytes. Tokenizers that normalise first do so to NFKC, which makes some texts longer, so the longer form
    counts; one more is for the space that SentencePiece puts before a text. The tokens around a message, the
    same for every text, are not counted. Half surrogates, which cannot be sent, count as three bytes.
    """
    if not text:
        return 0
    forms = (text,) if text.isascii() else (text, unicodedata.normalize("NFKC", text))
    return 1 + max(len(form.encode("utf-8", "surrogatepass")) for form in forms)


def tokens_about(text: str) -> int:
    """As a rule of thumb four bytes of UTF-8 are a token: near for English, somewhat low for other languages."""
    return -(-len(text.encode("utf-8", "surrogatepass")) // 4)
