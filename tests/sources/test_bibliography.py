"""A bibliography stands for the files that its entries name: each has its key, title and date."""

import json
from pathlib import Path

import pytest

from readgraph.sources import load_all
from tests.support.command import Command, assert_refused

ENTRIES = r"""
@article{smith2020, title = {The {Goat} on the Gallery: Stra{\ss}e and \"Ubung}, year = {2019}, date = {2020-05-03},
  file = {Snapshot:files/page.xyz:text/html;Full Text:files/goat.md:text/markdown}}
@book{jones1999, title = "Lamps", year = 1999, file = {:lamp.txt:TXT}}
@misc{nofile, title={No file}}
@misc{gone, title={Gone}, file={C\:\\Users\\a\\gone.pdf}}
@article{broken, title={x
"""


@pytest.fixture
def references(tmp_path: Path) -> Path:
    (tmp_path / "files").mkdir()
    (tmp_path / "files" / "goat.md").write_text("# Own title\n\nThe goat stood on the gallery in 1907.")
    (tmp_path / "lamp.txt").write_text("The lamp of Sarn was lit in 1881.")
    (tmp_path / "refs.bib").write_text(ENTRIES)
    return tmp_path / "refs.bib"


def test_each_entry_s_file_has_its_key_title_and_date(references: Path) -> None:
    problems = list[str]()
    found = load_all([references], None, lambda problem: problems.append(str(problem)))
    assert [(source.title, source.date) for source in found] == [
        ("smith2020: The Goat on the Gallery: Straße and Übung", "2020-05-03"),
        ("jones1999: Lamps", "1999"),
    ]
    told = "\n".join(problems)
    assert "line 7" in told and r"gone is not there: C:\Users\a\gone.pdf" in told and "name no file: nofile" in told


@pytest.mark.parametrize("text", ["", "Hello.", "@misc{nofile, title={No file}}", "\0\xff@", None])
def test_a_bibliography_that_gives_no_files_is_refused(readgraph: Command, tmp_path: Path, text: str | None) -> None:
    if text is not None:
        (tmp_path / "refs.bib").write_text(text, encoding="utf-8")
    assert_refused(readgraph("read", tmp_path / "refs.bib"), "refs.bib")


def test_answers_and_checks_know_the_keys(readgraph: Command, references: Path, tmp_path: Path) -> None:
    assert readgraph("read", references.parent / "lamp.txt").code == 0  # before it had a key
    found = readgraph("ask", "When was the lamp of Sarn lit?", references, "--json").json
    assert found["citations"][0]["place"].startswith("jones1999: Lamps (1999)")
    draft = tmp_path / "draft.md"
    draft.write_text(
        "The goat stood on the gallery in 1907 [@smith2020, p. 1].\n\n"
        "The lamp of Sarn was lit in 1881 [@smith2020].\n\n"
        "The lamp of Sarn was lit in 1881 [@jones1999].\n"
    )
    claims = json.loads(readgraph("verify", draft, references, "--json").out)["claims"]
    assert [claim["verdict"] for claim in claims] == ["supported", "contradicted", "supported"]
    assert claims[1]["differs"][0]["draft"] == "@smith2020", "it stands in the other one"
