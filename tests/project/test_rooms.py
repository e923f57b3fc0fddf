"""The rooms of the house: which may import which, outside and inside (docs/design.md)."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import readgraph

HOUSE = Path(readgraph.__path__[0])

ROOMS: dict[str, set[str]] = {
    "state": set(),
    "models": {"state"},
    "nodes": {"models", "state", "sources"},
    "graphs": {"nodes", "models", "state"},
    "estimates": {"graphs", "nodes", "models", "state"},
    "compression": {"graphs", "nodes", "models", "state"},
    "sources": {"state"},
    "report": {"state"},
    "evaluation": {"compression", "estimates", "graphs", "nodes", "models", "state", "sources", "report"},
    "browsing": {"graphs", "nodes", "models", "state", "sources"},
    "tools": {"compression", "graphs", "nodes", "models", "state", "sources"},
    "corpus": {"tools", "compression", "graphs", "nodes", "models", "state", "sources"},
    "middleware": {"tools", "compression", "graphs", "nodes", "models", "state", "sources"},
    "mcp": {"tools", "graphs", "state", "sources"},
    "serve": {"tools", "report", "estimates", "graphs", "nodes", "models", "state", "sources"},
    "cli": {
        "browsing",
        "corpus",
        "evaluation",
        "compression",
        "estimates",
        "graphs",
        "nodes",
        "models",
        "state",
        "sources",
        "report",
        "tools",
        "mcp",
        "serve",
    },
}
"""What each room may import of the others."""

SHARED_BY_NODES = set(
    (
        "bounds step contracts deciding extractive memory_view gist_levels page_ends prompts purpose search_tools "
        "searching tasks tree_view interrupted not_memorised"
    ).split()
)
SHARED_BY_SOURCES = set(
    "archives blocks converting encodings given_files markup naming_places places source_text".split()
)
SHARED_BY_EVALUATION = {"records", "optional_imports"}
METHODS = ("read_agent", "mem_walker", "gam", "mem_gpt", "survey")
STATE = {path.stem for path in (HOUSE / "state").iterdir()}
SHARED_BY_RUNS = set("documents estimate run_graph source_links stopping".split())
TERMINAL = {path.stem for path in (HOUSE / "cli" / "terminal").glob("*.py")}
INNER: dict[str, dict[str, set[str]]] = {
    "state": {
        **dict.fromkeys(STATE, STATE),
        "text": {"errors"},
        "running": set(),
        "files": {"errors"},
        "settings": {"declaring", "errors", "files", "text"},
        "by_name": {"errors"},
        "web": {"reading", "settings"},
        "store": {"errors", "files", "records", "running", "set_limits", "words"},
        "kept": {"errors", "page_store", "records", "search", "store"},
        "channels": {"chat_messages", "errors", "reading", "store"},
        "archives": {"agents", "channels", "declaring", "errors", "files", "page_store", "records", "store", "words"},
        "checkpointing": {"errors", "files", "running"},
        "postgres": {"checkpointing", "errors", "files", "records", "store"},
    },
    "models": {
        "exchanges": set(),
        "local": set(),
        "prompt": set(),
        "wording": {"prompt"},
        "replaced_words": {"wording", "prompt"},
        "fitting": {"prompt"},
        "metering": {"exchanges"},
        "names": {"exchanges"},
        "functions": {"names"},
        "transport": {"names", "metering"},
        "replies": {"metering", "prompt"},
        "batches": {"replies", "transport", "names", "metering"},
        "clients": {"batches", "replies", "transport", "functions", "names", "local"},
        "watching": {"clients", "names", "metering", "prompt"},
        "embedding_models": {"watching", "transport", "functions", "names"},
        "calling": {"clients", "replies", "transport", "functions", "metering", "prompt", "local"},
        "asking": {
            *("calling", "watching", "clients", "batches", "replies", "transport"),
            *("replaced_words", "fitting", "metering", "exchanges", "prompt"),
        },
    },
    "nodes": {
        **dict.fromkeys(("building", "look_up", "answering", *SHARED_BY_NODES), SHARED_BY_NODES),
        "opening": {"building", *SHARED_BY_NODES},
        "walk": {"answering", "look_up", "building", *SHARED_BY_NODES},
        "research": {"answering", "look_up", "building", *SHARED_BY_NODES},
        "agent": {"answering", "building", "opening", *SHARED_BY_NODES},
        "survey": {"answering", "building", *SHARED_BY_NODES},
        "summary": {"answering", "building", "opening", *SHARED_BY_NODES},
        "web": {"answering", "look_up", "building", "opening", *SHARED_BY_NODES},
        "note_taking": {"answering", *SHARED_BY_NODES},
    },
    "sources": {
        **dict.fromkeys(("pdf", "chats", "web", "addresses", "fetching", *SHARED_BY_SOURCES), SHARED_BY_SOURCES),
        "formats": {"chats", *SHARED_BY_SOURCES},
        "loading": {"addresses", "fetching", "pdf", "{kind}", *SHARED_BY_SOURCES},  # formats, by their names in `KINDS`
        "folders": {"loading", "addresses", *SHARED_BY_SOURCES},
        "sessions": {"folders", "loading", "chats", *SHARED_BY_SOURCES},
    },
    "graphs": {
        "wiring": set(),
        "own_graphs": set(),
        "methods": {"{self", "own_graphs"},  # it imports each method by the name of its module
        **{method: {"wiring"} for method in METHODS},
        "mem_gpt_conversation": {"mem_gpt"},
        "reader_agent": {"mem_gpt", "wiring"},
        "overwrite_memory": {"wiring"},
        "separate_run": set(),
        "baselines": {*METHODS, "web_agent", "wiring"},
        "hybrids": {*METHODS, "wiring"},
        "method_facts": {"methods", "wiring"},
        "shared_nodes": {"methods"},
        "correcting": {"wiring"},
        "summary": {"read_agent", "wiring"},
        "web_agent": {"wiring"},
        "served": {"methods", "gam", "mem_gpt", "correcting", "summary", "web_agent"},
    },
    "evaluation": {
        **dict.fromkeys(("metrics", "rows", "statistics", "walks", "who_questions"), SHARED_BY_EVALUATION),
        "records": set(),
        "optional_imports": set(),
        "datasets": {"metrics", *SHARED_BY_EVALUATION},
        "folder": {"metrics", *SHARED_BY_EVALUATION},
        "running": {"folder", "rows", *SHARED_BY_EVALUATION},
        "judges": {"running", "folder", "metrics", *SHARED_BY_EVALUATION},
        "compressed": {"judges", "metrics", *SHARED_BY_EVALUATION},
        "plan": {"judges", "running", "rows", "metrics", *SHARED_BY_EVALUATION},
        "reproducing": {"plan", "running", "rows", "datasets", *SHARED_BY_EVALUATION},
        "results": {"judges", "folder", "rows", "metrics", "statistics", "walks", *SHARED_BY_EVALUATION},
        "report": {"results", "folder", *SHARED_BY_EVALUATION},
        "publishing": {"results", "judges", "rows", "folder", "metrics", *SHARED_BY_EVALUATION},
        "trajectories": {"results", "folder", *SHARED_BY_EVALUATION},
        "inspect_logs": {"trajectories", "results", "folder", "metrics", *SHARED_BY_EVALUATION},
    },
    "evaluation/datasets": {
        "record_files": set(),
        "scoring": set(),
        "texts": set(),
        "assembling": {"scoring"},
        "forms": {"assembling", "record_files", "texts"},
    },
    "cli": {
        "method_settings": set(),
        "settings": {"method_settings"},
        "terminal": {"settings"},
        "faults": {"terminal"},
        "run": {"options", "terminal", "settings", "method_settings"},
        "shell": {"terminal"},
        "options": {"shell", "terminal", "settings"},
        "commands": {"options", "shell", "run", "terminal"},
        "main": {"commands", "shell", "terminal", "faults"},
    },
    "cli/run": {
        **dict.fromkeys(SHARED_BY_RUNS, SHARED_BY_RUNS),
        **dict.fromkeys(("reading", "library", "evaluating", "serving", "setup"), SHARED_BY_RUNS),
        "chatting": {"library", *SHARED_BY_RUNS},
    },
    "cli/terminal": {
        **dict.fromkeys(TERMINAL, TERMINAL),
        "progress": TERMINAL,
        "evaluation": TERMINAL,
    },
}
"""What the rooms inside of a room may import of each other."""

MODULE_NAME = re.compile(r"readgraph\.(\w+)(\.\w+)*")


def imported(file: Path) -> Iterator[str]:
    """The modules of ours that a file imports or names, anywhere in it."""
    yield from named_in(file.read_text(encoding="utf-8"), package=module_of(file.parent / "__init__.py"))


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
