"""Sources: files, folders and standard input as texts, and where their parts stand."""

import io
import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from readgraph.sources import Place, SourceText, load, load_all, place_at
from readgraph.sources.places import MOST_PLACES, HeadingPath, ordered
from readgraph.sources.plain_text import places_of_text
from readgraph.state.errors import BadInput
from tests.conftest import EXAMPLES

JAPANESE = "すべての人間は、生まれながらにして自由であり、かつ、尊厳と権利とについて平等である。人間は、理性と良心とを授けられている。"
FRENCH = "L’été dernier, nous avons visité le château où naquit l’écrivain — c’était prévu. Ça coûtait 40 €.\n"
GERMAN = "Die Straße führt über die Brücke zum Schloß; natürlich hätten wir früher gehen können, sagte er.\n"
ENGLISH = "It was the auctioneer’s “final” offer — she couldn’t refuse it.\n"
CZECH = "Všichni lidé rodí se svobodní a sobě rovní co do důstojnosti a práv. Jsou nadáni rozumem a svědomím.\n"
POLISH = "Zażółć gęślą jaźń. Wszyscy ludzie rodzą się wolni i równi pod względem swej godności i swych praw.\n"
RUSSIAN = "Все люди рождаются свободными и равными в своем достоинстве и правах.\n"
Wrote = Callable[..., Path]


@pytest.fixture
def write(tmp_path: Path) -> Wrote:
    def write(name: str, content: str | bytes) -> Path:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return path

    return write


def where(source: SourceText, phrase: str) -> str | None:
    """The label of the place where a phrase stands; it stands there once."""
    assert source.text.count(phrase) == 1
    return place_at(source.places, source.text.index(phrase))


def assert_refused(path: Path, reason: str) -> None:
    with pytest.raises(BadInput) as refused:
        load(path)
    message = str(refused.value)
    assert reason in message and path.name in message and len(message.splitlines()) == 1 and message.endswith(".")


@pytest.mark.parametrize("name", ["a.txt", "a.TEXT", "a.md", "a.markdown"])
def test_text_and_markdown_are_kept_as_they_are(write: Wrote, name: str) -> None:
    text = "# A\r\n\r\n\tsoft\u00adhyphen \ufb01 &amp; \u00a0 \x00 \x0c\r odd\n\n\n\n end \n" + "more " * 9
    source = load(write(name, text))
    assert (source.text, source.title) == (text, "a")
    assert source.source == str(write(name, text).absolute())


