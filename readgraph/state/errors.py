"""Errors that a person can act on: each message is one clear line."""

from dataclasses import dataclass
from typing import Literal

Door = Literal["command", "tool", "page"]
"""Where an error is read: in a terminal, by an agent that called a tool, on the page in the browser."""


@dataclass(frozen=True)
class Way:
    """What to do about an error, in the words of each door; the page has those of the command where it has no own."""

    command: str
    tool: str
    page: str = ""


class ReadgraphError(RuntimeError):
    """Base of all errors that readgraph raises on purpose; its text says what is wrong and what to do.

    Its arguments are the pieces of the text, strings and `Way`s. A RuntimeError, since LangGraph's server hides the
    text of exceptions that it doesn't know.
    """

    def __str__(self) -> str:
        return self.message_text()

    def message_text(self, door: Door = "command") -> str:
        """The text, with what to do in the words of this door."""
        return "".join(
            getattr(piece, door) or piece.command if isinstance(piece, Way) else str(piece) for piece in self.args
        )


class BadInput(ReadgraphError):
    """The input can't be used: a file, a question, an option, a setting."""


class Forgotten(BadInput):
    """The document is being forgotten, or was forgotten while it was being read."""


class ModelUnavailable(ReadgraphError):
    """The model server can't be used: it does not answer, refuses the key, or does not know the model."""


class LibraryError(ReadgraphError):
    """The library can't be opened, read or written."""


class Damaged(LibraryError):
    """One record of the library can't be read; the others can."""

    def __init__(self, record: str) -> None:
        self.record = record
        super().__init__(
            f"The library holds a damaged record ({record}): forget what it belongs to and read that again, "
            "or put a copy of the library back."
        )


class NoUsableReply(ReadgraphError):
    """Every reply to one prompt was refused; the node falls back as its method documents.

    `asked` is the prompt's name; `reasons` holds one line for each refused reply.
    """

    def __init__(self, asked: str, reasons: list[str]) -> None:
        self.asked = asked
        self.reasons = reasons
        super().__init__(f"No usable reply to '{asked}' in {len(reasons)} tries: " + "; ".join(reasons))


class BudgetSpent(ReadgraphError):
    """The reading's budget of calls or words does not allow one more call."""
