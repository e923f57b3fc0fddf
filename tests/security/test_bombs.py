"""Small files that stand for large ones: each is refused in one line, in bounded memory; entities are not followed."""

import subprocess
import sys
import time
import zipfile
import zlib
from collections.abc import Callable
from pathlib import Path

import pytest

from readgraph.sources import load
from readgraph.sources.pdf.in_child import check_streams
from readgraph.state.errors import BadInput
from tests.support.hostile_pdf import pdf_of, stream
from tests.support.source_files import (
    CONTAINER,
    XHTML,
    edit_zip,
    shape,
    write_docx,
    write_epub,
    write_file,
    write_odt,
    write_pdf_lines,
    write_pptx,
    write_zip,
)
from tests.support.sources import assert_file_refused

MB = 1_000_000
SECRET = "a secret of this machine"


def pdf(content: bytes, filters: bytes = b"/Filter/FlateDecode") -> bytes:
    """A PDF of one page with this content."""
    return pdf_of(
        (
            b"<</Type/Catalog/Pages 2 0 R>>",
            b"<</Type/Pages/Kids[3 0 R]/Count 1>>",
            b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 500 700]/Contents 4 0 R/Resources<</Font<</F 5 0 R>>>>>>",
            stream(content, filters),
            b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>",
        )
    )


def packed(megabytes: int, times: int = 1, begin: bytes = b"") -> bytes:
    packer = zlib.compressobj(9)
    data = packer.compress(begin) + b"".join(packer.compress(bytes(MB)) for _ in range(megabytes)) + packer.flush()
    for _ in range(times - 1):
        data = zlib.compress(data, 9)
    return data


@pytest.mark.parametrize("times", [1, pytest.param(2, marks=pytest.mark.slow), 3])
@pytest.mark.parametrize("begin", [b"", b"\x78\x9cno"])
@pytest.mark.slow
def test_a_packed_stream_of_a_pdf_is_measured_first(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, times: int, begin: bytes
) -> None:
    monkeypatch.setenv("READGRAPH_MAX_FILE_MB", "2")
    filters = b"/Filter[%s]" % (b"/FlateDecode" * times)
    path = write_file(tmp_path / "a.pdf", pdf(packed(3, times, begin), filters))
    assert path.stat().st_size < 5_000
    assert_file_refused(path, "would unpack to more than 2 MB")
    check_streams(pdf(packed(1, times, begin), filters), "a.pdf")


@pytest.mark.slow
def test_a_plain_pdf_is_not_refused(tmp_path: Path) -> None:
    content = zlib.compress(b"BT /F 12 Tf 50 600 Td (The lamp was lit.) Tj ET")
    assert load(write_file(tmp_path / "a.pdf", pdf(content))).text == "The lamp was lit."
    assert load(write_pdf_lines(tmp_path / "b.pdf", [["The goat stood."]])).text == "The goat stood."


def doctype(root: str, secret: Path) -> str:
    growing = "".join(f"<!ENTITY e{number} '{f'&e{number - 1};' * 10}'>" for number in range(1, 10))
    return f"<!DOCTYPE {root} [<!ENTITY e0 'lol'><!ENTITY outside SYSTEM '{secret.as_uri()}'>{growing}]>"


def html(path: Path, types: str, entity: str) -> Path:
    page = XHTML.format(f"<p title='{entity}'>words {entity}</p>").replace("?>", f"?>{types}", 1)
    return write_file(path, page)


def epub(path: Path, types: str, entity: str) -> Path:
    page = XHTML.format(f"<p title='{entity}'>words {entity}</p>").replace("?>", f"?>{types}", 1)
    return write_epub(path, {"a.xhtml": page})


def epub_contents(path: Path, types: str, entity: str) -> Path:
    members = zipfile.ZipFile(write_epub(path, {"a.xhtml": "<p>words</p>"}))
    kept = {name: members.read(name) for name in members.namelist()}
    return write_zip(path, {**kept, "META-INF/container.xml": types + CONTAINER.partition("?>")[2] + entity})


def docx(path: Path, types: str, entity: str) -> Path:
    changes = {"word/document.xml": ("<w:document ", f"{types}<w:document w:x='{entity}' ")}
    return edit_zip(write_docx(path, [("", "words")]), changes)


def pptx(path: Path, types: str, entity: str) -> Path:
    members = zipfile.ZipFile(write_pptx(path, [shape("words")]))
    kept = {name: members.read(name).decode() for name in members.namelist()}
    (slide,) = [name for name in kept if name.endswith("slide1.xml")]
    return write_zip(path, {**kept, slide: types + kept[slide].replace("words", f"words {entity}")})


MADE: dict[str, Callable[[Path, str, str], Path]] = {
    "a.html": html,
    "a.xhtml": html,
    "a.epub": epub,
    "b.epub": epub_contents,
    "a.docx": docx,
    "a.pptx": pptx,
}


