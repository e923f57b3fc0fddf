"""How a command prints: as text or JSON, how much of it, and at which price."""

import sys
from dataclasses import dataclass, field

import typer

from readgraph.cli.settings import kept_price
from readgraph.cli.terminal.command_log import log_price
from readgraph.cli.terminal.safe_text import visible
from readgraph.models.names.prices import Price, parse_price
from readgraph.state.errors import BadInput


@dataclass(frozen=True)
class Screen:
    """How a command prints its results.

    `steps`: also print what each step did. `price`: the user's own price, if one was given. `noticed`: the warnings
    that were printed, each of which is printed once.
    """

    as_json: bool = False
    quiet: bool = False
    verbose: bool = False
    price: Price | None = None
    steps: bool = False
    noticed: set[str] = field(default_factory=set)

    @classmethod
    def of(cls, *, as_json: bool, quiet: bool, verbose: bool, price: str | None) -> "Screen":
        """The screen of a command's options; raises `BadInput` for two that exclude each other."""
        if quiet and verbose:
            raise BadInput("--quiet prints less and --verbose prints more: leave one of them out.")
        known = price or kept_price()
        dollars = parse_price(known) if known else None
        log_price((dollars.input, dollars.output) if dollars else None)
        return cls(as_json, quiet, verbose, dollars)


def person_types() -> bool:
    """Whether standard input is a terminal, where the user can be asked; it is None if it was closed."""
    return sys.stdin is not None and sys.stdin.isatty()


def agreed(question: str) -> bool:
    """Whether the user says yes; False if nobody can be asked."""
    if not person_types():
        return False
    typer.echo(visible(question), nl=False, err=True)
    reply = sys.stdin.readline()
    if not reply:  # Ctrl-D, which leaves the line open
        typer.echo(err=True)
    return reply.strip().casefold() in ("y", "yes")
