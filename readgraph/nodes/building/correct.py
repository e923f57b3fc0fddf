"""Correct a note of a memory, or restore the method's own; corrections belong to a page's text and outlive a build."""

from typing import Annotated, NotRequired

from pydantic import Field
from typing_extensions import TypedDict

from readgraph.library.corrections import correct, restore
from readgraph.library.page_store import page_store
from readgraph.nodes.building.build import ReadUpdate
from readgraph.nodes.contracts import ReaderRuntime
from readgraph.nodes.step import node
from readgraph.state.errors import BadInput


class CorrectionInput(TypedDict):
    """A document by its id, the number of a part, and its note as it should be; without `text`, restore its own.

    `method` is that of the memory as its recipe names it; without it, the newest memory is taken.
    """

    document: Annotated[str, Field(description="The id of a document in the page store.")]
    part: Annotated[int, Field(description="The number of the part whose note is corrected.")]
    text: NotRequired[
        Annotated[str | None, Field(description="The note as it should be; without it the model's own is restored.")]
    ]
    method: NotRequired[
        Annotated[str | None, Field(description="The method of the memory, such as read-agent; else the newest one.")]
    ]


class NoteToCorrect(CorrectionInput):
    """What correcting reads."""

    memory: str


class NoteCorrected(TypedDict):
    """The note as it is now, the method's own if that was replaced, and the nodes above that are made again."""

    note: str
    replaced: str | None
    renewed: list[str]
    step_summary: str


@node
async def find_newest(state: CorrectionInput, runtime: ReaderRuntime) -> ReadUpdate:
    """Find the newest memory of the document, of this method if one is named."""
    store, method = page_store(runtime), state.get("method")
    document = await store.document(state["document"])
    memories = [memory for memory in await store.memories(document.id) if method in (None, "", memory.recipe.method)]
    if not memories:
        raise BadInput(f"'{document.title}' has no memory{f' of {method}' if method else ''}: read it first.")
    return {"memory": memories[-1].id, "step_summary": f"took the memory of {memories[-1].recipe.method}"}


@node
async def correct_note(state: NoteToCorrect, runtime: ReaderRuntime) -> NoteCorrected:
    """Replace the note of a part by the user's text; without a text, put the method's own back."""
    store, text, part = page_store(runtime), state.get("text"), state["part"]
    if not isinstance(part, int) or isinstance(part, bool):
        raise BadInput(f"part must be the number of a part, not {part!r}.")
    if not isinstance(text, str | None):
        raise BadInput("text must be the note as it should be, or null to restore the method's own.")
    memory = await store.memory(state["document"], state["memory"])
    done = await (restore(store, memory, part) if text is None else correct(store, memory, part, text))
    did = f"{'restored' if text is None else 'corrected'} the note of part {part}"
    return {"note": done.note.text, "replaced": done.note.replaced, "renewed": done.renewed, "step_summary": did}
