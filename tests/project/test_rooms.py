"""The rooms of the house: which may import which, outside and inside (docs/design.md)."""

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

import readgraph

HOUSE = Path(readgraph.__path__[0])

METHODS = {"graphs", "nodes", "models", "sources", "library", "state"}
"""What the methods are made of, with all below them."""

ROOMS: dict[str, set[str]] = {
    "state": set(),
    "library": {"state"},
    "sources": {"library", "state"},
    "models": {"library", "state"},
    "nodes": {"models", "sources", "library", "state"},
    "graphs": {"nodes", "models", "library", "state"},
    "report": {"library", "state"},
    "compression": METHODS,
    "browsing": METHODS,
    "api": {"compression", "report", *METHODS},
    "evaluation": {"compression", "report", *METHODS},
    "corpus": {"api", *METHODS},
    "middleware": {"api", "compression", *METHODS},
    "mcp": {"api", "report", *METHODS},
    "serve": {"api", "report", *METHODS},
    "cli": {*("api", "browsing", "compression", "corpus", "evaluation", "mcp", "report", "serve"), *METHODS},
}
"""What each room may import of the others."""

OF_ALL = {"methods", "wiring", "estimates"}
INNER: dict[str, dict[str, set[str]]] = {
    "graphs": {
        **{name: set[str]() for name in ("wiring", "plugins")},
        **dict.fromkeys(("read_agent", "mem_walker", "mem_gpt", "survey", "overwrite_memory", "web_agent"), OF_ALL),
        "correcting": OF_ALL,
        "summary": {"read_agent", *OF_ALL},
        "verify": OF_ALL,
        "wiki": OF_ALL,
        "gam": OF_ALL,
        "reader_agent": {"mem_gpt", *OF_ALL},
        "mem_gpt_conversation": {"mem_gpt", *OF_ALL},
        "baselines": {"read_agent", "web_agent", *OF_ALL},
        "rlm": {"baselines", *OF_ALL},
        "hybrids": {"read_agent", "mem_walker", "gam", *OF_ALL},
        "methods": {"{self", "{module}", "plugins"},  # it imports each method by the name of its module
        "method_facts": {"methods", "wiring"},
        "estimates": {path.stem for path in (HOUSE / "graphs").iterdir()},
        "served": {"methods"},
    },
    "cli": {
        "settings": set(),
        "process": set(),
        "log": {"process"},
        "shell": set(),
        "mistakes": set(),
        "terminal": {"settings", "log", "process"},
        "faults": {"terminal", "mistakes"},
        "options": {"shell", "terminal", "settings", "log"},
        "run": {"options", "terminal", "settings", "log", "mistakes"},
        "commands": {"options", "shell", "run", "terminal", "process"},
        "main": {"commands", "options", "shell", "log", "faults", "mistakes", "process"},
    },
}
"""What the files and folders inside of a room may import of each other, where that is more than: in no circle."""

MODULE_NAME = re.compile(r"readgraph\.(\w+)(\.\w+)*")


@cache
def imported(file: Path) -> tuple[str, ...]:
    """The modules of ours that a file imports or names, anywhere in it."""
    return (*named_in(file.read_text(encoding="utf-8"), package=module_of(file.parent / "__init__.py")),)


def named_in(code: str, package: str) -> Iterator[str]:
    """Modules of ours in a package's code: in import statements, and as strings from which they may be imported."""
    for node in ast.walk(ast.parse(code)):
        if isinstance(node, ast.ImportFrom):
            above = package.split(".")[: 1 - node.level or None] if node.level else []
            start = ".".join([*above, *filter(None, [node.module])])
            named = [f"{start}.{alias.name}" for alias in node.names]
        elif isinstance(node, ast.Import):
            named = [alias.name for alias in node.names]
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            named = [found[0] for found in [MODULE_NAME.match(node.value)] if found and found[1] in ROOMS]
        elif isinstance(node, ast.JoinedStr):
            named = [ast.unparse(node).strip("f'\"")]  # also where the name of the room is put in
        elif isinstance(node, ast.Attribute):
            named = [ast.unparse(node)]
        else:
            continue
        yield from (name for name in named if name.startswith("readgraph."))


def room_of(file: Path, outer: str) -> str:
    """The room inside of a room: a folder, or a file that is one by itself."""
    return file.relative_to(HOUSE / outer).parts[0].removesuffix(".py")


@pytest.mark.parametrize(
    "code",
    [
        "from readgraph.graphs import gam",
        "from readgraph import graphs",
        "from ...graphs import gam",
        "from ... import graphs",
        "import readgraph.graphs.gam as method",
        "import readgraph\nreadgraph.graphs.gam.build()",
        "def late():\n    from readgraph.graphs.gam import build",
        "load = import_module\nload('readgraph.graphs.gam')",
        "PLACE = 'readgraph.graphs.gam:graph'",
        "import_module(name=f'readgraph.graphs.{method}')",
        "__import__('readgraph.graphs.gam')",
    ],
)
def test_an_upward_arrow_is_seen(code: str) -> None:
    rooms = {name.split(".")[1] for name in named_in(code, "readgraph.nodes.walk")}
    assert rooms - ROOMS["nodes"] - {"nodes"} == {"graphs"}


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
    allowed, outer = INNER[room], f"readgraph.{room.replace('/', '.')}."
    strays = {
        f"{file.relative_to(HOUSE)} → {name}"
        for file in (HOUSE / room).rglob("*.py")
        if file != HOUSE / room / "__init__.py"
        for name in imported(file)
        if name.startswith(outer)
        if name.removeprefix(outer).split(".")[0] not in {room_of(file, room), *allowed[room_of(file, room)]}
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
