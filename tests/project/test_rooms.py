"""The rooms of the house: which may import which, outside and inside (docs/design.md)."""

import ast
import re
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path

import pytest

import readgraph
from tests.support.public_names import parsed

HOUSE = Path(readgraph.__path__[0])

METHODS = {"graphs", "nodes", "models", "sources", "library", "language", "state", "plugins"}
"""What the methods are made of, with all below them."""

CORE = {"api", *METHODS}
FEATURES = {f"features/{path.name}" for path in (HOUSE / "features").iterdir() if (path / "__init__.py").exists()}
DOORS = {f"doors/{path.name}" for path in (HOUSE / "doors").iterdir() if (path / "__init__.py").exists()}

PLUGGED_IN = FEATURES | DOORS

LAYERS: dict[str, set[str]] = {
    "plugins": set(),
    "state": {"plugins"},
    "language": {"state"},
    "library": {"language", "state", "plugins"},
    "sources": {"library", "language", "state", "plugins"},
    "models": {"library", "state"},
    "nodes": {"models", "sources", "library", "language", "state", "plugins"},
    "graphs": {"nodes", "models", "library", "state", "plugins"},
    "api": METHODS,
    "cli": CORE,
}
"""What each room may import of the others. The core and the command name no feature and no door: these plug in."""

ROOMS = {**LAYERS, **{each: METHODS for each in FEATURES}, **{each: CORE for each in DOORS}}  # noqa: C420
PLAN = {**LAYERS, "features": {"cli", *CORE}, "doors": {"cli", *CORE}}
"""As it is drawn: with what the commands of features and doors import (`MORE`)."""

MORE: dict[str, set[str]] = {
    "functions": {"api"},  # of `readgraph.api`
    "tools": {"api"},  # of agents
    "page": {"api", "doors/serve"},  # in the browser
    "plugin": {"api", "cli", "doors/serve"},  # what all of these are declared with
    **{name: {"api", "cli"} for name in ("command", "options", "run", "chat", "managing")},  # the feature's commands
}
"""What these files of features and doors may import besides; their steps, states and settings may not."""

ALSO: dict[str, set[str]] = {
    "doors/serve": {"doors/report"},  # its page shows reports
    "doors/studio": {"doors/report", "doors/serve"},  # its page is served as the room's, and draws as reports do
    "features/local_models": {"features/meaning"},  # names its model
    "features/changes": {"features/verify"},  # asks its model whether one text says what the other does
    "doors/middleware": {"features/compression"},  # makes gists with its engines; without them it says what is missing
}
"""What a feature or door needs of others."""

FOR_TYPE_CHECKERS = {"plugins.py", "features/__init__.py", "state/context.py", "api/__init__.py"}
"""Files that name for type checkers what plugs in."""

BY_NAME = {"readgraph.plugins", "readgraph.sources.kinds"}
"""They import what is declared by its place only when somebody asks for it."""

OF_ALL = {"methods", "wiring"}
INNER: dict[str, dict[str, set[str]]] = {
    "graphs": {
        "loading": set(),
        "method": {"loading"},
        "wiring": {"method", "loading"},
        "declared": {path.stem for path in (HOUSE / "graphs").iterdir()},  # it names where the graphs stand
        "methods": {"method", "loading"},
        **dict.fromkeys(("read_agent", "mem_walker", "gam", "correcting"), OF_ALL),
        "baselines": OF_ALL,
        "gist_baselines": {"read_agent", *OF_ALL},
        "hybrids": {"read_agent", "mem_walker", "gam", *OF_ALL},
        "method_facts": {"method", "methods", "wiring", "loading"},
        "estimate": set(),
        "rehearsal": {"estimate", "method", "wiring"},
        "served": {"method", "methods", "loading"},
    },
    "cli": {
        **{name: set[str]() for name in ("settings", "process", "shell", "help", "declaring")},
        "mistakes": {"terminal"},
        "log": {"process"},
        "terminal": {"settings", "log", "process"},
        "faults": {"terminal", "mistakes"},
        "options": {"shell", "help", "terminal", "settings", "log"},
        "run": {"command_group", "options", "terminal", "settings", "log", "mistakes", "declaring"},
        "commands": {"options", "shell", "help", "run", "terminal"},
        "plugin": {"declaring", "commands"},
        "command_group": {"plugin", "declaring", "options", "help", "mistakes", "process", "terminal"},
        "main": {"command_group", "shell", "log", "faults", "process", "terminal"},
    },
}
"""What the files and folders inside of a room may import of each other, where that is more than: in no circle."""

