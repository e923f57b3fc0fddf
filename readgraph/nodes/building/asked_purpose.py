"""The asked question as the purpose of a memory: with the preset `question`, each question has a memory of its own."""

from typing import NotRequired

from langgraph.runtime import Runtime
from typing_extensions import TypedDict

from readgraph.nodes.contracts import AskedQuestion
from readgraph.nodes.extractive.question import question_alone
from readgraph.nodes.purpose import with_question
from readgraph.nodes.step import MakeRecipe
from readgraph.state.context import ReaderContext
from readgraph.state.reading import QuestionTurn


class PurposeState(TypedDict):
    """The question that may be the purpose, where there is one."""

    question_text: NotRequired[str]
    question_turns: NotRequired[list[QuestionTurn]]
    choices: NotRequired[dict[str, str]]


def may_serve_purpose(recipe: MakeRecipe) -> bool:
    """Whether the notes of a memory with this recipe may serve a purpose (see `readgraph.nodes.purpose`)."""
    return getattr(recipe, "serves_purpose", False)


def for_question(state: PurposeState, runtime: Runtime[ReaderContext]) -> Runtime[ReaderContext]:
    """The runtime of a step that builds or finds a memory, with the question as purpose where the preset says so."""
    if not state.get("question_text"):
        return runtime
    asked = AskedQuestion(
        question_text=state["question_text"],
        question_turns=state.get("question_turns") or [],
        choices=state.get("choices") or {},
    )
    return runtime.override(context=with_question(runtime.context, question_alone(asked), asked["choices"].values()))
