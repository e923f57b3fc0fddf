"""Ways of calls to their model servers other than a request for each at once, as packages plug them in."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any, Protocol

from readgraph.plugins import plugged_in_by_name

if TYPE_CHECKING:  # packages declare their transports when readgraph starts
    from readgraph.state.context import ReaderContext

__all__ = ["CallSender", "Transport"]


class CallSender(Protocol):
    """What sends the calls of one model client."""

    tries: int
    """How often a request is sent before its failure counts."""

    again: str
    """Why a request is sent again that brought no reply, for logs."""

    def explain(self, cause: str, times: str) -> str:
        """Why a request brought no reply so many times, for a line that begins with its server, and what to do."""

    def close(self) -> Awaitable[None]:
        """Close its connections; what was sent goes on at the server."""


@dataclass(frozen=True, kw_only=True)
class Transport:
    """A way of calls to their model server that a switch among the settings chooses.

    Attributes:
        setting: The name of the switch.
        at_once: How many calls may wait for their replies at the same time.
        share: The part of a model's price that these calls cost.
        check: Raises `BadInput` where a model of the context can't be asked so.
        open: Makes what sends the calls of the context's model: of the context, the address of its server, and its
            client of OpenAI's protocol, whose `send_by` it calls.
        progress: How far is what servers still work on for this process, for a progress bar; "" for nothing.
        goes_on: What is said when the process is stopped meanwhile.
    """

    setting: str
    at_once: int
    share: float
    check: "Callable[[ReaderContext], None]"
    open: "Callable[[ReaderContext, str, Any], CallSender]"
    progress: Callable[[], str]
    goes_on: str


@cache
def transports() -> dict[str, Transport]:
    """What the hook `transports` gives, by setting; none replaces another."""
    taken = "there is a transport by the setting '{}' already"
    return plugged_in_by_name("transports", Transport, lambda transport: transport.setting, taken)


def transport_of(context: "ReaderContext") -> Transport | None:
    """The transport that the settings choose; None for ordinary calls."""
    return next((transport for name, transport in transports().items() if getattr(context, name, False)), None)


def calls_at_once(context: "ReaderContext") -> int:
    """How many calls may be in flight at once."""
    transport = transport_of(context)
    return transport.at_once if transport else context.concurrency


def workers_for(context: "ReaderContext", things: int) -> int:
    """How many workers ask for about so many things: while some commit what they have, others ask."""
    transport = transport_of(context)
    return min(transport.at_once, max(things, 1)) if transport else 2 * context.concurrency


def price_share(context: "ReaderContext") -> float:
    """The part of a model's price that calls cost."""
    transport = transport_of(context)
    return transport.share if transport else 1.0


def progress_lines() -> list[str]:
    """How far is what servers still work on for this process."""
    return list(filter(None, (transport.progress() for transport in transports().values())))


def what_goes_on() -> str:
    """What to say of work that goes on at servers when the process is stopped; "" where there is none."""
    return " ".join(transport.goes_on for transport in transports().values() if transport.progress())
