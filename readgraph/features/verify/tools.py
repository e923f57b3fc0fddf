"""The tool by which agents check a text."""

from typing import Annotated

from pydantic import Field

from readgraph.api.tools import AsOf, Call, CollectionName, OneOrMore, list_names
from readgraph.features.verify import functions
from readgraph.features.verify.functions import Verified


async def verify(
    call: Call,
    draft: Annotated[str, Field(description="What is checked, sentence by sentence.")],
    document: OneOrMore = "",
    collection: CollectionName = "",
    as_of: AsOf = "",
) -> Verified:
    """Check a text against documents: each sentence is supported, contradicted, not found or not decided."""
    names = list_names(document)
    return await call(functions.verify, draft, documents=names, collection=collection or None, as_of=as_of)
