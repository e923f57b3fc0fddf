"""The command: what a file's conversion left out is said each time its document is used, and once in a run."""

import io
import json
from pathlib import Path

import pytest

from tests.support.command import DOUBLE, Command, finished, process

QUESTION = "Who keeps the lamp?"
SAID = "keep.rtf: left out: 1 passage that is hidden and not printed."


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """A file of which something is left out."""
    path = tmp_path / "papers" / "keep.rtf"
    path.parent.mkdir()
    path.write_text(r"{\rtf1 Agnes keeps the lamp at Sarn Head.{\v secret}\par}", encoding="utf-8")
    return path


@pytest.fixture
def draft(tmp_path: Path) -> Path:
    path = tmp_path / "draft.txt"
    path.write_text("Agnes keeps the lamp.", encoding="utf-8")
    return path


def test_the_second_question_from_another_process_says_it_too(readgraph: Command, file: Path) -> None:
    ran = readgraph("ask", QUESTION, file)
    assert ran.code == 0 and ran.err.count(SAID) == 1 and SAID not in ran.out
    asked = finished(process("ask", QUESTION, "--json"))  # picked from the library
    assert asked.json["status"] == "nearest"
    assert asked.json["notices"][0] == SAID and asked.json["notices"].count(SAID) == asked.err.count(SAID) == 1


@pytest.mark.parametrize(
    "command",
    [
        ("ask", QUESTION),
        ("ask", QUESTION, "{file}", "--quiet"),
        ("ask", "And then?", "--continue"),
        pytest.param(("ask", QUESTION, "{file}", "--estimate"), marks=pytest.mark.slow),
        pytest.param(("ask", QUESTION, "{file}", "--method", "bm25"), marks=pytest.mark.slow),
        ("compare", QUESTION, "{file}", "--methods", "bm25,read-agent"),
        ("read", "{file}"),
        ("read", "{file}", "--estimate"),
        ("summarise", "{file}"),
        pytest.param(("summarise", "keep", "--estimate"), marks=pytest.mark.slow),
        ("table", "{file}", "every person: name"),
        ("compress", "{file}", "--budget", "50"),
        ("verify", "{draft}", "keep"),
        pytest.param(("verify", "{draft}", "--estimate"), marks=pytest.mark.slow),
        ("wiki", "{folder}", "keep"),
        ("corpus", "{papers}"),
        ("search", "lamp"),
        ("show", "keep"),
        ("show",),
        ("show", "keep", "--quote", "keeps the lamp"),
    ],
    ids=" ".join,
)
def test_each_command_says_it_once(
    readgraph: Command, tmp_path: Path, file: Path, draft: Path, command: tuple[str, ...]
) -> None:
    assert readgraph("ask", QUESTION, file).code == 0
    ran = readgraph(
        *(each.format(file=file, draft=draft, folder=tmp_path / "vault", papers=file.parent) for each in command)
    )
    assert ran.code == 0 and (ran.out + ran.err).count(SAID) == 1, ran


@pytest.mark.parametrize(
    "command",
    [
        ("show", "keep"),
        ("show", "keep", "--quote", "keeps the lamp"),
        ("read", "{file}"),
        ("summarise", "{file}"),
        ("table", "{file}", "every person: name"),
        ("compress", "{file}", "--budget", "50"),
        ("verify", "{draft}", "keep"),
        ("wiki", "{folder}", "keep"),
    ],
    ids=" ".join,
)
def test_json_has_it(readgraph: Command, tmp_path: Path, file: Path, draft: Path, command: tuple[str, ...]) -> None:
    assert readgraph("ask", QUESTION, file).code == 0
    shown = [each.format(file=file, draft=draft, folder=tmp_path / "vault") for each in command]
    assert readgraph(*shown, "--json").json["notices"].count(SAID) == 1


def test_a_list_and_files_that_are_read_as_one(readgraph: Command, file: Path, draft: Path) -> None:
    ran = readgraph("ask", QUESTION, file, draft)
    assert ran.err.count(SAID) == 1
    assert sorted(len(each["notices"]) for each in readgraph("show", "--json").json) == [0, 1]
    assert readgraph("forget", "keep", "--yes").code == 0
    assert SAID not in readgraph("ask", QUESTION, draft).err


def test_a_report_and_a_table_file_have_it_and_no_folder(readgraph: Command, tmp_path: Path, file: Path) -> None:
    report, table = tmp_path / "report.html", tmp_path / "table.md"
    assert readgraph("ask", QUESTION, file, "--report", report).code == 0
    data = report.read_text(encoding="utf-8").partition('id="data">')[2].partition("</script>")[0]
    assert json.loads(data)["found"]["notices"][0] == json.loads(data)["notices"][0] == SAID
    assert str(tmp_path) not in data
    assert readgraph("table", file, "every person: name", "--out", table).code == 0
    assert SAID in table.read_text(encoding="utf-8")


def test_an_uploaded_file_says_it(
    readgraph: Command, file: Path, server: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO(f"/upload {file}\n/quit\n"))
    assert readgraph("chat", "--agent", "ada", *DOUBLE).err.count(SAID) == 1


def test_a_history_says_what_its_files_lack_until_they_are_given_again(readgraph: Command, file: Path) -> None:
    other = file.with_name("door.rtf")
    other.write_text(r"{\rtf1 Brandt keeps the door.{\strike no}\par}", encoding="utf-8")
    lacks = "door.rtf: left out: 1 passage that is deleted or struck out."
    assert readgraph("remember", "talks", file).err.count(SAID) == 1
    assert readgraph("remember", "talks", other).err.count(SAID) == 1
    ran = readgraph("ask", QUESTION, "talks")
    assert ran.err.count(SAID) == ran.err.count(lacks) == 1
    file.write_text(r"{\rtf1 Agnes keeps the lamp still.\par}", encoding="utf-8")
    err = readgraph("remember", "talks", file).err
    assert SAID not in err and lacks in err
