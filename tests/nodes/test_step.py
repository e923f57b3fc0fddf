"""A step declares only what its coroutine reads; what it used is counted all the same."""

from typing import Any, NotRequired

import pytest
from langgraph.graph import END, START, StateGraph
from langgraph.runtime import Runtime
from langgraph.store.memory import InMemoryStore
from typing_extensions import TypedDict

from readgraph.graphs.wiring import add_nodes
from readgraph.models.asking import ask_text
from readgraph.models.prompt import Prompt
from readgraph.nodes.step import StepNode
from readgraph.state.context import ReaderContext
from readgraph.state.reading import Answered, Question, ReadingState, Status
from tests.doubles.model_server import ModelServer

pytestmark = pytest.mark.quick


class Asked(TypedDict):
    """No word of usage, status or document."""

    question_text: NotRequired[str]


class Said(TypedDict):
    answer: str
    status: Status


def asking(question: str) -> StepNode[Asked, Said]:
    async def ask(state: Asked, runtime: Runtime[ReaderContext]) -> Said:
        said = await ask_text(runtime, Prompt("test", 1, "You answer.", question))
        return {"answer": said, "status": "answered"}

    async def be_silent(state: Asked, runtime: Runtime[ReaderContext]) -> Said:
        return {"answer": "nothing", "status": "answered"}

    return StepNode(ask, without_model=be_silent)


async def test_no_budget_begins_anew_behind_a_step_that_does_not_name_it(server: ModelServer) -> None:
    server.respond = lambda request: "A lamp."
    builder = StateGraph(ReadingState, context_schema=ReaderContext, input_schema=Question, output_schema=Answered)
    add_nodes(builder, first=asking("What is it?"), second=asking("Where is it?"), third=asking("Whose is it?"))
    for start, end in zip([START, "first", "second", "third"], ["first", "second", "third", END], strict=True):
        builder.add_edge(start, end)
    given: Any = {"text": "", "question": "The lamp?"}
    context = ReaderContext(model="openai:double", max_calls=2)
    found = await builder.compile(store=InMemoryStore()).ainvoke(given, context=context)
    assert (found["usage"]["calls"], server.calls) == (2, 2)
    assert (found["status"], found["answer"]) == ("budget", "nothing")
