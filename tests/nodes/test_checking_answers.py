"""A long answer is checked sentence by sentence against the text; short ones and chosen options are left alone."""

import re
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from readgraph.graphs.methods import METHODS
from readgraph.graphs.rehearsal import rehearse_method
from readgraph.library.opening import Library
from readgraph.nodes.answering.citations import with_marks
from readgraph.nodes.answering.cite import find_statements
from readgraph.state.context import ReaderContext
from tests.doubles import summariser
from tests.doubles.model_server import ChatRequest, ModelServer
from tests.doubles.reader import asked_for, pages_shown, reader
from tests.support.command import DOUBLE, Command, kinds
from tests.support.examples import EXAMPLES

STORY = EXAMPLES / "the-lamp-at-sarn-head.txt"
QUESTION = "Who bought the tide station?"
PLANTED = "The keeper sold the lamp to a merchant from Lisbon in 1902."
TRUE = "Marian Prosser bought the tide station for eleven pounds at an auction."
ANSWER = f"## Who\n\nThe reasons are these:\n\n{TRUE} {PLANTED}"
LONG = ReaderContext(model="openai:double", answer_length="paragraph", max_page_words=300, min_page_words=150)


def answering(request: ChatRequest, answer: str = ANSWER) -> str | dict[str, object]:
    """The reader, with an answer that has one sentence too many, and verdicts that know it."""
    wanted = asked_for(request)
    if wanted == "FreeAnswer":
        number, body = max(pages_shown(request).items(), key=lambda page: len(page[1]))
        return {"quotes": [{"page": number, "quote": " ".join(body.split()[:8])}], "answer": answer}
    if wanted == "SentenceVerdicts":
        number, body = next(iter(summariser.shown(request).items()))
        quote = {"page": number, "quote": " ".join(body.split()[:6])}
        return {
            "verdicts": [
                {"sentence": each, "supported": text != PLANTED, "quotes": [quote] if text != PLANTED else []}
                for each, text in summariser.numbered(request).items()
            ]
        }
    return reader(request)


async def asked(
    library: Library, text: str, context: ReaderContext = LONG, method: str = "read-agent", **given: Any
) -> dict[str, Any]:
    graph = METHODS[method].build().compile(store=library.store)
    question: Any = {"text": text, "question": QUESTION, **given}
    return dict(await graph.ainvoke(question, context=context))


@pytest.fixture
def text(story: str) -> str:
    return story[:7000]


@pytest.mark.parametrize("method", ["read-agent", "gists-only", "mem-walker", "gam", "bm25"])
async def test_a_sentence_that_is_not_in_the_text_is_marked(
    server: ModelServer, library: Library, text: str, method: str
) -> None:
    server.respond = answering
    if method in ("mem-walker", "gam"):  # their answers are of other kinds: the one sentence is supported
        found = await asked(library, text, method=method)
        assert [each["supported"] for each in found["sentences"]] == [True]
        return
    found = await asked(library, text, method=method)
    first, second = found["sentences"]
    assert (first["text"], first["supported"], second["text"], second["supported"]) == (TRUE, True, PLANTED, False)
    assert (found["unsupported"], found["unchecked"], found["status"]) == (1, 0, "answered")
    (quote,) = first["quotes"]
    assert text[quote["start"] :].startswith(quote["quote"]) and not second["quotes"]
    assert {*found["pages_read"]} & {*first["pages"], *second["pages"]} or method == "gists-only"
    marked = with_marks(found)
    assert re.search(rf"{PLANTED} (\[1\])?\[not supported\]$", marked["marked_answer"])
    assert marked["flags"] == [{"at": len(ANSWER), "said": "not supported", "doubted": True}]
    assert kinds(server.requests).count("SentenceVerdicts") == 1
    assert found["steps"][-1]["node"] == "cite" and found["steps"][-1]["usage"]["calls"] == 1
    assert "1 of 2 sentences supported" in found["steps"][-1]["summary"]


async def test_short_answers_and_options_cost_nothing_more(server: ModelServer, library: Library, text: str) -> None:
    server.respond = answering
    cases: list[tuple[ReaderContext, dict[str, Any]]] = [
        (replace(LONG, answer_length=None), {}),
        (replace(LONG, answer_length="sentence"), {}),
        (replace(LONG, check_sentences=False), {}),
        (LONG, {"options": ["Marian", "Nobody"]}),
    ]
    for context, given in cases:
        found = await asked(library, text, context, **given)
        assert (found["sentences"], found["unsupported"], found["unchecked"]) == ([], 0, 0)
        assert with_marks(found)["flags"] == []
    assert "SentenceVerdicts" not in kinds(server.requests)


async def test_a_later_short_answer_does_not_keep_the_sentences(
    server: ModelServer, library: Library, text: str
) -> None:
    server.respond = answering
    graph: Any = METHODS["read-agent"].build().compile(store=library.store, checkpointer=library.checkpointer)
    thread = {"configurable": {"thread_id": "one"}}
    first = await graph.ainvoke({"text": text, "question": QUESTION}, thread, context=LONG)
    short = replace(LONG, answer_length="phrase")
    second = await graph.ainvoke({"question": "Where was the goat?"}, thread, context=short)
    assert (first["unsupported"], second["unsupported"], second["sentences"]) == (1, 0, [])


