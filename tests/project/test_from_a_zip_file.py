"""The package works from a zip file on Python's path: nothing looks for its own files on the disk."""

import zipfile
from pathlib import Path

import pytest

import readgraph
from tests.support.command import STORY, Ran, finished, process
from tests.support.source_files import write_pdf

PACKAGE = Path(readgraph.__file__).parent

pytestmark = pytest.mark.slow


@pytest.fixture(autouse=True)
def zipped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with zipfile.ZipFile(tmp_path / "package.zip", "w") as packed:
        for file in PACKAGE.rglob("*"):
            if file.is_file() and "__pycache__" not in file.parts:
                packed.write(file, file.relative_to(PACKAGE.parent))
    monkeypatch.setenv("PYTHONPATH", str(tmp_path / "package.zip"))
    monkeypatch.chdir(tmp_path)  # the folder of the checkout has the package, too


def run(*arguments: object) -> Ran:
    return finished(process(*arguments))


def test_commands_and_methods_are_found(tmp_path: Path) -> None:
    assert "summarise" in run("--help").text
    assert "Gists of parts" in run("methods").text and "look_up" in run("methods", "read-agent").text
    assert "prompts to words" in run("prompts", "export", "words").text
    assert {"gist.toml", "survey_plan.toml"} <= {file.name for file in (tmp_path / "words").iterdir()}


def test_questions_are_answered_and_shown(tmp_path: Path) -> None:
    found = run("ask", "Who took the log book?", STORY, "--report", "answer.html", "--json").json
    assert found["citations"] and "<style>" in (tmp_path / "answer.html").read_text(encoding="utf-8")
    write_pdf(tmp_path / "log.pdf", [["The goat took the log book at dusk."]])
    assert "goat" in run("ask", "Who took the log book?", "log.pdf").text
