"""`show --page`, `--at`, `--quote`: a citation is followed to the text where it stands."""

import re
from pathlib import Path

import pytest
from pytest import MonkeyPatch

from tests.support.command import ASK, STORY, Command, assert_refused, plain
from tests.support.typeset_report import typeset

pytestmark = pytest.mark.quick


def test_a_citation_leads_to_its_words(readgraph: Command, story: str) -> None:
    found = readgraph(*ASK, "--json").json
    readgraph("read", STORY, "--method", "bm25")  # its pages are others, and newer
    for citation in found["citations"]:
        words = " ".join(citation["quote"].split())
        marked = words[1:-2] if words[0] == words[-1] == '"' else words[:-1]  # marks around all are of who quotes it
        place = ("--part", citation["page"], "--quote", words)
        exact = (*place[:3], citation["quote"])
        (shown,) = readgraph("show", STORY, *exact, "--json").json["stretches"]
        assert (shown["method"], shown["mark"]) == ("read-agent", [citation["start"], citation["end"]])
        assert shown["text"] == story[shown["start"] : shown["end"]] and citation["quote"] in shown["text"]
        assert f"**{marked}" in readgraph("show", STORY, *place).text
        named = readgraph("show", STORY, "--at", citation["place"], "--quote", words).text
        assert f"**{marked}" in named and citation["place"] in named
    (alone,) = readgraph("show", STORY, "--quote", citation["quote"], "--json").json["stretches"]
    assert (alone["method"], alone["mark"]) == ("bm25", [citation["start"], citation["end"]])
    (chosen,) = readgraph("show", STORY, "--quote", words, "--method", "guided-walk").err.splitlines()
    assert "memories of bm25, read-agent" in chosen
    listed = readgraph("show", STORY, "--method", "read-agent").text
    assert "read-agent, without a model" in listed and "also read with bm25" in listed


def test_a_source_with_pages_is_spoken_of_in_its_own(readgraph: Command, tmp_path: Path) -> None:
    report = typeset(tmp_path / "report.pdf", 11)
    size = readgraph("read", report.path).out.splitlines()[0].rpartition(": ")[2]
    assert size.startswith("11 pages, ") and " read as " in size
    crossing, page = next((words, page) for words, page in report.crossing if page > 8)
    asked = readgraph("ask", crossing, report.path)
    assert f"page {page - 8} ({page}th in the file) “" in asked.text
    assert "p. " not in asked.text and " part " not in asked.text
    assert re.search(r"looked at: pages? [^:;]*\d", asked.text)
    begins = report.labels[page - 1]
    for wanted in (str(page), f" {page} "):
        stretches = readgraph("show", "vell", "--page", wanted, "--quote", crossing, "--json").json["stretches"]
        shown = next(each for each in stretches if each["mark"])
        assert (shown["page"], shown["place"].rpartition(", ")[2]) == (None, f"PDF page {page} ({begins})")
        assert shown["mark"][1] == shown["end"], "a quote that goes on after its page's end is shown whole"
    roman, *_ = readgraph("show", "vell", "--page", "V", "--json").json["stretches"]
    assert roman["place"].endswith("PDF page 5 (v)")
    assert readgraph("show", "vell", "--at", "page v (5th in the file)", "--json").json["stretches"][0] == roman
    assert "page vii (7th in the file), part 10 of read-agent" in readgraph("show", "vell", "--part", 10).out
    missing = readgraph("show", "vell", "--page", 99)
    assert_refused(missing, "no text on a page '99': its pages are 1 to 11, printed i to 3")
    assert_refused(readgraph("show", "vell", "--page", 2, "--method", "gam"), "leave --method out")


def test_places_are_found_by_whole_words(readgraph: Command, tmp_path: Path) -> None:
    for name in ("one", "two"):
        (tmp_path / f"{name}.md").write_text(
            f"# Boats\n\nOf {name}.\n\n## Sails\n\nWhite.\n\n# Boat 1\n\nA.\n\n# Boat 11\n\nB."
        )
    readgraph("ask", "Of?", tmp_path / "one.md", tmp_path / "two.md")
    only = readgraph("show", "one", "--at", "§ boat 1").text
    assert "A." in only and "B." not in only
    nested = readgraph("show", "one", "--at", "sails").text
    assert "White." in nested and "Of one." not in nested
    both = readgraph("show", "one, two", "--at", "boats", "--json").json["stretches"]
    assert [("Of one." in each["text"], "Of two." in each["text"]) for each in both] == [(True, False), (False, True)]
    assert all("White." in each["text"] for each in both), "what follows within a place belongs to it"
    assert_refused(readgraph("show", "one", "--at", "boatz"), "such as '§ Boats'")


@pytest.mark.parametrize(
    ("more", "problem"),
    [
        (("--page", 99), "has no part 99: its parts are 0 to"),
        (("--at", "the moon"), "has no place 'the moon'"),
        (("--quote", "a goat of gold"), "The quote is not in"),
        (("--page", 0, "--quote", "a goat of gold"), "The quote is not there"),
        (("--page", "58 (50)"), "has no pages: give the number of a part with --part"),
        (("--page", "9" * 5000), "has no pages"),
        (("--part", -1), "--part"),
        (("--page", 0, "--at", "line 1"), "--page and --at each say where"),
        (("--method", "bm25", "--at", "line 1"), "leave --method out"),
        (("--method", "nonsense"), "There is no method"),
        (("--page", 0, "--report", "report.html"), "leave --page out"),
    ],
)
def test_a_place_that_is_not_there_is_reported(readgraph: Command, more: tuple[str, ...], problem: str) -> None:
    readgraph("read", STORY, "--method", "bm25")
    assert_refused(readgraph("show", STORY, *more), problem)


def test_a_place_needs_a_document(readgraph: Command) -> None:
    assert_refused(readgraph("show", "--page", 0), "name a document")
    assert_refused(readgraph("show", "--method", "bm25"), "name one")


def test_a_terminal_has_a_pager(readgraph: Command, monkeypatch: MonkeyPatch) -> None:
    paged: list[str] = []
    monkeypatch.setattr("rich.console.Console.is_terminal", True)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setattr("readgraph.cli.terminal.screen.can_ask_user", lambda: True)
    monkeypatch.setattr("pydoc.pager", paged.append)
    readgraph("read", STORY, "--method", "bm25")
    assert readgraph("show", STORY, "--page", 0, "--quote", "tide station").out == ""
    (text,) = paged
    assert "tide station" in plain(text) and "**" not in text and "Marian Prosser" in plain(text)
