"""`readgraph studio`, run from another folder: every graph over the user's library, as LangGraph Studio sees it."""

import asyncio
import json
import os
import re
import signal
import socket
import sys
import time
from collections.abc import AsyncIterator, Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
from langgraph_sdk import get_client
from langgraph_sdk.client import LangGraphClient

from readgraph.doors.studio.run import server_environment
from readgraph.graphs.methods import METHODS
from readgraph.graphs.served import assistant_graphs, server_configuration, settings_of_served
from readgraph.library.opening import open_library
from readgraph.state.context import PROFILES
from readgraph.state.records import Document
from tests.doubles.model_server import ModelServer
from tests.doubles.reader import reader
from tests.support.command import Command, assert_cited, assert_refused
from tests.support.development_server import REPOSITORY, DevelopmentServer, free_port, needs_the_server, serving
from tests.support.examples import EXAMPLES

TEXT = (EXAMPLES / "the-lamp-at-sarn-head.txt").read_text(encoding="utf-8")[:9_000]
QUESTION = "Who took the log book?"
RENEW = "READGRAPH_RENEW_SNAPSHOTS"
CONTEXT: dict[str, Any] = {
    "embeddings": "openai:double-embeddings",
    "segment_words": 300,
    "children": 3,
    "memo_page_words": 400,
    "rounds": 1,
}
VERBS = set(
    "act answer begin check choose cite combine compare correct cut decide descend enter evict find gather grow "
    "integrate join judge look memorize merge note open plan quote read receive reflect route run search tabulate take "
    "think walk write".split()
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the user stands; the library is in it."""
    return tmp_path_factory.mktemp("elsewhere")


@pytest.fixture(scope="module")
def studio(folder: Path) -> Iterator[DevelopmentServer]:
    with ModelServer(reader) as model:
        (folder / "settings.toml").write_text('model = "openai:double"\nmax_calls = 1000\nmethod = "gam"\n')
        named = {"OPENAI_BASE_URL": model.url, "OPENAI_API_KEY": "test", "READGRAPH_SETTINGS": "settings.toml"}
        command = ["readgraph", "studio", "--library", "kept", "--profile", "movie"]
        with serving(command, folder, saying="Studio: ", **named) as server:
            yield server


@pytest.fixture(scope="module")
def document(folder: Path) -> Document:
    async def added() -> Document:
        async with open_library(folder / "kept") as library:
            return await library.pages.add_document(TEXT, title="The lamp")

    return asyncio.run(added())


@pytest_asyncio.fixture
async def client(studio: DevelopmentServer) -> AsyncIterator[LangGraphClient]:
    async with get_client(url=studio.url, api_key=None) as running:
        yield running


def of_graph(context: dict[str, Any], name: str) -> dict[str, Any]:
    """Those of these settings that the graph has."""
    return {setting: value for setting, value in context.items() if setting in settings_of_served(name)}


def compiled(name: str) -> Any:
    module, _, graph = assistant_graphs()[name].path.partition(":")
    return getattr(import_module(module), graph)


def test_the_repository_s_configuration_is_the_command_s() -> None:
    file, text = REPOSITORY / "langgraph.json", json.dumps(server_configuration(), indent=2) + "\n"
    if os.environ.get(RENEW):
        file.write_text(text, encoding="utf-8")
    assert file.read_text(encoding="utf-8") == text, f"With {RENEW}=1 this test writes it anew."


@pytest.mark.slow
@needs_the_server
async def test_every_graph_is_listed_and_drawn_as_wired(client: LangGraphClient) -> None:
    listed = await client.assistants.search(limit=100)
    assert {assistant["graph_id"] for assistant in listed} == {*assistant_graphs()}
    for name in assistant_graphs():
        assert compiled(name).name == name
        shown, wired = await client.assistants.get_graph(name), compiled(name).get_graph()
        assert {str(node["id"]) for node in shown["nodes"]} == {*wired.nodes}, name
        assert {(edge["source"], edge["target"], edge.get("conditional", False)) for edge in shown["edges"]} == {
            (edge.source, edge.target, edge.conditional) for edge in wired.edges
        }, name
        own = {*wired.nodes} - {"__start__", "__end__"} - {method.replace("-", "_") for method in METHODS}
        assert {node.split("_")[0] for node in own - {"summary"}} <= VERBS, name


@pytest.mark.slow
@needs_the_server
async def test_settings_are_described_for_every_graph(client: LangGraphClient) -> None:
    for assistant in await client.assistants.search(limit=100):
        schemas: Any = await client.assistants.get_schemas(assistant["assistant_id"])
        settings = schemas["context_schema"]["properties"]
        assert {"model", "max_calls", "max_words", "timeout"} <= {*settings}
        assert {*settings} == settings_of_served(assistant["graph_id"]), assistant["graph_id"]
        given = schemas["input_schema"]["properties"]
        assert all(field["description"] for field in [*settings.values(), *given.values()]), assistant["graph_id"]
        assert assistant["description"], assistant["graph_id"]


@pytest.mark.slow
@needs_the_server
async def test_assistants_are_configured_with_the_settings(client: LangGraphClient, studio: DevelopmentServer) -> None:
    for assistant in await client.assistants.search(limit=100):
        chosen = {"model": "openai:double", "max_calls": 1000, **PROFILES["movie"]}
        assert assistant["context"] == of_graph(chosen, assistant["graph_id"]), assistant["graph_id"]
    assert "The graphs read with openai:double, " in studio.log


async def streamed(client: LangGraphClient, graph: str, given: dict[str, Any]) -> tuple[list[str], dict[str, Any]]:
    """The nodes that a run told of, one by one, and the thread's state at the end."""
    thread, nodes = (await client.threads.create())["thread_id"], []
    context = of_graph(CONTEXT, graph)
    async for part in client.runs.stream(thread, graph, input=given, context=context, stream_mode="updates"):
        assert part.event in ("metadata", "updates"), part
        nodes += list(part.data) if part.event == "updates" else []
    values: Any = (await client.threads.get_state(thread))["values"]
    return nodes, values


@pytest.mark.slow
@needs_the_server
async def test_every_graph_reads_the_library_s_document(
    client: LangGraphClient, studio: DevelopmentServer, document: Document
) -> None:
    asked: dict[str, Any] = {"document": document.id, "question": QUESTION}
    greeted = {"event": {"kind": "user", "text": "Good evening."}}
    memorized, _ = await streamed(client, "gam_memorize", asked)
    assert memorized == ["open", "memorize"]
    _, checked = await streamed(client, "verify", {"document": document.id, "draft": TEXT})
    verdicts = [claim["verdict"] for claim in checked["claims"]]
    assert {*verdicts} <= {"supported", "not decided"} and verdicts.count("supported") > 0.9 * len(verdicts)
    _, compared = await streamed(client, "changes", {"document": document.id, "earlier": f"{TEXT}\n\nIt is over."})
    assert [change["kind"] for change in compared["changes"]] == ["removed"]
    names = [name for name in assistant_graphs() if name not in ("gam_memorize", "correct", "verify", "changes")]
    runs = [streamed(client, name, greeted if name == "mem_gpt_chat" else asked) for name in names]
    for name, (nodes, state) in zip(names, await asyncio.gather(*runs), strict=True):
        assert {*nodes} <= {*compiled(name).nodes}, name
        if name != "auto":  # its second node is a method with steps of its own
            assert nodes == [step["node"] for step in state["steps"]], name
        assert {step["model"] for step in state["steps"]} == {"openai:double"}, name
        assert {*state["fallbacks"]} <= {"quote_not_found"}, "only of notes, which hold no words of the text"
        if name == "mem_gpt_chat":
            assert state["said"] == ["It says so."]
            continue
        if name == "web_agent":
            assert state["action"]["outcome"] == "stuck", "a text has nothing to act on"
            continue
        if name == "wiki":
            assert state["pages"]
            continue
        if name == "summary":
            assert state["status"] == "summarised" and all(each["supported"] for each in state["sentences"])
            continue
        assert (state["status"], state["answer"], state["document"]) == ("answered", "It says so.", document.id), name
        if state["pages_read"]:  # notes alone hold no words of the text
            assert_cited(state, TEXT)
    assert not re.findall(r".*(?:BlockingError|Blocking call|Traceback|\[error|never awaited).*", studio.log)


@pytest.mark.slow
@needs_the_server
def test_it_says_what_is_shown_where(studio: DevelopmentServer, folder: Path) -> None:
    assert f"The library {folder / 'kept'} " in studio.log and f"is served at {studio.url}." in studio.log
    assert f"https://smith.langchain.com/studio/?baseUrl={studio.url}" in studio.log
    assert "from LangChain's server" in studio.log
    assert {path.name for path in folder.iterdir()} <= {"kept", "server.log", "settings.toml"}, (
        "nothing is written where the user stands"
    )


@pytest.mark.slow
@needs_the_server
def test_ctrl_c_ends_all_of_it(studio: DevelopmentServer) -> None:
    studio.process.send_signal(signal.SIGINT)
    assert studio.process.wait(20) == 0
    with pytest.raises(ProcessLookupError):  # what it started ends as its input does, and is then reaped by the system
        until = time.monotonic() + 20
        while time.monotonic() < until:
            os.killpg(studio.process.pid, 0)
            time.sleep(0.05)
    assert "Traceback" not in studio.log


def test_a_port_that_is_taken_is_reported(readgraph: Command) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        assert_refused(readgraph("studio", "--port", port), f"Port {port} can't be used (")


def test_a_server_that_is_not_installed_is_reported(readgraph: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("readgraph.doors.studio.run.find_spec", lambda name: None)
    assert_refused(readgraph("studio"), "pip install 'readgraph[studio]'")


@needs_the_server
def test_a_server_that_does_not_start_is_reported(readgraph: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "executable", "/bin/false")
    assert_refused(readgraph("studio", "--port", free_port()), "did not start")


def test_the_server_reports_to_nobody(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("LANGSMITH_API_KEY", "ls-not-a-real-key")
    monkeypatch.setenv("LANGSMITH_TRACING", "true")
    given = server_environment(tmp_path, "")
    assert "LANGSMITH_API_KEY" not in given and given["LANGSMITH_TRACING"] == "false"
    assert given["LANGGRAPH_CLI_NO_ANALYTICS"] == "1" and given["READGRAPH_LIBRARY"] == str(tmp_path)
