"""The graph as LangGraph Studio sees it: served by `langgraph dev`, spoken to over the SDK."""

import asyncio
import json
import re
import sys
import threading
from collections.abc import AsyncIterator, Iterator
from typing import Any

import pytest
import pytest_asyncio
from httpx2 import AsyncClient
from langgraph.graph import START, StateGraph
from langgraph.pregel.remote import RemoteGraph
from langgraph_sdk import get_client
from langgraph_sdk.client import LangGraphClient
from typing_extensions import TypedDict

from examples import server_chat
from readgraph.graphs.served import settings_of_served
from readgraph.library.opening import open_library
from tests.doubles.agent import call, say
from tests.doubles.lifelike import lifelike
from tests.doubles.model_server import ChatRequest, ModelServer
from tests.support.development_server import REPOSITORY, DevelopmentServer, development_server, needs_the_server

pytestmark = [needs_the_server, pytest.mark.slow]

FOUND = {
    "Sarn": "goat",
    "Hendre": "mackerel",
    "Abbot": "lantern",
    "Quay": "plaque",
    "Larch": "ledger",
    "Moor": "gander",
    "Pell": "bell",
    "Tarn": "anchor",
}
PARAGRAPHS = [
    f"The year at {place} began with rain, and the keeper of {place} wrote little. In spring a {thing} was found "
    "beneath the stair by the youngest of the children. Nobody could say who had left it there, or why. They kept "
    "it on a shelf in the kitchen until the autumn, and then it went back to the sea with the boats."
    for place, thing in FOUND.items()
]
TEXT = "\n\n".join(PARAGRAPHS)
GERMAN = "\n\n".join(
    f"Das Jahr in {place} begann mit Regen, und der Wärter von {place} schrieb nur wenig in sein Buch. Im Frühling "
    f"fand das jüngste der Kinder unter der Treppe etwas, das niemand kannte: {thing}. Man legte es auf das Regal in "
    "der Küche, und im Herbst ging es mit den Booten zurück auf das Meer."
    for place, thing in {"Sarn": "eine Glocke", "Hendre": "eine Laterne", "Moor": "einen Anker"}.items()
)
SIZES = {"min_page_words": 40, "max_page_words": 140}
"""One or two paragraphs make a page: two by rule, one where the model pauses."""
MODEL = SIZES | {"model": "openai:test"}
ASKED = ["open", "read", "merge", "look_up", "answer", "cite"]


def respond(request: ChatRequest) -> str | dict[str, Any]:
    """Pause at the first label, read pages 2 and 5 again, answer from page 2."""
    quotes = [{"page": 2, "quote": "In spring a lantern was found"}]
    read = re.search(r"again so far: ([\d, ]*)", request.last)
    replies: dict[str | None, str | dict[str, Any]] = {
        None: "A thing was found at " + request.last.split("keeper of ")[-1].split()[0],
        "PausePoint": {"reason": "a year ends", "label": 1},
        "PagesToRead": {"reason": "both look near", "pages": [2, 5]},
        "NextPage": {"reason": "it looks near", "page": {"": 2, "2": 5}.get(read[1].strip() if read else "")},
        "FreeAnswer": {"quotes": quotes, "answer": "a lantern"},
        "ChosenAnswer": {"quotes": quotes, "choice": "B"},
        "NextStep": call("archival_search", request_heartbeat=True, query="lantern")
        if "result: showing" not in request.text
        else say("A lantern."),
    }
    return replies[request.schema_name]


@pytest.fixture(scope="module")
def model() -> Iterator[ModelServer]:
    with ModelServer(respond) as running:
        yield running


@pytest.fixture(scope="module")
def server(model: ModelServer, tmp_path_factory: pytest.TempPathFactory) -> Iterator[DevelopmentServer]:
    folder = tmp_path_factory.mktemp("development-server")
    config = folder / "langgraph.json"
    told = json.loads((REPOSITORY / "langgraph.json").read_text(encoding="utf-8"))
    told["graphs"]["desk"] = "tests.support.desk:graph"
    config.write_text(json.dumps(told), encoding="utf-8")
    with development_server(folder, config, OPENAI_BASE_URL=model.url, OPENAI_API_KEY="test") as running:
        yield running


@pytest.fixture(autouse=True)
def own_replies(model: ModelServer) -> Iterator[None]:
    yield
    model.respond = respond


