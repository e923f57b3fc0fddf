"""The commonest mistakes at a command line: what is plain is done, and all else is said as a command to write."""

import os
import shlex
import sys
from pathlib import Path

import pytest
from pytest import MonkeyPatch

from tests.support.command import STORY, Command, assert_refused

pytestmark = pytest.mark.quick

TAUGHT = [
    ("list", "'readgraph show' lists what the library holds."),
    ("delete lamp", "'readgraph forget DOCUMENT' deletes a document from the library."),
    ("config", "settings are options, or stand in a file that 'readgraph doctor' names."),
    ("add lamp.txt", "'readgraph read FILE' adds a file to the library."),
    ("reed lamp.txt", "Did you mean 'read'?"),
    ("--model x ask Who", '--model stands after the command: readgraph ask "Who …?" FILE --model'),
    ("ask", 'Say what you want to know: readgraph ask "Who …?" FILE.'),
    ("ask lamp.txt", 'lamp.txt is a file. To ask about it: readgraph ask "Who …?" lamp.txt. To sum it up: readgraph'),
    ("lamp.txt", 'To ask about it: readgraph ask "Who …?" lamp.txt.'),
    ("ask Who? lmap.txt", "Do you mean lamp.txt?"),
    ("read lamp", "Do you mean lamp.txt?"),
    ("read 'Who took it?'", 'To ask, write: readgraph ask "Who took it?" FILE.'),
    ("summarise", "Name a file, or - for what is piped in."),
    ("ask Who? lamp.txt --method read-agnt", "Do you mean 'read-agent'?"),
    ("ask Who? lamp.txt --methd bm25", "--method"),
    ("ask Who? lighthouses", "'lighthouses' is a collection: write --collection lighthouses"),
    ("ask Who? --collection lighthuoses", "Do you mean 'lighthouses'?"),
    ("ask Who? lamp.txt --max-calls few", "--max-calls wants a whole number. See 'readgraph ask --help'."),
    ("ask Who? lamp.txt --max-calls -1", "--max-calls wants a number from 0 up."),
    ("ask Who? lamp.txt --timeout soon", "--timeout wants a number."),
    ("compress lamp.txt", "Say how many tokens the text may have: readgraph compress FILE --budget 800."),
    ("table lamp.txt 'every person' lamp.txt", "The files come first, then the text."),
]

TAKEN = [
    ("lamp.txt 'Who took the log book?'", 'ask "Who took the log book?" lamp.txt'),
    ("'Who took the log book?' lamp.txt", ""),
    ("'Who took the log book?'", ""),
    ("ask lamp.txt 'Who took the log book?'", 'ask "Who took the log book?" lamp.txt'),
    ("ask Who took the log book? lamp.txt", 'ask "Who took the log book?" lamp.txt'),
    ("Who took the log book? lamp.txt", 'ask "Who took the log book?" lamp.txt'),
    ("ask Who took the log book?", 'ask "Who took the log book?"'),
    ("ask lamp.txt Who took it", 'ask "Who took it" lamp.txt'),
    ("ask Marian lamp", ""),
    ("ask Marian lamp lamp lamp", ""),
    ("compare lamp.txt 'Who took it?' --methods bm25", 'compare "Who took it?" lamp.txt'),
    ("search lamp.txt 'log book'", 'search "log book" lamp.txt'),
    ("summarize lamp.txt", ""),
]


@pytest.fixture
def folder(readgraph: Command, tmp_path: Path, monkeypatch: MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("lamp.txt").write_text(STORY.read_text(encoding="utf-8"), encoding="utf-8")
    return tmp_path


def test_mistakes_teach_the_command_to_write(readgraph: Command, folder: Path) -> None:
    readgraph("read", STORY)
    readgraph("collection", "add", "lighthouses", STORY)
    for line, said in TAUGHT:
        assert_refused(readgraph(*shlex.split(line)), said)


def test_what_is_meant_plainly_is_done(readgraph: Command, folder: Path) -> None:
    readgraph("read", "lamp.txt")
    for line, taken in TAKEN:
        ran = readgraph(*shlex.split(line))
        assert ran.code == 0 and ran.out, line
        said = [each for each in ran.err.splitlines() if each.startswith("readgraph: ")]
        assert said == ([f"readgraph: Taken as: readgraph {taken}"] if taken else []), line


def test_help_and_version_are_words_too(readgraph: Command) -> None:
    assert readgraph("help").out == readgraph("--help").out
    assert readgraph("help", "ask").out == readgraph("ask", "--help").out
    assert readgraph("version").out == readgraph("--version").out


def test_a_question_reads_the_file_in_standard_input(
    readgraph: Command, folder: Path, monkeypatch: MonkeyPatch
) -> None:
    question = "Who took the log book?"
    with open("lamp.txt", encoding="utf-8") as handed:
        monkeypatch.setattr(sys, "stdin", handed)
        asked = readgraph("ask", question, "--json").json
    assert asked["title"] == "standard input" and "picked" not in asked
    with open("lamp.txt", encoding="utf-8") as lines:  # as in `while read`, where the rest is the loop's
        os.lseek(lines.fileno(), 10, os.SEEK_SET)
        monkeypatch.setattr(sys, "stdin", lines)
        assert readgraph("ask", question, "--json").json["picked"]
        assert os.lseek(lines.fileno(), 0, os.SEEK_CUR) == 10
    reading, writing = os.pipe()
    os.write(writing, b"a text")
    with open(reading, encoding="utf-8") as piped:
        monkeypatch.setattr(sys, "stdin", piped)
        assert "write - after the question" in readgraph("ask", question).err
    os.close(writing)
