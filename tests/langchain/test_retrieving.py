"""A library as a LangChain retriever: LangChain's standard tests, and what is retrieved."""

from collections.abc import Iterator
from typing import Any

import pytest
from langchain_core.retrievers import BaseRetriever
from langchain_tests.integration_tests import RetrieversIntegrationTests

from readgraph import BackgroundLibrary, open_library_in_background
from readgraph.api import as_retriever
from readgraph.doors.langchain.retrieving import LibraryRetriever
from readgraph.library.opening import Library
from readgraph.state.context import ReaderContext
from readgraph.state.errors import BadInput
from readgraph.state.loops import background
from tests.doubles.model_server import ModelServer
from tests.support.examples import STORY

ON_SERVER_TOO = True
QUESTION = "Who took the log book from the lamp room?"


@pytest.fixture(scope="module")
def read_library(tmp_path_factory: pytest.TempPathFactory) -> Iterator[BackgroundLibrary]:
    with open_library_in_background(tmp_path_factory.mktemp("retrieving") / "library") as library:
        background().call(library.pages.add_document, STORY.read_text(encoding="utf-8"))
        yield library


class StandardTests(RetrieversIntegrationTests):
    method: str | None = None

    @pytest.fixture(autouse=True)
    def opened(self, read_library: BackgroundLibrary) -> None:
        self.library = read_library

    @property
    def retriever_constructor(self) -> type[BaseRetriever]:
        return LibraryRetriever

    @property
    def retriever_constructor_params(self) -> dict[str, Any]:
        return {"library": self.library, "method": self.method}

    @property
    def retriever_query_example(self) -> str:
        return QUESTION


class TestPassages(StandardTests):
    pass


class TestPagesOfReadAgent(StandardTests):
    method = "read-agent"


class TestPagesOfGam(StandardTests):
    method = "gam"


async def test_passages_say_where_they_stand(library: Library, story: str) -> None:
    document = await library.pages.add_document(story, title="the story", places=[(0, "PDF page 1")])
    first, *_ = await as_retriever(library, documents=["the story"]).ainvoke(QUESTION)
    about = first.metadata
    assert story[about["start"] : about["end"]] == first.page_content
    assert (about["document"], about["title"], about["place"]) == (document.id, "the story", "PDF page 1")
    assert "log" in first.page_content


async def test_the_pages_that_the_answer_quotes_come_first(server: ModelServer, library: Library, story: str) -> None:
    await library.pages.add_document(story, title="the story")
    context = ReaderContext(model="openai:double", reading_model="openai:double")
    found = await as_retriever(library, "read-agent", context=context, k=9).ainvoke(QUESTION)
    quoted = [page.metadata["quoted"] for page in found]
    assert quoted == sorted(quoted, reverse=True) and quoted[0] and server.calls
    assert all(page.metadata["note"] and page.metadata["method"] == "read-agent" for page in found)
    assert len({page.id for page in found}) == len(found)


def test_an_unknown_method_is_refused_when_the_retriever_is_made(read_library: BackgroundLibrary) -> None:
    with pytest.raises(BadInput, match="There is no method 'gamm'"):
        as_retriever(read_library, "gamm")
