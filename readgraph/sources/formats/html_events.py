"""HTML as events that nest as a browser nests its elements: each end tag ends what is open inside it, too.

libxml2 reads the tags and characters. It would ignore an end tag while an element that it holds for weightier is open
(`</nav>` after an unclosed `div`), so it is given the names with a prefix, as names that it doesn't know and treats
alike; which start tags end an element that is open is decided here.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice
from typing import Protocol

from readgraph.sources.parsing import feed_html

_PREFIX = "x\ue000"
END_OF_FILE = "end-of-file"  # an element at the end of each file, so that it shows what is still open there
_RAW = "script|style|title|textarea|xmp|iframe|noembed|noframes|plaintext"
_VOID = "area base basefont bgsound br col embed frame hr img input keygen link meta param source track wbr"
_NAMED = rf"(?=[A-Za-z])(?!(?:{_RAW}|{_VOID.replace(' ', '|')})(?![\w:-]))"
_START, _END = re.compile(f"<{_NAMED}", re.IGNORECASE), re.compile(f"</{_NAMED}", re.IGNORECASE)  # found fastest apart
_END_OF_PAGE = re.compile(r"</(?:html|body|head)(?![\w:-])", re.IGNORECASE)  # what follows these belongs to the page
_NEVER_CLOSED = re.compile(rf"<({_RAW})(?![\w:-])", re.IGNORECASE)
_RECOVERED = frozenset("title textarea xmp iframe noembed noframes plaintext".split())

_ENDS_PARAGRAPH = frozenset(
    "address article aside blockquote center details dialog dir div dl dd dt fieldset figcaption figure footer form h1"
    " h2 h3 h4 h5 h6 header hgroup hr li main menu nav ol p pre search section summary table ul".split()
)
_ROW_GROUPS = ("tbody", "thead", "tfoot")
_ENDS: Mapping[str, frozenset[str]] = {
    **dict.fromkeys(_ENDS_PARAGRAPH, frozenset({"p"})),
    "li": frozenset({"li", "p"}),
    **dict.fromkeys(("dd", "dt"), frozenset({"dd", "dt", "p"})),
    **dict.fromkeys(("option", "optgroup"), frozenset({"option"})),
    **dict.fromkeys(("td", "th"), frozenset({"td", "th", "p", "caption"})),
    "tr": frozenset({"tr", "td", "th", "p", "caption"}),
    **dict.fromkeys(_ROW_GROUPS, frozenset({*_ROW_GROUPS, "tr", "td", "th", "p", "caption"})),
    **dict.fromkeys(("rb", "rt", "rp", "rtc"), frozenset({"rb", "rt", "rp"})),
}
_WALLS = {
    "p": frozenset("table td th caption button object template svg math noscript nav".split()),
    "li": frozenset("ul ol menu dir table td th template".split()),
    **dict.fromkeys(("dd", "dt"), frozenset("dl table td th template".split())),
    **dict.fromkeys(("option",), frozenset(("select", "datalist"))),
    **dict.fromkeys(("rb", "rt", "rp"), frozenset(("ruby",))),
    **dict.fromkeys((*_ROW_GROUPS, "tr", "td", "th", "caption"), frozenset(("table", "template"))),
}
_ENDED_BY = {tag: (ended, frozenset().union(*(_WALLS[each] for each in ended))) for tag, ended in _ENDS.items()}
END_MAY_BE_LEFT_OUT = frozenset({*_WALLS, "html", "body", "head"}) - {"option", "rb", "rt", "rp"}


class Target(Protocol):
    """What is called for each event."""

    def start(self, tag: str, attributes: Mapping[str, str]) -> None:
        """Called for a start tag."""

    def data(self, data: str) -> None:
        """Called for text."""

    def end(self, tag: str) -> None:
        """Called for an end, also for one that the file leaves out."""

    def close(self) -> None:
        """Called at the end."""


@dataclass(eq=False, slots=True)
class _Element:
    tag: str
    is_open: bool = True


class _Nesting:
    """Passes libxml2's events on, with names as they were and with the ends that start tags imply."""

    def __init__(self, target: Target) -> None:
        self._target = target
        self._given: list[_Element] = []  # what is open for libxml2
        self._open: list[_Element] = []
        self.is_whole = False

    def start(self, tag: str, attributes: Mapping[str, str]) -> None:
        tag = _name_of(tag)
        self.is_whole = self.is_whole or tag == END_OF_FILE
        if tag in _ENDED_BY and (outermost := self._outermost(*_ENDED_BY[tag])):
            self._end(outermost)
        element = _Element(tag)
        self._given.append(element)
        self._open.append(element)
        if attributes and any(_PREFIX in value for value in attributes.values()):
            attributes = {key: _undone(value) for key, value in attributes.items()}
        self._target.start(tag, attributes)

    def data(self, data: str) -> None:
        self._target.data(_undone(data) if _PREFIX in data else data)

    def end(self, _: str) -> None:
        self._end(self._given.pop())

    def close(self) -> None:
        self._target.close()

    def _end(self, element: _Element) -> None:
        while element.is_open:
            last = self._open.pop()
            last.is_open = False
            self._target.end(last.tag)

    def _outermost(self, ended: frozenset[str], walls: frozenset[str]) -> _Element | None:
        """The outermost open element of these names before a wall."""
        found: _Element | None = None
        for element in islice(reversed(self._open), _FAR):
            if element.tag in ended:
                found = element
            elif element.tag in walls:
                break
        return found


@lru_cache(1_000)
def _name_of(tag: str) -> str:
    return tag.replace(_PREFIX, "").lower()


_FAR = 200  # elements inside of each other in which an open one is looked for
_END_TAG = f"<{_PREFIX}{END_OF_FILE}>"


def _undone(text: str) -> str:
    return text.replace(_END_TAG, "").replace(_PREFIX, "")


def feed_nested(text: str, target: Target) -> bool:
    """Parse HTML, even if malformed, into a target; returns whether the parser came to the end of the file.

    If it did not, a comment, a script, a style or a tag is never closed, and what follows belongs to that.
    """
    named = _END.sub(f"</{_PREFIX}", _START.sub(f"<{_PREFIX}", _END_OF_PAGE.sub("</ignored", text)))
    nesting = _Nesting(target)
    feed_html(f"{named}{_END_TAG}", nesting)
    return nesting.is_whole


def without_unclosed(text: str) -> str:
    """The text without the start tag of its last title, field or frame, if that is never closed; else as it is."""
    for tag in reversed([*_NEVER_CLOSED.finditer(text)]):
        if not re.search(rf"</{tag[1]}(?![\w:-])", text[tag.end() :], re.IGNORECASE):
            name = tag[1].lower()
            return text[: tag.start()] + "<p" + text[tag.end() :] if name in _RECOVERED else text
        return text
    return text
