"""The kinds of files that can be read: help and messages list them without importing what converts."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

from readgraph.plugins import give, leave_out, plugged_in

__all__ = ["FileKind"]


@dataclass(frozen=True, kw_only=True)
class FileKind:
    """A kind of files that can be read.

    Attributes:
        name: What it is called in help texts and on the page of kinds.
        endings: The endings of such files, in lower case, each with the content types (with spaces between) under which
            servers send them.
        converter: Where the function stands that makes a text of such a file, `package.module:function`: it takes the
            file's bytes and its name for messages, gives `readgraph.sources.converting.Converted`, and raises
            `BadInput` for a file that can't be read.
        id: A part of the digests by which converted files are known: files are converted again once it is another.
        reads: What is read of such a file, for the page of kinds.
        place: A place in such a file, as citations name it, for the page of kinds.
        kept: Whether the text is the file's own.
        in_folders: Whether a folder stands for such files in it.
        sessions: Where the function stands that gives the conversations in such a file, if it has any, and what is left
            out of it. In a history, each day of them is a session.
    """

    name: str
    endings: Mapping[str, str]
    converter: str
    id: str
    reads: str = "its text"
    place: str = "`line 40`"
    kept: bool = False
    in_folders: bool = True
    sessions: str = ""


_FORMATS, _PDF = "readgraph.sources.formats", "readgraph.sources.pdf.pdf_text"
_OPEN_XML, _ODF = "application/vnd.openxmlformats-officedocument", "application/vnd.oasis.opendocument"
_HEADINGS = "`§ Installation > Linux`"
_SECTIONS = "`§ Results > Rivers`"
_ROWS = (
    "a paragraph for each row of each sheet, each value as shown after its column's name; comments, boxes, charts",
    "`sheet Rivers, row 12`",
)
_SLIDES = ("titles, text, tables, charts, comments, and the speaker's notes", "`slide 3, Results`")

PLAIN = FileKind(
    name="text",
    endings={".txt": "", ".text": ""},
    converter=f"{_FORMATS}.plain_text:convert",
    id="formats.plain_text",
    reads="the file as it is; so is standard input",
    place="a time, a heading, or `line 40`",
    kept=True,
)
PDF = FileKind(
    name="PDF",
    endings={".pdf": "application/pdf"},
    converter=f"{_PDF}:convert",
    id="pdf.pdf_text",
    reads="the text of its pages, and what is typed, stamped or remarked on them; with `readgraph[scans]` also of "
    "pages that are pictures",
    place="`PDF page 58`",
)
# Folders don't stand for these: most pictures show no text, and most .json, .xml and .zip files hold no chat.
PICTURE = FileKind(
    name="pictures of pages",
    endings={".png": "image/png", ".jpg": "image/jpeg", ".jpeg": "", ".tif": "image/tiff", ".tiff": ""},
    converter=f"{_PDF}:convert_picture",
    id="pdf.picture_text",
    reads="with `readgraph[scans]`, the text that is recognised in it, as in a scanned letter",
    in_folders=False,
)
CHATS = FileKind(
    name="exported chats",
    endings={".json": "", ".zip": "", ".tar": "", ".xml": ""},
    converter=f"{_FORMATS}.chats:convert",
    id="chats.chat_export",
    reads="turns with their speakers, as [these apps](#chats) export them, also as `.txt`, `.html` or `.csv`",
    place="`12 March 2024, 19:41, Anna`",
    in_folders=False,
    sessions=f"{_FORMATS}.chats:chats_in",
)
MAIL = FileKind(
    name="e-mail",
    endings={".eml": "message/rfc822", ".mbox": "application/mbox"},
    converter=f"{_FORMATS}.mail_text:convert",
    id="formats.mail_text",
    reads="the messages by threads, in the order of time, with invitations, and the names of what is attached",
    place="`12 March 2024, 19:41, Anna`",
    sessions=f"{_FORMATS}.mail_text:mail_chats",
)
OURS = (
    PLAIN,
    FileKind(
        name="Markdown",
        endings={".md": "text/markdown", ".markdown": ""},
        converter=f"{_FORMATS}.plain_text:convert_markdown",
        id="formats.markdown_text",
        reads="the file as it is",
        place=_HEADINGS,
        kept=True,
    ),
    FileKind(
        name="HTML",
        endings={".html": "text/html", ".htm": "", ".xhtml": "application/xhtml+xml"},
        converter=f"{_FORMATS}.chats:convert_page",
        id="formats.html_text",
        reads="its words, without navigation and scripts",
        place=_HEADINGS,
    ),
    PDF,
    FileKind(
        name="EPUB",
        endings={".epub": "application/epub+zip"},
        converter=f"{_FORMATS}.epub_text:convert",
        id="formats.epub_text",
        reads="its chapters in reading order",
        place="`chapter 'The Auction'`",
    ),
    FileKind(
        name="Word",
        endings={".docx": f"{_OPEN_XML}.wordprocessingml.document"},
        converter=f"{_FORMATS}.word_text:convert",
        id="formats.docx_text",
        reads="paragraphs, tables, notes, comments, boxes, charts",
        place=_SECTIONS,
    ),
    FileKind(
        name="OpenDocument",
        endings={".odt": f"{_ODF}.text"},
        converter=f"{_FORMATS}.open_document_text:convert",
        id="formats.odt_text",
        reads="paragraphs, tables, notes, comments",
        place=_SECTIONS,
    ),
    FileKind(
        name="OpenDocument",
        endings={".ods": f"{_ODF}.spreadsheet"},
        converter=f"{_FORMATS}.open_document_sheets:convert",
        id="formats.ods_text",
        reads=_ROWS[0],
        place=_ROWS[1],
    ),
    FileKind(
        name="OpenDocument",
        endings={".odp": f"{_ODF}.presentation"},
        converter=f"{_FORMATS}.open_document_slides:convert",
        id="formats.odp_text",
        reads=_SLIDES[0],
        place=_SLIDES[1],
    ),
    FileKind(
        name="RTF",
        endings={".rtf": "text/rtf application/rtf"},
        converter=f"{_FORMATS}.rtf_text:convert",
        id="formats.rtf_text",
        reads="paragraphs, tables, notes, comments",
        place=_SECTIONS,
    ),
    FileKind(
        name="PowerPoint",
        endings={".pptx": f"{_OPEN_XML}.presentationml.presentation"},
        converter=f"{_FORMATS}.pptx_text:convert",
        id="formats.pptx_text",
        reads=_SLIDES[0],
        place=_SLIDES[1],
    ),
    FileKind(
        name="Excel",
        endings={".xlsx": f"{_OPEN_XML}.spreadsheetml.sheet", ".xlsm": ""},
        converter=f"{_FORMATS}.workbook:convert",
        id="formats.xlsx_text",
        reads=_ROWS[0],
        place=_ROWS[1],
    ),
    FileKind(
        name="CSV",
        endings={".csv": "text/csv", ".tsv": "text/tab-separated-values"},
        converter=f"{_FORMATS}.chats:convert_table",
        id="formats.csv_text",
        reads="a paragraph for each row, each value after its column's name",
        place="`row 12`",
    ),
    FileKind(
        name="Jupyter notebooks",
        endings={".ipynb": "application/x-ipynb+json"},
        converter=f"{_FORMATS}.notebook_text:convert",
        id="formats.notebook_text",
        reads="Markdown, code, and what it printed (the first 4,000 characters of each result)",
        place="`cell 7`",
    ),
    FileKind(
        name="subtitles",
        endings={".srt": "application/x-subrip", ".vtt": "text/vtt"},
        converter=f"{_FORMATS}.subtitles_text:convert",
        id="formats.subtitles_text",
        reads="what is said, in running sentences; speakers where WebVTT names them",
        place="`0:12:40`",
    ),
    FileKind(
        name="reStructuredText",
        endings={".rst": "text/x-rst"},
        converter=f"{_FORMATS}.plain_text:convert_rst",
        id="formats.rst_text",
        reads="the file as it is",
        place=_HEADINGS,
        kept=True,
    ),
    MAIL,
    CHATS,
    PICTURE,
)
"""The kinds that need no other package than readgraph."""

JSON_LINES = ".jsonl"  # holds sessions of a history, and is no document

kinds = give(*OURS)


@cache
def every_kind() -> tuple[FileKind, ...]:
    """The kinds of ours and of other packages."""
    return tuple(kind for _, kind in plugged_in("kinds", FileKind))


@cache
def _kinds_by_ending() -> dict[str, FileKind]:
    """Who came first keeps an ending, so those of ours can't be replaced."""
    kinds = dict[str, FileKind]()
    for package, kind in plugged_in("kinds", FileKind):
        for ending in kind.endings:
            if ending in kinds and package:
                leave_out(package, f"files '{ending}' are read as {kinds[ending].name}")
            kinds.setdefault(ending, kind)
    return kinds


def kind_of(ending: str) -> FileKind | None:
    """The kind of the files with this ending, in lower case; None where they can't be read."""
    return _kinds_by_ending().get(ending)


def ending_for(content_type: str) -> str | None:
    """The ending of files that servers send under a content type; None where they can't be read."""
    known = ((ending, types) for kind in every_kind() for ending, types in kind.endings.items())
    return next((ending for ending, types in known if content_type in types.split()), None)


def readable_endings() -> tuple[str, ...]:
    """Endings of the files that can be read, in lower case."""
    return tuple(dict.fromkeys(ending for kind in every_kind() for ending in kind.endings))


def endings_in_folders() -> tuple[str, ...]:
    """Endings of the files for which a folder stands."""
    file_kinds = _kinds_by_ending()
    return tuple(ending for ending in readable_endings() if file_kinds[ending].in_folders)
