"""The recipes of the page on workers and servers run as they stand there, in the processes that they are meant for."""

import asyncio
import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from importlib import import_module
from pathlib import Path
from threading import Event
from typing import Any

import pytest
import uvicorn
from httpx2 import AsyncClient

from readgraph.api.servers import open_listener
from readgraph.library.opening import open_library
from tests.doubles.model_server import ChatRequest, Fault, ModelServer

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "guides" / "workers.md").read_text("utf-8")
RECIPES = {name: code for code, name in re.findall(r"^```py\n(# (\w+)\.py: .*?)^```$", PAGE, re.MULTILINE | re.DOTALL)}
QUESTIONS = ["Who took the log book?", "When did the goat come?"]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The current folder, which has the recipes as modules."""
    for name, code in RECIPES.items():
        (tmp_path / f"{name}.py").write_text(code, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    yield tmp_path
    for name in (*RECIPES, "celeryconfig"):
        sys.modules.pop(name, None)


@pytest.fixture
async def document(story: str) -> str:
    """The id of a text in the library that the environment names."""
    async with open_library() as library:
        return (await library.pages.add_document(story, title="The story")).id


@asynccontextmanager
async def served(app: Any) -> AsyncIterator[AsyncClient]:
    """A client of the program, which runs as uvicorn runs it."""
    listener = open_listener("127.0.0.1", 0)
    server = uvicorn.Server(uvicorn.Config(app, log_config=None, lifespan="on"))
    running = asyncio.create_task(server.serve([listener]))
    async with AsyncClient(base_url=f"http://127.0.0.1:{listener.getsockname()[1]}", timeout=60) as client:
        yield client
    server.should_exit = True
    await running


@pytest.mark.slow
async def test_fastapi_streams_and_a_browser_that_leaves_ends_its_reading(
    folder: Path, server: ModelServer, document: str
) -> None:
    pytest.importorskip("fastapi", reason="needs pip install fastapi")
    server.latency = 0.02
    asked = {"document": document, "question": QUESTIONS[0]}
    async with served(import_module("app").app) as client:
        async with client.stream("POST", "/ask", json=asked) as response:
            async for line in response.aiter_lines():
                if json.loads(line)["progress"]["usage"]["calls"] >= 2:
                    break
        said = [json.loads(line) for line in (await client.post("/ask", json=asked)).text.splitlines()]
        answer = said[-1]
        assert (answer["status"], answer["answer"], len(answer["citations"])) == ("answered", "It says so.", 1)
        assert "".join(line.get("text", "") for line in said) == "It says so."
        assert answer["usage"]["calls"] > 10, "it waited for the reading that was left"
        wrong = (await client.post("/ask", json={**asked, "document": "none"})).json()
        assert "holds no document" in wrong["problem"]


async def test_fastapi_reads_on_where_that_is_wanted(folder: Path, server: ModelServer, document: str) -> None:
    pytest.importorskip("fastapi", reason="needs pip install fastapi")
    async with served(import_module("app").app) as client:

        async def read(name: str) -> Any:
            while (told := (await client.post(f"/read/{name}")).json())["state"] == "reading":
                pass
            return told

        assert await read(document) == {"state": "done"}
        answered = await client.post("/ask", json={"document": document, "question": QUESTIONS[0]})
        assert json.loads(answered.text.splitlines()[-1])["usage"]["calls"] < 5, "only the question was asked"
        assert "holds no document" in (await read("none"))["problem"]


CELERY = """
broker_url = "filesystem://"
broker_transport_options = {"data_folder_in": "queue", "data_folder_out": "queue", "control_folder": "control"}
result_backend = "file://results"
worker_prefetch_multiplier = 1
"""


@contextmanager
def celery_worker(folder: Path) -> Iterator["subprocess.Popen[str]"]:
    """A worker of Celery with one process."""
    for name in ("queue", "control", "results"):
        (folder / name).mkdir()
    (folder / "celeryconfig.py").write_text(CELERY, encoding="utf-8")
    command = [sys.executable, "-m", "celery", "-A", "tasks", "worker", "--concurrency", "1", "--without-mingle"]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(folder), str(ROOT)])}
    with (folder / "log.txt").open("w") as log:
        worker = subprocess.Popen(
            command, cwd=folder, env=environment, stdout=log, stderr=log, text=True, start_new_session=True
        )
    try:
        yield worker
    finally:  # with its processes: Celery waits for ever where one of them was killed with a lock in its hand
        os.killpg(worker.pid, signal.SIGKILL)
        worker.wait()


@pytest.mark.slow
def test_a_celery_worker_that_is_killed_goes_on(folder: Path, server: ModelServer, document: str) -> None:
    pytest.importorskip("celery", reason="needs pip install celery")
    hanging = Event()

    def hang(request: ChatRequest, call: int) -> Fault | None:
        if call < 10 or hanging.is_set():
            return None
        hanging.set()
        return Fault.hang()

    server.fault_for = hang
    with celery_worker(folder) as worker:
        ask = import_module("tasks").ask
        result = ask.delay(document, QUESTIONS[0])
        assert hanging.wait(60), (folder / "log.txt").read_text()
        children = Path(f"/proc/{worker.pid}/task/{worker.pid}/children").read_text().split()
        for child in children:
            os.kill(int(child), signal.SIGKILL)
        found = result.get(timeout=60)
        assert (found["status"], found["answer"]) == ("answered", "It says so.")
        assert ask.delay(document, QUESTIONS[1]).get(timeout=60)["usage"]["calls"] < 5
    asked = [request.text for request in server.requests]
    assert len(asked) - len({*asked}) <= 16, "only calls in flight were made again"


@pytest.mark.slow
def test_plain_workers_read_a_document_once(folder: Path, server: ModelServer, document: str) -> None:
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    command = [sys.executable, "workers.py", document, *QUESTIONS]
    ran = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, timeout=120)
    assert (ran.stdout, ran.stderr) == ("It says so.\n" * 2, "")
    asked = [request.text for request in server.requests]
    assert len(asked) == len({*asked}), "nothing was asked twice"


def test_every_recipe_is_run() -> None:
    assert sorted(RECIPES) == ["app", "tasks", "workers"] and PAGE.count("```py\n") == len(RECIPES)
