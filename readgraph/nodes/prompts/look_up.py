"""Interactive look-up: which pages to read again (ReadAgent, section 3.2)."""

from collections.abc import Sequence
from typing import ClassVar

from pydantic import BaseModel, Field

from readgraph.models.prompt import DATA_RULE, Prompt, fenced
from readgraph.models.wording import wording
from readgraph.nodes.prompts.parts import question_part

_LOOK_UP = ("look_up", 1)
"""The prompt's name in recipes, and its version."""

_SYSTEM = (
    "You have read a long text and remember a gist of each of its pages. Before you answer a question about it, "
    "you may read pages again in full. " + DATA_RULE
)


class PagesToRead(BaseModel):
    """Which pages to read again."""

    DECIDES: ClassVar[tuple[str, ...]] = ("pages",)

    reason: str = Field(description="A few words: what you hope to find there.")
    pages: list[int] = Field(description="Page numbers, the most important first; empty if you need none.")


class NextPage(BaseModel):
    """Which one page to read next, or none."""

    DECIDES: ClassVar[tuple[str, ...]] = ("page",)

    reason: str = Field(description="A few words: what is still missing, or why this is enough.")
    page: int | None = Field(description="The number of one page to read again; null to stop.")


LOOK_UP_PAGES = wording(
    "look_up_pages",
    *_LOOK_UP,
    _SYSTEM,
    "Which pages do you want to read again before you answer? Name at most {max_pages}, and as few as will do: each "
    "page that doesn't help distracts. Don't answer the question yet.",
)
LOOK_UP_NEXT = wording(
    "look_up_next",
    *_LOOK_UP,
    _SYSTEM,
    "Pages that you have read again so far: {none}{some}. Which one page do you want to read next? Say null once you "
    "can answer. Don't answer the question yet.",
    none="none",
    some="{pages} (in full above; don't ask for them)",
)


def look_up_pages_prompt(memory: str, question: str, choices: dict[str, str], max_pages: int) -> Prompt:
    """Ask for all pages at once (ReadAgent-P)."""
    return LOOK_UP_PAGES.ask(fenced("memory", memory), question_part(question, choices), max_pages=max_pages)


def look_up_next_prompt(memory: str, question: str, choices: dict[str, str], pages_read: Sequence[int]) -> Prompt:
    """Ask for one more page, or to stop (ReadAgent-S); pages that were read stand in full in the memory."""
    values = {"none": not pages_read, "some": pages_read, "pages": ", ".join(map(str, pages_read))}
    return LOOK_UP_NEXT.ask(fenced("memory", memory), question_part(question, choices), **values)
