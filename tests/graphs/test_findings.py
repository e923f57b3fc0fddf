"""What the methods share: one node that answers, and one form of what was learned."""

from typing import Any

import pytest
from langgraph.runtime import Runtime

from readgraph.graphs.method_facts import PAPERS, find_shared_nodes
from readgraph.graphs.methods import METHODS
from readgraph.library.opening import Library
from readgraph.nodes.answering.in_view import compression_rate, write_answer
from readgraph.nodes.contracts import AnswerDraft, AnswerUpdate
from readgraph.state.context import ReaderContext
from readgraph.state.reading import Finding, with_finding
from readgraph.state.records import Document
from tests.doubles.agent import Script, call
from tests.doubles.model_server import ModelServer

CONTEXT = ReaderContext(model="openai:double", window_words=4000, segment_words=200, children=3)
GOAT = "What did the keeper's Remarks for 19 January say about a goat?"
FINDING = {*Finding.__annotations__} - {"by_rule"}
"""The keys of what a model has said."""


@pytest.fixture
async def document(library: Library, story: str) -> Document:
    return await library.pages.add_document(story[:18_000], title="the beginning")


def test_all_methods_write_their_answers_with_the_same_functions() -> None:
    answers: list[Any] = [method.build().nodes["answer"].runnable for method in METHODS.values() if not method.router]
    assert all("write_answer" in node.work.__code__.co_names for node in answers)


def test_the_papers_methods_share_their_work() -> None:
    serve = {node.name: node.papers for node in find_shared_nodes() if len(node.papers) > 1}
    four = {name for name, papers in serve.items() if papers == [*PAPERS]}
    assert four >= {"open_document", "build_memory", "load_memory", "ask_reply", "ask_text", "write_answer", "cite"}
    assert serve["search_pages"] == ["read-agent", "gam", "mem-gpt"]


@pytest.mark.parametrize("method", ["mem-walker", "gam", "mem-gpt", "full-text"])
async def test_what_was_learned_has_one_form(
    server: ModelServer, library: Library, document: Document, method: str
) -> None:
    if method == "mem-gpt":
        server.respond = Script(call("answer", answer="On the gallery.", quotes="Goat on gallery."))
    graph = METHODS[method].build().compile(store=library.store)
    found = await graph.ainvoke({"document": document.id, "question": GOAT}, context=CONTEXT)
    assert found["findings"] and all(finding.keys() == FINDING for finding in found["findings"])
    if method == "gam":
        assert [finding["page"] for finding in found["findings"]] == found["sources"]
    else:
        (answer,) = {finding["text"] for finding in found["findings"] if finding["answers"]}
        assert answer == found["answer"]


def test_a_page_has_one_finding() -> None:
    quotes: list[Any] = [{"page": 1, "quote": words} for words in ("a", "b")]
    first = Finding(page=1, answers=False, text="a part", choice=None, quotes=quotes[:1])
    other = Finding(page=2, answers=False, text="another", choice=None, quotes=[])
    last = Finding(page=1, answers=True, text="it all", choice=None, quotes=quotes[1:])
    findings = with_finding(with_finding([first], other), last)
    assert [(finding["page"], finding["text"]) for finding in findings] == [(2, "another"), (1, "it all")]
    assert findings[-1]["quotes"] == quotes


class WithMore(AnswerUpdate):
    beside: str


@pytest.mark.parametrize(
    ("said", "status", "rate"),
    [
        (AnswerDraft("a lamp", None, [], 1), "answered", True),
        (AnswerDraft(None, None, [], 1), "no_answer", True),
        (AnswerDraft(None, None, []), "no_answer", False),
        (AnswerDraft(None, None, [], 1, context_alone=True), "researched", True),
    ],
)
async def test_status_and_compression_follow_from_what_was_said(
    library: Library, document: Document, said: AnswerDraft, status: str, rate: bool
) -> None:
    state: Any = {"memory": "", "pages_read": []}
    runtime = Runtime(context=CONTEXT, store=library.store)
    update = await write_answer(said, document, state, runtime)
    assert update["status"] == status
    assert update["compression_rate"] == (compression_rate(1, document) if rate else None)
