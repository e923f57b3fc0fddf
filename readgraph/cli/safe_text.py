"""Text for a terminal. What stands in a document, a title or a model's reply must not command it."""

from typing import Any

from rich.style import Style
from rich.text import Text as RichText

_SHOWN: dict[int, str | None] = {code: chr(0x2400 + code) for code in range(32)}
_SHOWN |= {ord("\t"): "\t", ord("\n"): "\n", ord("\v"): "\n", ord("\f"): "\n", 0x7F: "\u2421"}
_SHOWN |= dict.fromkeys(range(0x80, 0xA0), "\ufffd")


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
