"""What each version wrote still opens: a library with a paused reading, an agent, replies, an evaluation.

`READGRAPH_RENEW_SNAPSHOTS=1 pytest -m slow tests/project/test_older_files.py` keeps what today's version writes, where
nothing is kept of it yet.
"""

import json
import os
import shutil
import sqlite3
import zipfile
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from langchain_core.runnables import RunnableConfig

from readgraph.features.agents.lives import agent_config
from readgraph.features.agents.mem_gpt import build_chat
from readgraph.graphs import read_agent
from readgraph.library import opening as library_module
from readgraph.library.address import MARKER, STORE
from readgraph.library.opening import open_library_in_background
from readgraph.library.upkeep import folder_copies as migrating
from readgraph.state.context import ReaderContext
from readgraph.state.installed import __version__
from readgraph_evaluation.folder import EvaluationFolder
from tests.doubles.model_server import ModelServer
from tests.support.command import DOUBLE, STORY, Command, assert_refused, kinds
from tests.support.questions import GOAT, story_file

KEPT = Path(__file__).parents[1] / "fixtures"
THREAD = RunnableConfig(configurable={"thread_id": "paused"})
QUESTION = "Who took the log book?"
CONTEXT = ReaderContext(model="openai:double", max_page_words=600)

pytestmark = pytest.mark.slow


def paused(library: Path, given: Any) -> dict[str, Any]:
    """What a graph found that stops before it answers; it goes on where nothing is given."""
    with open_library_in_background(library) as opened:
        graph = read_agent.build().compile(
            checkpointer=opened.checkpointer, store=opened.store, interrupt_before=["answer"] if given else None
        )
        return dict(graph.invoke(given, THREAD, context=CONTEXT))


def told(library: Path, text: str) -> None:
    """Tell the agent ada something."""
    with open_library_in_background(library) as opened:
        chat = build_chat().compile(checkpointer=opened.checkpointer, store=opened.store)
        event: Any = {"kind": "user", "text": text, "document": ""}
        chat.invoke({"agent": "ada", "event": event}, agent_config("ada"), context=CONTEXT)


def write(folder: Path, readgraph: Command) -> None:
    """Write one of each kind, as a user does."""
    library, text = folder / "library", folder / "story.txt"
    text.write_text(STORY.read_text(encoding="utf-8")[:6000], encoding="utf-8")
    paused(library, {"text": text.read_text(encoding="utf-8"), "title": "story", "question": QUESTION})
    told(library, "I keep bees.")
    assert readgraph("agents", "export", "ada", folder / "agent.json", "--library", library).code == 0
    assert readgraph("replies", "export", folder / "replies.jsonl", "--library", library).code == 0
    asked = ("--methods", "read-agent,bm25", "--out", folder / "evaluation", "-q")
    assert readgraph("evaluate", story_file(folder, GOAT), *DOUBLE, *asked).code == 0
    for path in (folder / "questions.jsonl", folder / "evaluation" / "library"):
        shutil.rmtree(path) if path.is_dir() else path.unlink()


@pytest.fixture(params=["today", *sorted(path.stem for path in KEPT.glob("files-*.zip"))])
def files(request: pytest.FixtureRequest, tmp_path: Path, readgraph: Command, server: ModelServer) -> Path:
    """The folder of what a version wrote."""
    folder, kept = tmp_path / "files", KEPT / f"files-{__version__}.zip"
    folder.mkdir()
    if request.param != "today":
        with zipfile.ZipFile(KEPT / f"{request.param}.zip") as packed:
            packed.extractall(folder)
        return folder
    write(folder, readgraph)
    if os.environ.get("READGRAPH_RENEW_SNAPSHOTS") and not kept.exists():
        shutil.make_archive(str(kept.with_suffix("")), "zip", folder)
    server.requests.clear()
    return folder


def test_what_was_written_still_opens(files: Path, readgraph: Command, server: ModelServer) -> None:
    library = ("--library", files / "library")
    assert readgraph("library", "check", *library).code == 0
    asked = readgraph("ask", QUESTION, files / "story.txt", *DOUBLE, "--max-page-words", 600, *library, "--json").json
    assert asked["status"] == "answered" and "note" not in kinds(server.requests), "nothing is read again"
    assert paused(files / "library", None)["status"] == "answered"

    other = ("--library", files / "other")
    assert readgraph("agents", "import", files / "agent.json", *other).code == 0
    told(files / "other", "And now?")
    assert "I keep bees." in server.requests[-1].text
    replies = (files / "replies.jsonl").read_text(encoding="utf-8").splitlines()[1:]
    assert f"{len(replies)} " in readgraph("replies", "import", files / "replies.jsonl", *other).text

    outcomes = EvaluationFolder(files / "evaluation").outcomes()
    assert {outcome.method for outcome in outcomes} >= {"read-agent", "bm25"}
    compared = readgraph("evaluate", "--diff", files / "evaluation", files / "evaluation", "--json")
    assert compared.code == 0


NEWER: dict[str, tuple[str, Callable[[Path], list[object]]]] = {
    "library": (f"library/{MARKER}", lambda files: ["show", "--library", files / "library"]),
    "agent": ("agent.json", lambda files: ["agents", "import", files / "agent.json"]),
    "replies": ("replies.jsonl", lambda files: ["replies", "import", files / "replies.jsonl"]),
    "evaluation": (
        "evaluation/evaluation.json",
        lambda files: ["evaluate", "--diff", files / "evaluation", files / "evaluation"],
    ),
}


@pytest.mark.parametrize("files", [f"files-{__version__}"], indirect=True)
@pytest.mark.parametrize("kind", NEWER)
def test_what_a_newer_version_wrote_is_refused(files: Path, readgraph: Command, kind: str) -> None:
    name, command = NEWER[kind]
    text = (files / name).read_text(encoding="utf-8")
    (files / name).write_text(text.replace('"format": 1', '"format": 2', 1).replace('"format":1', '"format":2', 1))
    assert_refused(readgraph(*command(files)), "was made by a newer version (format 2): upgrade readgraph.")


@pytest.mark.parametrize("files", [f"files-{__version__}"], indirect=True)
def test_an_older_library_is_migrated_and_a_copy_is_kept(
    files: Path, readgraph: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    library, runs = files / "library", list[Path]()

    def step(folder: Path) -> None:
        runs.append(folder)
        if len(runs) == 1:
            raise OSError(28, "No space left on device")
        with closing(sqlite3.connect(folder / STORE)) as database:
            database.execute("CREATE TABLE IF NOT EXISTS of_format_2 (number INTEGER)")

    monkeypatch.setattr(library_module, "FORMAT", 2)
    monkeypatch.setitem(migrating.STEPS, 1, step)
    assert_refused(readgraph("show", "--library", library), "No space left")
    assert json.loads((library / MARKER).read_text()) == {"format": 1}
    assert "story" in readgraph("show", "--library", library).text
    assert json.loads((library / MARKER).read_text()) == {"format": 2}
    assert "story" in readgraph("show", "--library", library).text and len(runs) == 2, "it is migrated once"
    monkeypatch.setattr(library_module, "FORMAT", 1)
    older = library.with_name("library-format-1")
    assert "story" in readgraph("show", "--library", older).text, "the copy opens with the version that wrote it"
