"""Show a model pictures of the pages on which looked-up parts stand, beside their text."""

import asyncio
from collections.abc import Sequence
from copy import copy
from dataclasses import replace
from functools import partial, wraps
from typing import Any

from readgraph.features.look.pages import Sheet, find_sheets
from readgraph.features.look.settings import Look, Looking
from readgraph.library.page_store import page_store
from readgraph.models.client import is_known_to_see
from readgraph.models.prompt import PICTURE_WORDS, Prompt, PromptPicture
from readgraph.nodes.beside import ShownPart
from readgraph.nodes.contracts import ReaderRuntime
from readgraph.nodes.step import StepNode
from readgraph.sources.converting import convert_in_thread
from readgraph.sources.pdf.in_child import page_picture
from readgraph.state.errors import BadInput
from readgraph.state.records import Document, digest
from readgraph.state.variables import warn_caller

__all__ = ["looking"]

MOST_PICTURES = 8  # of a prompt; a window may hold fewer beside the text
LONGEST_SIDE = 1024  # dots of a picture


async def show_pictures(
    prompt: Prompt, document: Document, parts: Sequence[ShownPart], runtime: ReaderRuntime
) -> Prompt:
    """The prompt with pictures of the pages on which these parts stand, as the settings and the window allow."""
    wanted = Looking.of(runtime.context).look
    if wanted == "never":
        return prompt
    sheets, gone = await find_sheets(page_store(runtime), document, parts)
    for each in gone if wanted else ():
        warn_caller(f"{each.title}: its pages are not shown as pictures: {each.source} is gone, or was changed.")
    if not sheets or (wanted is None and not await is_known_to_see(runtime.context)):
        return prompt
    if wanted != "always":
        sheets = await asyncio.to_thread(lambda: [*filter(_shows_more, sheets)])
    room = max(0, (runtime.context.window_words - prompt.words) // PICTURE_WORDS)
    shown = sheets[: min(MOST_PICTURES, room)]
    return replace(prompt, pictures=(*prompt.pictures, *[await asyncio.to_thread(_picture, sheet) for sheet in shown]))


def looking(node: StepNode[Any, Any], look: Look = "always") -> StepNode[Any, Any]:
    """The node, which shows pictures as `look` says, whatever the settings are."""

    @wraps(node.work)
    async def work(state: Any, runtime: ReaderRuntime) -> Any:
        return await node.work(state, runtime.override(context=replace(runtime.context, look=look)))

    made = copy(node)
    made.work = work
    return made


def _shows_more(sheet: Sheet) -> bool:
    try:
        return sheet.file.shows_more(sheet.page)
    except BadInput:  # it can't be drawn either
        return False


def _picture(sheet: Sheet) -> PromptPicture:
    draw = partial(convert_in_thread, page_picture, sheet.file.path, sheet.page, LONGEST_SIDE, LONGEST_SIDE)
    shown = digest([sheet.file.digest, sheet.page, LONGEST_SIDE])
    return PromptPicture(place=sheet.place, parts=sheet.parts, digest=shown, draw=draw)
