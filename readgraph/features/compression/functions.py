"""A text or documents within a budget of tokens; see `readgraph.api.functions` for what all functions take."""

from collections.abc import Sequence
from typing import Annotated, Any

from langgraph.store.base import BaseStore
from pydantic import Field, PrivateAttr

from readgraph.api.documents import documents_as_one
from readgraph.api.functions import pages_of
from readgraph.api.results import Used
from readgraph.api.running import in_use
from readgraph.api.tools import Call, OneOrMore, Tool, list_names
from readgraph.features.compression.engine import CompressionEngine, check_request
from readgraph.features.compression.engines import engine_named
from readgraph.features.compression.trace import CompressionStatus, CompressionTrace
from readgraph.library.library import Library
from readgraph.library.notices import document_notices
from readgraph.state.context import ReaderContext
from readgraph.state.errors import BadInput
from readgraph.state.loops import Listen
from readgraph.state.records import Document


class CompressedText(Used):
    """A text within a budget of tokens."""

    text: str
    engine: str
    tokens: int
    original_tokens: int
    status: CompressionStatus
    _trace: CompressionTrace = PrivateAttr()

    @property
    def trace(self) -> CompressionTrace:
        """How it came about."""
        return self._trace


async def compress(
    library: Library | BaseStore,
    budget: int,
    *,
    text: str | None = None,
    documents: Sequence[str | Document] = (),
    question: str | None = None,
    as_of: str = "",
    engine: str | CompressionEngine = "readagent_gist",
    context: ReaderContext | None = None,
    listen: Listen | None = None,
) -> CompressedText:
    """A text, or documents as one, within a budget of tokens; with a question, what they hold for it.

    Args:
        budget: Most tokens of the result.
        text: The text; or else `documents`.
        question: What the result is to be about.
        engine: The engine's id, or an engine over the library's store, which has settings of its own.

    Raises:
        BadInput: Without a text or documents, or with both; otherwise as for `CompressionEngine.compress`.
    """
    if (text is None) == (not documents):
        raise BadInput("Give either a text or the names of documents: it is what is compressed.")
    check_request(budget, question)
    pages = pages_of(library, context)
    if isinstance(engine, str):
        engine = engine_named(engine)(library=pages.store, context=context or ReaderContext())
    document = await pages.add_document(text) if text is not None else await documents_as_one(pages, documents, as_of)
    async with in_use(pages, document.id):
        told, notices = listen or (lambda mode, event: None), await document_notices(pages, document)
        if notices:
            told("custom", {"notices": notices})
        compressed, trace = await engine.compress_document(document, budget, question, told)
    sizes: dict[str, Any] = {"original_tokens": trace.original_tokens, "usage": dict(trace.usage)}
    compressed_text = CompressedText(**vars(compressed), **sizes, notices=notices)
    compressed_text._trace = trace
    return compressed_text


async def compress_tool(
    call: Call,
    budget: Annotated[int, Field(ge=1, description="Most tokens of the result.")],
    document: OneOrMore = "",
    text: Annotated[str, Field(description="A text, instead of a document.")] = "",
    question: Annotated[str, Field(description="With a question: what the text holds for it.")] = "",
    engine: Annotated[
        str, Field(description="readagent_gist, memwalker_tree, gam_memos or extractive.")
    ] = "readagent_gist",
) -> CompressedText:
    """Fit documents or a text into a budget of tokens. Nothing is cut off; what is too long is shortened again."""
    given = {"text": text or None, "documents": list_names(document), "question": question or None}
    return await call(compress, budget, engine=engine, **given)


TOOL = Tool(name="compress", run=compress_tool, order=5)
