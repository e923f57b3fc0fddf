"""What a PDF says of itself: its outline, its pages' printed labels, its title."""

import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from readgraph.sources.blocks import on_a_line
from readgraph.sources.pdf.page import Line
from readgraph.sources.places import HeadingPath, on_one_line

if TYPE_CHECKING:
    from pypdfium2 import PdfDocument

DEEPEST_OUTLINE = 12

_NO_TITLE = re.compile(
    r"\W*|\W*(?:untitled|unbenannt|anonymous|document\d*|unknown|sans titre)\W*"
    r"|microsoft (?:word|powerpoint|excel)\b.*|(?:file|https?)://.*"
    r"|.*\.(?:docx?|odt|rtf|tex|dvi|indd|qxd|p65|pdf|txt|html?|pptx?|xlsx?|fm|pages|ps|eps)",
    re.IGNORECASE,
)
_FOLDED = re.compile(r"\W+")


class Entry(NamedTuple):
    """A line of the outline: its title, the number of its page (from 0), how high on it (points; None: the top).

    `path`: the titles above it, the highest first, and its own: "Rivers > Discharge".
    """

    title: str
    page: int
    height: float | None
    path: str


def outline_of(document: "PdfDocument") -> list[Entry]:
    """The outline's entries in their order; empty where there is none that can be read."""
    from pypdfium2 import PdfiumError

    found: list[Entry] = []
    path = HeadingPath()
    try:
        for bookmark in document.get_toc(max_depth=DEEPEST_OUTLINE):
            title, target = on_one_line(on_a_line(bookmark.get_title())), bookmark.get_dest()
            page = target.get_index() if target else None
            label = path.enter(bookmark.level, title)  # of one without a page, too: others may stand below it
            if title and page is not None and 0 <= page < len(document):
                found.append(Entry(title, page, _height(target), label.removeprefix("§ ")))
    except (PdfiumError, ValueError):  # a damaged outline: what was read holds
        pass
    return found


def _height(target: object) -> float | None:
    mode, view = target.get_view()  # type: ignore[attr-defined]
    from pypdfium2 import raw

    at = {raw.PDFDEST_VIEW_XYZ: 1, raw.PDFDEST_VIEW_FITH: 0, raw.PDFDEST_VIEW_FITBH: 0}.get(mode)
    return view[at] if at is not None and at < len(view) and view[at] else None


def sections(entries: Sequence[Entry], pages: Sequence[Sequence[Line]]) -> Iterator[tuple[int, str]]:
    """(character offset, path) of the outline's entries: the line with the title, else the line at that height."""
    following = _starts(pages)
    for entry in entries:
        lines = pages[entry.page]
        wanted = _folded(entry.title)
        own = next((line for line in lines if _is_heading(_folded(line.text), wanted)), None)
        if own is None and entry.height is not None:
            own = next((line for line in lines if line.y is not None and line.y <= entry.height), None)
        start = own.start if own else following[entry.page]
        if start is not None:
            yield start, entry.path


def _starts(pages: Sequence[Sequence[Line]]) -> list[int | None]:
    """Where each page's text begins; that of a page without text where the next one's does."""
    starts: list[int | None] = []
    following = None
    for lines in reversed(pages):
        following = lines[0].start if lines else following
        starts.append(following)
    return starts[::-1]


def _is_heading(line: str, title: str) -> bool:
    """Whether a line is the heading of this title, or the first one of a long heading."""
    if not line or not title:
        return False
    ends_with_title = line.endswith(f" {title}") and len(line) < 2 * len(title) + 8  # after a number or a word
    return line == title or ends_with_title or (len(line) > 8 and title.startswith(line))


def _folded(text: str) -> str:
    return _FOLDED.sub(" ", text).strip().casefold()


def labels_of(document: "PdfDocument") -> list[str]:
    """What is printed on each page as its number; "" where the file names none."""
    return [on_one_line(document.get_page_label(number)) for number in range(len(document))]


def title_of(document: "PdfDocument") -> str:
    """The title in the file's metadata; "" where there is none, or one that some program made up."""
    title = on_a_line(document.get_metadata_value("Title"))
    return "" if _NO_TITLE.fullmatch(title) else title
