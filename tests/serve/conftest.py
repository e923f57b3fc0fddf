"""A room over a library of its own, with the double of a model."""

from collections.abc import Iterator
from pathlib import Path

import pytest

pytest.importorskip("fastapi", reason="needs pip install 'readgraph[serve]'")

from readgraph.state.context import ReaderContext
from tests.doubles.model_server import ModelServer
from tests.serve.browsing import OpenPage, opened_page
from tests.support.browser import Browser
from tests.support.reading_room import OpenRoom, reading_room

CONTEXT = ReaderContext(model="openai:double", min_page_words=40, max_page_words=90)


@pytest.fixture
def room(server: ModelServer, tmp_path: Path) -> Iterator[OpenRoom]:
    with reading_room(tmp_path / "library", CONTEXT) as opened:
        yield opened


@pytest.fixture
def page(room: OpenRoom, tab: Browser) -> Iterator[OpenPage]:
    yield from opened_page(room, tab)
