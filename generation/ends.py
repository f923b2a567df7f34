"""Long texts cut in their middle: results stand at the end, and what it is about at the beginning."""

RESERVE = 60  # characters for the words that say how much was cut
CONTINUATION = bytes(range(0x80, 0xC0))  # bytes of UTF-8 that begin no character
LONGEST_LINE = 4000  # bytes of a line that are searched for the watched word
MOST_LINES = 50  # lines with the watched word that are kept


def both_ends(text: str, limit: int) -> str:
    """The text, or its two ends and how much was left out between them: at most `limit` characters."""
    if len(text) <= limit:
        return text
    half = (limit - RESERVE) // 2
    return _joined(text[:half], text[-half:], len(text) - 2 * half)


def _joined(head: str, tail: str, cut: int) -> str:
    return f"{head}\n[… {cut:,} characters left out …]\n{tail}"


class Ends:
    """Bytes as they come, of which the first and the last are kept, however many there are.

    limit: characters of `text`. watch: a word; lines that hold it are kept, also from the part that is left out.
    """

    def __init__(self, limit: int, watch: bytes = b"") -> None:
        self.limit, self._watch = limit, watch
        self._keep = limit * 2  # bytes at each end: no character has more than four
        self._head, self._tail = bytearray(), bytearray()
        self._bytes = self._characters = 0
        self._line = b""
        self._marked: list[bytes] = []

    def add(self, chunk: bytes) -> None:
        self._bytes += len(chunk)
        self._characters += len(chunk.translate(None, CONTINUATION))
        if self._watch:
            self._look_at(chunk)
        room = self._keep - len(self._head)
        self._head += chunk[:room]
        self._tail += chunk[room:]
        if len(self._tail) > 2 * self._keep:
            del self._tail[: -self._keep]

    @property
    def text(self) -> str:
        if self._bytes == len(self._head) + len(self._tail):
            return both_ends((self._head + self._tail).decode(errors="replace"), self.limit)
        half = (self.limit - RESERVE) // 2
        head = self._head.decode(errors="replace")[:half]
        tail = self._tail.decode(errors="replace")[-half:]
        return _joined(head, tail, max(self._characters - 2 * half, 1))

    @property
    def marked(self) -> list[str]:
        """The lines that hold the watched word."""
        last = [self._line] if self._watch and self._watch in self._line else []
        return [line.decode(errors="replace").strip() for line in (*self._marked, *last)]

    def _look_at(self, chunk: bytes) -> None:
        *lines, rest = (self._line + chunk).split(b"\n")
        if len(self._marked) < MOST_LINES:
            self._marked += [line[:LONGEST_LINE] for line in lines if self._watch in line]
        if self._watch in rest and len(rest) > LONGEST_LINE:
            self._marked.append(rest[:LONGEST_LINE])
        self._line = rest[-LONGEST_LINE:]
