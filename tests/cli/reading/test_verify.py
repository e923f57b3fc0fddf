"""`readgraph verify`: a draft is checked, printed, written with footnotes, and its result is the exit code."""

import io
import json
from pathlib import Path

import pytest

from tests.doubles.model_server import ModelServer
from tests.support.command import DOUBLE, Command, assert_refused

pytestmark = pytest.mark.quick

TEXT = "# Mill\n\nThe mill at Orrin made 240 tons of flour in 2012. It was opened by Marta Lindqvist.\n"
TRUE = "In 2012 the mill at Orrin made 240 tons of flour."
FALSE = "The mill at Orrin made 250 tons of flour in 2012."
OPEN = "The mill at Orrin made good flour in 2012."
STRANGE = "Seven bishops from Norway kept bees."


@pytest.fixture
def mill(tmp_path: Path) -> Path:
    file = tmp_path / "mill.md"
    file.write_text(TEXT)
    return file


def draft_of(tmp_path: Path, *sentences: str) -> Path:
    file = tmp_path / "draft.md"
    file.write_text(" ".join(sentences))
    return file


def test_the_claims_are_printed_with_what_differs(readgraph: Command, tmp_path: Path, mill: Path) -> None:
    ran = readgraph("verify", draft_of(tmp_path, TRUE, FALSE, OPEN, STRANGE), mill)
    assert ran.code == 1
    lines = [line.strip() for line in ran.out.splitlines()]
    assert lines[0] == f"✓ {TRUE}" and f"✗ {FALSE}" in lines and f"? {OPEN}" in lines and f"○ {STRANGE}" in lines
    assert "contradicted: “250 tons”, the text has “240 tons”" in lines
    assert "4 claims · 1 supported, 1 contradicted, 1 with no sentence near, 1 not decided" in ran.out
    assert "“The mill at Orrin made 240 tons of flour in 2012.”" in " ".join(ran.out.split())


def test_the_exit_code_says_whether_something_is_wrong(readgraph: Command, tmp_path: Path, mill: Path) -> None:
    for sentences, code, strict in (((TRUE,), 0, 0), ((TRUE, OPEN), 0, 1), ((STRANGE,), 0, 1), ((FALSE,), 1, 1)):
        draft = draft_of(tmp_path, *sentences)
        assert readgraph("verify", draft, mill, "--quiet").code == code
        assert readgraph("verify", draft, mill, "--quiet", "--strict").code == strict
    assert readgraph("verify", draft_of(tmp_path, "# Only a heading"), mill).code == 0


def test_it_is_written_with_footnotes_and_as_a_report(readgraph: Command, tmp_path: Path, mill: Path) -> None:
    out, report = tmp_path / "checked.md", tmp_path / "checked.html"
    for _ in range(2):  # its own files are replaced
        assert readgraph("verify", draft_of(tmp_path, TRUE, FALSE), mill, "--out", out, "--report", report).code == 1
    written = out.read_text()
    assert f"{TRUE}[^rg1] {FALSE}[^rg2]\n" in written
    assert "[^rg2]: ✗ contradicted: “250 tons”, the text has “240 tons” — § Mill: “The mill at" in written
    assert "250 tons" in report.read_text() and "the text has “240 tons”" in report.read_text()
    foreign = tmp_path / "own.md"
    foreign.write_text("My own words.")
    assert_refused(readgraph("verify", draft_of(tmp_path, TRUE), mill, "--out", foreign), "is no checked draft")
    assert foreign.read_text() == "My own words."


def test_what_was_written_keeps_its_front_matter_and_can_be_checked_again(
    readgraph: Command, tmp_path: Path, mill: Path
) -> None:
    draft, out = tmp_path / "draft.md", tmp_path / "checked.md"
    draft.write_text(f"---\ntitle: The mill made 9 tons.\n---\n\n{TRUE} [{TRUE}](mill.txt)\n")
    assert readgraph("verify", draft, mill, "--out", out).code == 0
    written = out.read_text()
    assert written.startswith("---\ntitle") and f"{TRUE}[^rg1] [{TRUE}](mill.txt)[^rg2]" in written
    again = readgraph("verify", out, mill, "--out", out)
    assert "2 claims · 2 supported" in again.out and out.read_text().startswith("---\ntitle")


def test_json_has_the_claims_and_standard_input_is_taken(
    readgraph: Command, monkeypatch: pytest.MonkeyPatch, mill: Path
) -> None:
    assert readgraph("read", mill).code == 0
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(f"{TRUE} {FALSE}".encode())))
    ran = readgraph("verify", "-", "--json")
    found = json.loads(ran.out)
    assert [claim["verdict"] for claim in found["claims"]] == ["supported", "contradicted"] and ran.code == 1
    assert found["claims"][1]["differs"] == [{"kind": "number", "draft": "250 tons", "text": "240 tons"}]


def test_what_cannot_be_checked_is_one_line(readgraph: Command, tmp_path: Path, mill: Path) -> None:
    draft = draft_of(tmp_path, TRUE)
    assert_refused(readgraph("verify", draft), "library is empty")
    assert_refused(readgraph("verify", tmp_path / "none.md", mill), "the first argument is the text to check")
    assert_refused(readgraph("verify", draft, mill, "--collection", "dry"), "--collection names the documents")
    (tmp_path / "empty.md").write_text("  \n")
    assert_refused(readgraph("verify", tmp_path / "empty.md", mill), "empty.md")
    (tmp_path / "broken.pdf").write_bytes(b"%PDF-1.7 nothing")
    ran = readgraph("verify", draft, mill, tmp_path / "broken.pdf")
    assert ran.code == 0 and "Left out: " in ran.err and "✓" in ran.out
    (left_out,) = readgraph("verify", draft, mill, tmp_path / "broken.pdf", "--json").json["left_out"]
    assert "broken.pdf" in left_out


def test_with_a_model_the_rest_is_asked(readgraph: Command, server: ModelServer, tmp_path: Path, mill: Path) -> None:
    said_otherwise = "At Orrin, the mill made 240."
    ran = readgraph("verify", draft_of(tmp_path, TRUE, said_otherwise), mill, *DOUBLE)
    assert ran.code == 0 and "2 claims · 2 supported" in ran.out and len(server.requests) == 1
    again = readgraph("verify", draft_of(tmp_path, TRUE, said_otherwise), mill, *DOUBLE)
    assert "1 saved reply" in again.out and len(server.requests) == 1
