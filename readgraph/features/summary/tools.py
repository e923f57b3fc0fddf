"""The tool by which agents get a summary."""

from typing import Annotated

from pydantic import Field

from readgraph.api.tools import AsOf, Call, OneOrMore, list_names
from readgraph.features.summary import functions
from readgraph.features.summary.functions import Summary


async def summarise(
    call: Call,
    document: OneOrMore,
    words: Annotated[int, Field(ge=20, le=10_000, description="Most words of the summary.")] = 300,
    part: Annotated[str, Field(description="Only this part: a heading, its number, or pages.")] = "",
    about: Annotated[str, Field(description="What it is to be about.")] = "",
    as_of: AsOf = "",
) -> Summary:
    """Summarise documents, or a part of one; each sentence names where it stands, and is checked."""
    given = {"words": words, "part": part or None, "about": about or None, "as_of": as_of}
    return await call(functions.summarise, documents=list_names(document), **given)
