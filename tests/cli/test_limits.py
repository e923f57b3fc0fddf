"""Each limit ends in one line that says which it is, its value, and how to raise it; what was stored stays."""

from pathlib import Path

import pytest
from pypdfium2 import PdfDocument

from readgraph.library.opening import Library
from readgraph.state.errors import BadInput
from tests.doubles.model_server import Fault, ModelServer
from tests.support.command import Command, assert_refused

TEXT = "\n\n".join(f"In year {year} the keeper heard a goat beneath the stair. " * 4 for year in range(4))
SMALL = ("--min-page-words", 20, "--max-page-words", 45, "--model", "openai:double")


@pytest.fixture
def text(tmp_path: Path) -> Path:
    (tmp_path / "goat.txt").write_text(TEXT, encoding="utf-8")
    return tmp_path / "goat.txt"


def test_a_file_has_a_limit(readgraph: Command, text: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("READGRAPH_MAX_FILE_MB", "1")
    text.write_bytes(b"goat " * 200_001)
    told = "has more than 1 MB: split it, or set READGRAPH_MAX_FILE_MB to a larger number"
    assert_refused(readgraph("read", text), told)


def test_a_text_has_a_limit(readgraph: Command, text: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("READGRAPH_MAX_TEXT_WORDS", "175")
    told = "goat has 176 words, more than 175: split it, or set READGRAPH_MAX_TEXT_WORDS to a larger number"
    assert_refused(readgraph("read", text), told)
    monkeypatch.setenv("READGRAPH_MAX_TEXT_WORDS", "176")
    assert readgraph("read", text).code == 0
    monkeypatch.setenv("READGRAPH_MAX_TEXT_WORDS", "175")
    assert readgraph("show", text.stem).code == 0, "what is stored stays"
    monkeypatch.setenv("READGRAPH_MAX_TEXT_WORDS", "many")
    text.write_text("The goat.")
    assert_refused(readgraph("read", text), "READGRAPH_MAX_TEXT_WORDS can't be 'many': it must be a number of words")


def test_a_history_has_a_limit(readgraph: Command, text: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("READGRAPH_MAX_TEXT_WORDS", "200")
    assert readgraph("remember", "days", text).code == 0
    text.write_text("Another day, with another goat. " * 5)
    told = "The history 'days' has 201 words, more than 200: split it, or set READGRAPH_MAX_TEXT_WORDS"
    assert_refused(readgraph("remember", "days", text), told)
    assert "Another" not in readgraph("show", "days").out, "what is stored stays"


async def test_a_program_s_text_has_the_same_limit(library: Library, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("READGRAPH_MAX_TEXT_WORDS", "3")
    with pytest.raises(BadInput, match="The text has 4 words, more than 3"):
        await library.pages.add_document("A goat stood here.")
    assert await library.pages.documents() == []


def test_the_pages_of_a_pdf_have_a_limit(readgraph: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("READGRAPH_MAX_PDF_PAGES", "2")
    document = PdfDocument.new()
    for _ in range(3):
        document.new_page(100, 100)
    document.save(tmp_path / "long.pdf")
    told = "has 3 pages, more than 2: split it, or set READGRAPH_MAX_PDF_PAGES to a larger number"
    assert_refused(readgraph("read", tmp_path / "long.pdf"), told)


@pytest.mark.slow
def test_a_reply_has_a_limit(readgraph: Command, server: ModelServer, text: Path) -> None:
    server.fault_for = lambda request, call: Fault.foreign("{" + " " * 1_100_000) if call > 2 else None
    refused = readgraph("read", text, *SMALL, "--max-reply-mb", 1, "--concurrency", 1)
    assert_refused(refused, "sent a reply of more than 1 MB 3 times in a row: see what it sends, or raise the limit")
    assert "--max-reply-mb" in refused.err and server.calls == 5
    server.fault_for, paid = None, {*server.answered}
    before = len(server.requests)
    assert readgraph("read", text, *SMALL).code == 0
    assert paid and not [each for each in server.requests[before:] if each.key in paid], "what was paid for stays"


@pytest.mark.parametrize(
    ("limit", "unit"), [("--max-calls", "1 call"), ("--max-words", "90 words"), ("--max-seconds", "0 seconds")]
)
def test_a_budget_says_which_it_is(readgraph: Command, server: ModelServer, text: Path, limit: str, unit: str) -> None:
    most = unit.split()[0]
    spent = readgraph("ask", "Who heard a goat?", text, "--method", "read-agent", *SMALL, limit, most)
    assert spent.code == 0 and "The budget ran out" in spent.out
    assert spent.err.count(f"The budget of {unit} is spent: run the same again with a larger {limit} to go on.") == 1
