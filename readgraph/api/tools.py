"""What agents can call besides the core's own tools, as packages plug it in (`readgraph.plugins`)."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Annotated, Any, Protocol, TypeVar

from pydantic import Field

__all__ = ["AsOf", "Call", "OneOrMore", "Tool", "list_names"]

T = TypeVar("T")
OneOrMore = Annotated[str | list[str], Field(description="A document's id, title or file; of a list, all as one.")]
"""A document, or several, as a parameter of a tool."""

AsOf = Annotated[str, Field(description="YYYY-MM-DD: what is later is left out.")]
"""The day as of which documents are read, as a parameter of a tool."""

UpTo = Annotated[str, Field(description="Page 9 or chapter 7: what follows is left out.")]
"""The place up to which documents are read, as a parameter of a tool."""

ProveAbsence = Annotated[bool, Field(description="If nothing is found, judge each unread part.")]
"""Whether it is proven that a text holds no answer, as a parameter of a tool."""

CollectionName = Annotated[str, Field(description="Without a document: those of this collection.")]
MethodName = Annotated[
    str, Field(description="The reading method, such as read-agent, mem-walker, gam; empty: chosen.")
]
Choices = Annotated[list[str], Field(description="Options of a multiple choice, of which one is chosen.")]
"""Further parameters that tools of agents and requests over HTTP have in common."""


class Call(Protocol):
    """Calls a function of `readgraph.api` over the library that is served, with its settings and its progress."""

    def __call__(self, function: Callable[..., Awaitable[T]], *given: Any, **named: Any) -> Awaitable[T]:
        """What the function gives; `library` and `context` are given to it besides."""
        ...


@dataclass(frozen=True, kw_only=True)
class Tool:
    """A tool of agents.

    Attributes:
        run: A coroutine function with a docstring that agents read, and parameters whose annotations describe them; the
            first parameter is a `Call`, which agents don't see. It returns a `readgraph.api.results.Result`.
        name: Its name, where that is not the function's.
        order: Its place among the tools; without one, it stands after those that have one.
    """

    run: Callable[..., Awaitable[Any]]
    name: str = ""
    order: int = 100

    @property
    def shown(self) -> str:
        """Its name, as agents call it."""
        return self.name or self.run.__name__


def list_names(document: str | list[str]) -> list[str]:
    """The names of documents that an agent gave: one, several, or "" for none."""
    return document if isinstance(document, list) else [document] if document else []