def test_the_source_is_an_absolute_path(write: Wrote, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write("a.txt", "text")
    monkeypatch.chdir(path.parent)
    assert load(Path("a.txt")).source == str(path)


ENCODINGS = [
    (FRENCH, "utf-8"),
    (FRENCH, "utf-8-sig"),
    (FRENCH, "utf-16"),
    (FRENCH, "utf-32"),
    (FRENCH * 3, "cp1252"),
    (GERMAN * 3, "cp1252"),
    (ENGLISH, "cp1252"),
    (ENGLISH + "Nothing but ASCII follows here, line after line.\n" * 5000, "cp1252"),
    ("Nothing but ASCII is here, line after line.\n" * 5000 + ENGLISH, "cp1252"),
    (CZECH * 3, "cp1250"),
    (POLISH * 3, "cp1250"),
    (POLISH * 3, "iso8859_2"),
    (RUSSIAN * 3, "cp1251"),
    (RUSSIAN * 3, "koi8_r"),
    (JAPANESE * 4, "cp932"),
    (JAPANESE * 4, "euc_jp"),
    (JAPANESE * 4000, "cp932"),
    ("人人生而自由,在尊严和权利上一律平等。他们赋有理性和良心。\n" * 4, "gb18030"),
]


@pytest.mark.parametrize("text,encoding", ENCODINGS)
def test_encodings(write: Wrote, text: str, encoding: str) -> None:
    assert load(write("a.txt", text.encode(encoding))).text == text


def test_both_byte_orders(write: Wrote) -> None:
    for mark, encoding in ((b"\xff\xfe", "utf-16-le"), (b"\xfe\xff", "utf-16-be")):
        assert load(write("a.txt", mark + FRENCH.encode(encoding))).text == FRENCH


def test_utf8_with_a_few_bad_bytes_is_utf8(write: Wrote) -> None:
    found = load(write("a.txt", (FRENCH * 20).encode() + b"\xe9\xff end"))
    assert found.text == FRENCH * 20 + "\ufffd\ufffd end"


BAD = [
    ("none.txt", None, "There is no file"),
    ("none", None, "There is no file"),
    ("folder.txt/a.txt", "text", "is a folder"),
    ("a.xyz", "text", "kind"),
    ("noending", "text", "kind"),
    ("empty.txt", "", "is empty"),
    ("empty.pdf", "", "is empty"),
    ("empty.html", "", "is empty"),
    ("blank.txt", " \n\t\r\n\u3000", "is empty"),
    ("blank.md", "\n\n", "is empty"),
    ("nul.txt", b"MZ\x00\x00\x03\x00\x00\x00" * 90, "binary"),
    ("random.txt", bytes(range(256)) * 30, "binary"),
    ("noise.txt", Random(1).randbytes(3000).replace(b"\0", b""), "binary"),
    ("half.txt", b"\xff\xfea", "binary"),
    ("really.txt", b"%PDF-1.7 \xe2\xe3", "PDF"),
    ("really.md", b"PK\x03\x04more", "zip"),
]


@pytest.mark.parametrize("name,content,reason", BAD)
def test_bad_input(write: Wrote, tmp_path: Path, name: str, content: str | bytes | None, reason: str) -> None:
    path = write(name, content) if content is not None else tmp_path / name
    assert_refused(path.parent if name.startswith("folder") else path, reason)


def test_names_that_the_system_refuses(tmp_path: Path) -> None:
    assert_refused(tmp_path / ("a" * 300 + ".txt"), "too long")
    for name in ("a\0b.txt", "a\nb.txt"):
        with pytest.raises(BadInput, match=r"There is no file [^\n]*\\(x00|n)b\.txt'\.$"):
            load(tmp_path / name)


def test_a_file_that_the_system_will_not_open(tmp_path: Path) -> None:
    (tmp_path / "a.txt").symlink_to(tmp_path / "a.txt")
    assert_refused(tmp_path / "a.txt", "can't be read: Too many levels")


def give_standard_input(monkeypatch: pytest.MonkeyPatch, data: bytes) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data), encoding="ascii"))


def test_standard_input_is_text(monkeypatch: pytest.MonkeyPatch) -> None:
    for data in (FRENCH.encode(), FRENCH.encode("utf-16")):
        give_standard_input(monkeypatch, data)
        source = load(Path("-"))
        assert (source.text, source.source, place_at(source.places, 3)) == (FRENCH, "-", "line 1")


@pytest.mark.parametrize("data,reason", [(b"", "is empty"), (b" \n", "is empty"), (b"a\0" * 99, "binary")])
def test_bad_standard_input(monkeypatch: pytest.MonkeyPatch, data: bytes, reason: str) -> None:
    give_standard_input(monkeypatch, data)
    with pytest.raises(BadInput, match=f"^Standard input .*{reason}"):
        load_all([Path("-")])


def names(found: list[SourceText], folder: Path) -> list[str]:
    return [os.path.relpath(source.source, folder).replace(os.sep, "/") for source in found]


def test_folders(write: Wrote, tmp_path: Path) -> None:
    wanted = ["a/Chapter 2.MD", "a/chapter 10.txt", "a/z.html", "B/x.text", "c.txt"]
    for name in [*wanted, ".hidden.txt", ".git/config.txt", "a/~$lock.docx", "a/data.csv", "README"]:
        write(name, f"<p>{name}")
    assert names(load_all([tmp_path]), tmp_path) == wanted
    assert names(load_all([tmp_path], "*.txt"), tmp_path) == ["a/chapter 10.txt", "c.txt"]
    assert names(load_all([tmp_path], "a/*"), tmp_path) == wanted[:3]
    assert names(load_all([tmp_path / "a"], "[Cc]hapter*"), tmp_path) == wanted[:2]


