"""Sources: subtitles, reStructuredText and programs."""

from pathlib import Path

import pytest

from readgraph.sources import load, load_all
from tests.support.source_files import labelled, write_file
from tests.support.sources import assert_file_refused

pytestmark = pytest.mark.quick

SRT = """1
00:00:01,000 --> 00:00:03,500
<i>Captain Orlo</i> took
the log book.

2
00:00:03,600 --> 00:00:05,000
{\\an8}He hid it
in

3
00:00:05,100 --> 00:00:07,000
the lighthouse.
4
01:01:07,100 --> 01:01:09,000
Who saw him? At

42
01:01:09,100 --> 01:01:10,000
19

"""
VTT = """WEBVTT - a film

NOTE not said

intro
00:01.000 --> 00:03.500 align:start
<v Anna>We begin &amp; end.</v>

00:03.500 --> 00:04.000
<v Anna>And go on

01:00:03.500 --> 01:00:04.000
<v.loud Bert Ohm>No.

NOTE
not said either
"""
SCROLLED = """WEBVTT

00:00.000 --> 00:02.000
the river<00:01.000><c> rose</c>

00:02.000 --> 00:04.000
the river rose
in the night

00:04.000 --> 00:06.000
in the night
and fell
"""


def test_subtitles_are_running_text(tmp_path: Path) -> None:
    source = load(write_file(tmp_path / "a.srt", SRT.replace("\n", "\r\n")))
    assert source.text == ("Captain Orlo took the log book. He hid it in the lighthouse.\n\nWho saw him? At 19")
    assert labelled(source) == [
        *[("0:00:01", "Captain Orlo"), ("0:00:03", "He hid it in"), ("0:00:05", "the lighthou")],
        *[("1:01:07", "Who saw him?"), ("1:01:09", "19")],
    ]


def test_subtitles_with_speakers(tmp_path: Path) -> None:
    source = load(write_file(tmp_path / "a.vtt", VTT))
    assert source.text == "Anna: We begin & end. And go on\n\nBert Ohm: No."
    assert [place.label for place in source.places] == ["0:00:01", "0:00:03", "1:00:03"]


def test_subtitles_whose_lines_name_who_speaks(tmp_path: Path) -> None:
    shown = (
        "ANN: Is it|deep?\n\nBEN: Two metres,\n\nBEN: and three|in May.\n\nANN: Note: cold?|BEN: Yes.\n\n"
        "CLEO MAY: No.\n\nANN: Thanks.|in short: dry"
    )
    cues = [
        f"{number}\n00:00:0{number},000 --> 00:00:0{number},900\n{cue}"
        for number, cue in enumerate(shown.split("\n\n"), 1)
    ]
    source = load(write_file(tmp_path / "a.srt", "\n\n".join(cues).replace("|", "\n")))
    assert source.text.split("\n\n") == [
        "ANN: Is it deep?",
        "BEN: Two metres, and three in May.",
        "ANN: Note: cold?",
        "BEN: Yes.",
        "CLEO MAY: No.",
        "ANN: Thanks. in short: dry",
    ]


def test_subtitles_that_scroll_are_said_once(tmp_path: Path) -> None:
    assert load(write_file(tmp_path / "a.vtt", SCROLLED)).text == "the river rose in the night and fell"


@pytest.mark.parametrize("text", ["no times", "WEBVTT\n", "1\n00:00:01,000 --> 00:00:03,500\n\n"])
def test_subtitles_without_words(tmp_path: Path, text: str) -> None:
    assert_file_refused(write_file(tmp_path / "a.srt", text), "holds no subtitles")


RST = """=====
Title
=====

Text

First *part* of :ref:`it`
-------------------------

words:

======  =====
A       B
======  =====

----

Sub
~~~
more

Two
---
last
"""


def test_restructured_text(tmp_path: Path) -> None:
    source = load(write_file(tmp_path / "a.rst", RST))
    assert source.text == RST
    assert labelled(source) == [
        ("§ Title", "=====\nTitle\n"),
        ("§ Title > First part of it", "First *part*"),
        ("§ Title > First part of it > Sub", "Sub\n~~~\nmore"),
        ("§ Title > Two", "Two\n---\nlast"),
    ]
    assert labelled(load(write_file(tmp_path / "b.rst", "plain\n"))) == [("line 1", "plain\n")]


def test_a_program_is_read_where_it_is_named(tmp_path: Path) -> None:
    program = write_file(tmp_path / "lamp.PY", "def light(oil: int) -> str:\n    return 'lit'\n")
    assert (load(program).title, load(program).text) == ("lamp.PY", program.read_text())
    story = write_file(tmp_path / "story.txt", "The lamp was lit.")
    assert [source.title for source in load_all([tmp_path])] == ["story"]
    assert [source.title for source in load_all([program, story])] == ["lamp.PY", "story"]
