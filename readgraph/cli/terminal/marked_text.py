"""Stretches of a document with words marked in them, in a pager on a terminal."""

import os
from collections.abc import Iterable

from readgraph.cli.terminal.output_options import person_types
from readgraph.cli.terminal.safe_text import Console, Text

MARK = "bold reverse"


def marked_text(text: str, marks: Iterable[tuple[int, int]], *, styled: bool) -> Text:
    """The text with these spans `[start, end)` marked: in bold if `styled`, else between two pairs of asterisks."""
    shown, before = Text(), 0
    for start, end in sorted(marks):
        shown.append(text[before:start])
        shown.append(text[start:end] if styled else f"**{text[start:end]}**", MARK if styled else None)
        before = end
    shown.append(text[before:])
    return shown


def print_paged(pieces: Iterable[Text]) -> None:
    """Print in a pager on a terminal, else plainly and without line breaks of our own."""
    console = Console()
    if not (console.is_terminal and person_types()):
        for piece in pieces:
            console.print(piece, soft_wrap=True)
        return
    os.environ.setdefault("LESS", "-FRX")  # `less` shows styles, and ends by itself where all fits the screen
    with console.pager(styles=True):
        for piece in pieces:
            console.print(piece)
