"""`readgraph wiki`: a folder of pages, written again only where something changed, and checked."""

import json
from pathlib import Path

import pytest

from tests.doubles.model_server import ModelServer
from tests.doubles.reader import reader
from tests.support.command import DOUBLE, Command, assert_refused

pytestmark = pytest.mark.quick

TEXT = """Marta Lindqvist opened the mill on 7 May 1890. The tower of Halden Mill is 40 feet high.

Nobody asked Marta Lindqvist of Halden Mill.
"""


@pytest.fixture
def reports(tmp_path: Path) -> Path:
    folder = tmp_path / "reports"
    folder.mkdir()
    (folder / "report.txt").write_text(TEXT)
    (folder / "log.txt").write_text("Halden Mill burned in 1932. It was said that Halden Mill is cursed.")
    return folder


def test_it_is_made_once_and_then_only_where_something_changed(
    readgraph: Command, tmp_path: Path, reports: Path
) -> None:
    wiki = tmp_path / "wiki"
    ran = readgraph("wiki", wiki, reports)
    assert ran.code == 0 and "4 pages · 5 written · nothing sent" in ran.out
    assert {path.name for path in wiki.rglob("*.md")} == {
        *("index.md", "log.md", "report.md", "log.md", "Halden Mill.md", "Marta Lindqvist.md")
    }
    assert "4 pages · nothing changed" in readgraph("wiki", wiki, reports).out
    (reports / "report.txt").write_text(TEXT.replace("Nobody asked", "Somebody asked"))
    changed = json.loads(readgraph("wiki", wiki, reports, "--json").out)
    assert {*changed["written"]} <= {"documents/report.md", "pages/Halden Mill.md", "pages/Marta Lindqvist.md"}
    assert readgraph("wiki", wiki, "--quiet").out == ""
    assert json.loads(readgraph("wiki", wiki, "--json").out)["written"] == []  # of a changed file the newest text


def test_what_is_wrong_is_listed_and_is_the_exit_code(readgraph: Command, tmp_path: Path, reports: Path) -> None:
    wiki = tmp_path / "wiki"
    assert readgraph("wiki", wiki, reports).code == 0
    ran = readgraph("wiki", "check", wiki)
    assert (ran.code, "nothing is wrong" in ran.out) == (0, True)
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "report.txt").write_text("Another report of the same title.")
    assert readgraph("read", tmp_path / "other" / "report.txt").code == 0
    assert readgraph("wiki", "check", wiki).code == 0, "a document of the library that the wiki is not of"
    (reports / "report.txt").write_text(TEXT.replace("40 feet", "50 feet"))
    ran = readgraph("wiki", "check", wiki, reports)
    assert ran.code == 1 and "pages/Halden Mill.md" in ran.out and "quote: The tower of Halden Mill" in ran.out
    found = json.loads(readgraph("wiki", "check", wiki, reports, "--json").out)["problems"]
    assert {each["kind"] for each in found} == {"quote"}
    found = json.loads(readgraph("wiki", "check", wiki, reports / "report.txt", "--json").out)["problems"]
    assert {each["kind"] for each in found} == {"quote"}, "the other documents are in the library"


def test_its_own_pages_are_no_sources_and_the_order_of_files_does_not_matter(
    readgraph: Command, tmp_path: Path, reports: Path
) -> None:
    assert readgraph("wiki", reports, reports).code == 0  # among the documents
    again = json.loads(readgraph("wiki", reports, reports, "--json").out)
    assert (again["written"], again["removed"]) == ([], [])
    assert_refused(readgraph("wiki", reports, reports / "pages"), "name the documents")
    wiki, files = tmp_path / "wiki", [reports / "log.txt", reports / "report.txt"]
    assert readgraph("wiki", wiki, *files).code == 0
    assert json.loads(readgraph("wiki", wiki, *reversed(files), "--json").out)["written"] == []


def test_what_a_user_wrote_is_no_fault_and_what_can_not_be_written_is_named(
    readgraph: Command, tmp_path: Path, reports: Path
) -> None:
    wiki = tmp_path / "wiki"
    assert readgraph("wiki", wiki, reports).code == 0
    page = wiki / "pages" / "Halden Mill.md"
    page.write_text(page.read_text() + "\nMine.[^x] `[[code]]`\n\n```\n[[more]]\n```\n\n[^x]: My footnote.\n")
    assert readgraph("wiki", "check", wiki, reports).code == 0
    (wiki / "pages" / "Marta Lindqvist.md").unlink()
    (tmp_path / "target.md").write_text("Not ours.")
    (wiki / "pages" / "Marta Lindqvist.md").symlink_to(tmp_path / "target.md")
    assert_refused(readgraph("wiki", wiki, reports), "Marta Lindqvist.md is a link")
    assert (tmp_path / "target.md").read_text() == "Not ours."
    (wiki / "pages" / "Marta Lindqvist.md").unlink()
    (wiki / "pages" / "Marta Lindqvist.md").mkdir()
    assert_refused(readgraph("wiki", wiki, reports), "Marta Lindqvist.md")


def test_with_a_model_it_says_what_it_costs_and_counts(
    readgraph: Command, tmp_path: Path, reports: Path, server: ModelServer
) -> None:
    server.respond = reader
    wiki = tmp_path / "wiki"
    estimate = json.loads(readgraph("wiki", wiki, reports, "--estimate", "--json", *DOUBLE).out)
    assert estimate["calls"]["expected"] > 0 and not server.requests and not wiki.exists()
    made = json.loads(readgraph("wiki", wiki, reports, "--json", *DOUBLE).out)
    assert 0 < made["usage"]["calls"] <= estimate["calls"]["high"]
    again = json.loads(readgraph("wiki", wiki, reports, "--json", *DOUBLE).out)
    assert (again["usage"]["calls"], again["written"]) == (0, [])


def test_its_folder_may_stand_last(readgraph: Command, tmp_path: Path, reports: Path) -> None:
    wiki, empty = tmp_path / "wiki", tmp_path / "empty"
    empty.mkdir()
    for documents in ([reports], [reports / "log.txt"]):
        for folder in (wiki, empty):
            ran = readgraph("wiki", *documents, folder, "--json")
            assert f"Taken as: readgraph wiki {folder} {documents[0]}" in ran.err
            assert (folder / "index.md").exists() and not (reports / "index.md").exists()
    vault = tmp_path / "vault"
    vault.mkdir()
    (vault / "mine.md").write_text("My own notes.")
    title = readgraph("show", "--json").json[0]["title"]
    assert "Taken as" not in readgraph("wiki", vault, title, "--json").err, "a document of the library, and a vault"
    assert (vault / "index.md").exists()


def test_what_is_no_folder_or_no_document_is_refused(readgraph: Command, tmp_path: Path, reports: Path) -> None:
    assert_refused(readgraph("wiki", tmp_path / "wiki"), "The library holds no document")
    assert_refused(readgraph("wiki", reports / "log.txt", reports), "is a file: name a folder")
    assert_refused(readgraph("wiki", "check", reports, reports), "holds no wiki")
    assert_refused(readgraph("wiki", "check"), "Name the folder of the wiki")
    assert_refused(readgraph("wiki", "check", reports, "--estimate"), "A check makes no call")
    assert_refused(readgraph("wiki", tmp_path / "wiki", reports, "--collection", "dry"), "--collection names")
