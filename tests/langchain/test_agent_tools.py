"""The methods as LangChain tools in `create_agent`, and LangChain documents in a library."""

import re
from typing import Any

import pytest
from langchain.agents import create_agent
from langchain.chat_models import init_chat_model
from langchain_core.documents import Document as Given
from langchain_core.messages import AIMessage, HumanMessage, ToolMessage
from langgraph.store.memory import InMemoryStore

from readgraph.api import add_documents, as_retriever, as_tool, research_tool
from readgraph.library.opening import Library
from readgraph.library.page_store import PageStore
from readgraph.state.context import ReaderContext
from readgraph.state.errors import BadInput
from readgraph.state.loops import background
from tests.doubles.model_server import ChatRequest, ModelServer
from tests.doubles.reader import reader

MODEL = ReaderContext(model="openai:double")
TAPE = "The tape is in the shed, behind the rakes. "


def agent_and_reader(request: ChatRequest) -> Any:
    """Calls the tool once, then says what it returned; other requests are those of a reading."""
    if not any(tool["function"]["name"].startswith("ask_") for tool in request.tools):
        return reader(request)
    last = request.messages[-1]
    return f"I was told: {last['content']}" if last["role"] == "tool" else {"question": "Where is the tape?"}


@pytest.mark.parametrize("method", ["read-agent", "full-text"])
async def test_an_agent_asks_a_method(server: ModelServer, library: Library, method: str) -> None:
    server.respond = agent_and_reader
    await library.pages.add_document(TAPE * 40, title="sheds")
    tool = as_tool(library, method, documents=["sheds"], context=MODEL)
    agent = create_agent(init_chat_model("openai:double", base_url=server.url), [tool], store=InMemoryStore())
    output = await agent.ainvoke({"messages": [HumanMessage("Where is the tape?")]})
    returned = next(message for message in output["messages"] if isinstance(message, ToolMessage))
    assert returned.artifact["method"] == method and returned.artifact["status"] == "answered"
    assert isinstance(output["messages"][-1], AIMessage)
    assert output["messages"][-1].text == f"I was told: {returned.content}"
    assert returned.artifact["answer"] in str(returned.content)


def test_tools_of_one_library_have_names_of_their_own() -> None:
    store = InMemoryStore()
    asked: list[Any] = [
        {},
        {"method": "gam"},
        {"documents": ["The book"]},
        {"documents": ["The book"], "method": "gam"},
        {"documents": ["The book?"]},
        {"documents": ["The book", "Minutes"]},
        {"collection": "minutes"},
        *({"documents": [title]} for title in ("Книга", "Бук", "本", "long " * 30, "long " * 31, "", "__")),
    ]
    names = [as_tool(store, **each).name for each in asked]
    names += [research_tool(store, document).name for document in ("The book", "Книга")]
    assert len({*names}) == len(names)
    assert all(re.fullmatch(r"[a-z0-9_]{1,64}", name) for name in names)
    assert names[:4] == ["ask_documents", "ask_documents_by_gam", "ask_the_book", "ask_the_book_by_gam"]
    assert as_tool(store, documents=["The book"], name="mine").name == "mine"


async def test_a_tool_and_a_retriever_take_a_document_or_one_name(library: Library) -> None:
    book = await library.pages.add_document(TAPE, title="The book")
    given: list[Any] = ["The book", book, [book]]
    for named in given:
        tool, passages = as_tool(library, documents=named), as_retriever(library, documents=named)
        assert tool.name == "ask_the_book" and "behind the rakes" in await tool.ainvoke(
            {"question": "Where is the tape?"}
        )
        assert (await passages.ainvoke("tape"))[0].metadata["document"] == book.id


def test_a_tool_works_in_plain_python_over_a_plain_store() -> None:
    store = InMemoryStore()
    background().call(PageStore(store).add_document, TAPE * 20)
    said = as_tool(store, "bm25").invoke({"question": "Where is the tape?"})
    assert "behind the rakes" in said


async def test_what_cannot_be_answered_is_told_to_the_agent(library: Library) -> None:
    await library.pages.add_document(TAPE)
    call = {"name": "ask_documents", "args": {"question": "Zeppelin?"}, "id": "1", "type": "tool_call"}
    said = await as_tool(library).ainvoke(call)
    assert said.status == "error" and "No document of the library shares a word" in said.content
    with pytest.raises(BadInput, match="There is no method"):
        as_tool(library, "nothing")


async def test_langchain_documents_become_documents_with_pages(library: Library) -> None:
    book = [
        Given("The cat sat on the mat.", metadata={"source": "/books/cats.pdf", "page": 0, "page_label": "i"}),
        Given("A dog came in.", metadata={"source": "/books/cats.pdf", "page": 1, "page_label": "2"}),
    ]
    chunks = [
        Given("one two three four", metadata={"source": "notes.txt", "start_index": 0}),
        Given("three four five six", metadata={"source": "notes.txt", "start_index": 8}),
    ]
    cats, notes, alone = await add_documents(library, [*book, *chunks, Given("A text by itself.")])
    assert (cats.title, cats.source, alone.title) == ("cats.pdf", "/books/cats.pdf", "")
    assert await library.pages.text(cats) == "The cat sat on the mat.\n\nA dog came in."
    assert await library.pages.place_names(cats, [0, 30]) == ["PDF page 1 (i)", "PDF page 2"]
    assert await library.pages.text(notes) == "one two three four five six"
    with pytest.raises(BadInput, match="have no text"):
        await add_documents(library, [Given("  ")])
    with pytest.raises(BadInput, match="A str is no LangChain document"):
        await add_documents(library, ["text"])  # type: ignore[list-item]
