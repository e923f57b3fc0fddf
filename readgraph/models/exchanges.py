"""Exchanges with the model, for whoever keeps them: what was asked, what was said, whether it could be used.

And the fall-backs that followed from them.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, NamedTuple

from typing_extensions import TypedDict


class ModelExchange(TypedDict):
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


class FallBack(TypedDict):
    """A fall-back of a `kind`, so many `times`; `after` is the newest exchange of the same task, if there is one."""

    kind: str
    times: int
    after: ModelExchange | None


class Keep(NamedTuple):
    """Takes each exchange as it ends, and each fall-back."""

    exchange: Callable[[ModelExchange], Any]
    fall_back: Callable[[FallBack], Any] | None = None


_keep: ContextVar[Keep | None] = ContextVar("readgraph_recording", default=None)
_newest: ContextVar[ModelExchange | None] = ContextVar("readgraph_newest_exchange", default=None)


@contextmanager
def exchanges_to(
    keep: Callable[[ModelExchange], Any], fall_back: Callable[[FallBack], Any] | None = None
) -> Iterator[None]:
    """Hand each exchange of what runs inside to `keep` as it ends, and each fall-back to `fall_back`.

    Nothing is recorded elsewhere.
    """
    before = _keep.set(Keep(keep, fall_back))
    try:
        yield
    finally:
        _keep.reset(before)


def keep_exchange(make: Callable[[], ModelExchange]) -> None:
    """Hand an exchange to who keeps them; where nobody does, it is not made."""
    if keep := _keep.get():
        exchange = make()
        _newest.set(exchange)
        keep.exchange(exchange)


def keep_fall_back(kind: str, times: int) -> None:
    """Hand a fall-back to who keeps them."""
    if (keep := _keep.get()) and keep.fall_back:
        keep.fall_back(FallBack(kind=kind, times=times, after=_newest.get()))
