"""Memorising: a memo and a header for one page, in the light of the memory so far (GAM, section 2.2.1)."""

from pydantic import BaseModel, Field

from readgraph.models.prompt import DATA_RULE, Prompt, fenced

NAME, VERSION = "memorize", 1

MEMO_WORDS = 120
HEADER_WORDS = 40

_SYSTEM = (
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


def memorize_prompt(memory: str, place: str, passage: str) -> Prompt:
    """Ask for memo and header at once. `memory`: memos of earlier pages; `place`: where the passage stands; or ""."""
    task = f"Write the memo and the header of the passage. {_MEMO} {_HEADER}"
    return Prompt(NAME, VERSION, _SYSTEM, _user(memory, place, passage, task))


def memo_prompt(memory: str, place: str, passage: str) -> Prompt:
    """Ask for the memo alone, as plain text."""
    task = f"Write the memo of the passage. {_MEMO} Reply with the memo only."
    return Prompt(NAME, VERSION, _SYSTEM, _user(memory, place, passage, task))


def header_prompt(memory: str, place: str, passage: str) -> Prompt:
    """Ask for the header alone, as plain text."""
    task = f"Write the header of the passage. {_HEADER} Reply with the header only."
    return Prompt(NAME, VERSION, _SYSTEM, _user(memory, place, passage, task))


def _user(memory: str, place: str, passage: str, task: str) -> str:
    parts = [("memory", memory), ("place", place), ("passage", passage)]
    return "\n\n".join([*(fenced(name, text) for name, text in parts if text), task])
