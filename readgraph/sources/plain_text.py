"""Plain text: kept as it is; places are times, headings, or lines, whichever the text has."""

import re
from collections.abc import Iterator

from readgraph.sources.encodings import decode
from readgraph.sources.places import Place, on_one_line, ordered, thinned
from readgraph.sources.source_text import Converted

LONG_PARAGRAPH = 2_000
"""Characters: where paragraphs are longer than this on average, every line is a place."""

LONGEST_HEADING = 80

_PARAGRAPH = re.compile(r"\S[^\n]*(?:\n[ \t]*[^\s][^\n]*)*")
_LINE = re.compile(r"\S[^\n]*")
_DATE = r"(?:\d[\d./-]{5,9},?[T ] ?)?"
_TIME = re.compile(
    rf"\n[ \t]*(?:[\[(]({_DATE}\d{{1,3}}:\d\d(?::\d\d)?(?:[.,]\d+)?)[\])]|({_DATE}\d{{1,3}}:\d\d:\d\d(?:[.,]\d+)?)\b)"
)
_NUMERAL = (
    r"(?:the )?(?:\d+|[ivxlc]+|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|\w+teen|\w*twenty\S*"
    r"|first|second|third|fourth|fifth|last)\b"
)
_NAMED = re.compile(
    rf"(?:chapter|part|book|section|volume|act|scene|letter|canto|appendix|kapitel|teil|abschnitt|chapitre|partie|livre"
    rf"|capítulo|capitolo|parte|hoofdstuk|глава|часть)\s+{_NUMERAL}"
    r"|(?:prologue|epilogue|introduction|preface|foreword|afterword|conclusion|interlude)\W*$"
    r"|第.{1,6}[章回節节話话部]",
    re.IGNORECASE,
)
_NUMBERED = re.compile(
    r"(?:\d{1,3}(?:\.\d{1,3}){0,3}[.)]?|[IVXLC]{1,7}[.)])\s+(?![a-z]).*[^.,;:?!…\s]$|[IVXLC]{1,7}\.?$"
)


def convert(data: bytes, name: str) -> Converted:
    """The text as decoded, unchanged."""
    text = decode(data, name)
    return Converted(text, places_of_text(text))


def places_of_text(text: str) -> tuple[Place, ...]:
    """Places by times at line starts, else by headings that stand alone, else by line numbers at paragraphs."""
    if "\n" not in text:
        text = text.replace("\r", "\n")  # as old Macs wrote; offsets stay
    marks = list(_times(text))
    paragraphs = [match.span() for match in _PARAGRAPH.finditer(text)]
    if len(marks) < 2:
        marks = list(_headings(text, paragraphs))
    if len(marks) < 2:
        return _lines(text, paragraphs)
    before = [Place(start, "line 1") for start, _ in paragraphs[:1] if start < marks[0].start]
    return ordered([*_first_line(text, before), *marks])


def _times(text: str) -> Iterator[Place]:
    padded = "\n" + text
    for match in _TIME.finditer(padded):
        yield Place(match.start(match.lastindex or 0) - 1, match[match.lastindex or 0])


def _headings(text: str, paragraphs: list[tuple[int, int]]) -> Iterator[Place]:
    for start, end in paragraphs:
        if end - start <= LONGEST_HEADING:
            line = text[start:end].rstrip()
            if "\n" not in line and (_NAMED.match(line) or _NUMBERED.match(line)):
                yield Place(start, on_one_line(line))


def _first_line(text: str, places: list[Place]) -> list[Place]:
    return [Place(place.start, f"line {text.count(chr(10), 0, place.start) + 1}") for place in places]


def _lines(text: str, paragraphs: list[tuple[int, int]]) -> tuple[Place, ...]:
    starts = [start for start, _ in paragraphs]
    if len(text) > LONG_PARAGRAPH * len(starts):
        starts = [match.start() for match in _LINE.finditer(text)]
    places, line, at = [], 1, 0
    for start in thinned(starts):
        line += text.count("\n", at, start)
        at = start
        places.append(Place(start, f"line {line}"))
    return tuple(places)
