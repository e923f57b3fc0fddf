"""LangChain tools that answer questions about documents, or look up what is remembered."""

import re
from collections.abc import Awaitable, Callable, Sequence
from typing import Any

from langchain_core.retrievers import BaseRetriever
from langchain_core.tools import StructuredTool, ToolException
from langgraph.store.base import BaseStore
from pydantic import BaseModel, Field

from readgraph.api.answer_text import NEAREST, SAYS, quote_in_words, stands_for_answer
from readgraph.api.functions import ask, research
from readgraph.doors.langchain.searching import searched_by
from readgraph.graphs.methods import method_named
from readgraph.language.asked import answers
from readgraph.library.library import Library
from readgraph.state.context import ReaderContext
from readgraph.state.errors import BadInput
from readgraph.state.loops import in_background
from readgraph.state.records import Document, digest

LONGEST_PART = 30  # characters of a part of a tool's name, of which providers take 64

ASKS = (
    "Answers a question about documents that are too long to read here. Give one question in full words, with full "
    "names. The answer comes back with quotes from the documents, and where they stand."
)

LOOKS_UP = (
    "Looks up what is remembered. Give one question in full words, with full names; what is found on it comes back, "
    "with the numbers of the pages that it stands on."
)

NOT_THERE = "The documents don't hold the answer."


class QuestionArguments(BaseModel):
    """The tool's argument."""

    question: str = Field(description="What you want to know, to be understood alone.")


def as_tool(
    library: Library | BaseStore,
    method: str | None = None,
    *,
    documents: Sequence[str | Document] = (),
    collection: str | None = None,
    context: ReaderContext | None = None,
    keyword: BaseRetriever | None = None,
    vector: BaseRetriever | None = None,
    name: str | None = None,
    description: str = ASKS,
) -> StructuredTool:
    """A LangChain tool that answers a question by a reading method, as `ask` does.

    The agent gets the answer and its quotes as text; the `Answer` as plain JSON is the tool message's `artifact`. A
    document is read at its first question. Questions that can't be answered, such as one that shares no word with
    any document, are told to the agent in words; other errors are raised.

    Args:
        library: The library, or a plain LangGraph store.
        method: The method's name, as for `ask`.
        documents: Ids, titles or files; by default each question picks its own.
        collection: Without documents: they are picked from this collection.
        context: The settings of the run; by default those of `ReaderContext()`, without a model.
        keyword: Searches by words in the place of the method's own search (see `searched_by`).
        vector: The same for the search by embeddings.
        name: The tool's name. By default it says what is asked, and how: `ask_documents`, `ask_the_book_by_gam`.
        description: What the agent is told of the tool.

    Raises:
        BadInput: For an unknown method.
    """
    if method is not None:
        method_named(method)

    async def answer(question: str) -> tuple[str, dict[str, Any]]:
        with searched_by(keyword=keyword, vector=vector):
            found = await ask(
                library, question, documents=documents, collection=collection, method=method, context=context
            )
        dumped = found.model_dump()
        lines = [found.answer or NOT_THERE]
        if stands_for_answer(dumped):
            lines = [SAYS if answers(question, found.citations[0].quote) else NEAREST]
        places = [cited.place or f"page {cited.page}" for cited in found.citations]
        quotes = map(quote_in_words, dumped["citations"])
        lines += [f"- {quote} ({place})" for quote, place in zip(quotes, places, strict=True)]
        lines += found.notices
        return "\n".join(lines), dumped

    named = [documents] if isinstance(documents, str | Document) else documents
    said = [document.title if isinstance(document, Document) else document for document in named] or [
        *filter(None, [collection])
    ]
    asks = "_by_".join([_name_part(said) if said else "documents", *([_name_part([method])] if method else [])])
    return _tool(answer, name or f"ask_{asks}", description, response_format="content_and_artifact")


def research_tool(
    library: Library | BaseStore,
    document: str,
    context: ReaderContext | None = None,
    *,
    name: str | None = None,
    description: str = LOOKS_UP,
) -> StructuredTool:
    """A LangChain tool that researches the GAM memory of a document or history (section 2.2.2), and answers nothing.

    It returns {"context", "sources", "status"}: the text of the context, in the form set by `context.evidence`; the
    numbers of the pages that support it; and `researched`, `no_answer` if nothing was found, or `budget`. The memory
    may grow between calls; where there is none, the agent is told so. Where sessions were appended since, it also has
    "not_memorised": how many, and how many words.

    Args:
        library: The library, or a plain LangGraph store.
        document: Its id, title or file, or the name of a history.
        context: The settings of the run; by default those of `ReaderContext()`, without a model.
        name: The tool's name; by default `search_memory_of_` and the document's.
        description: What the agent is told of the tool.
    """

    async def look_up(question: str) -> dict[str, Any]:
        researched = await research(library, question, document=document, context=context)
        missing = {"not_memorised"} if researched.not_memorised["words"] else set[str]()
        return researched.model_dump(include={"context", "sources", "status", *missing})

    return _tool(look_up, name or f"search_memory_of_{_name_part([document])}", description)


def _name_part(said: Sequence[str]) -> str:
    """What a tool's name says of these, in the letters that all providers take; a digest tells apart what it lacks."""
    plain = " ".join(" ".join(said).casefold().split())
    part = re.sub(r"[^a-z0-9]+", "_", plain).strip("_")[:LONGEST_PART].strip("_")
    return part if part.replace("_", " ") == plain.replace("-", " ") else f"{part}_{digest(plain)[:4]}".strip("_")


def _tool(
    work: Callable[[str], Awaitable[Any]], name: str, description: str, response_format: Any = "content"
) -> StructuredTool:
    """A tool of a coroutine; what is wrong with the question is told to the agent."""

    async def call_tool(question: str) -> Any:
        try:
            return await work(question)
        except BadInput as problem:
            raise ToolException(str(problem)) from problem

    def call_and_wait(question: str) -> Any:
        return in_background(call_tool, question)

    return StructuredTool.from_function(
        call_and_wait,
        call_tool,
        name=name,
        description=description,
        args_schema=QuestionArguments,
        response_format=response_format,
        handle_tool_error=True,
    )
