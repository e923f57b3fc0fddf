"""The kinds of files that can be read, in one table: help and messages list them without importing what converts."""

from collections.abc import Mapping
from typing import NamedTuple


class FileKind(NamedTuple):
    """A kind of file.

    `id` is a part of the digests of known files, so it stays; it is also the module that converts them, unless there is
    a `converter` (and after ":" its function). `endings` have the content types (with spaces between) under which
    servers send such files. `kept`: the text is the file's own. `in_folders`: folders stand for such files.
    """

    id: str
    endings: Mapping[str, str]
    converter: str = ""
    kept: bool = False
    in_folders: bool = True


_OPEN_XML, _ODF = "application/vnd.openxmlformats-officedocument", "application/vnd.oasis.opendocument"
_MARKDOWN = {".md": "text/markdown", ".markdown": ""}
PLAIN = FileKind("formats.plain_text", {".txt": "", ".text": ""}, kept=True)
PDF = FileKind("pdf.pdf_text", {".pdf": "application/pdf"})
# Folders don't stand for these: most pictures show no text, and most .json and .zip files hold no chat.
PICTURE = FileKind(
    "pdf.picture_text",
    {".png": "image/png", ".jpg": "image/jpeg", ".jpeg": "", ".tif": "image/tiff", ".tiff": ""},
    "pdf.pdf_text:convert_picture",
    in_folders=False,
)
CHATS = FileKind("chats.chat_export", {".json": "", ".zip": ""}, "formats.chats", in_folders=False)
MAIL = FileKind("formats.mail_text", {".eml": "message/rfc822", ".mbox": "application/mbox"})

ALL = (
    PLAIN,
    FileKind("formats.markdown_text", _MARKDOWN, "formats.plain_text:convert_markdown", kept=True),
    FileKind("formats.html_text", {".html": "text/html", ".htm": "", ".xhtml": "application/xhtml+xml"}),
    PDF,
    FileKind("formats.epub_text", {".epub": "application/epub+zip"}),
    FileKind("formats.docx_text", {".docx": f"{_OPEN_XML}.wordprocessingml.document"}, "formats.word_text"),
    FileKind("formats.odt_text", {".odt": f"{_ODF}.text"}, "formats.open_document_text"),
    FileKind("formats.ods_text", {".ods": f"{_ODF}.spreadsheet"}, "formats.open_document_sheets"),
    FileKind("formats.odp_text", {".odp": f"{_ODF}.presentation"}, "formats.open_document_slides"),
    FileKind("formats.rtf_text", {".rtf": "text/rtf application/rtf"}),
    FileKind("formats.pptx_text", {".pptx": f"{_OPEN_XML}.presentationml.presentation"}),
    FileKind("formats.xlsx_text", {".xlsx": f"{_OPEN_XML}.spreadsheetml.sheet", ".xlsm": ""}, "formats.workbook"),
    FileKind("formats.csv_text", {".csv": "text/csv", ".tsv": "text/tab-separated-values"}, "formats.tables"),
    FileKind("formats.subtitles_text", {".srt": "application/x-subrip", ".vtt": "text/vtt"}),
    FileKind("formats.rst_text", {".rst": "text/x-rst"}, "formats.plain_text:convert_rst", kept=True),
    FileKind("formats.notebook_text", {".ipynb": "application/x-ipynb+json"}),
    MAIL,
    CHATS,
    PICTURE,
)

KINDS = {ending: kind for kind in ALL for ending in kind.endings}  # the kind of the files with each ending
ENDINGS_BY_TYPE = {each: ending for kind in ALL for ending, types in kind.endings.items() for each in types.split()}

JSON_LINES, DATABASES = ".jsonl", (".db", ".sqlite", ".sqlite3")  # hold sessions of a history, and are no documents
SUFFIXES = tuple(KINDS)
"""Endings of the files that can be read, in lower case."""

IN_FOLDERS = tuple(ending for ending, kind in KINDS.items() if kind.in_folders)
