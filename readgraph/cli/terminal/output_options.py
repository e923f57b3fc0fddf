"""What a command prints, and how: for people or programs, more or less of it, with what it cost."""

import sys
from dataclasses import dataclass

from readgraph.cli.settings import kept_price
from readgraph.cli.terminal.prices import Price, parse_price


@dataclass(frozen=True)
class Screen:
    """How a command was asked to print.

    `steps`: what each step did, too. `price`: what the user pays, where it was given.
    """

    as_json: bool = False
    quiet: bool = False
    verbose: bool = False
    price: Price | None = None
    steps: bool = False

    @classmethod
    def of(cls, *, as_json: bool, quiet: bool, verbose: bool, price: str | None) -> "Screen":
        """The screen of a command's options."""
        known = price or kept_price()
        return cls(as_json, quiet, verbose, parse_price(known) if known else None)


def person_types() -> bool:
    """Whether standard input is a terminal, where a person can be asked; there is none where it was closed."""
    return sys.stdin is not None and sys.stdin.isatty()
