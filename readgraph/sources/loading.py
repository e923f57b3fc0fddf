"""One file, web page, or standard input, as a text."""

import hashlib
import os
import time
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path

from readgraph.sources.addresses import Address
from readgraph.sources.fetching import fetch, title_of
from readgraph.sources.given_files import read_bytes, read_standard_input
from readgraph.sources.pdf.scans import recognizer_version
from readgraph.sources.places import on_one_line
from readgraph.sources.source_text import Converted, Converter, SourceText
from readgraph.state.errors import BadInput

KINDS = {
    ".txt": "formats.plain_text",
    ".text": "formats.plain_text",
    ".md": "formats.markdown_text",
    ".markdown": "formats.markdown_text",
    ".html": "formats.html_text",
    ".htm": "formats.html_text",
    ".xhtml": "formats.html_text",
    ".pdf": "pdf.pdf_text",
    ".epub": "formats.epub_text",
    ".docx": "formats.docx_text",
    ".odt": "formats.odt_text",
    ".rtf": "formats.rtf_text",
    ".pptx": "formats.pptx_text",
    ".csv": "formats.csv_text",
    ".tsv": "formats.csv_text",
    ".srt": "formats.subtitles_text",
    ".vtt": "formats.subtitles_text",
    ".rst": "formats.rst_text",
    ".ipynb": "formats.notebook_text",
    ".json": "chats.chat_export",
    ".zip": "chats.chat_export",
}
"""The module in this package that converts files with each ending."""

PROGRAMS = frozenset(
    f".{ending}"
    for ending in (
        "bash c cc clj cpp cs css dart ex erl go h hpp hs java jl js jsx kt lua m ml php pl ps1 py r rb rs scala sh "
        "sql swift toml ts tsx vue yaml yml zig"
    ).split()
)
"""Endings of programs' files, which are text: those that are named are read, and those in folders are left out."""

SUFFIXES = tuple(KINDS)
"""Endings of the files that can be read, in lower case."""

IN_FOLDERS = tuple(suffix for suffix in SUFFIXES if KINDS[suffix] != "chats.chat_export")
"""Endings of the files that a folder stands for: most .json and .zip files hold no chat."""

STANDARD_INPUT = "-"
PLAIN = "formats.plain_text"


KEPT_AS_THEY_ARE = (PLAIN, "formats.markdown_text", "formats.rst_text")
"""Kinds whose text is the file's own."""

CONVERSION = 4
"""Version of the conversion: raise it when the texts of files change, so that known files are converted again."""


@dataclass(frozen=True, slots=True)
class SourceFile:
    """A file or web page that was read, and not yet converted. `source` is its absolute path, or its address."""

    name: str
    source: str
    title: str
    kind: str
    data: bytes

    @property
    def digest(self) -> str:
        """The hash of the bytes and of how they are converted; "" for a kind that is kept as it is.

        Of a PDF, text recognition is a part of that: a file is converted again once it is installed.
        """
        if self.kind in KEPT_AS_THEY_ARE:
            return ""
        recognizer = recognizer_version() if self.kind == KINDS[".pdf"] else ""
        made = " ".join(filter(None, [self.kind, str(CONVERSION), recognizer]))
        return hashlib.sha256(f"{made}\n".encode() + self.data).hexdigest()[:32]

    def convert(self) -> SourceText:
        """The file's text; raises `BadInput` with one line where there is none to read."""
        began = time.perf_counter()
        converted = _converted(self.kind, self.data, self.name)
        title = on_one_line(converted.title) or " ".join(self.title.split())
        seconds = time.perf_counter() - began
        return SourceText(
            title, converted.text, self.source, converted.places, converted.problems, self.digest, seconds
        )


def load(path: Path) -> SourceText:
    """The text of one file or `Address` ("-": of standard input); raises `BadInput` where there is none."""
    return _load_standard_input() if str(path) == STANDARD_INPUT else read_file(path).convert()


def read_file(path: Path) -> SourceFile:
    """A file of a kind that can be converted, or what stands at an `Address`; raises `BadInput`."""
    name = shown(path)
    if isinstance(path, Address):
        fetched = fetch(str(path), SUFFIXES)
        return SourceFile(name, str(path), title_of(str(path)), KINDS[fetched.suffix], fetched.data)
    if os.path.isdir(path):
        raise BadInput(f"{name} is a folder: name a file.")
    title, kind = _title_and_kind(path)
    if kind is None and os.path.lexists(path):
        raise _unreadable(name)
    return SourceFile(name, str(path.absolute()), title, kind or PLAIN, read_bytes(path, name))


def file_of_bytes(name: str, data: bytes) -> SourceFile:
    """A file that came as bytes under this name; raises `BadInput` for a kind that can't be read."""
    title, kind = _title_and_kind(Path(name))
    if kind is None:
        raise _unreadable(name)
    return SourceFile(shown(Path(name)), name, title, kind, data)


def _title_and_kind(path: Path) -> tuple[str, str | None]:
    ending = path.suffix.lower()
    return (path.name, PLAIN) if ending in PROGRAMS else (path.stem, KINDS.get(ending))


def _unreadable(name: str) -> BadInput:
    return BadInput(
        f"{name} is not of a kind that can be read ({', '.join(SUFFIXES)}, and programs such as .py): "
        "if it is text, pipe it into standard input, and write - as its name."
    )


def shown(path: Path) -> str:
    """A path as messages show it: on one line, with unprintable characters escaped."""
    name = str(path)
    return name if name.isprintable() else ascii(name)


def _load_standard_input() -> SourceText:
    converted = _converted(PLAIN, read_standard_input(), "Standard input")
    return SourceText("standard input", converted.text, STANDARD_INPUT, converted.places)


def _converted(kind: str, data: bytes, name: str) -> Converted:
    convert: Converter = import_module(f"readgraph.sources.{kind}").convert
    converted = convert(data, name) if data else None
    if converted is None or not converted.text or converted.text.isspace():
        raise BadInput(f"{name} is empty: there is nothing to read.")
    return converted
