"""A look-up as a plan: the pages that ReadAgent would read again are what the first round searches for."""

from langgraph.runtime import Runtime
from typing_extensions import TypedDict

from readgraph.nodes.contracts import LookUpState, LookUpUpdate
from readgraph.nodes.extractive import choose_pages
from readgraph.nodes.looking_up import look_up_pages
from readgraph.nodes.step import Work, step_with
from readgraph.state.context import ReaderContext
from readgraph.state.research import Plan, no_plan


class LookUpPlan(TypedDict):
    """What it writes: a plan of pages; reading them is the round's."""

    plan: Plan
    did: str


async def plan_by_keywords(state: LookUpState, runtime: Runtime[ReaderContext]) -> LookUpPlan:
    """Without a model: the pages that keyword search ranks first."""
    return await _planned(choose_pages, state, runtime)


@step_with(without_model=plan_by_keywords)
async def plan_look_up(state: LookUpState, runtime: Runtime[ReaderContext]) -> LookUpPlan:
    """The pages that the model names when it sees the gists, all at once (ReadAgent-P)."""
    return await _planned(look_up_pages.work, state, runtime)


async def _planned(look_up: Work[LookUpState], state: LookUpState, runtime: Runtime[ReaderContext]) -> LookUpPlan:
    looked: LookUpUpdate = await look_up(state, runtime)
    pages = [page for page in looked["pages_read"] if page not in state["pages_read"]]
    return {"plan": {**no_plan(), "page": pages}, "did": looked["did"]}