@pytest.fixture(autouse=True)
def clean_log(request: pytest.FixtureRequest, server: DevelopmentServer) -> Iterator[None]:
    """After each test: nothing blocked the server's event loop, nothing failed unseen."""
    before = len(server.log)
    yield
    log = server.log[before:]
    if request.node.name != "test_an_error_says_what_to_do":
        assert not re.findall(r".*(?:BlockingError|Blocking call|Traceback|\[error|never awaited).*", log)
    named = log.replace(sys.prefix, "")  # an environment may lie in a checkout of this name
    assert not re.findall(r".*readgraph.*Warning.*", named)


@pytest_asyncio.fixture
async def client(server: DevelopmentServer) -> AsyncIterator[LangGraphClient]:
    async with get_client(url=server.url, api_key=None) as running:
        yield running


async def new_thread(client: LangGraphClient) -> str:
    return (await client.threads.create())["thread_id"]


async def run(client: LangGraphClient, thread: str, graph: str = "read_agent", **options: Any) -> dict[str, Any]:
    """The output of a run on a thread."""
    output = await client.runs.wait(thread, graph, **{"context": SIZES, **options})
    assert isinstance(output, dict)
    return output


async def stream(client: LangGraphClient, thread: str, **options: Any) -> tuple[list[str], list[dict[str, Any]]]:
    """The nodes that a run went through, and the progress that it told."""
    nodes, progress = [], []
    async for part in client.runs.stream(thread, "read_agent", stream_mode=["updates", "custom"], **options):
        assert part.event in ("metadata", "updates", "custom"), part
        if part.event == "updates":
            nodes += list(part.data)
        elif part.event == "custom":
            progress.append(part.data["progress"])
    return nodes, progress


async def values(client: LangGraphClient, thread: str) -> dict[str, Any]:
    state = await client.threads.get_state(thread)
    assert isinstance(state["values"], dict)
    return state["values"]


def nodes_of(output: dict[str, Any]) -> list[str]:
    return [step["node"] for step in output["steps"]]


def check_citations(output: dict[str, Any], text: str, word: str) -> None:
    assert output["citations"]
    for citation in output["citations"]:
        assert text[citation["start"] : citation["end"]] == citation["quote"]
    assert word in output["citations"][0]["quote"]


async def test_schemas_describe_question_and_settings(client: LangGraphClient) -> None:
    (assistant,) = await client.assistants.search(graph_id="read_agent")
    schemas: Any = await client.assistants.get_schemas(assistant["assistant_id"])
    kinds = {name: part["type"] for name, part in schemas["input_schema"]["properties"].items()}
    assert kinds == dict.fromkeys(["document", "text", "title", "question"], "string") | {
        "options": "array",
        "follow_up": "boolean",
        "messages": "array",
    }
    assert {"answer", "citations", "pages_read", "steps"} <= set(schemas["output_schema"]["properties"])
    settings = schemas["context_schema"]["properties"]
    assert all(setting["description"] for setting in settings.values())
    assert settings["model"]["type"] == "string"
    assert settings["strategy"] | {"enum": ["parallel", "sequential"], "default": "parallel"} == settings["strategy"]
    assert settings["max_pages"] | {"type": "integer", "minimum": 0, "default": 5} == settings["max_pages"]


async def test_every_graph_reads_another_language(client: LangGraphClient, model: ModelServer) -> None:
    asked = {"text": GERMAN, "question": "Was fand das Kind unter der Treppe in Hendre?"}
    given: dict[str, dict[str, Any]] = {
        "mem_gpt_chat": {"agent": "ada", "event": {"kind": "user", "text": asked["question"]}},
        "web_agent": {"text": f"<p>{GERMAN}</p><button id=a>Öffnen</button>", "question": "Öffne die Seite."},
        "gam_memorize": {"text": GERMAN},
        "changes": {"text": GERMAN, "earlier": f"{GERMAN} Das Kind fand nichts."},
        "verify": {"text": GERMAN, "draft": f"{GERMAN} Das Kind fand unter der Treppe gar nichts."},
    }
    graphs = [graph["graph_id"] for graph in await client.assistants.search(limit=100) if graph["graph_id"] != "desk"]
    assert len(graphs) == len(json.loads((REPOSITORY / "langgraph.json").read_text(encoding="utf-8"))["graphs"])
    memorized = await run(client, await new_thread(client), "gam_memorize", input=given["gam_memorize"], context={})
    given["gam_research"] = {"document": memorized["document"], "question": asked["question"]}
    given["correct"] = {
        "document": memorized["document"],
        "part": 0,
        "text": "Ein Wärter schreibt wenig.",
        "method": "gam",  # the newest memory may be any graph's, since all run at once
    }
    small = SIZES | {"segment_words": 60, "memo_page_words": 80, "embeddings": "openai:test", "rounds": 1}
    model.respond = lifelike

    async def asks(graph: str, context: dict[str, Any]) -> None:
        used = {name: value for name, value in context.items() if name in settings_of_served(graph)}
        await run(client, await new_thread(client), graph, input=given.get(graph, asked), context=used)

    chats = {"mem_gpt_chat"}  # not without a model
    await asyncio.gather(*(asks(graph, small) for graph in graphs if graph not in chats))
    await asyncio.gather(*(asks(graph, small | MODEL) for graph in graphs))


