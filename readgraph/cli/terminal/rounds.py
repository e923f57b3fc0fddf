"""Rounds of research on the terminal."""

from collections.abc import Iterable, Sequence

from rich.padding import Padding

from readgraph.cli.terminal.safe_text import Console, Text
from readgraph.state.channels.research import Round, SearchHit
from readgraph.state.words import with_numbers


def print_rounds(rounds: Sequence[Round]) -> None:
    """Print each round: its requests, its searches, the parts read, its notes, and whether they were enough."""
    console, earlier_notes = Console(), ""
    for number, done in enumerate(rounds, 1):
        console.print(Text(f"\nRound {number}", style="bold"))
        notes = "unchanged" if done["notes"] == earlier_notes else done["notes"]
        earlier_notes = done["notes"]
        for name, line in _lines({**done, "notes": notes}):
            console.print(Padding(Text.assemble((f"{name}: ", "dim"), line), (0, 0, 0, 2), expand=False))
    console.print()


def _lines(done: Round) -> list[tuple[str, str]]:
    plan = done["plan"]
    lines = [
        ("requests", "; ".join(done["requests"])),
        ("needs", "; ".join(plan["needs"])),
        ("keyword", "; ".join(plan["keyword"])),
        ("vector", "; ".join(plan["vector"])),
        ("number", _parts(map(str, plan["page"]))),
        ("found", _parts(map(_hit, done["hits"]))),
        ("read", _parts(map(str, done["pages_shown"]))),
        ("notes", done["notes"]),
        ("sources", _parts(map(str, done["sources"]))),
        ("enough", {True: "yes", False: "no", None: "not checked"}[done["enough"]]),
        ("missing", "; ".join(done["missing"])),
    ]
    return [(name, line) for name, line in lines if line]


def _parts(named: Iterable[str]) -> str:
    listed = list(named)
    return with_numbers("part", listed) if listed else ""


def _hit(hit: SearchHit) -> str:
    return f"{hit['page']} ({' + '.join(hit['tools'])})"
