"""GAM's researcher as a tool: another agent's memory."""

import asyncio
from contextvars import Context, copy_context
from dataclasses import replace
from typing import Any

from langchain_core.runnables.config import var_child_runnable_config
from langchain_core.tools import StructuredTool
from langgraph.store.base import BaseStore
from pydantic import BaseModel, Field

from readgraph.graphs.gam import build_research
from readgraph.state.context import ReaderContext, run_context
from readgraph.state.reading import Question

DESCRIPTION = (
    "Looks up what is remembered. Give one question in full words, with full names; what is found on it comes back, "
    "with the numbers of the pages that it stands on."
)


class Request(BaseModel):
    """What the tool takes."""

    question: str = Field(description="What you want to know, to be understood alone.")


def as_tool(
    store: BaseStore,
    document: str,
    context: ReaderContext,
    *,
    name: str = "search_memory",
    description: str = DESCRIPTION,
) -> StructuredTool:
    """A LangChain tool that researches the GAM memory of a document or history (section 2.2.2).

    It gives {"context", "sources", "status"}: the text of the context as `context.evidence` says, the numbers of the
    pages that it rests on, and `researched`, `no_answer` where nothing was found, or `budget`. The memory may grow
    between calls. Raises `BadInput` at a call where there is no memory.
    """
    graph = build_research().compile(store=store)
    wanted = replace(run_context(context), context_only=True)

    def given(found: dict[str, Any]) -> dict[str, Any]:
        return {"context": found["context"], "sources": found["sources"], "status": found["status"]}

    async def research(question: str) -> dict[str, Any]:
        asked = graph.ainvoke(Question(document=document, question=question), context=wanted)
        return given(await asyncio.create_task(asked, context=_apart()))

    def research_and_wait(question: str) -> dict[str, Any]:
        asked = Question(document=document, question=question)
        return given(_apart().run(graph.invoke, asked, context=wanted))

    return StructuredTool.from_function(
        research_and_wait, research, name=name, description=description, args_schema=Request
    )


def _apart() -> Context:
    """A run of its own: inside another graph's node a graph would take that graph's store and checkpointer."""
    apart = copy_context()
    apart.run(var_child_runnable_config.set, None)
    return apart
