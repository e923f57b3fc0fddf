"""Text for a terminal. What stands in a document, a title or a model's reply must not command it, nor hide in it."""

import re
from typing import Any

from rich.console import Console as RichConsole
from rich.style import Style
from rich.text import Text as RichText

_TURNING = [*range(0x202A, 0x202F), *range(0x2066, 0x2070)]
"""Characters that turn the direction of what stands after them, or change how digits and letters are shaped."""

_MARKS = [0x200E, 0x200F, 0x061C]
"""Marks of direction, which texts from right to left are full of."""

_UNSEEN = [*range(0xFFF9, 0xFFFC), *range(0xE0000, 0xE0080), *range(0xD800, 0xE000)]
"""Annotations and tags: characters that nobody sees, and a model reads; halves of characters, which none can write."""

_SHOWN: dict[int, str | None] = {code: chr(0x2400 + code) for code in range(32)}
_SHOWN |= {ord("\t"): "\t", ord("\n"): "\n", ord("\v"): "\n", ord("\f"): "\n", 0x7F: "\u2421"}
_SHOWN |= dict.fromkeys((0x2028, 0x2029), "\n")
_SHOWN |= dict.fromkeys([*range(0x80, 0xA0), *_TURNING, *_UNSEEN], "\ufffd")
_SHOWN |= dict.fromkeys(_MARKS, None)

_RAW_IN_JSON = re.compile(f"[{''.join(map(chr, [*range(0x7F, 0xA0), 0x2028, 0x2029, *_MARKS, *_TURNING, *_UNSEEN]))}]")


class Console(RichConsole):
    """Rich's console; of a string nothing is taken for markup, and control characters are shown as signs."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(highlight=False, markup=False, emoji=False, **settings)

    def render_str(self, text: str, **how: Any) -> RichText:
        """The string as it may be printed."""
        return super().render_str(visible(text), **how)


class Text(RichText):
    """Rich's text; control characters are shown as signs instead of sent."""

    def __init__(self, text: str = "", style: str | Style = "", **settings: Any) -> None:
        super().__init__(visible(text), style, **settings)

    def append(self, text: "RichText | str", style: str | Style | None = None) -> "RichText":
        """Add text at the end."""
        return super().append(visible(text) if isinstance(text, str) else text, style)


def visible(text: str) -> str:
    """The text with its control characters as signs; line ends and tabs stay."""
    return text.replace("\r\n", "\n").replace("\r", "\n").translate(_SHOWN)


def one_line(text: object) -> str:
    """The text as one visible line."""
    return " ".join(visible(str(text)).splitlines())


def escaped(json_text: str) -> str:
    """JSON of the same value, with control characters that JSON lets stand as they are written as escapes."""
    return _RAW_IN_JSON.sub(_escape, json_text)


def _escape(found: re.Match[str]) -> str:
    units = found[0].encode("utf-16-be", "surrogatepass")
    return "".join(f"\\u{units[at : at + 2].hex()}" for at in range(0, len(units), 2))
