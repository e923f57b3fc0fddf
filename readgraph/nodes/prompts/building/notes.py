"""What is kept of one page: its gist (ReadAgent, section 3.1), or a memo with a header (GAM, section 2.2.1)."""

from pydantic import BaseModel, Field

from readgraph.models.prompt import DATA_RULE, Prompt, fenced
from readgraph.models.wording import wording
from readgraph.nodes.prompts.purpose import purpose_line

_GIST_SYSTEM = (
    "You shorten passages of a longer text so that somebody who reads only your versions, one after the other, "
    "can follow it. Keep who does what, full names, numbers, times and places, and the order of events. " + DATA_RULE
)

GIST = wording(
    "gist",
    "gist",
    1,
    _GIST_SYSTEM,
    "{known}Shorten the passage above{limit}{keep}. Reply with the shortened version only.",
    limit=" to at most {most_words} words",
    keep=", and keep above all what serves that",
)
"""Memory gisting: a shorter version of one page (ReadAgent, section 3.1)."""


def gist_prompt(page: str, most_words: int | None = None, purpose: str = "") -> Prompt:
    """Ask for the page, shortened. "Shorten", since "summarise" breaks the narrative flow (section 3.1).

    `purpose` says what gists are for, where that is known before (appendices G.1 and G.2).
    """
    known = purpose_line("shortened text", purpose)
    values = {"known": known, "keep": known, "limit": most_words, "most_words": most_words}
    return GIST.ask(fenced("passage", page), **values)


_MEMORIZE = ("memorize", 1)
"""Memorising: a memo and a header for one page, in the light of the memory so far (GAM, section 2.2.1)."""

MEMO_WORDS = 120
HEADER_WORDS = 40

_MEMORIZE_SYSTEM = (
    "You keep the memory of a long history that you read page by page. Somebody will later use your notes to find the "
    "page that holds a fact, without having read any of it. " + DATA_RULE
)
_MEMO = (
    f"The memo is one paragraph of at most {MEMO_WORDS} words that stands on its own: who did, said, planned or "
    "decided what, with full names, numbers, dates and places; open questions too. State only what the passage says. "
    "Use the memory to name people and things as before, and the place to turn words like 'yesterday' into dates."
)
_HEADER = (
    f"The header is one line of at most {HEADER_WORDS} words that stands in front of the passage when it is searched: "
    "where in the history it is, what it goes on with, and whom or what its 'he', 'she' and 'it' mean."
)


class MemoAndHeader(BaseModel):
    """What is kept of a page."""

    memo: str = Field(description=f"One paragraph of at most {MEMO_WORDS} words: what the passage says.")
    header: str = Field(description=f"One line of at most {HEADER_WORDS} words: the context of the passage.")


_KEEP = " In the memo, keep above all what serves what it is for."
MEMORIZE = wording(
    "memorize",
    *_MEMORIZE,
    _MEMORIZE_SYSTEM,
    f"{{known}}Write the memo and the header of the passage. {_MEMO}{{keep}} {_HEADER}",
    keep=_KEEP,
)
MEMO = wording(
    "memo",
    *_MEMORIZE,
    _MEMORIZE_SYSTEM,
    f"{{known}}Write the memo of the passage. {_MEMO}{{keep}} Reply with the memo only.",
    keep=_KEEP,
)
HEADER = wording(
    "header", *_MEMORIZE, _MEMORIZE_SYSTEM, f"Write the header of the passage. {_HEADER} Reply with the header only."
)


def memorize_prompt(memory: str, place: str, passage: str, purpose: str = "") -> Prompt:
    """Ask for memo and header at once.

    `memory`: memos of earlier pages; `place`: where the passage stands; `purpose`: what memos are for; or "".
    """
    known = purpose_line("memo", purpose)
    return MEMORIZE.ask(*_material(memory, place, passage), known=known, keep=known)


def memo_prompt(memory: str, place: str, passage: str, purpose: str = "") -> Prompt:
    """Ask for the memo alone, as plain text."""
    known = purpose_line("memo", purpose)
    return MEMO.ask(*_material(memory, place, passage), known=known, keep=known)


def header_prompt(memory: str, place: str, passage: str) -> Prompt:
    """Ask for the header alone, as plain text."""
    return HEADER.ask(*_material(memory, place, passage))


def _material(memory: str, place: str, passage: str) -> list[str]:
    parts = [("memory", memory), ("place", place), ("passage", passage)]
    return [fenced(name, text) for name, text in parts if text]