async def test_two_questions_in_a_thread_without_a_model(client: LangGraphClient, model: ModelServer) -> None:
    model.reset()
    text = TEXT.replace("The year", "One year")
    thread = await new_thread(client)
    question = {"text": text, "title": "The keepers", "question": "What of the plaque?"}
    nodes, progress = await stream(client, thread, input=question, context=SIZES)
    assert nodes == ASKED
    read = [told for told in progress if "done" in told][-1]
    assert (read["done"], read["of"], read["pages"], read["notes"]) == (len(text), len(text), 4, 4)
    first = await values(client, thread)
    assert (first["status"], first["pages_read"], nodes_of(first)) == ("nearest", [1], ASKED)
    check_citations(first, text, "plaque")
    assert "text" not in first

    second = await run(client, thread, input={"question": "What of the gander?"})
    assert (second["document"], second["memory"]) == (first["document"], first["memory"])
    assert (second["status"], second["pages_read"], nodes_of(second)) == ("nearest", [2], ASKED)
    check_citations(second, text, "gander")
    assert model.calls == 0


async def test_edit_before_look_up_then_go_on(client: LangGraphClient) -> None:
    thread = await new_thread(client)
    question = {"text": TEXT, "question": "What of the bell?"}
    waiting = await run(client, thread, input=question, interrupt_before=["look_up"])
    state = await client.threads.get_state(thread)
    assert (state["next"], waiting["status"], nodes_of(waiting)) == (["look_up"], "reading", ["open", "read", "merge"])

    edited = [0, 1, 2, 3]
    await client.threads.update_state(thread, {"pages_read": edited, "continue_search": False}, as_node="look_up")
    assert (await client.threads.get_state(thread))["next"] == ["answer"]
    output = await run(client, thread, input=None)
    assert output["pages_read"] == edited and output["compression_rate"] <= 0, "all pages, and their gists"
    assert nodes_of(output) == ["open", "read", "merge", "answer", "cite"]
    check_citations(output, TEXT, "bell")


async def test_edit_of_the_past_makes_another_answer(client: LangGraphClient) -> None:
    thread = await new_thread(client)
    assert (await run(client, thread, input={"text": TEXT, "question": "What of the goat?"}))["pages_read"] == [0]
    history = await client.threads.get_history(thread)
    (past,) = [state["checkpoint"]["checkpoint_id"] for state in history if state["next"] == ["look_up"]]
    edit = {"pages_read": [3], "continue_search": False}
    await client.threads.update_state(thread, edit, as_node="look_up", checkpoint_id=past)
    output = await run(client, thread, input=None)
    assert (output["status"], output["pages_read"], output["citations"]) == ("no_answer", [3], [])


async def test_one_by_one_with_a_model(client: LangGraphClient, model: ModelServer) -> None:
    model.reset()
    thread = await new_thread(client)
    question = {"text": TEXT, "question": "What was found at Abbot?"}
    nodes, progress = await stream(client, thread, input=question, context=MODEL | {"strategy": "sequential"})
    assert nodes == ["open", "read", "merge", "look_up", "look_up", "look_up", "answer", "cite"]
    output = await values(client, thread)
    assert (output["answer"], output["status"], output["pages_read"]) == ("a lantern", "answered", [2, 5])
    assert (nodes_of(output), output["fallbacks"]) == (nodes, {})
    check_citations(output, TEXT, "lantern")

    kinds = [request.schema_name for request in model.requests]
    expected = {"PausePoint": 6, None: 7, "NextPage": 3, "FreeAnswer": 1}  # the last two paragraphs fit one page
    assert {kind: kinds.count(kind) for kind in kinds} == expected
    assert output["usage"]["calls"] == progress[-1]["usage"]["calls"] == model.calls == 17
    asked = model.requests[-1].text
    assert [paragraph in asked for paragraph in PARAGRAPHS] == [number in (2, 5) for number in range(8)]


