"""The check of a draft against documents; see `readgraph.api.functions` for what all functions take."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import Annotated, Any, cast

from langgraph.store.base import BaseStore
from pydantic import Field

from readgraph.api.documents import documents_as_one, documents_near
from readgraph.api.functions import pages_of
from readgraph.api.results import OfDocuments
from readgraph.api.running import RunThread, run_method
from readgraph.api.tools import AsOf, Call, CollectionName, OneOrMore, ProveAbsence, Tool, UpTo, list_names
from readgraph.api.up_to import check_named
from readgraph.features.verify.graph import build
from readgraph.library.library import Library
from readgraph.state.apart import run_apart
from readgraph.state.context import ReaderContext
from readgraph.state.loops import Listen
from readgraph.state.reading import Question, Status
from readgraph.state.records import Document


class Verified(OfDocuments):
    """What documents say of a draft, claim by claim."""

    model: str | None = Field(description="None: only what rules can tell was decided.")
    claims: list[dict[str, Any]] = Field(
        description="text, verdict (supported, contradicted, not found, not decided), by (rules, model), differs "
        "(kind, as the draft has it, as the text has it), missing, evidence (quotes with their places), cited; start "
        "and end in the draft."
    )
    supported: int
    contradicted: int
    not_found: int = Field(description="Claims near which the documents have nothing.")
    not_decided: int = Field(description="Claims of which rules can't tell, and no model could.")
    status: Status


VERDICTS = ("supported", "contradicted", "not_found", "not_decided")


async def verify(
    library: Library | BaseStore,
    draft: str,
    *,
    documents: Sequence[str | Document] = (),
    collection: str | None = None,
    as_of: str = "",
    up_to: str = "",
    prove_absence: bool | None = None,
    context: ReaderContext | None = None,
    listen: Listen | None = None,
    thread: RunThread | None = None,
) -> Verified:
    """Check a text against documents, sentence by sentence: what supports it, and what differs.

    Args:
        draft: The text that is checked, of at most 400,000 characters.
        documents: Ids, titles or files of the documents; by default those of the library, of a large one the likeliest.
        collection: Without documents: those of this collection.
        prove_absence: Judge each part for claims that were not found; by default, as the context says.

    Returns:
        The claims with their verdicts, and the quotes that these rest on.

    Raises:
        BadInput: For an empty draft, for a name that no document has, and for an empty library.
    """
    pages, settings = pages_of(library, context), context or ReaderContext()
    context = settings if prove_absence is None else replace(settings, prove_absence=prove_absence)
    check_named(up_to, documents, collection)
    near = documents or await run_apart(documents_near, pages, draft, collection, as_of)
    document = await documents_as_one(pages, near, as_of, up_to)
    question = cast(Question, {"draft": draft})
    output = await run_method(pages, build(), "verify", document, question, context, listen, thread)
    counts = Counter(claim["verdict"].replace(" ", "_") for claim in output["claims"])
    return Verified.of(output, **{name: counts[name] for name in VERDICTS})


async def verify_tool(
    call: Call,
    draft: Annotated[str, Field(description="What is checked, sentence by sentence.")],
    document: OneOrMore = "",
    collection: CollectionName = "",
    as_of: AsOf = "",
    up_to: UpTo = "",
    prove_absence: ProveAbsence = False,
) -> Verified:
    """Check a text against documents: each sentence is supported, contradicted, not found or not decided."""
    names = list_names(document)
    scope = {"documents": names, "collection": collection or None, "as_of": as_of, "up_to": up_to}
    return await call(verify, draft, **scope, **({"prove_absence": True} if prove_absence else {}))


TOOL = Tool(name="verify", run=verify_tool, order=3)
