"""Begin a question that is researched: the document, and its memory where it was built before."""

from langgraph.runtime import Runtime
from typing_extensions import TypedDict

from readgraph.nodes.opening import Opened, OpenState, open_document
from readgraph.nodes.paging_parts import MakeRecipe
from readgraph.nodes.step import StepNode, step_with
from readgraph.state.context import ReaderContext
from readgraph.state.errors import BadInput
from readgraph.state.page_store import page_store
from readgraph.state.research import FreshResearch, fresh_research
from readgraph.state.words import counted


class ResearchOpened(Opened, FreshResearch):
    """What opening writes where a question is researched."""


class FindState(TypedDict):
    """What finding a memory reads."""

    document: str


class FindUpdate(TypedDict):
    """What finding a memory writes."""

    memory: str
    did: str


@step_with(starts_question=True)
async def open_for_research(state: OpenState, runtime: Runtime[ReaderContext]) -> ResearchOpened:
    """Take the question in; of an earlier turn's research nothing is left."""
    opened: Opened = await open_document.work(state, runtime)
    return {**fresh_research(), **opened}


def finding_memory(recipe: MakeRecipe) -> StepNode[FindState]:
    """The node that takes a document's memory as it is and builds nothing.

    It takes the one of the context's recipe, else the newest that the same method made; raises `BadInput` where there
    is none.
    """

    async def find_memory(state: FindState, runtime: Runtime[ReaderContext]) -> FindUpdate:
        """Take the memory that was built before."""
        store, wanted = page_store(runtime), recipe(runtime.context)
        kept = [known for known in await store.memories(state["document"]) if known.recipe.method == wanted.method]
        if not kept:
            raise BadInput(f"The document has no memory of the method '{wanted.method}': read it first.")
        memory = [*kept, *(known for known in kept if known.recipe == wanted)][-1]
        return {"memory": memory.id, "did": f"took the memory of {counted(memory.pages, 'page')}"}

    return StepNode(find_memory)
