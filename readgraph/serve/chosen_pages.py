"""The pages that a person chooses in place of those that a method chose."""

from collections.abc import Mapping, Sequence
from typing import Any

from readgraph.state.errors import BadInput
from readgraph.state.page_store import PageStore


async def check_pages(pages: PageStore, values: Mapping[str, Any], chosen: Sequence[int]) -> None:
    """Raise `BadInput` where the memory of a question, at a step with these values, has not all these pages."""
    if not values.get("memory"):
        raise BadInput("Pages can't be chosen at this step: the document is not read yet.")
    memory = await pages.memory(values["document"], values["memory"])
    if wrong := [number for number in chosen if not 0 <= number < memory.pages]:
        held = f"the pages are 0 to {memory.pages - 1}" if memory.pages else "none is read yet"
        raise BadInput(f"There is no page {wrong[0]}: {held}.")
