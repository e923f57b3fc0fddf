"""The rooms of the house: which may import which, outside and inside (docs/design.md)."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

import readgraph

pytestmark = pytest.mark.quick

HOUSE = Path(readgraph.__path__[0])

ROOMS: dict[str, set[str]] = {
    "state": set(),
    "models": {"state"},
    "nodes": {"models", "state"},
    "graphs": {"nodes", "models", "state"},
    "estimates": {"graphs", "nodes", "models", "state"},
    "sources": {"state"},
    "report": {"state"},
    "evaluation": {"estimates", "graphs", "nodes", "models", "state", "sources", "report"},
    "cli": {"evaluation", "estimates", "graphs", "nodes", "models", "state", "sources", "report"},
}
"""What each room may import of the others."""

SHARED_BY_NODES = set(
    "bounds step contracts deciding extractive memory_view page_ends prompts search_tools searching tasks".split()
)
INNER: dict[str, dict[str, set[str]]] = {
    "nodes": {
        **dict.fromkeys(("building", "look_up", "answering", *SHARED_BY_NODES), SHARED_BY_NODES),
        "opening": {"building", *SHARED_BY_NODES},
        "walk": {"answering", "look_up", "building", *SHARED_BY_NODES},
        "research": {"answering", "look_up", "building", *SHARED_BY_NODES},
        "agent": {"answering", "building", "opening", *SHARED_BY_NODES},
    },
    "cli": {
        "method_settings": set(),
        "settings": {"method_settings"},
        "terminal": {"settings"},
        "faults": {"terminal"},
        "run": {"terminal", "settings", "method_settings"},
        "commands": {"run", "terminal", "settings", "method_settings"},
        "main": {"commands", "run", "terminal", "faults"},
    },
}
"""What the rooms inside of a room may import of each other."""


def imported(file: Path) -> Iterator[str]:
    """The modules of ours that a file imports, anywhere in it, by a statement or by name."""
    tree = ast.parse(file.read_text(encoding="utf-8"))
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom):
            named = [f"{node.module}.{alias.name}" for alias in node.names]
        elif isinstance(node, ast.Import):
            named = [alias.name for alias in node.names]
        elif isinstance(node, ast.Call) and getattr(node.func, "attr", getattr(node.func, "id", "")) == "import_module":
            named = [ast.unparse(argument).strip("f'\"") for argument in node.args]
        else:
            continue
        yield from (name for name in named if name.startswith("readgraph."))


def room_of(file: Path) -> str:
    """The room inside of a room: a folder, or a file that is one by itself."""
    first = file.relative_to(HOUSE).parts[1]
    return first.removesuffix(".py")


def test_every_room_is_in_the_plan() -> None:
    assert {path.name for path in HOUSE.iterdir() if (path / "__init__.py").exists()} == ROOMS.keys()


@pytest.mark.parametrize("room", ROOMS)
def test_arrows_between_rooms_go_one_way(room: str) -> None:
    strays = {
        str(file.relative_to(HOUSE)): wrong
        for file in (HOUSE / room).rglob("*.py")
        if (wrong := {name.split(".")[1] for name in imported(file)} - ROOMS[room] - {room, "__version__"})
    }
    assert not strays


@pytest.mark.parametrize("room", INNER)
def test_arrows_inside_of_a_room_go_one_way(room: str) -> None:
    allowed = INNER[room]
    strays = {
        f"{file.relative_to(HOUSE)} → {name}"
        for file in (HOUSE / room).rglob("*.py")
        if file.name != "__init__.py" or file.parent.name != room
        for name in imported(file)
        if name.startswith(f"readgraph.{room}.") and name.split(".")[2] not in allowed[room_of(file)] | {room_of(file)}
    }
    assert not strays


def test_no_file_imports_itself_through_others() -> None:
    files = {module_of(file): file for file in HOUSE.rglob("*.py")}
    reach = {
        module: {
            known
            for name in imported(file)
            if (known := nearest(name, files)) and not f"{module}.".startswith(f"{known}.")
        }
        for module, file in files.items()
    }
    while leaves := [module for module, others in reach.items() if not others & reach.keys()]:
        for module in leaves:
            del reach[module]
    assert not reach


def module_of(file: Path) -> str:
    """A file's module, as it is imported."""
    return ".".join(("readgraph", *file.relative_to(HOUSE).with_suffix("").parts)).removesuffix(".__init__")


def nearest(name: str, files: dict[str, Path]) -> str | None:
    """The module that an imported name is, or stands in."""
    return name if name in files else name.rpartition(".")[0] if name.rpartition(".")[0] in files else None


def test_only_one_file_talks_to_a_chat_model() -> None:
    callers = [file.name for file in HOUSE.rglob("*.py") if "call_model(" in file.read_text(encoding="utf-8")]
    assert sorted(callers) == ["asking.py", "calling.py"]
