"""GAM's researcher as a tool, so that it can be another agent's memory."""

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
    """The tool's argument."""

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

    It returns {"context", "sources", "status"}: the text of the context, in the form set by `context.evidence`; the
    numbers of the pages that support it; and `researched`, `no_answer` if nothing was found, or `budget`. The memory
    may grow between calls. A call raises `BadInput` if there is no memory.
    """
    graph = build_research().compile(store=store)
    context_only = replace(run_context(context), context_only=True)

    def result(output: dict[str, Any]) -> dict[str, Any]:
        return {"context": output["context"], "sources": output["sources"], "status": output["status"]}

    async def research(question: str) -> dict[str, Any]:
        run = graph.ainvoke(Question(document=document, question=question), context=context_only)
        return result(await asyncio.create_task(run, context=_separate_run()))

    def research_and_wait(question: str) -> dict[str, Any]:
        graph_input = Question(document=document, question=question)
        return result(_separate_run().run(graph.invoke, graph_input, context=context_only))

    return StructuredTool.from_function(
        research_and_wait, research, name=name, description=description, args_schema=Request
    )


def _separate_run() -> Context:
    """A separate run: inside another graph's node, a graph would use that graph's store and checkpointer."""
    variables = copy_context()
    variables.run(var_child_runnable_config.set, None)
    return variables