OUTER = {room.partition("/")[0] for room in ROOMS}
MODULE_NAME = re.compile(r"readgraph\.(\w+)(\.\w+)*")


@cache
def imported(file: Path) -> tuple[str, ...]:
    """The modules of ours that a file imports or names, anywhere in it."""
    code = file.read_text(encoding="utf-8")
    if file.relative_to(HOUSE).as_posix() in FOR_TYPE_CHECKERS:
        code = ast.unparse(WithoutTypes().visit(parsed(code)))
    return (*named_in(code, package=module_of(file.parent / "__init__.py")),)


class WithoutTypes(ast.NodeTransformer):
    """Takes out what only type checkers see."""

    def visit_If(self, node: ast.If) -> ast.AST | list[ast.stmt]:
        return node.orelse if ast.unparse(node.test) == "TYPE_CHECKING" else node


def named_in(code: str, package: str) -> Iterator[str]:
    """Modules of ours in a package's code: in import statements, and as strings from which they may be imported."""
    for node in ast.walk(parsed(code)):
        if isinstance(node, ast.ImportFrom):
            above = package.split(".")[: 1 - node.level or None] if node.level else []
            start = ".".join([*above, *filter(None, [node.module])])
            named = [f"{start}.{alias.name}" for alias in node.names]
        elif isinstance(node, ast.Import):
            named = [alias.name for alias in node.names]
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            named = [found[0] for found in [MODULE_NAME.match(node.value)] if found and found[1] in OUTER]
        elif isinstance(node, ast.JoinedStr):
            named = [ast.unparse(node).strip("f'\"")]  # also where the name of the room is put in
        elif isinstance(node, ast.Attribute):
            named = [ast.unparse(node)]
        else:
            continue
        yield from (name for name in named if name.startswith("readgraph."))


def room_inside(file: Path, outer: str) -> str:
    """The room inside of a room: a folder, or a file that is one by itself."""
    return file.relative_to(HOUSE / outer).parts[0].removesuffix(".py")


def rooms_in(names: Iterable[str]) -> set[str]:
    """The rooms in which modules stand; the folder of all features is none, nor is that of all doors."""
    parts = (name.split(".") for name in names)
    return {"/".join(part[1:3]) if part[1] in ("features", "doors") else part[1] for part in parts} - {
        *("features", "doors", "__version__")
    }


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
    rooms = rooms_in(named_in(code, "readgraph.nodes.walk"))
    assert rooms - ROOMS["nodes"] - {"nodes"} == {"graphs"}


@pytest.mark.parametrize(
    "code", ["from readgraph.features.survey.state import Programme", "PLACE = 'readgraph.features.survey.graph:graph'"]
)
def test_a_features_name_is_seen(code: str) -> None:
    assert rooms_in(named_in(code, "readgraph.nodes.walk")) == {"features/survey"}


def test_the_evaluation_is_named_nowhere() -> None:
    assert [file for file in HOUSE.rglob("*.py") if "readgraph_evaluation" in file.read_text(encoding="utf-8")] == []


def test_every_room_is_in_the_plan() -> None:
    rooms = {path.name for path in HOUSE.iterdir() if (path / "__init__.py").exists()}
    assert rooms | {"plugins"} == PLAN.keys()


@pytest.mark.parametrize("room", sorted(ROOMS))  # in the same order in each process
def test_arrows_between_rooms_go_one_way(room: str) -> None:
    strays = dict[str, set[str]]()
    for file in (HOUSE / room).rglob("*.py"):
        allowed = ROOMS[room] | {room} | ALSO.get(room, set())
        if room in PLUGGED_IN:
            allowed |= MORE.get(file.stem, set())
        if wrong := rooms_in(imported(file)) - allowed:
            strays[file.relative_to(HOUSE).as_posix()] = wrong
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
        if name.removeprefix(outer).split(".")[0] not in {room_inside(file, room), *allowed[room_inside(file, room)]}
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
        if module not in BY_NAME
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
    assert sorted(callers) == ["calling.py", "tries.py"]