async def test_a_choice_over_a_document_of_the_library(
    client: LangGraphClient, server: DevelopmentServer, model: ModelServer
) -> None:
    model.reset()
    text = TEXT.replace("The year", "Another year")
    async with open_library(server.library) as library:
        document = await library.pages.add_document(text, title="More keepers")
        question = {"document": document.id, "question": "What was at Abbot?", "options": ["a goat", "a lantern"]}
        output = await run(client, await new_thread(client), input=question, context=MODEL)
        memories = await library.pages.memories(document.id)
    assert (output["choice"], output["answer"], output["pages_read"]) == ("B", "a lantern", [2, 5])
    assert (nodes_of(output), output["fallbacks"]) == (ASKED, {})
    check_citations(output, text, "lantern")
    assert [(memory.id, memory.pages, memory.complete) for memory in memories] == [(output["memory"], 7, True)]
    assert {request.schema_name for request in model.requests} == {"PausePoint", None, "PagesToRead", "ChosenAnswer"}


async def test_a_walk_hop_by_hop_and_down_another_child(client: LangGraphClient) -> None:
    thread = await new_thread(client)
    context = {"segment_words": 60, "children": 3}
    question = {"text": TEXT, "question": "What of the bell?"}
    found = await run(client, thread, "mem_walker", input=question, context=context)
    assert nodes_of(found) == "open read grow enter descend descend read_leaf answer cite".split()
    assert [(hop["node"], hop["next_node"]) for hop in found["hops"]] == [("2.0", "1.2"), ("1.2", "0.6"), ("0.6", None)]
    check_citations(found, TEXT, "bell")

    history = await client.threads.get_history(thread)
    (past,) = [state["checkpoint"]["checkpoint_id"] for state in history if state["next"] == ["read_leaf"]]
    await client.threads.update_state(thread, {"current_node": "0.7"}, as_node="descend", checkpoint_id=past)
    found = await run(client, thread, "mem_walker", input=None, context=context)
    assert [hop["node"] for hop in found["hops"]] == ["2.0", "1.2", "0.7", "1.2", "0.6"]
    check_citations(found, TEXT, "bell")


async def test_triage_that_a_person_decides(client: LangGraphClient) -> None:
    thread = await new_thread(client)
    context = {"segment_words": 60, "children": 3}
    question = {"text": TEXT, "question": "What of the bell?"}
    options: Any = {"context": context, "interrupt_before": ["descend"]}
    waiting = await run(client, thread, "mem_walker", input=question, **options)
    assert (nodes_of(waiting), waiting["hops"]) == (["open", "read", "grow", "enter"], [])
    await client.threads.update_state(thread, {"current_node": "1.2"})  # the walk begins a level below the root
    found = await run(client, thread, "mem_walker", input=None, context=context)
    assert [(hop["node"], hop["next_node"]) for hop in found["hops"]] == [("1.2", "0.6"), ("0.6", None)]
    check_citations(found, TEXT, "bell")


async def test_a_graph_inside_another_is_seen(client: LangGraphClient, server: DevelopmentServer) -> None:
    (assistant,) = await client.assistants.search(graph_id="desk")
    drawing = await client.assistants.get_graph(assistant["assistant_id"], xray=True)
    nodes = {str(node["id"]) for node in drawing["nodes"]}
    assert {"research:plan", "research:search", "research:integrate", "research:reflect", "write"} <= nodes
    assert [*await client.assistants.get_subgraphs(assistant["assistant_id"])] == ["research"]
    async with open_library(server.library) as library:
        document = await library.pages.add_document(TEXT, title="Keepers")
    thread, told = await new_thread(client), list[tuple[str, str]]()
    given = {"document": document.id, "question": "What of the bell?"}
    options: Any = {"context": {"rounds": 1}, "stream_mode": "updates", "stream_subgraphs": True}
    async for part in client.runs.stream(thread, "desk", input=given, **options):
        event, _, inside = part.event.partition("|")
        told += [(inside.partition(":")[0], node) for node in part.data] if event == "updates" else []
    assert ("research", "plan") in told and told[-2:] == [("", "research"), ("", "write")]
    assert "bell" in (await values(client, thread))["letter"]


