"""Exchanges with the model, for callers that record them: the prompt, the reply, and whether it was usable.

The fall-backs that followed are reported too.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from copy import copy
from functools import partial
from typing import Any, NamedTuple

from typing_extensions import TypedDict


class ModelExchange(TypedDict):
    """One prompt and its reply, which is new or recorded.

    `asked` is the prompt's name, `version` its version. `messages` are pairs of role and text. `refused` says why the
    reply could not be used, or is None. `tokens` (in, out) are as the server counted them, zeros if it did not.
    `repeated`: how many replies to the same messages the server had withheld or damaged just before. `recorded`: the
    reply is not new.
    """

    node: str
    model: str
    asked: str
    version: int
    messages: list[tuple[str, str]]
    reply: str
    refused: str | None
    tokens: tuple[int, int]
    repeated: int
    recorded: bool


class FallBack(TypedDict):
    """A fall-back of a `kind`, which happened `times` times; `after` is the task's newest exchange, or None."""

    kind: str
    times: int
    after: ModelExchange | None


class Keep(NamedTuple):
    """Callbacks for each finished exchange and each fall-back."""

    exchange: Callable[[ModelExchange], Any]
    fall_back: Callable[[FallBack], Any] | None = None


_keep: ContextVar[Keep | None] = ContextVar("readgraph_recording", default=None)
_newest: ContextVar[ModelExchange | None] = ContextVar("readgraph_newest_exchange", default=None)


@contextmanager
def exchanges_to(
    keep: Callable[[ModelExchange], Any], fall_back: Callable[[FallBack], Any] | None = None
) -> Iterator[None]:
    """Call `keep` with each exchange of the code inside the `with` as it ends, and `fall_back` with each fall-back.

    Outside of such a `with`, nothing is recorded.
    """
    before = _keep.set(Keep(keep, fall_back))
    try:
        yield
    finally:
        _keep.reset(before)


@contextmanager
def exchanges_held() -> Iterator[list[ModelExchange]]:
    """Hold back the exchanges of the code inside the `with`; at its end those are reported that are still in the list.

    Fall-backs are reported at once.
    """
    around, held = _keep.get(), list[ModelExchange]()
    try:
        with exchanges_to(held.append, around and around.fall_back):
            yield held
    finally:
        for exchange in held:
            keep_exchange(partial(copy, exchange))


def keep_exchange(make: Callable[[], ModelExchange]) -> None:
    """Report an exchange to the recorder; without a recorder it is not made."""
    if keep := _keep.get():
        exchange = make()
        _newest.set(exchange)
        keep.exchange(exchange)


def keep_fall_back(kind: str, times: int) -> None:
    """Report a fall-back to the recorder, if there is one."""
    if (keep := _keep.get()) and keep.fall_back:
        keep.fall_back(FallBack(kind=kind, times=times, after=_newest.get()))
