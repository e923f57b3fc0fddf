"""The tool by which agents read a wiki."""

from typing import Annotated

from pydantic import Field

from readgraph.api.tools import AsOf, Call, OneOrMore, list_names
from readgraph.features.wiki import functions
from readgraph.features.wiki.functions import WikiPages


async def wiki(
    call: Call,
    page: Annotated[str, Field(description="The name of a page; without one, the index of all.")] = "",
    document: OneOrMore = "",
    as_of: AsOf = "",
) -> WikiPages:
    """Show a page of a wiki of the documents: a person, place, thing or topic; each sentence names its quote."""
    return await call(functions.wiki_page, page, documents=list_names(document), as_of=as_of)