async def test_a_graph_around_may_give_more_than_is_taken(server: DevelopmentServer) -> None:
    class Letters(TypedDict):
        text: str
        question: str
        letter: str
        status: str

    desk = StateGraph(Letters)
    desk.add_node("research", RemoteGraph("read_agent", url=server.url))
    desk.add_edge(START, "research")
    asked: Any = {"text": TEXT, "question": "What of the bell?", "letter": "Dear reader"}
    found = await desk.compile().ainvoke(asked)
    assert (found["letter"], found["status"]) == ("Dear reader", "nearest")


async def test_settings_of_an_assistant_and_of_earlier_runs_warn_of_nothing(client: LangGraphClient) -> None:
    assistant = await client.assistants.create("read_agent", context={**SIZES, "max_pages": 1})
    thread, question = await new_thread(client), {"text": TEXT, "question": "What of the bell?"}
    for own in ({"max_pages": 2, "gist_words": 20}, {"max_pages": 3}, {}):
        found = await run(client, thread, assistant["assistant_id"], input=question, context=own)
        assert len(found["pages_read"]) <= own.get("max_pages", 1)
    await client.assistants.delete(assistant["assistant_id"])


async def test_research_and_a_plan_that_a_person_edits(client: LangGraphClient) -> None:
    thread = await new_thread(client)
    context = {"memo_page_words": 80, "rounds": 2, "pages_per_tool": 1, "embeddings": "openai:test"}
    question = {"text": TEXT, "question": "What was found at Abbot?"}
    options: Any = {"context": context, "interrupt_before": ["search"]}
    waiting = await run(client, thread, "gam", input=question, **options)
    assert nodes_of(waiting) == ["open", "memorize", "plan"]
    await client.threads.update_state(thread, {"plan": {"vector": [PARAGRAPHS[7]], "page": [3]}})
    found = await run(client, thread, "gam", input=None, context={**context, "evidence": "pages"})
    first = found["rounds"][0]
    assert {hit["page"]: hit["tools"] for hit in first["hits"]} == {7: ["vector"], 3: ["page"]}
    assert first["pages_shown"] == [3, 7]
    assert "plaque" in found["context"]
    state = await values(client, thread)
    assert state["plan"]["keyword"], "the second round's plan was made anew"
    assert "context" not in state


async def test_a_chat_page_streams_the_answer(client: LangGraphClient, model: ModelServer) -> None:
    thread = await new_thread(client)
    asked: Any = {"text": TEXT, "messages": [{"type": "human", "content": "What was found at Abbot?"}]}
    told = dict[str, str]()
    modes: Any = ["values", "messages-tuple"]
    async for part in client.runs.stream(thread, "read_agent", input=asked, context=MODEL, stream_mode=modes):
        if part.event == "messages" and part.data[0]["type"] in ("ai", "AIMessageChunk"):
            told[part.data[0]["id"]] = told.get(part.data[0]["id"], "") + part.data[0]["content"]
    state = await values(client, thread)
    assert told == {state["messages"][-1]["id"]: "a lantern"}
    assert [message["type"] for message in state["messages"]] == ["human", "ai"]


async def test_other_programs_find_a_graph_described(client: LangGraphClient, server: DevelopmentServer) -> None:
    async def post(path: str, method: str, **params: Any) -> Any:
        request = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
        async with AsyncClient(base_url=server.url, headers={"Accept": "application/json"}, timeout=60) as http:
            return (await http.post(path, json=request)).json()

    tools = {tool["name"]: tool for tool in (await post("/mcp", "tools/list"))["result"]["tools"]}
    assert tools["gam"]["description"].startswith("Answers questions about a long document, with quotes.")
    assert not [name for name, tool in tools.items() if name != "desk" and "Tool based on" in tool["description"]]
    assert all(field["description"] for field in tools["gam"]["inputSchema"]["properties"].values())
    given = {"name": "read_agent", "arguments": {"text": TEXT, "messages": "What of the bell?"}, "context": SIZES}
    answered = (await post("/mcp", "tools/call", **given))["result"]
    assert "isError" not in answered and "bell" in answered["content"][0]["text"]

    (assistant,) = await client.assistants.search(graph_id="read_agent")
    parts = [{"text": "What of the bell?"}, {"data": {"text": TEXT}}]
    message = {"role": "ROLE_USER", "messageId": "1", "parts": parts}
    said = await post(f"/a2a/{assistant['assistant_id']}", "SendMessage", message=message)
    (artifact,) = said["result"]["task"]["artifacts"]
    assert "Nearest sentences:" in (text := artifact["parts"][0]["text"]) and "bell" in text


