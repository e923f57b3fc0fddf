"""The tool by which agents fit texts into a budget."""

from typing import Annotated

from pydantic import Field

from readgraph.api.tools import Call, OneOrMore, list_names
from readgraph.features.compression import functions
from readgraph.features.compression.functions import CompressedText


async def compress(
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
    return await call(functions.compress, budget, engine=engine, **given)
