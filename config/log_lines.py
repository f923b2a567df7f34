"""One log line per event: what would end a line or steer a terminal is written out as its number."""

import re
from collections.abc import MutableMapping
from typing import Any

# Control characters, line ends of Unicode, bidi and zero-width signs, and half surrogates, which no stream takes.
STEERING = re.compile("[\x00-\x1f\x7f-\x9f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ud800-\udfff]")
OURS = "exception"  # a traceback of ours, which has its lines; no word of an error is in it


def on_one_line(logger: Any, name: str, event: MutableMapping[str, Any]) -> MutableMapping[str, Any]:
    """A structlog processor for the renderer that people read; JSON escapes by itself."""
    for key, value in list(event.items()):
        if key != OURS and isinstance(value, str):
            event[key] = STEERING.sub(_written_out, value)
    return event


def _written_out(found: re.Match[str]) -> str:
    return f"\\u{ord(found.group()):04x}"
