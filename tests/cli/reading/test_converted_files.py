"""The command: a file is converted once, its pages are shown, and what of it can't be read is reported."""

import io
from pathlib import Path

import pytest

from readgraph.cli.terminal.progress import ConversionProgress
from readgraph.cli.terminal.screen import OutputOptions
from readgraph.sources.converting import Converted
from readgraph.sources.pdf import pdf_text
from tests.support.command import Command, Ran
from tests.support.source_files import write_pdf_lines

QUESTION = "Who keeps the lamp?"


@pytest.fixture
def conversions(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The names of the files that were converted; each of them has a page that can't be read."""
    names, convert = list[str](), pdf_text.convert

    def counted(data: bytes, name: str) -> Converted:
        names.append(name)
        return convert(data, name)._replace(problems=(f"page 2 of {name} can't be read (1 of 2).",))

    monkeypatch.setattr(pdf_text, "convert", counted)
    return names


def test_a_file_is_converted_once(tmp_path: Path, readgraph: Command, conversions: list[str]) -> None:
    path = write_pdf_lines(tmp_path / "a.pdf", [["Agnes keeps the lamp at Sarn Head."]])
    first: Ran = readgraph("ask", QUESTION, path)
    assert "Agnes" in first.out and "readgraph: page 2 of" in first.err
    moved = path.rename(tmp_path / "b.pdf")
    again = readgraph("ask", QUESTION, moved)
    assert "Agnes" in again.out and again.err.count("readgraph: page 2 of a.pdf") == 1
    assert "Agnes" in readgraph("read", moved, "--json").out or readgraph("show", moved).code == 0
    assert len(conversions) == 1
    write_pdf_lines(moved, [["Brandt keeps the lamp now."]])
    assert "Brandt" in readgraph("ask", QUESTION, moved).out
    assert len(conversions) == 2
    assert readgraph("forget", moved, "--yes").code == 0
    assert "Brandt" in readgraph("ask", QUESTION, moved).out
    assert len(conversions) == 3


def test_the_pages_of_a_conversion_are_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TTY_COMPATIBLE", "1")
    monkeypatch.setenv("COLUMNS", "100")
    terminal = io.StringIO()
    monkeypatch.setattr("sys.stderr", terminal)
    with ConversionProgress(OutputOptions()) as progress:
        progress.show("book.pdf", 58, 719)
    assert "Converting book.pdf" in terminal.getvalue() and "page 58 of 719" in terminal.getvalue()
    with ConversionProgress(OutputOptions(quiet=True)) as progress:
        terminal.truncate(0)
        progress.show("book.pdf", 58, 719)
    assert "page" not in terminal.getvalue()
