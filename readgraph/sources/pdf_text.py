"""PDF becomes plain text: the lines of its pages, joined to paragraphs."""

import logging
import math
from collections.abc import Iterator
from contextlib import contextmanager
from io import BytesIO
from typing import TYPE_CHECKING, Any

from readgraph.sources.pdf_lines import Line, join_pages
from readgraph.sources.places import Place, on_one_line, thinned
from readgraph.sources.source_text import Converted
from readgraph.state.errors import BadInput

if TYPE_CHECKING:
    from pypdf import PageObject, PdfReader


def convert(data: bytes, name: str) -> Converted:
    """The text of all pages; places are the pages, with their printed labels where those differ.

    Raises `BadInput` where the file is broken, locked by a password, or holds no text but pictures of it.
    """
    with _quiet():
        reader = _open(data, name)
        try:
            number_of_pages = len(reader.pages)
        except Exception:  # pypdf raises whatever a damaged file makes it stumble on
            raise _broken(name) from None
        pages = [_lines(reader, number, name) for number in range(number_of_pages)]
        labels = _labels(reader)
    text, starts = join_pages(pages)
    if not text:
        raise BadInput(f"{name} has no text layer, only pictures of its pages: run it through text recognition (OCR).")
    places = [Place(start, _label(number, labels)) for number, start in enumerate(starts, 1) if start is not None]
    return Converted(text, tuple(thinned(places)))


def _open(data: bytes, name: str) -> "PdfReader":
    from pypdf import PdfReader
    from pypdf.errors import DependencyError

    try:
        reader = PdfReader(BytesIO(data))
        opened = not reader.is_encrypted or bool(reader.decrypt(""))
    except DependencyError:
        raise BadInput(f"{name} is encrypted: install the package 'cryptography' to open it.") from None
    except NotImplementedError:
        raise BadInput(f"{name} is encrypted in a way that can't be opened: save it without.") from None
    except Exception:
        raise _broken(name) from None
    if not opened:
        raise BadInput(f"{name} is locked by a password: save it without one first.")
    return reader


def _broken(name: str) -> BadInput:
    return BadInput(f"{name} is no PDF, or a broken one.")


def _lines(reader: "PdfReader", number: int, name: str) -> list[Line]:
    try:
        return _lines_of_page(reader.pages[number])
    except Exception:
        raise BadInput(f"{name} is broken: page {number + 1} can't be read.") from None


def _lines_of_page(page: "PageObject") -> list[Line]:
    """The page's lines with where they begin; without that where it can't be told."""
    lines = [Line()]

    def visit(text: str, transform: list[float], matrix: list[float], _font: Any, size: float) -> None:
        x, y, scale = _place(matrix, transform)
        for number, part in enumerate(text.split("\n")):
            if number:
                lines.append(Line())
            lines[-1].add(part, x, y, size * scale)

    whole = page.extract_text(visitor_text=visit)
    if "".join(whole.split()) != "".join("".join(line.text.split()) for line in lines):
        return [Line(text) for text in whole.split("\n") if text.strip()]
    return [line for line in lines if line.text.strip()]


def _place(text: list[float], page: list[float]) -> tuple[float, float, float]:
    """How far along and up a text begins, in points, and the scale of its font; turned text as if the page were."""
    a, b = (text[0] * page[column] + text[1] * page[2 + column] for column in (0, 1))
    x, y = (text[4] * page[column] + text[5] * page[2 + column] + page[4 + column] for column in (0, 1))
    scale = math.hypot(a, b) or 1.0
    return (x * a + y * b) / scale, (y * a - x * b) / scale, scale


def _labels(reader: "PdfReader") -> list[str]:
    """The pages' printed numbers; empty where the file names none."""
    try:
        return reader.page_labels if "/PageLabels" in reader.root_object else []
    except Exception:
        return []


def _label(number: int, labels: list[str]) -> str:
    printed = on_one_line(labels[number - 1]) if number <= len(labels) else ""
    return f"PDF page {number}" + (f" ({printed})" if printed not in ("", str(number)) else "")


@contextmanager
def _quiet() -> Iterator[None]:
    """Without pypdf's warnings about files that it mends."""
    logger = logging.getLogger("pypdf")
    level = logger.level
    logger.setLevel(logging.CRITICAL + 1)
    try:
        yield
    finally:
        logger.setLevel(level)
