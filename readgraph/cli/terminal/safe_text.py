"""Text that is safe on a terminal: no document, title or model reply can control it or hide anything on it."""

import os
import re
import shutil
from typing import Any

from rich.console import Console as RichConsole
from rich.console import ConsoleDimensions
from rich.style import Style
from rich.text import Text as RichText

_TURNING = [*range(0x202A, 0x202F), *range(0x2066, 0x2070)]  # change the direction, or the shape of letters
_MARKS = [0x200E, 0x200F, 0x061C]  # direction marks, which are common in right-to-left texts
_UNSEEN = [*range(0xFFF9, 0xFFFC), *range(0xE0000, 0xE0080), *range(0xD800, 0xE000)]
"""Annotations and tags, which are invisible to people but not to models; lone surrogates, which can't be encoded."""

_SHOWN: dict[int, str | None] = {code: chr(0x2400 + code) for code in range(32)}
_SHOWN |= {ord("\t"): "\t", ord("\n"): "\n", ord("\v"): "\n", ord("\f"): "\n", 0x7F: "\u2421"}
_SHOWN |= dict.fromkeys((0x2028, 0x2029), "\n")
_SHOWN |= dict.fromkeys([*range(0x80, 0xA0), *_TURNING, *_UNSEEN], "\ufffd")
_SHOWN |= dict.fromkeys(_MARKS, None)

_RAW_IN_JSON = re.compile(f"[{''.join(map(chr, [*range(0x7F, 0xA0), 0x2028, 0x2029, *_MARKS, *_TURNING, *_UNSEEN]))}]")
_PADDING = re.compile(r"[ ]+$", re.MULTILINE)
UNWRAPPED = 10_000_000
PLAIN: dict[str, Any] = {"box": None, "header_style": "dim", "padding": (0, 2, 0, 0)}


class Console(RichConsole):
    """Rich's console without markup; control characters are shown as visible signs.

    With `whole_lines`, lines break only on a terminal, between words.
    """

    def __init__(self, *, whole_lines: bool = False, **settings: Any) -> None:
        super().__init__(highlight=False, markup=False, emoji=False, **settings)
        self.soft_wrap = whole_lines and not self.is_terminal
        self._is_file = not self.is_terminal and not self.is_jupyter
        if self._is_file and not os.environ.get("COLUMNS"):
            self.width = UNWRAPPED
        if self.is_dumb_terminal:  # for which Rich takes 80 columns
            self.size = ConsoleDimensions(*shutil.get_terminal_size((80, 25)))

    def print(self, *objects: Any, **settings: Any) -> None:
        """Print; to a file or a pipe, lines end where their text does, and are not wrapped unless COLUMNS is set."""
        if not self._is_file:
            super().print(*objects, **settings)
            return
        with self.capture() as captured:
            super().print(*objects, **settings)
        try:
            self.file.write(_PADDING.sub("", captured.get()))
            self.file.flush()
        except BrokenPipeError:
            self.on_broken_pipe()

    def render_str(self, text: str, **settings: Any) -> RichText:
        """The string, safe to print."""
        return super().render_str(visible(text), **settings)


class SafeText(RichText):
    """Rich's text; control characters are shown as visible signs."""

    def __init__(self, text: str = "", style: str | Style = "", **settings: Any) -> None:
        super().__init__(visible(text), style, **settings)

    def append(self, text: "RichText | str", style: str | Style | None = None) -> "RichText":
        """Add text at the end."""
        return super().append(visible(text) if isinstance(text, str) else text, style)


def tell(line: str, *, style: str = "", quiet: bool = False) -> None:
    """Print a line on standard error."""
    Console(stderr=True, quiet=quiet, whole_lines=True).print(SafeText(line, style=style))


def visible(text: str) -> str:
    """The text with its control characters as visible signs; line ends and tabs stay."""
    return text.replace("\r\n", "\n").replace("\r", "\n").translate(_SHOWN)


def one_line(text: object) -> str:
    """The text as one visible line."""
    return " ".join(visible(str(text)).splitlines())


def escape_json(json_text: str) -> str:
    """The same JSON value, with the control characters that JSON allows unescaped written as escapes."""

    def escape(character: re.Match[str]) -> str:
        units = character[0].encode("utf-16-be", "surrogatepass")
        return "".join(f"\\u{units[start : start + 2].hex()}" for start in range(0, len(units), 2))

    return _RAW_IN_JSON.sub(escape, json_text)
