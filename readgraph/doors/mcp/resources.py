"""What the server offers besides tools: the documents and their pages as resources, a prompt, completed titles."""

import json
from typing import Any

from mcp.server.mcpserver import MCPServer
from mcp.server.mcpserver.exceptions import ResourceError
from mcp_types import Completion

from readgraph.api import functions
from readgraph.api.documents import searchable
from readgraph.doors.mcp.refusing import tool_error_line
from readgraph.library.library import Library
from readgraph.state.errors import ReadgraphError

DOCUMENTS = "readgraph://documents"
PAGE = "readgraph://documents/{document}/pages/{page}"
MOST_COMPLETED = 100  # values of a completion, as the protocol has it


def add_prompts(server: MCPServer, library: Library) -> None:
    """Offer a prompt, and the completion of titles."""

    @server.prompt(title="Brief me on a document")
    def brief(document: str, about: str = "") -> str:
        """Read a document, and say what stands in it, with quotes."""
        asked = f" on {about}" if about else ""
        return (
            f"Read the document '{document}' with the tool read, and wait until it is done. Then brief me{asked}: "
            "summarise it, ask what else I must know, and give with each point the quote that shows it, and its place."
        )

    @server.completion()  # type: ignore[no-untyped-call,untyped-decorator]
    async def complete_title(reference: Any, argument: Any, context: Any) -> Completion | None:
        """Titles, and for resources ids, of documents that begin as what was typed."""
        if argument.name != "document":
            return None
        by_id = hasattr(reference, "uri")
        names = [each.id if by_id else each.title or each.id for each in await searchable(library.pages)]
        typed = argument.value.casefold()
        found = [name for name in dict.fromkeys(names) if name.casefold().startswith(typed)]
        return Completion(values=found[:MOST_COMPLETED], total=len(found), has_more=len(found) > MOST_COMPLETED)


def add_resources(server: MCPServer, library: Library) -> None:
    """Offer the list of documents, and each page that was read."""

    @server.resource(DOCUMENTS, title="Documents", mime_type="application/json")
    async def documents() -> str:
        """The documents of the library, as JSON."""
        listed = await functions.list_documents(library)
        return json.dumps([document.model_dump() for document in listed], ensure_ascii=False)

    @server.resource(PAGE, title="Page", mime_type="text/plain")
    async def page(document: str, page: str) -> str:
        """The text of a page of a document that was read."""
        if not page.isdecimal():
            raise ResourceError(f"'{page:.40}' is no number of a page: search and ask give it.")
        try:
            return (await functions.open_page(library, document, int(page))).text
        except ReadgraphError as problem:
            raise ResourceError(tool_error_line(problem)) from None
