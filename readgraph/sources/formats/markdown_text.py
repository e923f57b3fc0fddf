"""Markdown stays unchanged; places are the paths of its headings."""

import re
from collections.abc import Iterator

from readgraph.sources.encodings import decode
from readgraph.sources.formats.plain_text import places_of_text
from readgraph.sources.places import HeadingPath, Place, ordered
from readgraph.sources.source_text import Converted

_FRONT_MATTER = re.compile(r"---[ \t]*\r?\n(?:.*\n)*?(?:---|\.\.\.)[ \t]*(?:\r?\n|\Z)")
_MARK = re.compile(
    r"^ {0,3}(?P<fence>`{3,}|~{3,})(?P<info>.*)$"
    r"|^ {0,3}(?P<hashes>#{1,6})[ \t]+(?P<title>.*)$"
    r"|^ {0,3}(?P<underlined>[^\s#>|*+\-=`~].*)\r?\n {0,3}(?P<line>={2,}|-{2,})[ \t]*\r?$",
    re.MULTILINE,
)
_LINK = re.compile(r"!?\[([^\[\]]*)\]\([^()]*\)")
_DECORATION = re.compile(r"[*`]+|__|[ \t]+#+\s*$|\s*\{[^{}]*\}\s*$")


def convert(data: bytes, name: str) -> Converted:
    """The decoded text, unchanged."""
    text = decode(data, name)
    return Converted(text, places_of_markdown(text))


def places_of_markdown(text: str) -> tuple[Place, ...]:
    """Places: the paths of the headings; without any, those of plain text."""
    return ordered(_headings(text)) or places_of_text(text)


def _headings(text: str) -> Iterator[Place]:
    """A place for each heading, in either notation, outside of front matter and fenced code."""
    front = _FRONT_MATTER.match(text)
    path, fence = HeadingPath(), ""
    for mark in _MARK.finditer(text, front.end() if front else 0):
        if mark["fence"]:
            fence = _fence_after(fence, mark["fence"], mark["info"])
        elif not fence:
            title = mark["title"] if mark["hashes"] else mark["underlined"]
            level = len(mark["hashes"] or "") or (1 if mark["line"][0] == "=" else 2)
            if plain := _DECORATION.sub("", _LINK.sub(r"\1", title)).strip():
                yield Place(mark.start(), path.enter(level, plain))


def _fence_after(fence: str, mark: str, info: str) -> str:
    """The fence that is open after a line with the fence `mark`; "" if none is."""
    if not fence:
        return "" if mark[0] == "`" and "`" in info else mark
    closes = mark[0] == fence[0] and len(mark) >= len(fence) and not info.strip()
    return "" if closes else fence
