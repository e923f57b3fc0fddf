"""Steps at which a person decides, as LangGraph has it: `interrupt` asks, `Command(resume=reply)` answers.

Each takes the place of a step of any method that has one: `choose_pages` of a look-up, `confirm_plan` of GAM's
planning, `review_answer` of citing. It does what that step does, and then asks. A reply of another form is asked for
again, with what is wrong. What was paid for before the question is not paid for again.
"""

from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from langgraph.types import interrupt
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from readgraph.nodes.answering.cite import cite
from readgraph.nodes.contracts import CiteState, CiteUpdate, LookUpState, LookUpUpdate, ReaderRuntime
from readgraph.nodes.look_up import look_up
from readgraph.nodes.memory import format_parts, load_memory
from readgraph.nodes.research.plan import PlanState, PlanUpdate, plan
from readgraph.nodes.step import StepNode, node
from readgraph.state.reading import Status

__all__ = ["choose_pages", "confirm_plan", "review_answer"]

Reply = TypeVar("Reply", bound=BaseModel)
REFUSED = "a person refused the answer"
"""What a step says that left a question without an answer, since a person wanted it so."""


class PersonReply(BaseModel):
    """What a person says; other fields than it has are refused."""

    model_config = ConfigDict(extra="forbid")


class PageChoice(PersonReply):
    """The pages that are read."""

    pages: list[int] = Field(description="Their numbers; may be empty.")


class PlanReview(PersonReply):
    """Whether the plan stands, or what of it is otherwise; a list that is left out stays as planned."""

    accept: bool
    keyword: list[str] | None = Field(None, description="Queries for the search by words.")
    vector: list[str] | None = Field(None, description="Queries for the search by meaning.")
    page: list[int] | None = Field(None, description="Numbers of pages to open.")


class AnswerReview(PersonReply):
    """Whether an answer stands, or another one in its place."""

    accept: bool
    answer: str | None = Field(None, description="Of one that is not accepted: the person's own; none: no answer.")


def ask_person(
    asked: Mapping[str, Any], reply: type[Reply], complaint: Callable[[Reply], str] = lambda reply: ""
) -> Reply:
    """Stop the graph with what is `asked`, until there is a reply of this form without a complaint."""
    problem = ""
    while True:
        resumed = interrupt({**asked, "reply": reply.model_json_schema(), "problem": problem})
        try:
            parsed = reply.model_validate(resumed)
        except ValidationError as wrong:
            first = wrong.errors()[0]
            problem = f"{'.'.join(map(str, first['loc'])) or 'the reply'}: {first['msg']}"
        else:
            if not (problem := complaint(parsed)):
                return parsed


@node(settings=look_up.settings, alone=True)
async def choose_pages(state: LookUpState, runtime: ReaderRuntime) -> LookUpUpdate:
    """Look pages up, and let a person say which of all pages are read; asked are `pages`, of `of` that there are."""
    looked_up, before = await look_up(state, runtime), state["pages_read"]
    number = (await load_memory(runtime, state)).record.pages
    new = [page for page in looked_up["pages_read"] if page not in before]
    asked = {"kind": "choose_pages", "question": state["question_text"], "pages": new, "of": number}

    def complaint(reply: PageChoice) -> str:
        unknown = [page for page in reply.pages if not 0 <= page < number]
        return f"pages: there is no page {unknown[0]}" if unknown else ""

    chosen = ask_person(asked, PageChoice, complaint).pages
    read = [*dict.fromkeys([*before, *chosen])]
    summary = f"a person chose {format_parts(chosen) if chosen else 'no part'}"
    return {"pages_read": read, "continue_search": False, "step_summary": summary}


@node(settings=plan.settings, alone=True)
async def confirm_plan(state: PlanState, runtime: ReaderRuntime) -> PlanUpdate:
    """Plan a round of searches (GAM, section 2.2.2), and let a person change it; asked is the `plan`."""
    planned = await plan(state, runtime)
    if not planned["continue_search"]:
        return planned
    collections = {"kind": "confirm_plan", "question": state["question_text"], "plan": planned["plan"]}
    review = ask_person(collections, PlanReview)
    changes = {} if review.accept else review.model_dump(exclude={"accept"}, exclude_none=True)
    did = f"{planned.get('step_summary', 'planned')}; a person {'changed it' if changes else 'agreed'}"
    changed: Any = {**planned["plan"], **changes}
    return {"plan": changed, "continue_search": True, "step_summary": did}


class ReviewUpdate(CiteUpdate):
    """What a review writes: what citing does, and the answer that stands; a person's own has no quotes."""

    answer: str | None
    status: Status


@node(settings=cite.settings, alone=True)
async def review_answer(state: CiteState, runtime: ReaderRuntime) -> ReviewUpdate:
    """Cite, and let a person accept the answer, give another, or none; asked are the `answer` and its `quotes`."""
    cited = await cite(state, runtime)
    stands: Any = {**state, **cited}  # an answer may have been found by a proof of absence
    answer, status = stands.get("answer"), stands.get("status", "answered")
    quotes = [{name: citation[name] for name in ("quote", "place", "page")} for citation in cited["citations"]]
    asked = {"kind": "review_answer", "question": state.get("question_text", ""), "answer": answer, "quotes": quotes}
    review = ask_person(asked, AnswerReview)
    if review.accept:
        did = "a person accepted the answer"
        return {**cited, "answer": answer, "status": status, "step_summary": did}
    own: Status = "answered" if review.answer else "no_answer"
    did = "a person gave another answer" if review.answer else REFUSED
    return {"citations": [], "sentences": [], "answer": review.answer, "status": own, "step_summary": did}


PERSON_STEPS: dict[str, tuple[StepNode[Any, Any], StepNode[Any, Any]]] = {
    "look_up": (look_up, choose_pages),
    "plan": (plan, confirm_plan),
    "cite": (cite, review_answer),
}
"""Steps by their names in a graph: the method's own, and the one that asks a person in its place."""
