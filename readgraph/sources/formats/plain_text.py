"""Plain text stays unchanged; its places are times, headings or lines, depending on what it has."""

import re
from collections.abc import Iterator, Sequence
from itertools import chain

from readgraph.sources.chats.chat_turns import places_of
from readgraph.sources.chats.whatsapp_chat import messages_of
from readgraph.sources.encodings import decode
from readgraph.sources.places import MOST_PLACES, Place, on_one_line, thinned
from readgraph.sources.source_text import Converted

LONG_PARAGRAPH = 2_000
"""Characters. If paragraphs are longer than this on average, every line is a place."""

LONGEST_HEADING = 80

FEWEST_MARKS = 2
"""The fewest times or headings that are used as a text's places."""

_PARAGRAPH = re.compile(r"\S[^\n]*(?:\n[ \t]*[^\s][^\n]*)*")
_LINE = re.compile(r"\S[^\n]*")
_DATE = r"(?:\d[\d./-]{5,9},?[T ] ?)?"
_AT_LINE_START = (
    rf"[ \t]*(?:[\[(]({_DATE}\d{{1,3}}:\d\d(?::\d\d)?(?:[.,]\d+)?)[\])]|({_DATE}\d{{1,3}}:\d\d:\d\d(?:[.,]\d+)?)\b)"
)
_TIME, _TIME_AT_START = re.compile(rf"\n{_AT_LINE_START}"), re.compile(_AT_LINE_START)
_NUMERAL = (
    r"(?:the )?(?:\d+|[ivxlc]+|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|\w+teen|\w*twenty\S*"
    r"|first|second|third|fourth|fifth|last)\b"
)
_NAMED = re.compile(
    rf"(?:chapter|part|book|section|session|volume|act|scene|letter|canto|appendix|kapitel|teil|abschnitt|chapitre|partie|livre"
    rf"|capítulo|capitolo|parte|hoofdstuk|глава|часть)\s+{_NUMERAL}"
    r"|(?:prologue|epilogue|introduction|preface|foreword|afterword|conclusion|interlude)\W*$"
    r"|#{1,6}[ \t]+\S|第.{1,6}[章回節节話话部]",
    re.IGNORECASE,
)
_NUMBERED = re.compile(
    r"(?:\d{1,3}(?:\.\d{1,3}){0,3}[.)]?|[IVXLC]{1,7}[.)])\s+(?![a-z]).*[^.,;:?!…\s]$|[IVXLC]{1,7}\.?$"
)


def convert(data: bytes, name: str) -> Converted:
    """The decoded text, unchanged."""
    text = decode(data, name)
    return Converted(text, places_of_text(text))


def places_of_text(text: str) -> tuple[Place, ...]:
    """Places: times at line starts (in a chat with the speakers), else headings on lines of their own, else lines."""
    if messages := messages_of(text):
        return places_of([(message.start, message.turn(text)) for message in messages])
    if "\n" not in text:
        text = text.replace("\r", "\n")  # line ends of old Macs; offsets stay the same
    marks = list(_times(text))
    if len(marks) < FEWEST_MARKS:
        paragraphs = [match.span() for match in _PARAGRAPH.finditer(text)]
        marks = list(_headings(text, paragraphs))
        if len(marks) < FEWEST_MARKS:
            return _lines(text, [start for start, _ in paragraphs])
    places = [Place(start, on_one_line(label)) for start, label in thinned(marks, MOST_PLACES - 1)]
    first = _LINE.search(text)
    before = _numbered(text, [first.start()]) if first and first.start() < places[0].start else []
    return (*before, *places)


def _times(text: str) -> Iterator[tuple[int, str]]:
    first = _TIME_AT_START.match(text)
    for match in chain([first] if first else [], _TIME.finditer(text)):
        yield match.start(match.lastindex or 0), match[match.lastindex or 0]


def _headings(text: str, paragraphs: list[tuple[int, int]]) -> Iterator[tuple[int, str]]:
    for start, end in paragraphs:
        if end - start <= LONGEST_HEADING:
            line = text[start:end].rstrip()
            if "\n" not in line and (_NAMED.match(line) or _NUMBERED.match(line)):
                yield start, line.lstrip("# \t")


def _lines(text: str, starts: list[int]) -> tuple[Place, ...]:
    """Line numbers of these paragraphs, or of every line if the paragraphs are long."""
    if len(text) > LONG_PARAGRAPH * len(starts):
        starts = [match.start() for match in _LINE.finditer(text)]
    return tuple(_numbered(text, thinned(starts)))


def _numbered(text: str, starts: Sequence[int]) -> list[Place]:
    places, line, counted_to = [], 1, 0
    for start in starts:
        line += text.count("\n", counted_to, start)
        counted_to = start
        places.append(Place(start, f"line {line}"))
    return places
