"""A progress bar for commands: one moving line on a terminal, a line per tenth elsewhere."""

from dataclasses import dataclass

from django.core.management.base import OutputWrapper

WIDTH = 30


@dataclass
class Bar:
    """Draws how much of `total` is done."""

    out: OutputWrapper
    total: int
    tenth: int = -1  # the last one that was told

    def show(self, done: int, note: str) -> None:
        share = min(1.0, done / self.total) if self.total else 1.0
        filled = round(share * WIDTH)
        line = f"[{'#' * filled}{'.' * (WIDTH - filled)}] {share:4.0%} {note}"
        if self.out.isatty():
            self._write(f"\r{line}\x1b[K" + ("\n" if share == 1 else ""))
        elif int(share * 10) > self.tenth:
            self._write(line + "\n")
        self.tenth = int(share * 10)

    def clear(self) -> None:
        """Make room for a line of text; the bar comes back with the next `show`."""
        if self.out.isatty():
            self._write("\r\x1b[K")

    def _write(self, text: str) -> None:
        self.out.write(text, style_func=str, ending="")
        self.out.flush()