@pytest.mark.parametrize("entity", ["&outside;", "&e9;"])
@pytest.mark.parametrize("name", MADE)
def test_no_kind_of_file_expands_or_follows_entities(tmp_path: Path, name: str, entity: str) -> None:
    secret = write_file(tmp_path / "secret.txt", SECRET)
    path = MADE[name](tmp_path / name, doctype("html", secret), entity)
    try:
        text = load(path).text
    except BadInput as refused:
        text = str(refused)
        assert "\n" not in text and name in text
    assert SECRET not in text and len(text) < 500


@pytest.mark.parametrize("name", ["a.docx", "a.odt", "a.pptx"])
def test_an_office_file_with_entities_is_not_read_with_gaps(tmp_path: Path, name: str) -> None:
    path, types = tmp_path / name, "<!DOCTYPE a [<!ENTITY own 'the goat'>]>"
    if path.suffix == ".docx":
        changes = {"word/document.xml": ("<w:document ", f"{types}<w:document ")}
        edit_zip(write_docx(path, [("", "Here OWN stood.")]), changes)
        edit_zip(path, {"word/document.xml": ("OWN", "&own;")})
    elif path.suffix == ".pptx":
        pptx(path, types, "&own;")
    else:
        with zipfile.ZipFile(write_odt(path, "<t:p>Here &own; stood.</t:p>")) as packed:
            kept = {member: packed.read(member).decode() for member in packed.namelist()}
        write_zip(path, {**kept, "content.xml": types + kept["content.xml"]})
    assert_file_refused(path, f"{name} is not a valid")


LIMITED = """
import resource, sys
from pathlib import Path
from readgraph.sources import load
from readgraph.state.errors import BadInput
resource.setrlimit(resource.RLIMIT_AS, (1_500_000_000, 1_500_000_000))
for name in sys.argv[1:]:
    try:
        load(Path(name))
        print("read", flush=True)
    except BadInput as refused:
        print(refused, flush=True)
"""


@pytest.mark.slow
def test_bombs_of_each_kind_end_in_bounded_memory(tmp_path: Path) -> None:
    many = tmp_path / "many.docx"
    with zipfile.ZipFile(many, "w") as archive:
        for number in range(20_000):
            archive.writestr(str(number), "")
    spaces = {f"{number}.xml": bytes(70 * MB) for number in range(3)}
    bombs = [
        write_file(tmp_path / "a.pdf", pdf(packed(210))),
        write_file(tmp_path / "b.pdf", pdf(packed(210, 3), b"/Filter[/FlateDecode/FlateDecode/FlateDecode]")),
        write_zip(tmp_path / "a.docx", spaces),
        write_zip(tmp_path / "a.xlsx", spaces),
        write_zip(tmp_path / "a.zip", {"conversations.json": bytes(210 * MB)}),
        many,
    ]
    command = [sys.executable, "-c", LIMITED, *map(str, bombs)]
    ran = subprocess.run(command, capture_output=True, encoding="utf-8", check=True)
    lines = ran.stdout.splitlines()
    assert len(lines) == len(bombs) and all(str(bomb) in line for bomb, line in zip(bombs, lines, strict=True))
    assert all("would unpack to more than 200 MB" in line for line in lines[:5])


CELL = "<w:tc><w:p><w:r><w:t>a</w:t></w:r></w:p></w:tc>"


@pytest.mark.slow
def test_more_tags_than_a_tree_may_have_are_refused_before_one_is_made(tmp_path: Path) -> None:
    table = f"<w:tbl>{f'<w:tr>{CELL * 100}</w:tr>' * 5_100}</w:tbl>"
    word = write_docx(tmp_path / "cells.docx", [("", "Here OWN stood.")])
    edit_zip(word, {"word/document.xml": ("OWN", f"</w:t></w:r></w:p>{table}<w:p><w:r><w:t>")})
    cells = "<table:table-cell><t:p>a</t:p></table:table-cell>" * 100
    rows = f"<table:table-row>{cells}</table:table-row>" * 10_000
    text = write_odt(tmp_path / "cells.odt", f"<table:table>{rows}</table:table>")
    page = write_file(tmp_path / "cells.html", b"<table>" + b"<tr>" + b"<td>a</td>" * 800_000)
    for file, most in ((word, "4,000,000"), (text, "4,000,000"), (page, "1,500,000")):
        began = time.process_time()
        assert_file_refused(file, f"has a part of more than {most} tags: split it")
        assert time.process_time() - began < 10


def test_a_book_of_more_chapters_than_anyone_reads_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("readgraph.sources.formats.epub_text.MOST_DOCUMENTS", 3)
    for chapters, refused in ((3, False), (4, True)):
        book = write_epub(
            tmp_path / f"{chapters}.epub", {f"{each}.xhtml": f"<p>Text {each}.</p>" for each in range(chapters)}
        )
        if refused:
            assert_file_refused(book, "has more than 3 chapters: split it")
        else:
            assert "Text 2." in load(book).text
