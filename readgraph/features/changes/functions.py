"""The comparison of two documents; see `readgraph.api.functions` for what all functions take."""

from typing import Annotated, Any, cast

from langgraph.store.base import BaseStore
from pydantic import Field

from readgraph.api.documents import documents_as_one, find_named
from readgraph.api.functions import pages_of
from readgraph.api.results import OfDocuments
from readgraph.api.running import RunThread, run_method
from readgraph.api.tools import Call, Tool
from readgraph.features.changes.graph import build
from readgraph.library.library import Library
from readgraph.state.context import ReaderContext
from readgraph.state.errors import BadInput
from readgraph.state.loops import Listen
from readgraph.state.reading import Question, Status
from readgraph.state.records import Document


class Changes(OfDocuments):
    """What differs between two documents."""

    model: str | None = Field(description="None: what rules can't tell is not judged.")
    changes: list[dict[str, Any]] = Field(
        description="kind (added, removed, changed, moved, not judged), moved (also), by (rules, model), differs "
        "(kind, as the earlier text has it, as the later), and the quotes with their places: earlier, later."
    )
    status: Status


async def changes(
    library: Library | BaseStore,
    later: str | Document,
    *,
    earlier: str | Document = "",
    context: ReaderContext | None = None,
    listen: Listen | None = None,
    thread: RunThread | None = None,
) -> Changes:
    """Compare two documents, or versions of one: what was added, removed, changed and moved.

    Args:
        later: The id, title or file of the later document.
        earlier: That of the earlier one; by default the one that the later one supersedes.

    Returns:
        The differences in the order of the texts, each with what differs and both quotes.

    Raises:
        BadInput: For a name that no document has, and where no earlier document is known.
    """
    pages = pages_of(library, context)
    (new,) = await find_named(pages, later)
    if not (earlier := earlier or new.supersedes):
        raise BadInput(f"'{new.title or new.id}' supersedes no document of the library: name the earlier one, too.")
    (old,) = await find_named(pages, earlier)
    document, given = await documents_as_one(pages, [old, new]), cast(Question, {"earlier": old.id})
    output = await run_method(pages, build(), "changes", document, given, context, listen, thread)
    return Changes.of(output)


async def changes_tool(
    call: Call,
    later: Annotated[str, Field(description="The later document.")],
    earlier: Annotated[str, Field(description="Empty: the one that it supersedes.")] = "",
) -> Changes:
    """Compare two documents or versions: what was added, removed, changed, moved."""
    return await call(changes, later, earlier=earlier)


TOOL = Tool(name="changes", run=changes_tool, order=3)
