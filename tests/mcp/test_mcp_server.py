"""The server for agents, spoken to by the SDK's own client in this process and over HTTP."""

import asyncio
import json
import sys
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("mcp", reason="needs pip install 'readgraph[mcp]'")
from httpx2 import AsyncClient
from mcp import Client, MCPError
from mcp_types import ElicitResult, PromptReference

from readgraph.api.servers import open_listener
from readgraph.doors.mcp.jobs import Progress
from readgraph.doors.mcp.refusing import resolve_allowed_folders
from readgraph.doors.mcp.server import LibraryTools, library_server, security_settings, serve_http
from readgraph.features.survey.functions import NO_ROWS
from readgraph.library.opening import Library
from readgraph.library.stored_items import ROOT
from readgraph.state.context import ReaderContext
from readgraph.state.errors import BadInput, Way
from tests.doubles.model_server import ModelServer
from tests.support.command import Command, assert_refused
from tests.support.source_files import TWO_CHATS
from tests.support.systems import needs_posix

pytestmark = pytest.mark.quick

TOOLS = set(
    "list_documents read ask summarise table changes verify wiki search open_page remember research compress "
    "forget".split()
)
TEXT = "\n\n".join(f"In year {year} the keeper found a {thing} beneath the stair. " * 6
                   for year, thing in enumerate(["goat", "lantern", "plaque", "bell"]))  # fmt: skip