async def test_without_a_usable_reply_or_a_budget_sentences_stay_unchecked_and_the_answer_stays(
    server: ModelServer, library: Library, text: str
) -> None:
    def unusable(request: ChatRequest) -> str | dict[str, object]:
        return "I would rather not." if asked_for(request) == "SentenceVerdicts" else answering(request)

    server.respond = unusable
    found = await asked(library, text)
    assert (found["answer"], found["status"], found["unchecked"]) == (ANSWER, "answered", 2)
    assert found["fallbacks"] == {"check": 1} and with_marks(found)["flags"] == []
    server.respond = answering
    found = await asked(library, text, replace(LONG, max_calls=2), question="Who bought it?")
    assert (found["answer"], found["status"], found["unchecked"]) == (ANSWER, "answered", 2)
    assert found["usage"]["calls"] == 2 and not found["fallbacks"]


async def test_without_a_model_the_texts_own_sentences_are_found(library: Library, text: str) -> None:
    found = await asked(library, text, replace(LONG, model=""))
    assert found["sentences"] and found["unsupported"] == 0 and found["usage"]["calls"] == 0
    for sentence in found["sentences"]:
        if sentence["supported"]:
            (quote,) = sentence["quotes"]
            assert text[quote["start"] :].startswith(quote["quote"]) and sentence["pages"] == [quote["page"]]
    assert any(sentence["supported"] and sentence["extracted"] for sentence in found["sentences"])


async def test_a_table_of_rows_is_not_checked_again(server: ModelServer, library: Library, text: str) -> None:
    def planned(request: ChatRequest) -> str | dict[str, object]:
        replied = answering(request)
        return {**replied, "result": "table"} if isinstance(replied, dict) and "result" in replied else replied

    server.respond = planned
    found = await asked(library, text, method="survey", question="List every person in the story.")
    assert found["table"]["rows"] and found["answer"] and found["sentences"] == []
    assert "SentenceVerdicts" not in kinds(server.requests)


async def test_a_long_page_is_cut_and_a_sentence_sees_what_is_near_it(
    server: ModelServer, library: Library, story: str
) -> None:
    server.respond = answering
    await asked(library, story, LONG, method="full-text")
    (check,) = [each for each in server.requests if asked_for(each) == "SentenceVerdicts"]
    assert len(check.text.split()) < 3000 < len(story.split())
    assert "bought the tide station at Sarn Head by mistake" in " ".join(summariser.shown(check).values())


async def test_the_estimate_holds_and_says_more_for_long_answers(
    server: ModelServer, library: Library, text: str
) -> None:
    server.respond = answering
    document = await library.pages.add_document(text)
    short = replace(LONG, check_sentences=False)
    method, store = METHODS["read-agent"], library.pages
    question = {"question": "Who took the log book?"}
    foreseen = await rehearse_method(method, store, document, LONG, question)
    without = await rehearse_method(method, store, document, short, question)
    assert without.calls.expected + 1 <= foreseen.calls.expected <= without.calls.expected + 2
    assert foreseen.input_words.expected > without.input_words.expected
    assert await rehearse_method(method, store, document, LONG, {}) == await rehearse_method(
        method, store, document, short, {}
    )
    found = await asked(library, text)
    assert foreseen.calls.high is not None and foreseen.input_words.high is not None
    assert found["usage"]["calls"] <= foreseen.calls.high
    assert found["usage"]["input_words"] <= foreseen.input_words.high


def test_what_states_nothing_is_left_out() -> None:
    said = "# Why\n\nThe reasons are:\n\n- He was tired.\n- The oil was gone.\n\n| a | b |\n|---|---|\n\nIs it so?"
    assert [said[start:end] for start, end in find_statements(said)][:2] == ["- He was tired.", "- The oil was gone."]
    assert not any(said[start:end].startswith(("#", "|", "The reasons")) for start, end in find_statements(said))


def test_the_command_marks_it_everywhere(readgraph: Command, server: ModelServer, tmp_path: Path, text: str) -> None:
    server.respond = answering
    file, report = tmp_path / "story.txt", tmp_path / "report.html"
    file.write_text(text, encoding="utf-8")
    command = ("ask", QUESTION, file, *DOUBLE, "--answer-length", "paragraph")
    shown = " ".join(readgraph(*command, "--report", report).out.split())
    assert (
        re.search(rf"{PLANTED} (\[1\])?\[not supported\]", shown)
        and "1 of 2 sentences not supported by the text" in shown
    )
    page = report.read_text(encoding="utf-8")
    assert '"said":"not supported"' in page.replace('": ', '":')
    found: Mapping[str, Any] = readgraph(*command, "--json").json
    assert [each["supported"] for each in found["sentences"]] == [True, False]
    assert readgraph(*command, "--no-check-sentences", "--json").json["sentences"] == []
