"""Plain text under construction: paragraphs, headings, list items and table rows of a converted source."""

import re

PARAGRAPH = "paragraph"
ITEM = "item"

_LIGATURES = dict(zip(range(0xFB00, 0xFB07), ("ff", "fi", "fl", "ffi", "ffl", "st", "st"), strict=True))
_NORMAL: dict[int, str | None] = {**_LIGATURES, 0xAD: None, 0xA0: " ", 0x202F: " "}
_GAP = re.compile(r"\n{2,}")


def normal(text: str) -> str:
    """Without soft hyphens, with ligatures as letters and hard spaces as spaces; other odd characters stay."""
    return text if text.isascii() else text.translate(_NORMAL)


def on_a_line(text: str) -> str:
    """Normal text with each run of white space as one space."""
    return " ".join(normal(text).split())


def paragraphs_of(text: str) -> list[str]:
    """The paragraphs of a text whose line ends are meant: an empty line parts them."""
    lines = "\n".join(on_a_line(line) for line in text.split("\n"))
    return [part for part in _GAP.split(lines.strip("\n")) if part]


class Blocks:
    """Blocks of text in their order, parted by a blank line; items of a list and rows of a table by a line end."""

    def __init__(self) -> None:
        self._parts: list[str] = []
        self._kind = PARAGRAPH
        self.length = 0

    def add(self, text: str, kind: str = PARAGRAPH) -> int:
        """Append a block that isn't empty; its offset."""
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