CONTEXT = ReaderContext(model="openai:double", min_page_words=40, max_page_words=90)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The folder whose files may be read."""
    (tmp_path / "papers").mkdir()
    (tmp_path / "papers" / "finds.txt").write_text(TEXT, encoding="utf-8")
    return tmp_path / "papers"


@pytest.fixture
async def tools(library: Library, server: ModelServer, folder: Path) -> AsyncIterator[LibraryTools]:
    made = LibraryTools(library, CONTEXT, resolve_allowed_folders([folder]))
    yield made
    await made.jobs.close()


async def call(client: Client, tool: str, **given: Any) -> dict[str, Any]:
    """The structured result of a tool."""
    result = await client.call_tool(tool, given)
    assert not result.is_error, result.content
    assert isinstance(result.structured_content, dict)
    return result.structured_content


async def refused(client: Client, tool: str, **given: Any) -> str:
    """What a tool says where it refuses."""
    result: Any = await client.call_tool(tool, given)
    assert result.is_error
    return str(result.content[0].text)


async def test_what_was_left_out_of_a_file_is_told_each_time(tools: LibraryTools, folder: Path) -> None:
    (folder / "keep.rtf").write_bytes(rb"{\rtf1 Agnes keeps the lamp at Sarn Head.{\v secret}\par}")
    told = ["keep.rtf: left out: 1 passage that is hidden and not printed."]
    async with Client(library_server(tools)) as client:
        read = await call(client, "read", file="keep.rtf", wait_seconds=60)
        assert read["notices"] == read["reading"]["notices"] == told
        for _ in range(2):
            assert (await call(client, "ask", question="Who keeps the lamp?", document="keep"))["notices"] == told
        for tool, given in (
            ("summarise", {}),
            ("verify", {"draft": "Agnes keeps the lamp."}),
            ("wiki", {}),
            ("compress", {"budget": 50}),
            ("open_page", {"page": 0}),
        ):
            assert (await call(client, tool, document="keep", **given))["notices"] == told, tool
        (listed,) = (await call(client, "list_documents"))["result"]
        assert listed["notices"] == told


async def test_an_agent_stays_within_a_collection(tools: LibraryTools, server: ModelServer) -> None:
    pages = tools.library.pages
    lamp, _ = [await pages.add_document(f"The keeper has a {name}. " * 9, title=name) for name in ("lamp", "boat")]
    await tools.library.collections.add("coast", [lamp])
    async with Client(library_server(tools)) as client:
        hits = (await call(client, "search", query="keeper", collection="coast"))["result"]
        assert {hit["title"] for hit in hits} == {"lamp"}
        answer = await call(client, "ask", question="What has the keeper?", collection="coast")
        assert answer["title"] == "lamp"
        assert (await call(client, "verify", draft="The keeper has a lamp.", collection="coast"))["title"] == "lamp"
        assert "no collection 'inland'" in await refused(client, "search", query="keeper", collection="inland")


async def test_an_agent_reads_and_asks(
    tools: LibraryTools, server: ModelServer, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("INFO", "readgraph")
    async with Client(library_server(tools)) as client:
        listed = {tool.name: tool for tool in (await client.list_tools()).tools}
        assert {*listed} == TOOLS
        for tool in listed.values():
            assert tool.description and tool.output_schema and tool.annotations
            assert tool.annotations.destructive_hint == (tool.name == "forget")
            assert all(each.get("description") for each in tool.input_schema["properties"].values()), tool.name
            assert tool.input_schema["additionalProperties"] is False
            reads_only = tool.name in ("list_documents", "search", "open_page")
            assert tool.annotations.read_only_hint == reads_only
            assert tool.annotations.open_world_hint != (reads_only or tool.name == "forget")
        read = await call(client, "read", file="finds.txt", wait_seconds=60)
        assert (read["state"], read["title"], read["reading"]["complete"]) == ("done", "finds", True)
        runs = [(vars(each)["run"], vars(each)["event"]) for each in caplog.records if "run" in vars(each)]
        assert {run for run, _ in runs} == {read["handle"]} and runs[-1][1] == "run_ended"
        caplog.clear()
        asked = {"question": "What was found?", "document": read["document"], "method": "read-agent"}
        answer = await call(client, "ask", **asked)
        assert len({vars(each)["run"] for each in caplog.records if vars(each).get("event") == "node_ended"}) == 1
        assert answer["answer"] == "It says so." and answer["citations"][0]["quote"] in TEXT
        (around,) = (await call(client, "ask", **asked, quote_context=1))["citations"]
        assert around["before"] or around["after"]
        page = await call(client, "open_page", document="finds.txt", page=answer["citations"][0]["page"])
        assert answer["citations"][0]["quote"] in page["text"] and page["note"].startswith("In short:")
        resource: Any = await client.read_resource(f"readgraph://documents/{read['document']}/pages/{page['page']}")
        assert resource.contents[0].text == page["text"]
        for name, why in (("99", "has no part 99"), ("x", "'x' is no number of a page"), ("-1", "is no number")):
            with pytest.raises(MCPError, match=why):
                await client.read_resource(f"readgraph://documents/{read['document']}/pages/{name}")
        again = await call(client, "read", file="finds.txt", wait_seconds=60)
        assert (again["state"], again["reading"]["usage"]["calls"]) == ("done", 0)
        assert again["done"] == again["of"] > 0
        (document,) = (await call(client, "list_documents"))["result"]
        assert document["id"] == read["document"] and document["methods"] == ["read-agent"]
        assert "lantern" in (await call(client, "search", query="lantern"))["result"][0]["text"]
        kept = await call(client, "remember", document="talks", text="We spoke of the goat.", title="Monday")
        assert (kept["sessions"], kept["added"]) == (1, 1)
        kept = await call(client, "remember", document=kept["document"], text="Then of the bell.")
        assert (kept["title"], kept["sessions"]) == ("talks", 2)
        other = await refused(client, "remember", document=read["document"], text="Then of the lamp.")
        assert other == "'finds' is no history, and takes no sessions: give the history a name of its own."
        found = await call(client, "research", question="What of the goat?", document="talks")
        assert found["status"] == "researched" and "goat" in found["context"]
        checked = await call(client, "verify", draft=f"{TEXT} Seven bishops kept bees.", document="finds", as_of="2020")
        assert {claim["verdict"] for claim in checked["claims"]} >= {"supported"} and not checked["contradicted"]
        shown = await call(client, "wiki", document="finds")
        assert "finds (document)" in shown["pages"] and shown["text"].startswith("# Index")
        assert (await call(client, "wiki", page="Finds"))["text"].startswith("# finds")
        assert "The wiki has no page 'Zeus'" in await refused(client, "wiki", page="Zeus")
        assert "YYYY-MM-DD" in await refused(client, "ask", question="What was found?", as_of="soon")
        assert (await call(client, "compress", budget=60, document=["finds"]))["tokens"] <= 60


async def test_a_handle_comes_at_once_and_outlives_the_server(tools: LibraryTools, server: ModelServer) -> None:
    server.latency, told = 0.15, list[tuple[float, float | None]]()
    slow = replace(CONTEXT, concurrency=1)
    tools = LibraryTools(tools.library, slow, ())

    async def hear(progress: float, total: float | None, message: str | None) -> None:
        told.append((progress, total))

    async with Client(library_server(tools)) as client:
        wanted = await call(client, "read", text=TEXT, title="Finds", estimate_only=True)
        assert wanted["state"] == "estimated" and wanted["expected"]["calls"] > 1 and not server.calls
        begun = await call(client, "read", text=TEXT, title="Finds")
        assert begun["handle"] == wanted["handle"] and begun["expected"] is None
        assert begun["state"] == "reading" and begun["reading"] is None
        result = await client.call_tool(
            "read", {"handle": begun["handle"], "wait_seconds": 0.6}, progress_callback=hear
        )
        assert told and not result.is_error
    await tools.jobs.close()  # as a server that ends
    server.latency = 0
    again = LibraryTools(tools.library, slow, ())
    async with Client(library_server(again)) as client:
        done = await call(client, "read", handle=begun["handle"], wait_seconds=60)
    assert (done["state"], done["document"]) == ("done", begun["document"])
    asked = [request.text for request in server.requests]
    assert len(asked) - len({*asked}) <= slow.concurrency, "only calls in flight were made again"


async def test_each_chat_of_an_export_is_a_document(tools: LibraryTools, folder: Path) -> None:
    (folder / "result.json").write_text(json.dumps(TWO_CHATS), encoding="utf-8")
    async with Client(library_server(tools)) as client:
        read = await call(client, "read", file="result.json", wait_seconds=60)
        assert (read["state"], read["title"]) == ("done", "Boat, Shed")
        listed = (await call(client, "list_documents"))["result"]
        assert {each["title"] for each in listed} == {"Boat", "Shed"}
        assert (await call(client, "search", query="oar", document="Shed"))["result"] == []


async def test_a_file_that_supersedes_none_of_the_library_says_so(tools: LibraryTools, folder: Path) -> None:
    (folder / "new.md").write_text(f"---\nsupersedes: old\n---\n\n{TEXT}", encoding="utf-8")
    async with Client(library_server(tools)) as client:
        read = await call(client, "read", file="new.md", wait_seconds=60)
        assert read["notice"] == "new supersedes 'old', which is not in the library: read that first."
        assert (await call(client, "read", file="finds.txt", wait_seconds=60))["notice"] == ""


async def test_a_reading_that_fails_says_why_and_goes_on(
    tools: LibraryTools, server: ModelServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("OPENAI_BASE_URL")
    monkeypatch.delenv("OPENAI_API_KEY")
    async with Client(library_server(tools)) as client:
        failed = await call(client, "read", file="finds.txt", wait_seconds=60)
        assert failed["state"] == "failed" and failed["problem"].startswith("There is no key for openai")
        monkeypatch.setenv("OPENAI_BASE_URL", server.url)
        assert (await call(client, "read", handle=failed["handle"], wait_seconds=60))["state"] == "done"


@needs_posix
@pytest.mark.parametrize(
    "name", ["../secret.txt", "link.txt", "out/secret.txt", "{tmp}/secret.txt", "/etc/passwd", "~/x"]
)
async def test_only_files_of_named_folders_are_read(
    tools: LibraryTools, folder: Path, tmp_path: Path, name: str
) -> None:
    (tmp_path / "secret.txt").write_text("The key lies under the stone.")
    (folder / "link.txt").symlink_to(tmp_path / "secret.txt")
    (folder / "out").symlink_to(tmp_path)
    async with Client(library_server(tools)) as client:
        complaint = await refused(client, "read", file=name.format(tmp=tmp_path))
        assert "in the folders that may be read" in complaint and "--allow" in complaint
        handle = f"{tmp_path}/secret.txt@read-agent"
        assert "in the folders that may be read" in await refused(client, "read", handle=handle)
        assert (await call(client, "list_documents"))["result"] == []
        assert "Give one of" in await refused(client, "read")
        assert "no method" in await refused(client, "read", file="finds.txt", method="telepathy")


async def test_a_call_that_is_wrong_gets_one_line(tools: LibraryTools) -> None:
    wrong: list[tuple[str, dict[str, Any], str]] = [
        ("ask", {"question": "Wann?", "documents": ["finds"]},
         "ask takes no argument 'documents': do you mean 'document'? "
         "It takes question, document, collection, method, options, as_of, up_to, quote_context and prove_absence."),
        ("search", {"query": "goat", "limit": 3},
         "search takes no argument 'limit'. It takes query, document, collection, most, as_of and up_to."),
        ("search", {"query": "goat", "": "x"},
         "search takes no argument ''. It takes query, document, collection, most, as_of and up_to."),
        ("search", {"query": "goat", "Wo\n\nist\u2028er": 3},
         "search takes no argument 'Wo ist er'. It takes query, document, collection, most, as_of and up_to."),
        ("list_documents", {"words": 3}, "list_documents takes no argument 'words'. It takes none."),
        ("open_page", {"document": "finds", "nummer": 3},
         "open_page takes no argument 'nummer'. It takes document, page and method."),
        ("open_page", {"document": "finds"},
         "open_page needs 'page': The number of the page, as search and ask give it."),
        ("open_page", {"document": "finds", "page": "drei"},
         "'page' of open_page must be a whole number of at least 0."),
        ("search", {"query": "goat", "most": 500}, "'most' of search must be a whole number from 1 to 100."),
        ("ask", {"question": ["Wann?"]}, "'question' of ask must be a text."),
        ("ask", {"question": "Wann?", "document": {"id": 3}}, "'document' of ask must be a text or a list of texts."),
        ("ask", {"question": None}, "ask needs 'question': What you want to know."),
        ("table", {"wanted": " ", "document": "finds"}, NO_ROWS),
        ("read", {"document": "finds", "title": "Funde"}, "A title belongs to a text: leave it out."),
        ("read", {"handle": "/finds.txt@gam", "method": "survey"},
         "This handle is of a reading with gam: leave the method out."),
        ("asks", {}, "There is no tool 'asks'. Do you mean ask? The tools are list_documents, search, open_page, read, "
         "ask, summarise, table, changes, verify, wiki, compress, remember, research and forget."),
    ]  # fmt: skip
    async with Client(library_server(tools)) as client:
        for tool, given, line in wrong:
            assert await refused(client, tool, **given) == line
            assert (await call(client, "list_documents"))["result"] == [], (tool, given)


async def test_what_is_null_is_not_given_and_one_name_stands_for_one_thing(tools: LibraryTools) -> None:
    async with Client(library_server(tools)) as client:
        for text in ("Die Ziege steht im Hof.", "Die Glocke hängt im Turm."):
            await call(client, "read", text=text, title=text.split()[1], file=None, wait_seconds=60)
        for document in ("Ziege", ["Ziege"], '["Ziege"]'):
            (hit,) = (await call(client, "search", query="Ziege", document=document, most=None))["result"]
            assert hit["title"] == "Ziege"
        assert len((await call(client, "search", query="Ziege Glocke", document=["Ziege", "Glocke"]))["result"]) == 2


async def test_a_call_that_is_wrong_leaves_nothing_behind(tools: LibraryTools) -> None:
    wrong: list[tuple[str, dict[str, Any], str]] = [
        ("compress", {"budget": 1, "text": TEXT}, "A budget of 1 token holds no word: give at least 2."),
        ("compress", {"budget": 60, "text": TEXT, "question": " "}, "The query is empty"),
        ("compress", {"budget": 60, "text": TEXT, "engine": "zip"}, "There is no compression engine 'zip'"),
        ("compress", {"budget": 60, "text": TEXT, "document": "Funde"}, "Give either a text"),
        ("read", {"text": TEXT, "method": "telepathy"}, "There is no method 'telepathy'"),
        ("ask", {"question": "?", "document": ["one", "two"], "method": "telepathy"}, "There is no method 'telepathy'"),
        ("ask", {"question": "?", "document": "one", "collection": "some"}, "collection names the documents"),
        ("verify", {"draft": "The goat.", "document": "one", "collection": "some"}, "collection names the documents"),
        ("search", {"query": "goat", "document": "one", "collection": "some"}, "collection names the documents"),
        ("ask", {"question": "?", "document": ["one", "two"], "options": ["a"]}, "A multiple choice needs at least"),
    ]
    for text, title in (("The goat.", "one"), ("The bell.", "two")):
        await tools.library.pages.add_document(text, title=title)
    async with Client(library_server(tools)) as client:
        for tool, given, line in wrong:
            assert (await refused(client, tool, **given)).startswith(line)
            titles = sorted(document.title for document in await tools.library.pages.documents())
            assert titles == ["one", "two"], (tool, given)


async def test_errors_speak_of_tools_and_not_of_commands(tools: LibraryTools) -> None:
    async with Client(library_server(tools)) as client:
        empty = "There is nothing to read: call read with a file or a text, since the library is empty."
        assert await refused(client, "ask", question="What was found?") == empty
        assert await refused(client, "search", query="goat") == "The library is empty. Read something: call read"
        await tools.library.pages.add_document(TEXT, title="finds")
        unknown = (
            "The library holds no document 'fimds': list_documents lists them, "
            "and read takes a new file as 'file'. Do you mean 'finds'?"
        )
        assert await refused(client, "read", document="fimds") == unknown
        unread = "'finds' has not been read yet: call read"
        assert await refused(client, "open_page", document="finds", page=0) == unread
        other = "No document of the library shares a word with the question: name a document, or other words."
        assert await refused(client, "ask", question="Xylophon?") == other
        for method in ("summary", "web-agent"):
            refusal = await refused(client, "ask", question="Goat?", method=method)
            assert refusal.endswith(": choose another method.")
        await tools.library.pages.put([((ROOT, "documents"), "ab12", {"id": "ab12"})])
        damaged = "The record of document ab12 is damaged: only the user can delete it."
        for name in ("ab12", "ab"):
            assert await refused(client, "ask", question="Goat?", document=name) == damaged
    ours = [module for name, module in [*sys.modules.items()] if name.startswith("readgraph.")]
    ways = {value for module in ours for value in vars(module).values() if isinstance(value, Way)}
    assert ways and not [way.tool for way in ways if "readgraph" in way.tool]


def test_the_working_folder_is_the_default(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert resolve_allowed_folders([]) == (tmp_path,)
    monkeypatch.chdir("/")
    assert resolve_allowed_folders([]) == () and resolve_allowed_folders([Path("/")]) == (Path("/"),)
    with pytest.raises(BadInput, match="no folder"):
        resolve_allowed_folders([tmp_path / "missing"])


async def test_over_http_only_this_machine_s_names_are_let_in(tools: LibraryTools) -> None:
    listener = open_listener("127.0.0.1", 0)
    port = listener.getsockname()[1]
    running = asyncio.create_task(serve_http(library_server(tools), listener, "127.0.0.1", ["library.example"]))
    url = f"http://127.0.0.1:{port}/mcp"
    async with Client(url) as client:
        assert (await call(client, "read", file="finds.txt", wait_seconds=60))["state"] == "done"
    hello = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
    accepted = {"Accept": "application/json, text/event-stream"}
    async with AsyncClient() as http:

        async def code(**more: str) -> int:
            return (await http.post(url, json=hello, headers=accepted | more)).status_code

        assert await code(Host=f"evil.example:{port}") == 421
        for other in (
            *("http://evil.example", "null", f"https://127.0.0.1:{port}", "http://127.0.0.1", "http://localhost"),
            *(f"http://127.0.0.1:{port + 1}", "http://localhost:3000", "https://library.example:3000"),
        ):
            assert await code(Origin=other) == 403, other
        for own in (f"http://127.0.0.1:{port}", f"http://localhost:{port}", "https://library.example"):
            assert await code(Origin=own) == 200, own
    running.cancel()
    await asyncio.gather(running, return_exceptions=True)


def test_names_that_are_let_in() -> None:
    names = security_settings("192.0.2.1", 8421, ["library.example"])
    assert {"192.0.2.1:*", "library.example", "localhost:*"} <= {*names.allowed_hosts}
    assert (
        "https://library.example" in names.allowed_origins
        and "0.0.0.0" not in security_settings("0.0.0.0", 8421, []).allowed_hosts
    )


def test_what_can_t_be_served_is_one_line(readgraph: Command, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    assert_refused(readgraph("mcp", "--port", 9000), "--port is for a server over HTTP: add --http")
    assert_refused(readgraph("mcp", "--allow", tmp_path / "missing"), "There is no folder")
    taken = open_listener("127.0.0.1", 0)
    assert_refused(readgraph("mcp", "--http", "--port", taken.getsockname()[1]), "can't be used")
    taken.close()
    monkeypatch.setattr("readgraph.doors.mcp.run.find_spec", lambda name: None)
    assert_refused(readgraph("mcp"), "pip install 'readgraph[mcp]'")


async def test_summaries_tables_and_several_sessions_are_made(tools: LibraryTools, server: ModelServer) -> None:
    free = LibraryTools(tools.library, ReaderContext(), ())
    async with Client(library_server(free)) as client:
        await call(client, "read", text=TEXT, title="finds", wait_seconds=60)
        made = await call(client, "summarise", document="finds", words=40)
        assert 0 < len(made["summary"].split()) <= 40 and made["citations"]
        made = await call(client, "table", wanted="every year: year, find", document=["finds"])
        assert made["columns"] == ["year", "find"]
        sessions = [{"text": "We spoke of the goat.", "title": "Monday"}, {"text": "Then of the bell."}]
        kept = await call(client, "remember", document="talks", sessions=sessions)
        assert (kept["sessions"], kept["added"]) == (2, 2)
        wrong = "Give the text of one session, or a list of sessions."
        assert await refused(client, "remember", document="talks") == wrong
        assert await refused(client, "remember", document="talks", text="x", sessions=sessions) == wrong
        assert "a list of objects" in await refused(client, "remember", document="talks", sessions=["x"])


async def test_a_document_is_forgotten_if_the_user_agrees(tools: LibraryTools) -> None:
    asked, answers = (
        list[str](),
        [ElicitResult(action="decline"), ElicitResult(action="accept", content={"delete": True})],
    )

    async def answer(context: Any, params: Any) -> ElicitResult:
        asked.append(params.message)
        return answers[len(asked) - 1]

    async with Client(library_server(tools)) as client:
        await call(client, "read", text=TEXT, title="finds", wait_seconds=60)
        await call(client, "read", text="The baker sold ninety loaves.", title="loaves", wait_seconds=60)
        await call(client, "ask", question="What was sold?", document=["finds", "loaves"])
        assert "no document" in await refused(client, "forget", document="Zeus")
        with pytest.raises(MCPError, match="can't ask the user"):
            await client.call_tool("forget", {"document": "finds"})
    async with Client(library_server(tools), elicitation_callback=answer) as client:
        for deleted in (False, True):
            forgotten = await call(client, "forget", document="finds")
            assert forgotten["deleted"] == deleted and len(forgotten["joint"]) == 1
        said = "Delete 'finds' with all its notes and questions from the library? Deleted with it is what was read"
        assert all(said in each and "'finds, loaves' (2 documents" in each for each in asked)
        assert [each["title"] for each in (await call(client, "list_documents"))["result"]] == ["loaves"]


async def test_prompts_and_titles_are_offered(tools: LibraryTools) -> None:
    async with Client(library_server(tools)) as client:
        await call(client, "read", text=TEXT, title="Finds", wait_seconds=60)
        (prompt,) = (await client.list_prompts()).prompts
        said: Any = await client.get_prompt(prompt.name, {"document": "Finds"})
        assert "Read the document 'Finds'" in said.messages[0].content.text
        for name, typed, found in (("document", "fi", ["Finds"]), ("document", "x", []), ("about", "", [])):
            offered = await client.complete(
                PromptReference(type="ref/prompt", name="brief"), {"name": name, "value": typed}
            )
            assert offered.completion.values == found


async def test_the_list_of_tools_is_short(tools: LibraryTools) -> None:
    async with Client(library_server(tools)) as client:
        tools_now = await client.list_tools()
        listed = [tool.model_dump(exclude_none=True, by_alias=True) for tool in tools_now.tools]
        assert tools_now.ttl_ms > 0 and tools_now.cache_scope == "public"
    shown = [{name: value for name, value in tool.items() if name != "outputSchema"} for tool in listed]
    assert len(json.dumps(shown)) / 4 < 3100, "tokens of what a model sees of the tools, about"


def test_progress_counts_in_words() -> None:
    assert Progress(1_200, 2_000, 1, 0, 1).line == "1,200 of 2,000 characters, 1 page; 1 call to the model"
    assert Progress(calls=2_000).line == "2,000 calls to the model"
