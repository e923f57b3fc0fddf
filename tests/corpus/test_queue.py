"""The example that reads a corpus by the queue of a LangGraph server, against a real one."""

import asyncio
import os
import subprocess
import sys
from pathlib import Path

import pytest

from readgraph.library.opening import open_library
from tests.doubles.model_server import ChatRequest, Fault, ModelServer
from tests.support.development_server import REPOSITORY, needs_the_server, serving

PROGRAM = REPOSITORY / "examples" / "queue_runs.py"
NAMES = ("goat", "lamp", "gander", "keeper")


@pytest.mark.slow
@needs_the_server
def test_each_document_is_a_run_of_the_server_and_one_that_fails_is_queued_again(
    server: ModelServer, tmp_path: Path
) -> None:
    (tmp_path / "corpus").mkdir()
    for name in NAMES:
        (tmp_path / "corpus" / f"{name}.txt").write_text(f"The {name} was on the gallery.")
    (tmp_path / "corpus" / "empty.txt").touch()
    refused: list[str] = []

    def once(request: ChatRequest, call: int) -> Fault | None:
        if "goat" in request.text and not refused:
            refused.append(request.key)
            return Fault("no", status=403)
        return None

    server.fault_for = once
    (tmp_path / "settings.toml").write_text('model = "openai:double"\n')
    named = {"OPENAI_BASE_URL": server.url, "OPENAI_API_KEY": "test", "READGRAPH_SETTINGS": "settings.toml"}
    library = tmp_path / "kept"
    with serving(["readgraph", "studio", "--library", "kept"], tmp_path, saying="Studio: ", **named) as studio:
        given = [sys.executable, str(PROGRAM), studio.url, str(tmp_path / "corpus")]
        environment = {**os.environ, "READGRAPH_LIBRARY": str(library), "PYTHONPATH": str(REPOSITORY)}
        for _ in range(2):
            ran = subprocess.run(given, env=environment, cwd=tmp_path, capture_output=True, text=True, timeout=120)
            assert ran.returncode == 0, ran.stderr
            assert sorted(ran.stdout.splitlines()) == sorted(f"{name}: success" for name in NAMES)
            assert "empty.txt is empty" in ran.stderr
    assert refused and len(server.answered) == len({*server.answered}) == len(NAMES), "none was paid for twice"
    assert asyncio.run(complete(library)) == len(NAMES)


async def complete(folder: Path) -> int:
    """How many documents are read to their end."""
    async with open_library(folder) as library:
        memories = await library.pages.all_memories()
        return sum(any(memory.complete for memory in each) for each in memories.values())