async def test_a_client_that_leaves_ends_its_run_where_it_says_so(
    client: LangGraphClient, server: DevelopmentServer, model: ModelServer
) -> None:
    thread, text, runs = await new_thread(client), TEXT.replace("The year", "Some year"), list[str]()
    options: Any = {"context": MODEL | {"concurrency": 1}, "stream_mode": "custom", "on_disconnect": "cancel"}
    model.latency = 0.05
    async for part in client.runs.stream(thread, "read_agent", input={"text": text}, **options):
        runs += [part.data["run_id"]] if part.event == "metadata" else []
        if part.event == "custom" and part.data["progress"]["usage"]["calls"] >= 2:
            break
    await client.runs.join(thread, runs[0])
    model.latency = 0
    assert (await client.runs.get(thread, runs[0]))["status"] == "interrupted"
    async with open_library(server.library) as library:
        newest, *_ = await library.pages.documents()
        (memory,) = await library.pages.memories(newest.id)
        assert not memory.complete


async def test_an_error_says_what_to_do(client: LangGraphClient) -> None:
    failed: Any = await client.runs.wait(None, "gam", input={"question": "Who?"}, raise_error=False)
    assert failed["__error__"]["message"].startswith("There is nothing to read: give the id of a document")
    given: Any = {"input": {"text": TEXT}, "context": {"max_pagess": 1}, "raise_error": False}
    misspelt: Any = await client.runs.wait(None, "read_agent", **given)
    assert misspelt["__error__"]["message"] == "There is no setting 'max_pagess': do you mean 'max_pages'?"


async def test_an_agent_that_lives_on(client: LangGraphClient) -> None:
    thread = await new_thread(client)
    given: Any = {"agent": "ada", "event": {"kind": "user", "text": f"What was found? {TEXT * 8}"}}
    events = []
    async for part in client.runs.stream(
        thread, "mem_gpt_chat", input=given, context=MODEL | {"window_words": 4000}, stream_mode="custom"
    ):
        if part.event == "custom" and "event" in part.data:
            events.append(part.data["event"])
    assert [(event["kind"], event["function"]) for event in events if event["result"] or not event["function"]] == [
        ("upload", ""),
        ("call", "archival_search"),
        ("call", "send_message"),
    ]
    state = await values(client, thread)
    assert state["said"] == ["A lantern."] and len(state["documents"]) == 1


async def test_assistants_of_profiles_and_a_message_before_the_answer(
    client: LangGraphClient, server: DevelopmentServer, model: ModelServer
) -> None:
    text = TEXT.replace("The year", "A third year")
    async with open_library(server.library) as library:
        document = await library.pages.add_document(text, title="Third keepers")
    made = await server_chat.make_assistants(client, "read_agent", "openai:test")
    assert made == await server_chat.make_assistants(client, "read_agent", "openai:test"), "they are made once"
    kept = await client.assistants.get(made["nested-keys"])
    settings: Any = kept["context"]
    assert settings["max_page_words"] == 6 and settings["model"] == "openai:test"

    model.reset()
    thread = await new_thread(client)
    began, go_on = threading.Event(), threading.Event()

    def slow(request: ChatRequest) -> str | dict[str, Any]:
        began.set()
        go_on.wait(20)
        return respond(request)

    model.respond = slow
    first = await server_chat.say(client, thread, made["quality"], "What was at Sarn?", document.id)
    assert await asyncio.to_thread(began.wait, 20)
    second = await server_chat.say(client, thread, made["quality"], "What was at Abbot?", document.id)
    go_on.set()
    found: Any = await client.runs.join(thread, second)
    assert found["messages"][-1]["content"] and found["status"] == "answered"
    states = {run["run_id"]: run["status"] for run in await client.runs.list(thread)}
    assert states == {first: "interrupted", second: "success"}
