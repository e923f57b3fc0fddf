"""A LangChain retriever searches in every method that searches, also from an agent's tool."""

from dataclasses import replace
from typing import Any

import pytest
from langchain_core.documents import Document
from langchain_core.retrievers import BaseRetriever

from readgraph.api import as_retriever, as_tool, searched_by
from readgraph.api.functions import ask
from readgraph.graphs.methods import METHODS
from readgraph.library.opening import Library
from readgraph.state.context import ReaderContext
from tests.doubles.model_server import ModelServer

QUESTION = "Who filled the can with oil?"
NOT_THERE = "Which zeppelin landed in Patagonia?"
LOOK_FURTHER = {"escalate"}
"""It searches where the notes hold no answer."""

SHORT_PAGES = ReaderContext(
    min_page_words=30, max_page_words=50, segment_words=50, memo_page_words=50, retrieval_words=50, baseline_words=100
)
TEXT = "\n\n".join(f"Day {day}. " + f"Somebody filled can {day} with oil and went home. " * 4 for day in range(8))

BY_VECTORS = {"dense", "fused"}
NO_SEARCH = {
    *("mem-walker", "outline-walk", "walk-and-read", "gists-only", "recurrent", "overwrite-memory"),
    *("full-text", "first-words", "last-words"),
    "survey",  # it searches where the model plans so
    *("walk-and-research", "reflective-walk"),  # they research by GAM's nodes where a model finds gaps
}


class Fixed(BaseRetriever):
    """Finds one page, whatever is asked."""

    page: int
    asked: list[str] = []  # noqa: RUF012

    def _get_relevant_documents(self, query: str, **given: Any) -> list[Document]:
        self.asked.append(query)
        return [Document("found", metadata={"page": self.page})]


@pytest.mark.parametrize("method", sorted(METHODS.keys() - NO_SEARCH))
@pytest.mark.slow
async def test_every_method_that_searches_searches_with_the_retriever(library: Library, method: str) -> None:
    stored = await library.pages.add_document(TEXT)
    fixed = Fixed(page=4, asked=[])
    given = {"keyword": fixed, "vector": fixed} if method in BY_VECTORS else {"keyword": fixed}
    question = NOT_THERE if method in LOOK_FURTHER else QUESTION
    with searched_by(**given):
        found = await ask(library, question, documents=[stored.id], method=method, context=SHORT_PAGES)
    assert fixed.asked and 4 in found.pages_read


async def test_an_agent_s_search_takes_a_retriever_for_vectors_too(library: Library, server: ModelServer) -> None:
    stored = await library.pages.add_document(TEXT)
    fixed = Fixed(page=4, asked=[])
    context = replace(SHORT_PAGES, model="openai:double")
    with searched_by(vector=fixed):
        found = await ask(library, NOT_THERE, documents=[stored.id], method="mem-gpt", context=context)
    assert fixed.asked == [NOT_THERE] and found.pages_read == [4]


async def test_a_tool_and_a_retriever_take_a_retriever_of_their_own(library: Library) -> None:
    stored = await library.pages.add_document(TEXT)
    fixed = Fixed(page=1, asked=[])
    first, *_ = await as_retriever(
        library, "bm25", documents=[stored.id], context=SHORT_PAGES, keyword=fixed, k=1
    ).ainvoke(QUESTION)
    assert first.metadata["page"] == 1 and len(fixed.asked) == 1
    await as_tool(library, "bm25", documents=[stored.id], context=SHORT_PAGES, keyword=fixed).ainvoke(
        {"question": QUESTION}
    )
    assert len(fixed.asked) == 2
