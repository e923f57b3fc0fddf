"""Sources: files, folders and standard input as texts, and where their parts stand."""

import io
import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import pytest

from readgraph.sources import load, load_all
from readgraph.sources.converting import SourceText
from readgraph.sources.places import place_at
from readgraph.state.errors import BadInput
from tests.support.source_files import write_file
from tests.support.sources import assert_file_refused
from tests.support.systems import needs_posix

pytestmark = pytest.mark.quick

JAPANESE = "すべての人間は、生まれながらにして自由であり、かつ、尊厳と権利とについて平等である。"
FRENCH = "L’été dernier, nous avons visité le château où naquit l’écrivain — c’était prévu. Ça coûtait 40 €.\n"
ENGLISH = "It was the auctioneer’s “final” offer — she couldn’t refuse it.\n"
Wrote = Callable[..., Path]


@pytest.fixture
def write(tmp_path: Path) -> Wrote:
    def write(name: str, content: str | bytes) -> Path:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        return write_file(tmp_path / name, content)

    return write


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


ASCII = "Nothing but ASCII is here, line after line.\n" * 5000
ENCODINGS = [
    *[(FRENCH, "utf-8"), (FRENCH, "utf-8-sig"), (FRENCH, "utf-16-le"), (FRENCH, "utf-16-be"), (FRENCH, "utf-32")],
    *[(ENGLISH, "cp1252"), (ENGLISH + ASCII, "cp1252"), (ASCII + ENGLISH, "cp1252"), (JAPANESE * 8000, "cp932")],
]


@pytest.mark.parametrize("text,encoding", ENCODINGS)
def test_encodings(write: Wrote, text: str, encoding: str) -> None:
    mark = {"utf-16-le": b"\xff\xfe", "utf-16-be": b"\xfe\xff"}.get(encoding, b"")
    assert load(write("a.txt", mark + text.encode(encoding))).text == text


def test_utf8_with_a_few_bad_bytes_is_utf8(write: Wrote) -> None:
    found = load(write("a.txt", (FRENCH * 20).encode() + b"\xe9\xff end"))
    assert found.text == FRENCH * 20 + "\ufffd\ufffd end"
    ascii_text = "Nothing but plain words stands in this file. " * 50
    found = load(write("a.txt", ascii_text.encode() + b"\x81 \xff\xfe"))
    assert found.text.startswith(ascii_text) and len(found.text) <= len(ascii_text) + 4


BAD = [
    *[("none.txt", None, "There is no file"), ("none", None, "There is no file")],
    *[("folder.txt/a.txt", "text", "is a folder"), ("a.xyz", "text", "kind"), ("noending", "text", "kind")],
    *[("empty.txt", "", "is empty"), ("empty.pdf", "", "is empty"), ("empty.html", "", "is empty")],
    *[("blank.txt", " \n\t\r\n\u3000", "is empty"), ("blank.md", "\n\n", "is empty")],
    *[("nul.txt", b"MZ\x00\x00\x03\x00\x00\x00" * 90, "binary"), ("random.txt", bytes(range(256)) * 30, "binary")],
    *[("noise.txt", Random(1).randbytes(3000).replace(b"\0", b""), "binary"), ("half.txt", b"\xff\xfea", "binary")],
    *[("really.txt", b"%PDF-1.7 \xe2\xe3", "PDF"), ("really.md", b"PK\x03\x04more", "zip")],
]


@pytest.mark.parametrize("name,content,reason", BAD)
def test_bad_input(write: Wrote, tmp_path: Path, name: str, content: str | bytes | None, reason: str) -> None:
    path = write(name, content) if content is not None else tmp_path / name
    assert_file_refused(path.parent if name.startswith("folder") else path, reason)


def test_names_that_the_system_refuses(tmp_path: Path) -> None:
    assert_file_refused(tmp_path / ("a" * 300 + ".txt"), "too long")
    for name in ("a\0b.txt", "a\nb.txt"):
        with pytest.raises(BadInput, match=r"There is no file [^\n]*\\(x00|n)b\.txt'\.$"):
            load(tmp_path / name)


@needs_posix
def test_a_file_that_the_system_will_not_open(tmp_path: Path) -> None:
    (tmp_path / "a.txt").symlink_to(tmp_path / "a.txt")
    assert_file_refused(tmp_path / "a.txt", "can't be read: Too many levels")


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
    for name in [*wanted, ".hidden.txt", ".git/config.txt", "a/~$lock.docx", "a/data.bin", "README"]:
        write(name, f"<p>{name}")
    assert names(load_all([tmp_path]), tmp_path) == wanted
    assert names(load_all([tmp_path], "*.txt"), tmp_path) == ["a/chapter 10.txt", "c.txt"]
    assert names(load_all([tmp_path], "a/*"), tmp_path) == wanted[:3]
    assert names(load_all([tmp_path / "a"], "[Cc]hapter*"), tmp_path) == wanted[:2]


