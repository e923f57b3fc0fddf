"""What plugs in may show a model more beside the texts of parts that were looked up, such as pictures of their pages.

Every step that puts such texts into a prompt asks here, in one place for all methods.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from typing import NamedTuple

from readgraph.models.asking import can_ask
from readgraph.models.prompt import Prompt
from readgraph.nodes.contracts import ReaderRuntime
from readgraph.plugins import plugged_in
from readgraph.state.declaring import Groups, Settings
from readgraph.state.installed import object_at
from readgraph.state.records import Document

__all__ = ["Beside"]


class ShownPart(NamedTuple):
    """A part whose text is shown."""

    number: int
    start: int
    end: int


@dataclass(frozen=True, kw_only=True)
class Beside:
    """What is shown beside texts.

    Attributes:
        settings: The group of settings that it reads.
        show: Where a coroutine stands, `package.module:name`, from a prompt, the document, the parts whose texts are
            in it, and the node's runtime, to the prompt with what is shown beside them.
    """

    settings: type[Settings]
    show: str


@cache
def _all_beside() -> tuple[Beside, ...]:
    return tuple(given for _, given in plugged_in("beside", Beside))


def settings_beside() -> Groups:
    """The groups of settings that a step reads which shows texts of parts."""
    return tuple(given.settings for given in _all_beside())


async def show_beside(prompt: Prompt, document: Document, parts: Iterable[ShownPart], runtime: ReaderRuntime) -> Prompt:
    """The prompt with what is shown beside the texts of these parts."""
    shown = [*parts]
    for given in _all_beside() if shown and can_ask(runtime) else ():
        prompt = await object_at(given.show, "What is shown beside texts")(prompt, document, shown, runtime)
    return prompt
