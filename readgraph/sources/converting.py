"""What the kinds of files share in their conversion: blocks of text, the result, how far it is, and its early end."""

import re
from collections.abc import Callable
from contextlib import AbstractContextManager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any, NamedTuple, ParamSpec, TypeVar

from readgraph.sources.places import Place
from readgraph.state.errors import BadInput
from readgraph.state.variables import set_variable

__all__ = ["Converted"]


@dataclass(frozen=True, slots=True)
class SourceText:
    """One source as text. `source` is an absolute path, an address, or "-" for standard input.

    `problems` says, in a line each, which parts of the source could not be converted. `digest` is the hash of a
    converted file's bytes, "" where nothing had to be converted; `seconds` is how long that took. `cited`: title and
    date are those that a bibliography gives it. `supersedes`: what it says that it stands in place of.
    """

    title: str
    text: str
    source: str
    places: tuple[Place, ...]
    problems: tuple[str, ...] = ()
    digest: str = ""
    seconds: float = 0.0
    date: str = ""
    cited: bool = False
    supersedes: str = ""


class Converted(NamedTuple):
    """The result of a converter; the title, the date and what it supersedes are "" if the file names none."""

    text: str
    places: tuple[Place, ...] = ()
    title: str = ""
    problems: tuple[str, ...] = ()
    date: str = ""
    supersedes: str = ""


Converter = Callable[[bytes, str], Converted]  # of a file's bytes and its name in messages; raises `BadInput`


def require_text(text: str, name: str) -> str:
    """The text of a file; raises `BadInput` where there is none."""
    if not text:
        raise BadInput(f"{name} holds no text: there is nothing to read.")
    return text


def dicts(values: Any) -> list[dict[str, Any]]:
    """The objects in a list of JSON; an empty list for anything else."""
    return [value for value in values if isinstance(value, dict)] if isinstance(values, list) else []


PARAGRAPH = "paragraph"
ITEM = "item"
_LIGATURES = dict(zip(range(0xFB00, 0xFB07), ("ff", "fi", "fl", "ffi", "ffl", "st", "st"), strict=True))
_NORMAL_SIGNS: dict[int, str | None] = {**_LIGATURES, 0xAD: None, 0xA0: " ", 0x202F: " "}
_GAP = re.compile(r"\n{2,}")


def normal(text: str) -> str:
    """The text without soft hyphens, with ligatures as letters and no-break spaces as spaces."""
    return text if text.isascii() else text.translate(_NORMAL_SIGNS)


def on_a_line(text: str) -> str:
    """The `normal` text on one line, with each run of white space as one space."""
    return " ".join(normal(text).split())


_BETWEEN_NUMBERS = re.compile(r"(?<=[0-9])[ \t]*\n\s*(?=[0-9])")


def join_lines(text: str) -> str:
    """Lines as one, as in a cell of a table; between two numbers stands " / ", so that they are not taken for one."""
    return on_a_line(_BETWEEN_NUMBERS.sub(" / ", text) if "\n" in text else text)


def paragraphs_of(text: str) -> list[str]:
    """The paragraphs of a text whose line ends are intended: empty lines separate them."""
    if "\n" not in text:
        return [line] if (line := on_a_line(text)) else []
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
            self._parts.append("\n" if kind == self._kind != PARAGRAPH else "\n\n")
            self.length += len(self._parts[-1])
        self._parts.append(text)
        self._kind, start = kind, self.length
        self.length += len(text)
        return start

    def end_group(self) -> None:
        """Let the next block stand apart, of whatever kind it is."""
        self._kind = PARAGRAPH

    def text(self) -> str:
        """All blocks so far."""
        return "".join(self._parts)


P = ParamSpec("P")
Made = TypeVar("Made")
Show = Callable[[str, int, int], None]  # a file's name, the number of pages that are converted, and how many it has
_show: ContextVar[Show | None] = ContextVar("show", default=None)


def show_conversion(show: Show) -> AbstractContextManager[object]:
    """While this lasts, each page that is converted is shown."""
    return set_variable(_show, show)


def report_page(name: str, number: int, of: int) -> None:
    """Show that a page of a file is converted."""
    if show := _show.get():
        show(name, number, of)


class Stop:
    """Whether a conversion is to stop, and what stops it while a child process is at work."""

    def __init__(self) -> None:
        self.asked = False
        self.end: Callable[[], object] | None = None


_stop: ContextVar[Stop | None] = ContextVar("stop", default=None)


def register_conversion_end(end: Callable[[], object]) -> None:
    """Let `end` be called, maybe more than once, when nobody waits any more for the conversion that goes on here."""
    if stop := _stop.get():
        stop.end = end
        if stop.asked:
            end()


async def convert_in_thread(convert: Callable[P, Made], *given: P.args, **named: P.kwargs) -> Made:
    """What a conversion makes, in a thread; where the task is cancelled, its child process ends, and so the thread."""
    from readgraph.state.apart import compute  # late: the command's help must not wait for it

    stop = Stop()
    with set_variable(_stop, stop):
        try:
            return await compute(convert, *given, **named)
        except BaseException:  # of a cancelled task; a conversion that fails has no child any more
            stop.asked = True
            if stop.end:
                stop.end()
            raise
