"""A room that shows a graph of a user's own besides ours."""

from collections.abc import Iterator
from pathlib import Path

import pytest

pytest.importorskip("fastapi", reason="needs pip install 'readgraph[serve]'")

from readgraph.state.context import ReaderContext
from tests.doubles.model_server import ModelServer
from tests.support.reading_room import OpenRoom, reading_room

CONTEXT = ReaderContext(model="openai:double", min_page_words=40, max_page_words=90)
OWN = "tests.studio.own_graph:build"


@pytest.fixture
def room(server: ModelServer, tmp_path: Path) -> Iterator[OpenRoom]:
    with reading_room(tmp_path / "library", CONTEXT) as opened:
        opened.room.method = OWN
        yield opened
