"""One file, or standard input, as a text."""

import os
import sys
from pathlib import Path

from readgraph.sources import docx_text, epub_text, html_text, markdown_text, pdf_text, plain_text
from readgraph.sources.places import on_one_line
from readgraph.sources.source_text import Converted, Converter, SourceText
from readgraph.state.errors import BadInput

CONVERTERS: dict[str, Converter] = {
    ".txt": plain_text.convert,
    ".text": plain_text.convert,
    ".md": markdown_text.convert,
    ".markdown": markdown_text.convert,
    ".html": html_text.convert,
    ".htm": html_text.convert,
    ".xhtml": html_text.convert,
    ".pdf": pdf_text.convert,
    ".epub": epub_text.convert,
    ".docx": docx_text.convert,
}

SUFFIXES = tuple(CONVERTERS)
"""Endings of the files that can be read, in lower case."""

STANDARD_INPUT = "-"


def load(path: Path) -> SourceText:
    """The text of one file ("-": of standard input); raises `BadInput` with one line where there is none to read."""
    if str(path) == STANDARD_INPUT:
        return _load_standard_input()
    name = shown(path)
    convert = CONVERTERS.get(path.suffix.lower())
    if os.path.isdir(path):
        raise BadInput(f"{name} is a folder: name a file.")
    if convert is None and os.path.lexists(path):
        raise BadInput(f"{name} is of no kind that can be read: give one of {', '.join(SUFFIXES)}.")
    data = _read(path, name)
    made = _checked(convert or plain_text.convert, data, name)
    return SourceText(on_one_line(made.title) or path.stem, made.text, str(path.absolute()), made.places)


def shown(path: Path) -> str:
    """A path as messages name it: on one line, whatever it holds."""
    name = str(path)
    return name if name.isprintable() else ascii(name)


def _load_standard_input() -> SourceText:
    made = _checked(plain_text.convert, sys.stdin.buffer.read(), "Standard input")
    return SourceText("standard input", made.text, STANDARD_INPUT, made.places)


def _read(path: Path, name: str) -> bytes:
    try:
        return path.read_bytes()
    except FileNotFoundError:
        raise BadInput(f"There is no file {name}.") from None
    except OSError as problem:
        raise BadInput(f"{name} can't be read: {problem.strerror}.") from None
    except ValueError:  # a null character in the path
        raise BadInput(f"There is no file {name}.") from None


def _checked(convert: Converter, data: bytes, name: str) -> Converted:
    made = convert(data, name) if data else None
    if made is None or not made.text.strip():
        raise BadInput(f"{name} is empty: there is nothing to read.")
    return made
