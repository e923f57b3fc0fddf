"""Rounds of research on the terminal."""

from collections.abc import Sequence

from rich.padding import Padding

from readgraph.cli.terminal.safe_text import Console, Text
from readgraph.state.research import Round, SearchHit


def print_rounds(rounds: Sequence[Round]) -> None:
    """Print each round: its requests, its searches, the pages read, its notes, and whether they were enough."""
    console, earlier_notes = Console(), ""
    for number, done in enumerate(rounds, 1):
        console.print(Text(f"\nRound {number}", style="bold"))
        notes = "unchanged" if done["notes"] == earlier_notes else done["notes"]
        earlier_notes = done["notes"]
        for name, line in _lines({**done, "notes": notes}):
            console.print(Padding(Text.assemble((f"{name}: ", "dim"), line), (0, 0, 0, 2)))
    console.print()


def _lines(done: Round) -> list[tuple[str, str]]:
    plan = done["plan"]
    lines = [
        ("requests", "; ".join(done["requests"])),
        ("needs", "; ".join(plan["needs"])),
        ("keyword", "; ".join(plan["keyword"])),
        ("vector", "; ".join(plan["vector"])),
        ("page", ", ".join(map(str, plan["page"]))),
        ("found", ", ".join(map(_hit, done["hits"]))),
        ("read", ", ".join(map(str, done["pages_shown"]))),
        ("notes", done["notes"]),
        ("sources", ", ".join(map(str, done["sources"]))),
        ("enough", {True: "yes", False: "no", None: "not checked"}[done["enough"]]),
        ("missing", "; ".join(done["missing"])),
    ]
    return [(name, line) for name, line in lines if line]


def _hit(hit: SearchHit) -> str:
    return f"{hit['page']} ({' + '.join(hit['tools'])})"
