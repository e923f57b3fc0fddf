"""Plain text under construction: paragraphs, headings, list items and table rows of a converted source."""

import re

PARAGRAPH = "paragraph"
ITEM = "item"

_LIGATURES = dict(zip(range(0xFB00, 0xFB07), ("ff", "fi", "fl", "ffi", "ffl", "st", "st"), strict=True))
_NORMAL: dict[int, str | None] = {**_LIGATURES, 0xAD: None, 0xA0: " ", 0x202F: " "}
_GAP = re.compile(r"\n{2,}")


def normal(text: str) -> str:
    """The text without soft hyphens, with ligatures as letters and no-break spaces as spaces."""
    return text if text.isascii() else text.translate(_NORMAL)


def on_a_line(text: str) -> str:
    """The `normal` text on one line, with each run of white space as one space."""
    return " ".join(normal(text).split())


def paragraphs_of(text: str) -> list[str]:
    """The paragraphs of a text whose line ends are intended: empty lines separate them."""
    lines = "\n".join(on_a_line(line) for line in text.split("\n"))
    return [part for part in _GAP.split(lines.strip("\n")) if part]


class Blocks:
    """Blocks of text in order, separated by blank lines; items of a list and rows of a table by line ends."""

    def __init__(self) -> None:
        self._parts: list[str] = []
        self._kind = PARAGRAPH
        self.length = 0

    def add(self, text: str, kind: str = PARAGRAPH) -> int:
        """Append a block that isn't empty, and return its offset."""
        if self._parts:
            self._append("\n" if kind == self._kind != PARAGRAPH else "\n\n")
        self._kind = kind
        start = self.length
        self._append(text)
        return start

    def _append(self, text: str) -> None:
        self._parts.append(text)
        self.length += len(text)

    def text(self) -> str:
        """All blocks so far."""
        return "".join(self._parts)
