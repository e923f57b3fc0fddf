"""A user's corrections outlive a rebuild: the note about the same text is theirs again."""

from langgraph.runtime import Runtime

from readgraph.nodes.building.interfaces import WriteNote
from readgraph.state.context import ReaderContext
from readgraph.state.corrections import correction_key, corrections_of, keep_correction, with_correction
from readgraph.state.page_store import PageStore
from readgraph.state.records import Document, Memory, Note, Page


async def corrected(write_note: WriteNote, store: PageStore, document: Document, memory: Memory) -> WriteNote:
    """The method's note, with the user's text in its place where the page was corrected.

    The method's own is written all the same, so that it can be restored without a model.
    """
    corrections = await corrections_of(store, document)
    if not corrections:
        return write_note

    async def noted(text: str, page: Page, runtime: Runtime[ReaderContext]) -> Note:
        note, key = await write_note(text, page, runtime), correction_key(memory.recipe.method, text)
        if key not in corrections:
            return note
        await keep_correction(store, document.id, key, corrections[key])  # an earlier version may be forgotten
        return with_correction(note, corrections[key])

    return noted
