"""Exchanges with the model, for whoever keeps them: what was asked, what was said, whether it could be used."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

from typing_extensions import TypedDict


class Exchange(TypedDict):
    """One prompt and the reply to it, whether the model gave it now or before (a recorded reply).

    `asked` names the prompt with its `version`, `messages` are pairs of role and text, `refused` says why the reply
    could not be used, or nothing. `tokens` (in, out) are as its server counted them, zeros where it told none.
    """

    node: str
    model: str
    asked: str
    version: int
    messages: list[tuple[str, str]]
    reply: str
    refused: str | None
    tokens: tuple[int, int]


_keep: ContextVar[Callable[[Exchange], Any] | None] = ContextVar("readgraph_exchanges", default=None)


@contextmanager
def exchanges_to(keep: Callable[[Exchange], Any]) -> Iterator[None]:
    """Hand each exchange of what runs inside to `keep`, as it ends. Nothing is recorded elsewhere."""
    before = _keep.set(keep)
    try:
        yield
    finally:
        _keep.reset(before)


def keep_exchange(make: Callable[[], Exchange]) -> None:
    """Hand an exchange to who keeps them; where nobody does, it is not made."""
    if keep := _keep.get():
        keep(make())
