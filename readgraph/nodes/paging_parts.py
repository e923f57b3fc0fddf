"""The parts that a memory is built from: what a hybrid exchanges."""

from collections.abc import AsyncGenerator, Awaitable, Callable

from langgraph.runtime import Runtime

from readgraph.nodes.notes_so_far import NotesSoFar
from readgraph.state.context import ReaderContext
from readgraph.state.records import Document, Note, Page, Recipe

Paginate = Callable[[str, Page | None, Runtime[ReaderContext]], AsyncGenerator[Page, None]]
"""Cuts a text into pages behind the last page there is; one that ends the text comes last."""

WriteNote = Callable[[str, Page, Runtime[ReaderContext]], Awaitable[Note]]
"""Writes the note of a page from the page's text."""

MakeParts = Callable[[Document, NotesSoFar, Runtime[ReaderContext]], Awaitable[tuple[Paginate, WriteNote]]]
"""Makes the parts of one build when it begins: they may know the document, and wait for notes of other pages."""

MakeRecipe = Callable[[ReaderContext], Recipe]
"""The recipe of the memory that is built."""
