"""Sources: where the parts of plain text and Markdown stand."""

from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from readgraph.sources import Place, load
from readgraph.sources.formats.plain_text import blank_markup, places_of_text
from readgraph.sources.places import MOST_PLACES, HeadingPath, order_places, place_at
from tests.support.examples import EXAMPLES
from tests.support.source_files import where, write_file

Wrote = Callable[[str, str], Path]


@pytest.fixture
def write(tmp_path: Path) -> Wrote:
    return lambda name, content: write_file(tmp_path / name, content)


def test_the_lines_of_a_talk_are_its_places() -> None:
    talk = "THE HARBOUR\n\nAnn: Is it deep?\nBen: Two metres.\nAnn: And in May?\n"
    assert [place.label for place in places_of_text(talk)] == ["line 1", "line 3", "line 4", "line 5"]


def test_places_of_a_story() -> None:
    source = load(EXAMPLES / "the-lamp-at-sarn-head.txt")
    assert where(source, "a car port, and it lay four streets") == "1. The Auction"
    assert place_at(source.places, 0) == "line 1"
    assert [place.label for place in source.places[1:3]] == ["1. The Auction", "2. Across the Sarn"]


def test_places_of_a_transcript(write: Wrote) -> None:
    for line in ("[00:12:{}] Anna: word {}", "00:12:{} word {}", "(12:{}) word {}", "2024-05-01 10:12:{} word {}"):
        lines = [line.format(f"{number:02}", number) for number in range(60)]
        source = load(write("a.txt", "Minutes\r\n\r\n" + "\r\n".join(lines)))
        assert (where(source, "word 31") or "").endswith("12:31") and where(source, "Minutes") == "line 1"
        assert len(source.places) == 61
        assert where(source, lines[31]) == where(source, "word 31")  # from its bracket on


def test_headings_of_plain_text(write: Wrote) -> None:
    headings = ["Chapter 3", "CHAPTER IV.", "Part Two", "1. The Auction", "2.1 Wiring", "XII. The Sea", "## Session 1"]
    parts = [f"{heading}\n\nThis is what {at} says, at some length." for at, heading in enumerate(headings)]
    for line_end in ("\n", "\r\n"):
        source = load(write("a.txt", "\n\n".join(parts).replace("\n", line_end)))
        labels = [where(source, f"what {number} says") for number in range(len(headings))]
        assert labels == [heading.lstrip("# ") for heading in headings]


def test_what_is_no_heading(write: Wrote) -> None:
    lines = ["1. Buy milk and bread.", "Chapter 3 follows,\non", "12", "a. lower", "1. lower", "Chapter " + "x" * 99]
    source = load(write("a.txt", "\n\n".join(lines)))
    assert [place.label for place in source.places] == [f"line {number}" for number in (1, 3, 6, 8, 10, 12)]


def test_line_numbers(write: Wrote) -> None:
    source = load(write("a.txt", "one\ntwo\n\n\nfive\n \t\n  seven\n"))
    assert source.places == (Place(0, "line 1"), Place(10, "line 5"), Place(20, "line 7"))
    for line_end in ("\n", "\r\n", "\r"):
        source = load(write("a.txt", line_end.join(f"A line of chat, number {number}." for number in range(1, 500))))
        assert where(source, "number 321.") == "line 321"


MARKDOWN = """---
title: x
# no heading
---
Before.

Readme
======

# Guide

Intro.

## Install `now` ##

### Linux and *BSD*

Under Linux.

```sh
# a comment
```

~~~
```
# another
~~~

Still Linux.

Usage
-----

In use.

#hashtag
- item
---

Also in use.

## [Link](http://x.y) {#id}

Linked.
"""


def test_heading_paths_of_markdown(write: Wrote) -> None:
    for line_end in ("\n", "\r\n"):
        source = load(write("a.md", MARKDOWN.replace("\n", line_end)))
        assert where(source, "Before.") is None
        assert where(source, "Intro.") == "§ Guide"
        assert where(source, "Under Linux.") == where(source, "Still Linux.") == "§ Guide > Install now > Linux and BSD"
        assert where(source, "In use.") == where(source, "Also in use.") == "§ Guide > Usage"
        assert where(source, "Linked.") == "§ Guide > Link"


def test_markdown_without_headings_has_lines(write: Wrote) -> None:
    assert where(load(write("a.md", "one\n\ntwo\n")), "two") == "line 3"


@pytest.mark.slow
def test_places_are_few(write: Wrote) -> None:
    line = "[{:02}:{:02}:{:02}] a line of talk, number {}"
    texts = {
        "lines.txt": "A paragraph of some words.\n\n" * 300_000,
        "times.txt": "\n".join(line.format(n // 3600, n // 60 % 60, n % 60, n) for n in range(90_000)),
        "heads.md": "# A heading\n\ntext\n\n" * 50_000,
    }
    for name, text in texts.items():
        source = load(write(name, text))
        starts = [place.start for place in source.places]
        assert 0.9 * MOST_PLACES < len(starts) <= MOST_PLACES
        gaps = [after - before for before, after in pairwise(starts)]
        assert starts == sorted(set(starts)) and max(gaps) < 3 * len(text) / len(starts)


@given(st.lists(st.tuples(st.integers(0, 50), st.text(max_size=2))), st.integers(-5, 60))
def test_place_at_is_the_last_place_that_has_begun(given_places: list[tuple[int, str]], offset: int) -> None:
    places = order_places(Place(start, label) for start, label in given_places)
    begun = [place.label for place in places if place.start <= offset]
    assert place_at(places, offset) == (begun[-1] if begun else None)


@given(st.text(alphabet="a1.[]:#IVX \t\n\r\f-=~`Chapter", max_size=200))
def test_places_of_any_text_are_ascending(text: str) -> None:
    for places in (places_of_text(text), places_of_text("x\n\n" + text)):
        starts = [place.start for place in places]
        assert starts == sorted(set(starts)) and all(place.label.isprintable() for place in places)


@given(st.lists(st.tuples(st.integers(1, 6), st.text(alphabet="abc", min_size=1, max_size=2)), max_size=9))
def test_a_heading_path_ends_with_the_heading(headings: list[tuple[int, str]]) -> None:
    path = HeadingPath()
    for level, title in headings:
        label = path.enter(level, title)
        assert label.startswith("§ ") and label.split(" > ")[-1].removeprefix("§ ") == title
        assert label.count(" > ") < level


@given(st.text(alphabet="<!-->{}~%$|# \nab.", max_size=200))
def test_blanked_markup_keeps_every_place(text: str) -> None:
    blanked = blank_markup(text)
    assert len(blanked) == len(text)
    assert all(one in (other, " ") for one, other in zip(blanked, text, strict=True))


@pytest.mark.parametrize("begun", ["<!--", "{{", "~~a ", "%%"])
def test_markup_that_begins_often_and_never_ends_is_gone_through_once(begun: str) -> None:
    assert len(blank_markup(begun * 50_001)) == len(begun) * 50_001
