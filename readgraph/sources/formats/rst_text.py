"""reStructuredText stays unchanged; places are the paths of its headings."""

import re
from collections.abc import Iterator

from readgraph.sources.encodings import decode
from readgraph.sources.formats.plain_text import places_of_text
from readgraph.sources.places import HeadingPath, Place, ordered
from readgraph.sources.source_text import Converted

_LINE = r"(?P<{0}>[!-/:-@\[-`{{-~])(?P={0})*"
_OVER, _UNDER = _LINE.format("over"), _LINE.format("under")
_HEADING = re.compile(
    rf"(?:^{_OVER}[ \t]*\r?\n)?^(?P<title>[ \t]*\S[^\r\n]*)\r?\n(?P<line>{_UNDER})[ \t]*\r?$",
    re.MULTILINE,
)
_MARKUP = re.compile(r":[\w:.+-]+:(?=`)|`_?_?|\*{1,2}|\|")
_SHORT = 4
"""A line under a title may be shorter than the title from this length on."""


def convert(data: bytes, name: str) -> Converted:
    """The decoded text, unchanged; without headings, its places are those of plain text."""
    text = decode(data, name)
    return Converted(text, ordered(_headings(text)) or places_of_text(text))


def _headings(text: str) -> Iterator[Place]:
    """A place for each heading; the order in which kinds of lines first occur gives their levels."""
    path, kinds = HeadingPath(), list[tuple[str | None, str]]()
    position = 0
    while mark := _HEADING.search(text, position):
        title = mark["title"].strip()
        if not _is_heading(mark):
            position = mark.start("title") if mark["over"] else mark.start("line")
            continue
        kind = (mark["over"], mark["under"])
        if kind not in kinds:
            kinds.append(kind)
        yield Place(mark.start(), path.enter(kinds.index(kind) + 1, _MARKUP.sub("", title).strip() or title))
        position = mark.end()


def _is_heading(mark: re.Match[str]) -> bool:
    """Whether the lines above and below are a heading's: as long as the title, alike, and the title is words."""
    title, line = mark["title"].strip(), mark["line"]
    if mark["over"] not in (None, mark["under"]) or (not mark["over"] and mark["title"][0] in " \t"):
        return False
    return len(line) >= min(len(title), _SHORT) and any(map(str.isalnum, title))
