"""Plain text, Markdown and reStructuredText as they are; places are times, headings or lines.

What is deleted in Markdown, and readings behind Japanese words, don't stay.
"""

import re
from collections.abc import Iterator, Sequence

from readgraph.language.calendars import find_date
from readgraph.language.sentences import LABEL
from readgraph.sources.converting import Converted
from readgraph.sources.encodings import decode
from readgraph.sources.formats.chat_lines import read_line_chat
from readgraph.sources.formats.chat_turns import places_of
from readgraph.sources.formats.marked_text import has_signs, take_final_text, take_readings_out
from readgraph.sources.left_out import LeftOut
from readgraph.sources.mojibake import note_double_encoding
from readgraph.sources.places import (
    MOST_PLACES,
    HeadingPath,
    Place,
    line_places,
    order_places,
    place_at,
    shorten_label,
    thin_out,
)
from readgraph.sources.raised_text import lower_text, raise_text
from readgraph.state.words import format_count

LONG_PARAGRAPH = 2_000  # characters: if paragraphs are longer than this on average, every line is a place, as in a talk
LONGEST_HEADING = 80
FEWEST_MARKS = 2  # the fewest times or headings that are used as a text's places
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
    """The decoded text, without readings behind Japanese words."""
    text, problems = _decode(data, name)
    text, readings = take_readings_out(text)
    problems += [f"{name}: left out: {format_count(readings, 'ruby reading')}."] if readings else []
    problems += [f"{name}: {unsure}."] if (unsure := read_line_chat(text).unsure) else []
    return Converted(text, places_of_text(text), problems=tuple(problems))


def _decode(data: bytes, name: str) -> tuple[str, list[str]]:
    notices = list[str]()
    text = decode(data, name, say=notices.append)
    return text, [f"{name}: {each}." for each in filter(None, [*notices, note_double_encoding(text)])]


def places_of_text(text: str) -> tuple[Place, ...]:
    """Places: times at line starts (in a chat with the speakers), else headings on lines of their own, else lines."""
    if messages := read_line_chat(text).messages:
        return places_of(messages)
    if "\n" not in text:
        text = text.replace("\r", "\n")  # line ends of old Macs; offsets stay the same
    first = _TIME_AT_START.match(text)
    times = [*([first] if first else ()), *_TIME.finditer(text)]
    marks = [(match.start() + match[0].startswith("\n"), match[match.lastindex or 0]) for match in times]
    if len(marks) < FEWEST_MARKS:
        paragraphs = [match.span() for match in _PARAGRAPH.finditer(text)]
        marks = list(_plain_headings(text, paragraphs))
        if len(marks) < FEWEST_MARKS:
            starts, lines = [start for start, _ in paragraphs], [*_LINE.finditer(text)]
            turns = sum(bool(LABEL.match(line[0])) for line in lines)
            if len(text) > LONG_PARAGRAPH * len(starts) or 2 * turns > len(lines):
                starts = [line.start() for line in lines]
            return tuple(line_places(text, thin_out(starts)))
    places = [Place(start, shorten_label(label)) for start, label in thin_out(marks, MOST_PLACES - 1)]
    line = _LINE.search(text)
    before = line_places(text, [line.start()]) if line and line.start() < places[0].start else []
    return (*before, *places)


def _plain_headings(text: str, paragraphs: list[tuple[int, int]]) -> Iterator[tuple[int, str]]:
    for start, end in paragraphs:
        if end - start <= LONGEST_HEADING:
            line = text[start:end].rstrip()
            if "\n" not in line and (_NAMED.match(line) or _NUMBERED.match(line)):
                yield start, line.lstrip("# \t")


