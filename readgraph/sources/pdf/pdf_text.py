"""PDF becomes plain text: lines of pages, joined to paragraphs; places are pages, and sections of the outline.

A picture of a page, such as a scanned letter or fax, is read as a PDF whose pages are what it shows.
"""

import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from functools import partial
from io import BytesIO
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from readgraph.sources.converting import Converted, on_a_line, report_page
from readgraph.sources.left_out import LeftOut
from readgraph.sources.pdf.annotations import pieces_of_typed, take_overlay
from readgraph.sources.pdf.headings import find_headings
from readgraph.sources.pdf.in_child import check_streams, in_child
from readgraph.sources.pdf.line_numbers import without_line_numbers
from readgraph.sources.pdf.lines import PrintedPage, join_pages
from readgraph.sources.pdf.margins import part_margins
from readgraph.sources.pdf.page import ASLANT, read_pieces
from readgraph.sources.pdf.printed import PrintedLine
from readgraph.sources.pdf.reading_order import lay_out_pages
from readgraph.sources.pdf.scans import count_lost, even_sizes, is_picture, recognize_pieces, recognizer_version
from readgraph.sources.places import HeadingPath, Place, SourcePage, line_places, order_places, shorten_label, thin_out
from readgraph.state.errors import BadInput
from readgraph.state.words import limit_set

if TYPE_CHECKING:
    from pypdfium2 import PdfDocument

DEEPEST_OUTLINE = 12

_MADE_UP_TITLE = re.compile(
    r"\W*|\W*(?:untitled|unbenannt|anonymous|document\d*|unknown|sans titre)\W*"
    r"|microsoft (?:word|powerpoint|excel)\b.*|(?:file|https?)://.*"
    r"|.*\.(?:docx?|odt|rtf|tex|dvi|indd|qxd|p65|pdf|txt|html?|pptx?|xlsx?|fm|pages|ps|eps)",
    re.IGNORECASE,
)
_FOLDED = re.compile(r"\W+")


class OutlineEntry(NamedTuple):
    """A line of the outline: title, page (from 0), height on it (points; None: the top), "§ Rivers > Discharge"."""

    title: str
    page: int
    height: float | None
    label: str


def outline_of(document: "PdfDocument") -> list[OutlineEntry]:
    """The outline's entries in their order; empty where there is none that can be read."""
    from pypdfium2 import PdfiumError, raw

    heights = {raw.PDFDEST_VIEW_XYZ: 1, raw.PDFDEST_VIEW_FITH: 0, raw.PDFDEST_VIEW_FITBH: 0}
    outline_entries: list[OutlineEntry] = []
    path = HeadingPath()
    with suppress(PdfiumError, ValueError):  # a damaged outline: what was read holds
        for bookmark in document.get_toc(max_depth=DEEPEST_OUTLINE):
            title, target = shorten_label(on_a_line(bookmark.get_title())), bookmark.get_dest()
            page = target.get_index() if target else None
            label = path.enter(bookmark.level, title)  # of one without a page, too: others may stand below it
            if title and page is not None and 0 <= page < len(document):
                mode, view = target.get_view()
                at = heights.get(mode, len(view))
                outline_entries.append(OutlineEntry(title, page, (view[at] or None) if at < len(view) else None, label))
    return outline_entries


def sections(entries: Sequence[OutlineEntry], pages: Sequence[Sequence[PrintedLine]]) -> Iterator[tuple[int, str]]:
    """(character offset, label) of the outline's entries: the line with the title, else the line at that height."""
    starts: list[int | None] = [None]
    for lines in reversed(pages):
        starts.append(lines[0].start if lines else starts[-1])  # a page without text begins where the next one does
    starts.reverse()
    for entry in entries:
        lines = pages[entry.page]
        wanted = _fold_title(entry.title)
        own = next((line for line in lines if _is_heading(_fold_title(line.text), wanted)), None)
        if own is None and entry.height is not None:
            own = next((line for line in lines if line.y <= entry.height), None)
        start = own.start if own else starts[entry.page]
        if start is not None:
            yield start, entry.label


def _is_heading(line: str, title: str) -> bool:
    """Whether a line is the heading of this title, or the first one of a long heading."""
    if not line or not title:
        return False
    ends_with_title = line.endswith(f" {title}") and len(line) < 2 * len(title) + 8  # after a number or a word
    return line == title or ends_with_title or (len(line) > 8 and title.startswith(line))


def _fold_title(text: str) -> str:
    return _FOLDED.sub(" ", text).strip().casefold()


PDF_PAGES, MOST_PAGES = "READGRAPH_MAX_PDF_PAGES", 10_000  # the variable that sets another number than this
CAUSE = "their fonts are not in the file, or don't say which letters they draw"
_WRITTEN_LINE = re.compile(r"^(?=.*\S)", re.MULTILINE)
INSTALL = "pip install 'readgraph[scans]'"