def test_links_are_followed_within_a_folder_alone(write: Wrote, tmp_path: Path) -> None:
    inside, outside = write("in/a.txt", "inside"), write("out/s.txt", "outside")
    folder, told = inside.parent, list[str]()
    for name, target in (
        *(("b.txt", "a.txt"), ("link.txt", outside), ("chain.txt", "link.txt"), ("dead.txt", "nothing.txt")),
        *(("loop", "."), ("folder", outside.parent), ("up", tmp_path)),
    ):
        (folder / name).symlink_to(target)
    os.link(inside, folder / "hard.txt")

    def load_texts(*paths: Path, **options: Any) -> list[str]:
        return [each.text for each in load_all(paths, None, lambda problem: told.append(str(problem)), **options)]

    assert load_texts(folder) == ["inside", "inside"]
    assert {Path(each.split(" is a link")[0]).name for each in told} == {"chain.txt", "link.txt", "folder", "up"}
    assert len(load_all([folder])) == 2, "where nobody is told, they are left out too"
    assert load_texts(folder, folder / "link.txt")[-1] == "outside", "it is named"
    assert load_texts(tmp_path) == ["inside", "outside", "inside"], "nothing leads out of this one"
    assert load_texts(folder, follow_links=True) == ["inside", "outside", "inside"]
    inside.unlink()
    (folder / "hard.txt").unlink()
    with pytest.raises(BadInput, match="leads out of the folder: --follow-links reads it too"):
        load_all([folder])


def test_a_link_that_is_changed_after_its_folder_was_listed_is_not_followed(write: Wrote, tmp_path: Path) -> None:
    first, outside = write("in/a.txt", "first"), write("out/s.txt", "outside")
    second = write("in/b.txt", "second")

    def load_one(file: Path) -> str:
        second.unlink(missing_ok=True)
        second.symlink_to(outside)
        return load(file).text

    assert load_all([first.parent], None, lambda problem: None, load_one) == ["first"]


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere every name is text")
def test_a_name_that_is_no_text_is_shown_escaped(tmp_path: Path) -> None:
    Path(os.fsdecode(bytes(tmp_path) + b"/caf\xe9.txt")).write_text("The goat.")
    (found,) = load_all([tmp_path])
    assert (found.title, Path(found.source).name) == ("caf\\xe9", "caf\\xe9.txt")


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
    write("inner/bad.txt", "\0" * 99)
    with pytest.raises(BadInput, match=r"inner.bad\.txt"):
        load_all([tmp_path])
    assert len(load_all([tmp_path], "good*")) == 1


def test_what_can_not_be_read_is_left_out_where_that_is_reported(write: Wrote, tmp_path: Path) -> None:
    good, bad, told = write("good.txt", "text"), write("bad.txt", "\0" * 99), list[str]()

    def tell(problem: BadInput) -> None:
        told.append(str(problem))

    assert names(load_all([tmp_path], None, tell), tmp_path) == ["good.txt"]
    assert len(told) == 1 and "bad.txt" in told[0]
    (empty := tmp_path / "empty").mkdir()
    assert names(load_all([bad, empty, good], None, tell), tmp_path) == ["good.txt"], "named ones too"
    assert len(told) == 3 and "holds no file" in told[1] and "bad.txt" in told[2]
    good.unlink()
    for paths in ([tmp_path], [bad, bad], [bad, tmp_path / "none.txt"]):
        with pytest.raises(BadInput, match="binary"):
            load_all(paths, None, tell)
    assert len(told) == 3


@pytest.mark.parametrize(
    "glob,reason",
    [(None, "holds no file"), ("*.md", r"matches '\*\.md'"), ("/etc/*", "not a pattern"), ("", "matches ''")],
)
def test_a_folder_with_nothing_to_read(write: Wrote, tmp_path: Path, glob: str | None, reason: str) -> None:
    write("data.bin", "1,2")
    with pytest.raises(BadInput, match=reason):
        load_all([tmp_path], glob)


def test_ten_megabytes_load_at_once(write: Wrote, story: str) -> None:
    path = write("long.txt", (story * (10_000_000 // len(story) + 1)).encode("utf-8"))
    began = time.perf_counter()
    assert len(load(path).text) >= 10_000_000
    assert time.perf_counter() - began < 1


def test_the_import_waits_for_no_library() -> None:
    code = "import readgraph, sys; before = {*sys.modules}; import readgraph.sources; print(*{*sys.modules} - before)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded = done.stdout.split()
    libraries = {"lxml", "pypdfium2", "docx", "charset_normalizer", "langgraph", "pydantic"}
    assert not {name.partition(".")[0] for name in loaded} & libraries
    ours = {name for name in loaded if name.startswith("readgraph.") and not name.startswith("readgraph.sources")}
    state = {f"readgraph.state.{name}" for name in ("errors", "files", "variables", "words")}
    assert ours <= {"readgraph.state", *state}
