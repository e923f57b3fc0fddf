"""Links in a library from somebody else lead to no file of this machine."""

import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from readgraph.library.opening import open_library
from readgraph.library.search import vector_index
from readgraph.library.search.keyword_tables import open_tables
from readgraph.library.search.vector_index import VectorFileHeader
from readgraph.state.errors import LibraryError
from tests.support.command import STORY, Command, assert_refused

KEPT = "a file of this machine, without an end of line"

READ, ASK = ("read", STORY, "--method", "gam"), ("ask", "Who took the log book?", STORY, "--method", "gam")
LINES = [("show",), READ, ASK, ("search", "goat"), ("library", "repair"), ("library", "backup", "copy")]


@pytest.fixture
def secret(tmp_path: Path) -> Path:
    """A file that nobody named."""
    file = tmp_path / "secret"
    file.write_text(KEPT)
    return file


def replaced_by_link(file: Path, to: Path) -> None:
    """Put a link where a file or folder is, or could be."""
    shutil.rmtree(file) if file.is_dir() else file.unlink(missing_ok=True)
    file.symlink_to(to)


@pytest.mark.parametrize(
    "name", ["readgraph.json", "library.sqlite", "library.sqlite-wal", "checkpoints.sqlite", "locks", "search"]
)
async def test_a_link_in_a_library_is_refused(tmp_path: Path, secret: Path, name: str) -> None:
    async with open_library(tmp_path / "library"):
        pass
    replaced_by_link(tmp_path / "library" / name, secret)
    with pytest.raises(LibraryError, match=r"^\S+ is a link, and a library has none: .*\.$"):
        async with open_library(tmp_path / "library"):
            pass
    assert secret.read_text() == KEPT


@pytest.mark.slow
@pytest.mark.parametrize("name", ["keywords.sqlite", "documents.sqlite", "keywords.sqlite-wal"])
def test_a_link_to_a_database_further_down_is_not_written_through(
    readgraph: Command, tmp_path: Path, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for line in LINES[:4]:
        assert readgraph(*line).code == 0
    with closing(sqlite3.connect("of-others")) as others:
        others.execute("CREATE TABLE documents (secret)")
    kept = Path("of-others").read_bytes()
    replaced_by_link(tmp_path / "library" / "search" / name, tmp_path / "of-others")
    for line in LINES:
        ran = readgraph(*line)
        if ran.code:
            assert_refused(ran, "link")
        assert Path("of-others").read_bytes() == kept


def test_links_to_files_that_are_not_there_make_none(tmp_path: Path) -> None:
    index = tmp_path / "texts.sqlite"
    index.symlink_to(tmp_path / "new")
    with pytest.raises(LibraryError, match="is a link"):
        open_tables(index)
    assert not (tmp_path / "new").exists()


def test_vectors_are_not_written_through_a_link(tmp_path: Path, secret: Path) -> None:
    header = VectorFileHeader("openai:double", 2)
    vectors = tmp_path / "a.vectors"
    for link in (vectors, vectors.with_suffix(".new")):
        link.symlink_to(secret)
    assert vector_index.read_file(vectors, None, 0) is None
    vector_index.create_file(vectors, header, vector_index.Records((0,), header.record))
    assert secret.read_text() == KEPT and not vectors.is_symlink() and vector_index.read_file(vectors, None, 0)
