"""Pages of PDFs as pictures beside the text of parts that were looked up: which, for whom, and what is kept of it."""

from base64 import b64decode
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from readgraph.api import functions
from readgraph.api.documents import store_each
from readgraph.api.results import Answer
from readgraph.library.opening import Library
from readgraph.sources.loading import read_file
from readgraph.sources.pdf.figures import pages_with_figures, pages_with_figures_here
from readgraph.state.context import ReaderContext
from tests.doubles.model_server import ChatRequest, ModelServer
from tests.doubles.reader import asked_for, reader
from tests.look.reports import write_report

pytestmark = pytest.mark.quick
QUESTION = "What does the keeper write of the chart?"
SETTINGS: dict[str, Any] = {"model": "openai:double", "min_page_words": 60, "max_page_words": 110, "paging": "even"}


@pytest.fixture
def report(tmp_path: Path) -> Path:
    return write_report(tmp_path / "report.pdf")


def pictures_in(request: ChatRequest) -> list[tuple[str, bytes]]:
    """What stands before each picture of a request, and its bytes."""
    found, before = list[tuple[str, bytes]](), ""
    for message in request.messages:
        for part in message["content"] if isinstance(message["content"], list) else ():
            if part["type"] == "image_url":
                found.append((before, b64decode(part["image_url"]["url"].partition("base64,")[2])))
            before = part.get("text", "")
    return found


def shown(server: ModelServer) -> list[str]:
    """The places of all pictures that were sent, in order."""
    return [before.partition(",")[0] for request in server.requests for before, _ in pictures_in(request)]


async def ask(library: Library, path: Path, method: str = "read-agent", **settings: Any) -> Answer:
    (document,) = await store_each(library.pages, read_file(path))
    context = ReaderContext(**{**SETTINGS, **settings})
    return await functions.ask(library, QUESTION, documents=[document], method=method, context=context)


async def test_of_each(report: Path) -> None:
    print(pages_with_figures(report, range(1, 10)))


async def test_first(server: ModelServer, library: Library, report: Path) -> None:
    server.respond = reader
    answer = await ask(library, report, look="auto", max_pages=2)
    print(answer.output["steps"], answer.output["citations"], shown(server))
    for r in server.requests: print(asked_for(r), r.last[-1500:] if pictures_in(r) else "")
    answer = await ask(library, report, look="always", max_pages=4)
    print(shown(server))
