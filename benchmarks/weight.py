"""How heavy the house is: lines of its parts, length of graph files, what a graph reaches, the path of a question.

python -m benchmarks.weight
"""

import ast
import asyncio
import os
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import FrameType
from typing import Any

from langchain_core.language_models import BaseChatModel
from langgraph.store.memory import InMemoryStore

import readgraph
from readgraph import ReaderContext
from readgraph.graphs import read_agent
from readgraph.library.page_store import PageStore
from tests.doubles.model_server import ModelServer

HOUSE = Path(readgraph.__path__[0])
ROOT = HOUSE.parent
Build = Callable[[], Any]  # makes a method's graph, not compiled
CORE = ("state", "library", "models", "nodes", "graphs", "api")
TEXT = "The keeper climbed to the lamp at nine. The goat stood on the gallery, and the lamp was out.\n\n" * 200


def python_in(*folders: Path) -> Iterator[Path]:
    """The Python files in these folders, or these files."""
    for folder in folders:
        yield from [folder] if folder.is_file() else folder.rglob("*.py")


def lines_of(*folders: Path) -> int:
    return sum(len(file.read_text(encoding="utf-8").splitlines()) for file in python_in(*folders))


def reached_from(module: str) -> set[str]:
    """The modules of ours that a module imports at once, through all others."""
    seen, waiting = set[str](), [module]
    while waiting:
        name = waiting.pop()
        file = ROOT.joinpath(*name.split("."))
        file = file / "__init__.py" if file.is_dir() else file.with_suffix(".py")
        if name in seen or not name.startswith("readgraph") or not file.exists():
            continue
        seen.add(name)
        for node in ast.parse(file.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.ImportFrom) and node.module:
                waiting += [node.module, *(f"{node.module}.{each.name}" for each in node.names)]
    return {name for name in seen if not ROOT.joinpath(*name.split(".")).is_dir()}


def frames_of_ours(frame: FrameType | None) -> list[str]:
    """The names of our functions on the stack that ends with this frame, the outermost first."""
    names = list[str]()
    while frame:
        if frame.f_code.co_filename.startswith(f"{HOUSE}/"):
            names.insert(0, frame.f_code.co_qualname)
        frame = frame.f_back
    return names


class RunPath:
    """Counts the files of ours through which a run passes, the hops between them, and the deepest stack of ours.

    `to_client`: our functions on the stack where a model's client is called, of each call.
    """

    def __init__(self) -> None:
        self.files, self.hops, self.deepest, self._last = set[str](), 0, 0, ""
        self.to_client = dict[FrameType, list[str]]()

    def __call__(self, frame: FrameType, event: str, argument: Any) -> None:
        """Note a call."""
        if event != "call":
            return
        if frame.f_code is BaseChatModel.ainvoke.__code__:
            self.to_client.setdefault(frame, frames_of_ours(frame))  # a coroutine is called anew where it goes on
        file = frame.f_code.co_filename
        if not file.startswith(f"{HOUSE}/"):
            return
        self.hops += file != self._last
        self._last = file
        self.files.add(file)
        self.deepest = max(self.deepest, len(frames_of_ours(frame)))


async def follow_question(build: Build = read_agent.build) -> RunPath:
    """The path of a second question to a method, by `ainvoke`, with the model "openai:double"."""
    store = InMemoryStore()
    document = await PageStore(store).add_document(TEXT)
    graph, path = build().compile(store=store), RunPath()
    context = ReaderContext(model="openai:double")
    await graph.ainvoke({"document": document.id, "question": "Who climbed?"}, context=context)
    sys.setprofile(path)
    await graph.ainvoke({"document": document.id, "question": "What stood on the gallery?"}, context=context)
    sys.setprofile(None)
    return path


def main() -> None:
    """Print all figures."""
    parts = {
        "core": [*(HOUSE / room for room in CORE), *HOUSE.glob("*.py")],
        **{room: [HOUSE / room] for room in ("language", "sources", "cli", "features", "doors")},
        "wheel readgraph": [HOUSE],
        "wheel readgraph-evaluation": [ROOT / "evaluation" / "readgraph_evaluation"],
        "tests": [ROOT / "tests", ROOT / "evaluation" / "tests"],
    }
    for name, folders in parts.items():
        print(f"{name}: {lines_of(*folders):,} lines in {len([*python_in(*folders)])} files")
    graphs = [*(HOUSE / "graphs").glob("*.py"), *(HOUSE / "graphs" / "hybrids").glob("*.py")]
    graphs += [*(HOUSE / "features").glob("*/graph.py"), *(HOUSE / "features" / "agents").glob("*_*.py")]
    drawn = {file: lines_of(file) for file in graphs if "compile(name=" in file.read_text(encoding="utf-8")}
    longest = sorted(drawn, key=lambda file: -drawn[file])[:3]
    print("longest graph files:", ", ".join(f"{each.relative_to(HOUSE)} {drawn[each]}" for each in longest))
    print(f"graphs/read_agent.py reaches {len(reached_from('readgraph.graphs.read_agent'))} files")
    pages = [*(ROOT / "docs").rglob("*.md"), *(ROOT / "evaluation" / "docs").rglob("*.md")]
    print(f"pages: {sum(len(page.read_text(encoding='utf-8').split()) for page in pages):,} words")
    with ModelServer() as server:
        os.environ |= {"OPENAI_BASE_URL": server.url, "OPENAI_API_KEY": "sk-not-a-real-key"}
        path = asyncio.run(follow_question())
    print(f"ainvoke of a question: {len(path.files)} files, {path.hops:,} hops, {path.deepest} frames of ours at most")
    for names in path.to_client.values():
        print(f"frames of ours where the client is called: {len(names)}: {' > '.join(names)}")


if __name__ == "__main__":
    main()
