"""Errors that a person can act on: each message is one clear line."""

from collections.abc import Mapping
from enum import Enum
from types import MappingProxyType


class Way(Enum):
    """Something to do about an error, in the words of the command; in tools and on the page it is done otherwise."""

    LIST_DOCUMENTS = "'readgraph show' lists them"
    LIST_COLLECTIONS = "'readgraph collection list' lists them"
    READ_IT = "readgraph read FILE"
    NAME_ONE = "name a file"
    ADD_ONE = "name a file,"
    BROWSE = "'readgraph browse' runs the web agent, and 'readgraph evaluate' takes it on a dataset of web pages"
    SUMMARISE = "'readgraph summarise' writes summaries, and 'readgraph evaluate' takes it on a dataset of summaries"
    REMEMBER = "'readgraph remember NAME FILE'"
    FORGET_IT = "'readgraph forget' deletes it"
    LIST_AGENTS = "'readgraph agents' lists its agents"


class ReadgraphError(RuntimeError):
    """Base of all errors that readgraph raises on purpose; its text says what is wrong and what to do.

    Its arguments are the pieces of the text, strings and `Way`s. A RuntimeError, since LangGraph's server hides the
    text of exceptions that it doesn't know.
    """

    def __str__(self) -> str:
        return self.message_text()

    def message_text(self, words: Mapping[Way, str] = MappingProxyType({})) -> str:
        """The text, with these words for what to do; without, with those of the command."""
        return "".join(words.get(each, each.value) if isinstance(each, Way) else str(each) for each in self.args)


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