_FRONT_MATTER = re.compile(r"---[ \t]*\r?\n(?:.*\n)*?(?:---|\.\.\.)[ \t]*(?:\r?\n|\Z)")
_FRONT_FIELD = re.compile(r"(?im)^(title|date|supersedes)[ \t]*:(?![ \t]*[>|\[{])[ \t]*(['\"]?)(.*?)\2[ \t]*\r?$")
_MARKDOWN_MARK = re.compile(
    r"^ {0,3}(?P<fence>`{3,}|~{3,})(?P<info>.*)$"
    r"|^ {0,3}(?P<hashes>#{1,6})[ \t]+(?P<title>.*)$"
    r"|^ {0,3}(?P<underlined>[^\s#>|*+\-=`~].*)\r?\n {0,3}(?P<line>={2,}|-{2,})[ \t]*\r?$",
    re.MULTILINE,
)
_UNSAID = (
    re.compile(  # each ends where the next one begins, so that a text with many beginnings is gone through once
        r"<!--(?:(?!<!--|-->).)*-->|~~(?=\S)(?:(?!~~).)+(?<=\S)~~|%%.*?%%|\$\$.*?\$\$|\{\{(?:(?!\{\{|\}\}).)*\}\}",
        re.DOTALL,
    ),
    re.compile(  # pictures, tags, attributes, contents, addresses, what a check says, short forms, commands, tables
        r"!\[[^\]\n]*\]\([^()\n]*\)|</?[A-Za-z][^<>\n]*>|\{[.#][^{}\n]*\}|^\s*\[TOC\]\s*$|\[![A-Za-z]+\][+-]?"
        r"|^ {0,3}\[(?!\^)[^\]\n]+\]:[ \t]+<?https?:.*$|^\[\^rg\d+\]:.*$|^\*\[[^\]\n]+\]:.*$|^:::.*$"
        r"|^\\[a-z]+(?:[\[{].*)?$|^[ \t]*\|.*$|^.*\S \| \S.*$|^[ |:+=-]*[-=]{3,}[ |:+=-]*$",
        re.MULTILINE,
    ),
)
_BLOCK = re.compile(r"^[ \t]*\S[^\n]*(?:\n[ \t]*\S[^\n]*)*", re.MULTILINE)
_ENTRY = re.compile(r"^ {0,3}(?:[-*+•]|\d{1,9}[.)]|\[\^[^\]\n]+\]:)[ \t]", re.MULTILINE)  # of a list, or a footnote
_MARKDOWN_LINK = re.compile(r"!?\[([^\[\]]*)\]\([^()]*\)")
_MARKDOWN_DECORATION = re.compile(r"[*`]+|__|[ \t]+#+\s*$|\s*\{[^{}]*\}\s*$")


def convert_markdown(data: bytes, name: str) -> Converted:
    """The decoded text, without what is deleted."""
    text, problems = _decode(data, name)
    text, deleted = take_final_text(text, indented_code(text) if has_signs(text) else ())
    front = _FRONT_MATTER.match(text)
    fields = {match[1].lower(): match[3] for match in _FRONT_FIELD.finditer(front.group() if front else "")}
    title, date, supersedes = (fields.get(name, "") for name in ("title", "date", "supersedes"))
    places, left_out = places_of_markdown(text), LeftOut()
    for kind, offset in deleted:
        left_out.add(kind, place_at(places, offset) or "")
    return Converted(text, places, title, (*problems, *left_out.problems(name)), find_date(date), supersedes)


def places_of_markdown(text: str) -> tuple[Place, ...]:
    """Places: the paths of the headings; without any, those of plain text."""
    return order_places(_markdown_headings(text)) or places_of_text(text)


def _markdown_headings(text: str) -> Iterator[Place]:
    """A place for each heading, in either notation, outside of front matter and fenced code."""
    path = HeadingPath()
    for mark in _marks_outside_code(text):
        if not mark["fence"]:
            title = mark["title"] if mark["hashes"] else mark["underlined"]
            level = len(mark["hashes"] or "") or (1 if mark["line"][0] == "=" else 2)
            if plain := _MARKDOWN_DECORATION.sub("", _MARKDOWN_LINK.sub(r"\1", title)).strip():
                yield Place(mark.start(), path.enter(level, plain))


def _marks_outside_code(text: str) -> Iterator[re.Match[str]]:
    """The headings, and the lines that open and close fenced code, behind the front matter."""
    front, fence = _FRONT_MATTER.match(text), ""
    for mark in _MARKDOWN_MARK.finditer(text, front.end() if front else 0):
        if mark["fence"] and fence:  # the same sign, as often at least, closes it
            if mark["fence"].startswith(fence) and not mark["info"].strip():
                fence = ""
                yield mark
        elif mark["fence"] and not (mark["fence"][0] == "`" and "`" in mark["info"]):
            fence = mark["fence"]
            yield mark
        elif not fence and not mark["fence"]:
            yield mark