class _Read(NamedTuple):
    """A page as it was read: its pieces, none where it can't be read; and whether it is a picture.

    `comments` are said about it; `lost` of its `drawn` characters can't be read.
    """

    pieces: list[PrintedLine] | None
    is_picture: bool = False
    comments: Sequence[str] = ()
    lost: int = 0
    drawn: int = 0


def convert(data: bytes, name: str) -> Converted:
    """The text of all pages; places are the pages, and the sections of the outline where the file has one.

    Running heads, feet and page numbers are left out; a page that can't be read, too, and is named in `problems`.
    Pages that are pictures are recognised where the extra `scans` is installed; else they are left out and named, too.
    Raises `BadInput` where the file is broken, locked by a password, or holds no text that can be read, and where a
    child process can't read it within its limits.
    """
    (text, places, title, problems), _ = in_child("text", name, data)
    return Converted(text, tuple(Place(*place) for place in places), title, tuple(problems))


def convert_here(data: bytes, name: str) -> Converted:
    """The same in this process, without limits of time and memory; one thread at a time, as PDFium must be used."""
    from pypdfium2.raw import FORMTYPE_XFA_FULL

    check_streams(data, name)
    document = _open(data, name)
    try:
        entries, title = outline_of(document), on_a_line(document.get_metadata_value("Title"))
        labels = [shorten_label(document.get_page_label(number)) for number in range(len(document))]
        left_out = LeftOut()
        read = list(_read_pages(document, name, left_out))
        has_xfa = document.get_formtype() == FORMTYPE_XFA_FULL
    finally:
        document.close()
    if all(page.pieces is None for page in read):
        raise _invalid_pdf_error(name)
    even_sizes([page.pieces for page in read if page.is_picture and page.pieces])
    pages, copies = part_margins([page.pieces or [] for page in read])
    for page, apart in zip(read, copies, strict=True):
        apart += (PrintedLine(comment, 0.0, 0.0, 1.0, is_apart=True) for comment in page.comments)
    printed = lay_out_pages(without_line_numbers(pages), copies)
    text = join_pages(printed)
    if not text and any(page.lost for page in read):
        raise BadInput(f"{name} has no text that can be read: {CAUSE}. To recognise it, {INSTALL}.")
    if not text and not any(page.is_picture for page in read):
        raise BadInput(f"{name} holds no text: there is nothing to read.")
    if not text and recognizer_version():
        raise BadInput(f"{name} has only pictures of its pages, and no text was recognised in them.")
    if not text:
        raise BadInput(f"{name} has no text, only pictures of its pages: to recognise it, {INSTALL}.")
    lines = [page.lines for page in printed]
    places = _places(printed, labels, list(sections(entries, lines) if entries else find_headings(lines)))
    problems = [*_problems(name, read), *left_out.problems(name)]
    if has_xfa:
        problems.append(f"what is typed into {name} is left out: its form is of a kind (XFA) that can't be read here.")
    return Converted(text, places, "" if _MADE_UP_TITLE.fullmatch(title) else title, tuple(problems))


def _open(data: bytes, name: str) -> "PdfDocument":
    from pypdfium2 import PdfDocument, PdfiumError, raw

    try:
        document = PdfDocument(data)
        document.init_forms()
        if pages := len(document):
            if pages > (most := limit_set(PDF_PAGES, MOST_PAGES, "pages")):
                document.close()
                raise BadInput(
                    f"{name} has {pages:,} pages, more than {most:,}: split it, or set {PDF_PAGES} to a larger number."
                )
            return document
    except PdfiumError as problem:
        if problem.err_code == raw.FPDF_ERR_PASSWORD:
            raise BadInput(f"{name} is locked by a password: save it without one first.") from None
        if problem.err_code == raw.FPDF_ERR_SECURITY:
            raise BadInput(f"{name} is encrypted in a way that can't be opened: save it without.") from None
    raise _invalid_pdf_error(name)


def _invalid_pdf_error(name: str) -> BadInput:
    return BadInput(f"{name} is no PDF, or a broken one.")


def _count(left_out: LeftOut, place: str, kind: str) -> None:
    (left_out.tell if kind == ASLANT else left_out.add)(kind, place)


def _read_pages(document: "PdfDocument", name: str, left_out: LeftOut) -> Iterator[_Read]:
    from pypdfium2 import PdfiumError

    for number in range(len(document)):
        try:
            page, overlay = take_overlay(document, number)
            try:
                leave_out = partial(_count, left_out, SourcePage(number + 1, "").label)
                (pieces, without_code), recognized = read_pieces(page, overlay.struck, leave_out), list[PrintedLine]()
                lost, drawn = count_lost(page, pieces, without_code)
                shows_picture = not lost and is_picture(page, pieces)
                if (lost or shows_picture) and recognizer_version():
                    recognized, lost = recognize_pieces(page), 0
                typed = pieces_of_typed(overlay, pieces)
                yield _Read([*(recognized or pieces), *typed], shows_picture, overlay.comments, lost, drawn)
            finally:
                page.close()
        except PdfiumError:
            yield _Read(None)
        report_page(name, number + 1, len(document))


