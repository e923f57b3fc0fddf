"""Take the notes that a document has; where it has none that serve, read it."""

from langgraph.runtime import Runtime

from readgraph.nodes.building.asked_purpose import for_question
from readgraph.nodes.building.build import ReadState, ReadUpdate
from readgraph.nodes.building.notes_language import in_notes_language
from readgraph.nodes.step import StepNode, with_recipe
from readgraph.state.context import ReaderContext
from readgraph.state.page_store import PageStore, page_store
from readgraph.state.records import Document, Memory, Recipe
from readgraph.state.words import counted

NOTED = ("read-agent", "mem-walker", "outline-walk", "gam")
"""Methods whose notes tell what stands on a page, by the names in recipes."""


def reading_where_needed(read: StepNode[ReadState, ReadUpdate]) -> StepNode[ReadState, ReadUpdate]:
    """The node that reads only a document without notes: a memory of another method, or of other sizes, serves too.

    It must be whole, of the same model, language and purpose. With the setting `rebuild` the document is read anew.
    """
    recipe = read.recipe
    assert recipe and read.without_model, "it builds a memory, with a model and without"

    async def read_where_needed(state: ReadState, runtime: Runtime[ReaderContext]) -> ReadUpdate:
        """Take the memory that there is, else read."""
        if memory := await _memory_there(state, runtime):
            said = f"took the memory of {counted(memory.pages, 'part')} by {memory.recipe.method}"
            return {"memory": memory.id, "step_summary": said}
        return await read.work(state, runtime)

    async def _memory_there(state: ReadState, runtime: Runtime[ReaderContext]) -> Memory | None:
        if runtime.context.rebuild:
            return None
        store, context = page_store(runtime), for_question(state, runtime).context
        document = await store.document(state["document"])
        return await memory_there(store, document, context, recipe(context))

    without = read.without_model

    async def read_without_model(state: ReadState, runtime: Runtime[ReaderContext]) -> ReadUpdate:
        if not runtime.context.model and (memory := await _memory_there(state, runtime)):
            return {"memory": memory.id, "step_summary": f"took the memory of {counted(memory.pages, 'part')}"}
        return await without(state, runtime)

    settings = tuple(read.settings)
    return StepNode(with_recipe(read_where_needed, recipe), read_without_model, builds=True, settings=settings)


async def memory_there(store: PageStore, document: Document, context: ReaderContext, recipe: Recipe) -> Memory | None:
    """The memory that serves in place of one with this recipe; None where there is none, or that one is begun."""
    wanted, _ = await in_notes_language(recipe, document, context, store)
    kept = await store.memories(document.id)
    if any(memory.recipe.same_but_prompts(wanted) for memory in kept):
        return None
    serving = [memory for memory in kept if _serves(memory, document, wanted)]
    newest_first = reversed(serving)
    return min(newest_first, key=lambda memory: NOTED.index(memory.recipe.method), default=None)


def _serves(memory: Memory, document: Document, wanted: Recipe) -> bool:
    recipe = memory.recipe
    alike = all(recipe.parameters.get(name) == wanted.parameters.get(name) for name in ("language", "prompts"))
    whole = memory.complete and memory.read_to == document.characters
    same = recipe.model == wanted.model and recipe.purpose == wanted.purpose
    return recipe.method in NOTED and whole and same and alike