def indented_code(text: str) -> list[tuple[int, int]]:
    """The paragraphs with four spaces or a tab before each line, in an entry twice that; none where most have them."""
    found, others, in_entry = list[tuple[int, int]](), 0, False
    for block in _BLOCK.finditer(text):
        depth = 2 if in_entry else 1
        if not all(line.startswith(("    " * depth, "\t" * depth)) for line in block[0].split("\n")):
            others += 1
            in_entry = bool(_ENTRY.search(block[0])) or (in_entry and block[0].startswith((" ", "\t")))
        else:
            found.append(block.span())
    return found if len(found) <= others else []


def blank_markup(text: str, also: Sequence[tuple[int, int]] = ()) -> str:
    """The text with spaces for what claims nothing: front matter, code, headings, tables, markup, and `also` these."""
    front = _FRONT_MATTER.match(text)
    spans, opened = [*also, *([front.span()] if front else ())], None
    for mark in _marks_outside_code(text):
        if not mark["fence"]:
            spans.append(mark.span())
        elif opened is None:
            opened = mark.start()
        else:
            spans.append((opened, mark.end()))
            opened = None
    spans += [(opened, len(text))] if opened is not None else []
    spans += [match.span() for pattern in _UNSAID for match in pattern.finditer(text)]
    pieces, at = list[str](), 0
    for start, end in sorted(spans):
        if end > at:
            pieces += [text[at : max(start, at)], re.sub(r"\S", " ", text[max(start, at) : end])]
            at = end
    return "".join([*pieces, text[at:]])


_RST_LINE = r"(?P<{0}>[!-/:-@\[-`{{-~])(?P={0})*"
_OVER, _UNDER = _RST_LINE.format("over"), _RST_LINE.format("under")
_RST_HEADING = re.compile(
    rf"(?:^{_OVER}[ \t]*\r?\n)?^(?P<title>[ \t]*\S[^\r\n]*)\r?\n(?P<line>{_UNDER})[ \t]*\r?$", re.MULTILINE
)
_RST_MARKUP = re.compile(r":[\w:.+-]+:(?=`)|`_?_?|\*{1,2}|\|")
_RST_SCRIPT = re.compile(r"(?:\\ )?:(?P<role>sup|sub|superscript|subscript):`(?P<text>[^`]+)`(?:\\ )?")
_SHORT_RST_LINE = 4  # a line under a title may be shorter than the title from this length on


def convert_rst(data: bytes, name: str) -> Converted:
    """The decoded text, unchanged; without headings, its places are those of plain text."""
    text, problems = _decode(data, name)
    return Converted(text, order_places(_rst_headings(text)) or places_of_text(text), problems=tuple(problems))


def _rst_headings(text: str) -> Iterator[Place]:
    """A place for each heading; the order in which kinds of lines first occur gives their levels."""
    path, kinds = HeadingPath(), list[tuple[str | None, str]]()
    position = 0
    while mark := _RST_HEADING.search(text, position):
        title = mark["title"].strip()
        if not _is_rst_heading(mark):
            position = mark.start("title") if mark["over"] else mark.start("line")
            continue
        kind = (mark["over"], mark["under"])
        if kind not in kinds:
            kinds.append(kind)
        yield Place(
            mark.start(),
            path.enter(
                kinds.index(kind) + 1, _RST_MARKUP.sub("", _RST_SCRIPT.sub(_write_script, title)).strip() or title
            ),
        )
        position = mark.end()


def _write_script(match: re.Match[str]) -> str:
    return (raise_text if match["role"].startswith("sup") else lower_text)(match["text"])


def _is_rst_heading(mark: re.Match[str]) -> bool:
    """Whether the lines above and below are a heading's: as long as the title, alike, and the title is words."""
    title, line = mark["title"].strip(), mark["line"]
    if mark["over"] not in (None, mark["under"]) or (not mark["over"] and mark["title"][0] in " \t"):
        return False
    return len(line) >= min(len(title), _SHORT_RST_LINE) and any(map(str.isalnum, title))
