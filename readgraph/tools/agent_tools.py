"""The reading methods as LangChain tools, for `create_agent`, deepagents and any graph that calls tools."""

from collections.abc import Awaitable, Callable, Sequence
from typing import Any

from langchain_core.retrievers import BaseRetriever
from langchain_core.tools import StructuredTool, ToolException
from langgraph.store.base import BaseStore
from pydantic import BaseModel, Field

from readgraph.graphs.methods import method_named
from readgraph.state.context import ReaderContext
from readgraph.state.errors import BadInput
from readgraph.state.opened import Library
from readgraph.state.running.background import in_background
from readgraph.tools.functions import ask, research
from readgraph.tools.own_search import searched_by
from readgraph.tools.results import Answer

ASKS = (
    "Answers a question about documents that are too long to read here. Give one question in full words, with full "
    "names. The answer comes back with quotes from the documents, and where they stand."
)

LOOKS_UP = (
    "Looks up what is remembered. Give one question in full words, with full names; what is found on it comes back, "
    "with the numbers of the pages that it stands on."
)

NOT_THERE = "The documents don't hold the answer."


class Asked(BaseModel):
    """The tool's argument."""

    question: str = Field(description="What you want to know, to be understood alone.")


def as_tool(
    library: Library | BaseStore,
    method: str | None = None,
    *,
    documents: Sequence[str] = (),
    collection: str | None = None,
    context: ReaderContext | None = None,
    keyword: BaseRetriever | None = None,
    vector: BaseRetriever | None = None,
    name: str = "ask_documents",
    description: str = ASKS,
) -> StructuredTool:
    """A LangChain tool that answers a question by a reading method, as `ask` does.

    The agent gets the answer and its quotes as text; the `Answer` as plain JSON is the tool message's `artifact`. A
    document is read at its first question. Questions that can't be answered, such as one that shares no word with
    any document, are told to the agent in words; other errors are raised. `keyword` and `vector` are retrievers that
    search in the place of the method's own search (see `searched_by`). Raises `BadInput` for an unknown method.
    """
    if method is not None:
        method_named(method)

    async def answer(question: str) -> tuple[str, dict[str, Any]]:
        with searched_by(keyword=keyword, vector=vector):
            found = await ask(
                library, question, documents=documents, collection=collection, method=method, context=context
            )
        return told(found), found.model_dump()

    return _tool(answer, name, description, response_format="content_and_artifact")


def research_tool(
    library: Library | BaseStore,
    document: str,
    context: ReaderContext | None = None,
    *,
    name: str = "search_memory",
    description: str = LOOKS_UP,
) -> StructuredTool:
    """A LangChain tool that researches the GAM memory of a document or history (section 2.2.2), and answers nothing.

    It returns {"context", "sources", "status"}: the text of the context, in the form set by `context.evidence`; the
    numbers of the pages that support it; and `researched`, `no_answer` if nothing was found, or `budget`. The memory
    may grow between calls; where there is none, the agent is told so. Where sessions were appended since, it also has
    "not_memorised": how many, and how many words.
    """

    async def look_up(question: str) -> dict[str, Any]:
        found = await research(library, question, document=document, context=context)
        missing = {"not_memorised"} if found.not_memorised["words"] else set[str]()
        return found.model_dump(include={"context", "sources", "status", *missing})

    return _tool(look_up, name, description)


def told(answer: Answer) -> str:
    """An answer as an agent reads it: the answer, then its quotes with their places."""
    lines = [answer.answer or NOT_THERE]
    for cited in answer.citations:
        place = cited.place or f"page {cited.page}"
        lines.append(f"- “{cited.quote}” ({place})")
    return "\n".join(lines)


def _tool(
    work: Callable[[str], Awaitable[Any]], name: str, description: str, response_format: Any = "content"
) -> StructuredTool:
    """A tool of a coroutine; what is wrong with the question is told to the agent."""

    async def called(question: str) -> Any:
        try:
            return await work(question)
        except BadInput as problem:
            raise ToolException(str(problem)) from problem

    def called_and_waited_for(question: str) -> Any:
        return in_background(called, question)

    return StructuredTool.from_function(
        called_and_waited_for,
        called,
        name=name,
        description=description,
        args_schema=Asked,
        response_format=response_format,
        handle_tool_error=True,
    )
