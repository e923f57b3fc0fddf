"""The house plan: which room may import which (docs/design.md)."""

import ast
from pathlib import Path

import pytest

import readgraph

HOUSE = Path(readgraph.__path__[0])
ROOMS: dict[str, set[str]] = {
    "state": set(),
    "nodes": {"state"},
    "graphs": {"nodes", "state"},
    "sources": {"state"},
    "report": {"state"},
    "evaluation": {"graphs", "nodes", "state", "sources", "report"},
    "cli": {"evaluation", "graphs", "nodes", "state", "sources", "report"},
}


def rooms_imported(file: Path) -> set[str]:
    """The rooms of which a file imports something, anywhere in it."""
    tree = ast.parse(file.read_text(encoding="utf-8"))
    named = [node.module or "" for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)]
    named += [alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names]
    return {name.split(".")[1] for name in named if name.startswith("readgraph.")}


def test_every_room_is_in_the_plan() -> None:
    assert {path.name for path in HOUSE.iterdir() if (path / "__init__.py").exists()} == ROOMS.keys()


@pytest.mark.parametrize("room", ROOMS)
def test_arrows_go_one_way(room: str) -> None:
    strays = {
        str(file.relative_to(HOUSE)): wrong
        for file in (HOUSE / room).rglob("*.py")
        if (wrong := rooms_imported(file) - ROOMS[room] - {room})
    }
    assert not strays


def test_only_one_file_talks_to_a_chat_model() -> None:
    callers = [file.name for file in HOUSE.rglob("*.py") if "call_model(" in file.read_text(encoding="utf-8")]
    assert sorted(callers) == ["asking.py", "calling.py"]