def _problems(name: str, read: Sequence[_Read]) -> Iterator[str]:
    """What of a file is left out, a line for each cause."""
    if unreadable := [number for number, page in enumerate(read, 1) if page.pieces is None]:
        yield f"{_pages(unreadable)} of {name} can't be read ({len(unreadable)} of {len(read)})."
    pictures = [number for number, page in enumerate(read, 1) if page.is_picture]
    if pictures and not recognizer_version():
        are = "is a picture" if len(pictures) == 1 else "are pictures"
        yield (
            f"{_pages(pictures)} of {name} {are}, and left out ({len(pictures)} of {len(read)}): "
            f"to recognise their text, {INSTALL}."
        )
    if incomplete := [number for number, page in enumerate(read, 1) if page.lost]:
        lost, drawn = sum(page.lost for page in read), sum(page.drawn for page in read if page.lost)
        yield (
            f"{_pages(incomplete)} of {name} {'lacks' if len(incomplete) == 1 else 'lack'} {lost:,} of {drawn:,} "
            f"characters, which can't be read: {CAUSE}. To recognise them, {INSTALL}."
        )


def _pages(numbers: Sequence[int]) -> str:
    """Page numbers for messages: "page 3", "pages 1, 4-9"."""
    ends = [at for at, number in enumerate(numbers, 1) if at == len(numbers) or numbers[at] != number + 1]
    runs = [(numbers[first], numbers[end - 1]) for first, end in pairwise([0, *ends])]
    named = ", ".join(
        f"{first}-{last}" if last > first + 1 else ", ".join(map(str, dict.fromkeys((first, last))))
        for first, last in runs
    )
    return f"{'page' if len(numbers) == 1 else 'pages'} {named}"


def _places(pages: Sequence[PrintedPage], labels: Sequence[str], found: list[tuple[int, str]]) -> tuple[Place, ...]:
    """Where pages begin, where the notes of each stand, and where the sections of the outline begin."""
    named = [SourcePage(at, "" if label == str(at) else label).label for at, label in enumerate(labels, 1)]
    lines = [(line.start, number) for number, page in enumerate(pages, 1) for line in (*page.lines, *page.notes)]
    starts = [(start, number, "") for start, number in lines] + [(start, 0, title) for start, title in found]
    places: list[Place] = []
    number, title = 0, ""
    for start, of_page, of_section in sorted(starts, key=lambda place: (place[0], not place[1])):
        if of_page == number and not of_section:
            continue
        number, title = of_page or number, of_section or title
        places.append(Place(start, ", ".join(filter(None, [title, named[number - 1]]))))
    return order_places(places)


LONGER_SIDE = 842.0  # points of the page's longer side: that of A4, the paper of most letters
QUALITY = 95  # of the page's JPEG
MOST_FRAMES = 100  # of a TIFF: they are unpacked together


def convert_picture(data: bytes, name: str) -> Converted:
    """The text that is recognised in the picture; raises `BadInput` where it has none, or the extra `scans` is missing.

    Each page of a TIFF is read. A child process does it, within the limits for PDFs.
    """
    if not recognizer_version():
        raise BadInput(f"{name} is a picture: to recognise its text, {INSTALL}.")
    (text, _, _, problems), _ = in_child("text", name, data, is_picture=True)
    lines = thin_out([match.start() for match in _WRITTEN_LINE.finditer(text)])
    return Converted(text, tuple(line_places(text, lines)), problems=tuple(problems))


def pages_of_picture(data: bytes, name: str) -> bytes:
    """A PDF whose pages are these pictures, upright and on white; raises `BadInput` for a broken one."""
    from PIL import Image, ImageOps, ImageSequence

    pages = []
    try:
        with Image.open(BytesIO(data), formats=["PNG", "JPEG", "TIFF"]) as opened:
            frames = ImageSequence.Iterator(opened) if opened.format == "TIFF" else [opened]  # no animation's
            for frame in frames:
                picture = ImageOps.exif_transpose(frame).convert("RGBA")
                pages.append(Image.new("L" if frame.mode in ("1", "L") else "RGB", picture.size, "white"))
                pages[-1].paste(picture, mask=picture)
                if len(pages) > MOST_FRAMES:
                    raise BadInput(f"{name} has more than {MOST_FRAMES} pages: save it as several files, or as a PDF.")
    except Image.DecompressionBombError:
        raise BadInput(f"{name} has too many dots: save it smaller.") from None
    except (OSError, SyntaxError, ValueError, KeyError, TypeError):  # what damage makes of a picture, as Pillow says it
        raise BadInput(f"{name} is no picture, or a broken one.") from None
    written = BytesIO()
    resolution = 72.0 * max(pages[0].size) / LONGER_SIDE
    pages[0].save(written, "PDF", save_all=True, append_images=pages[1:], resolution=resolution, quality=QUALITY)
    return written.getvalue()
