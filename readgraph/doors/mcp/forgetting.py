"""The tool that deletes a document, once the user has agreed."""

from collections.abc import Callable, Coroutine
from typing import Annotated, Any

from mcp.server.elicitation import ElicitationResult
from mcp.server.mcpserver.resolve import Elicit, Resolve
from pydantic import BaseModel, Field

from readgraph.api.documents import document_named
from readgraph.library.library import Library
from readgraph.library.upkeep.forgetting import forget_document
from readgraph.library.upkeep.joint_readings import JointReading, list_joint, tell_joint

Named = Annotated[str, Field(description="A document of the library: its id, title, or file.")]


class _Agreed(BaseModel):
    delete: bool = Field(description="Whether it is deleted.")


class Forgotten(BaseModel):
    """A document that was to be deleted."""

    document: str
    title: str
    deleted: bool = Field(description="Whether the user agreed, and it is gone.")
    joint: list[JointReading] = Field(description="What was read of it together with others, which goes too.")


def make_forget(library: Library) -> Callable[..., Coroutine[Any, Any, Forgotten]]:
    """The tool over this library."""

    async def ask_back(document: str) -> Elicit[_Agreed]:
        library.require_writable()
        found = await document_named(library.pages, document, by_part=False)
        name, joint = found.title or found.id, tell_joint(await list_joint(library, found))
        return Elicit(f"Delete '{name}' with all its notes and questions from the library?{joint}", _Agreed)

    async def forget(document: Named, said: Annotated[ElicitationResult[_Agreed], Resolve(ask_back)]) -> Forgotten:
        """Delete a document with all its notes and questions. The user is asked first."""
        found = await document_named(library.pages, document, by_part=False)
        agreed, joint = said.action == "accept" and said.data.delete, await list_joint(library, found)
        if agreed:
            await forget_document(library, found)
        return Forgotten(document=found.id, title=found.title or found.id, deleted=agreed, joint=joint)

    return forget
