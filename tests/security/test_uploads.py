"""Files that are sent to the reading room are kept under an id of ours, whatever they are called."""

from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote

import pytest

pytest.importorskip("fastapi", reason="needs pip install 'readgraph[serve]'")

from readgraph.library.library import keep_original, original_in
from readgraph.library.opening import open_library_in_background
from readgraph.state.context import ReaderContext
from readgraph.state.records import Document
from tests.security.test_paths import NAMES, tree
from tests.support.reading_room import OpenRoom, reading_room
from tests.support.source_files import write_pdf_lines


@pytest.fixture
def room(tmp_path: Path) -> Iterator[OpenRoom]:
    (tmp_path / "inner").mkdir()
    with reading_room(tmp_path / "inner" / "library", ReaderContext()) as opened:
        yield opened


@pytest.mark.slow
def test_an_upload_stays_in_the_library(room: OpenRoom, tmp_path: Path) -> None:
    data = write_pdf_lines(tmp_path / "a.pdf", [["The goat stood on the gallery."]]).read_bytes()
    there, codes = tree(tmp_path), set[int]()
    for name in NAMES:
        for ending in (".pdf", ".txt"):
            sent = room.client.put(f"/api/files/{quote(name, safe='')}{ending}", content=data)
            codes.add(sent.status_code)
            if sent.status_code == 200:
                room.until(sent.json()["id"], "end")
        for path in ("api/documents", "api/runs", "api/questions", "api/agents", "assets"):
            assert room.client.get(f"/{path}/{quote(name, safe='')}").status_code < 500
    assert 200 in codes and max(codes) < 500
    assert tree(tmp_path) == there
    kept = [path.name for path in (tmp_path / "inner" / "library" / "originals").iterdir()]
    assert kept and all(name.endswith(".pdf") and "x" not in name.removesuffix(".pdf") for name in kept)


def test_a_link_in_the_place_of_a_kept_file_is_not_followed(tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.write_text("a secret of this machine")
    document = Document("a", "", "", 3, 3, "")
    with open_library_in_background(tmp_path / "library") as library:
        originals = tmp_path / "library" / "originals"
        originals.mkdir()
        (originals / "a.pdf").symlink_to(secret)
        assert original_in(library.store, document, ".pdf") is None
        keep_original(library, document, b"kept", ".pdf")
        found = original_in(library.store, document, ".pdf")
    assert found and found.read_bytes() == b"kept" and secret.read_text() == "a secret of this machine"