def test_named_files_come_in_the_order_given_and_once(
    write: Wrote, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    b, a = write("in/b.txt", "b"), write("in/a.txt", "a")
    give_standard_input(monkeypatch, b"typed")
    found = load_all([b, Path("-"), tmp_path, a, Path("-")])
    assert [source.text for source in found] == ["b", "typed", "a"]
    assert [source.text for source in load_all([b, a], "*.md")] == ["b", "a"]
    assert load_all([]) == []


def test_a_file_in_a_folder_that_can_not_be_read_is_named(write: Wrote, tmp_path: Path) -> None:
    write("good.txt", "text")
    write("inner/bad.pdf", "no PDF")
    with pytest.raises(BadInput, match=r"inner.bad\.pdf is no PDF"):
        load_all([tmp_path])
    assert len(load_all([tmp_path], "*.txt")) == 1


@pytest.mark.parametrize(
    "glob,reason",
    [(None, "holds no file"), ("*.md", r"matches '\*\.md'"), ("/etc/*", "no pattern"), ("", "matches ''")],
)
def test_a_folder_with_nothing_to_read(write: Wrote, tmp_path: Path, glob: str | None, reason: str) -> None:
    write("data.csv", "1,2")
    with pytest.raises(BadInput, match=reason):
        load_all([tmp_path], glob)


def test_links_that_go_round_end(write: Wrote, tmp_path: Path) -> None:
    write("in/a.txt", "a")
    (tmp_path / "in" / "again").symlink_to(tmp_path, target_is_directory=True)
    (tmp_path / "b.txt").symlink_to(tmp_path / "in" / "a.txt")
    (tmp_path / "lost.txt").symlink_to(tmp_path / "nowhere")
    assert names(load_all([tmp_path]), tmp_path) == ["b.txt"]


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


def test_headings_of_plain_text(write: Wrote) -> None:
    headings = [
        "Chapter 3",
        "CHAPTER IV.",
        "Part Two",
        "1. The Auction",
        "2.1 Wiring",
        "XII. The Sea",
        "## Session 1, May",
    ]
    text = "\n\n".join(
        f"{heading}\n\nThis is what {number} says, at some length." for number, heading in enumerate(headings)
    )
    for line_end in ("\n", "\r\n"):
        source = load(write("a.txt", text.replace("\n", line_end)))
        labels = [where(source, f"what {number} says") for number in range(len(headings))]
        assert labels == [heading.lstrip("# ") for heading in headings]


def test_what_is_no_heading(write: Wrote) -> None:
    lines = [
        "1. Buy milk and bread.",
        "Chapter 3 follows,\nand more",
        "12",
        "a. lower",
        "1. lower",
        "Chapter " + "x" * 99,
    ]
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
        gaps = [after - before for before, after in zip(starts, starts[1:], strict=False)]
        assert starts == sorted(set(starts)) and max(gaps) < 3 * len(text) / len(starts)


def test_ten_megabytes_load_at_once(write: Wrote, story: str) -> None:
    path = write("long.txt", (story * (10_000_000 // len(story) + 1)).encode("utf-8"))
    began = time.perf_counter()
    assert len(load(path).text) >= 10_000_000
    assert time.perf_counter() - began < 1


@given(st.lists(st.tuples(st.integers(0, 50), st.text(max_size=2))), st.integers(-5, 60))
def test_place_at_is_the_last_place_that_has_begun(given_places: list[tuple[int, str]], offset: int) -> None:
    places = ordered(Place(start, label) for start, label in given_places)
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


def test_the_import_waits_for_no_library() -> None:
    code = (
        "import readgraph, sys; before = set(sys.modules); import readgraph.sources; print(*set(sys.modules) - before)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded = {name.partition(".")[0] for name in done.stdout.split()}
    assert not loaded & {"lxml", "pypdf", "docx", "charset_normalizer", "langgraph", "pydantic"}
    ours = {name for name in done.stdout.split() if name.startswith("readgraph.")}
    assert ours - {name for name in ours if name.startswith("readgraph.sources")} <= {
        "readgraph.state",
        "readgraph.state.errors",
    }
