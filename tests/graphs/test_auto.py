"""Each question goes the way that fits it and the text, by rules, or by the model where these don't decide."""

import tomllib
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from readgraph.api.functions import ask, read
from readgraph.api.routing import NOT_JUDGED, estimate_with_question
from readgraph.api.running import RunThread
from readgraph.features.auto.graph import graph
from readgraph.graphs.methods import METHODS
from readgraph.language.hints import find_extent, subject_of
from readgraph.library.histories import SessionText, append_sessions
from readgraph.library.opening import Library
from readgraph.state.context import ReaderContext
from tests.doubles.model_server import ChatRequest, ModelServer
from tests.doubles.reader import asked_for, reader
from tests.support.command import Command

QUESTIONS = Path(__file__).parents[1] / "fixtures" / "questions_and_ways.toml"
WAYS = {"place": "read-agent", "summary": "summary", "every": "survey", None: "read-agent"}
LONG = "".join(f"On day {n} the keeper climbed the tower, and wrote it into the log book. " for n in range(80))
MODEL = ReaderContext(model="openai:double", window_words=1000, retry_seconds=0)
WIDE = replace(MODEL, window_words=60_000)


@pytest.mark.parametrize(
    ("part", "count", "fewest"),
    [("first", 30, 27), ("second", 30, 27), ("third", 40, 36), ("fourth", 60, 54), ("misleading", 136, 75)],
)
def test_rules_alone_send_most_questions_the_best_way_and_none_a_wrong_one(part: str, count: int, fewest: int) -> None:
    ways = tomllib.loads(QUESTIONS.read_text(encoding="utf-8"))[part]
    asked = [(question, best) for best, given in ways.items() for question in given["questions"]]
    extents = {question: find_extent(question) for question, _ in asked}
    assert len(asked) == count and sum(WAYS[extents[question]] == best for question, best in asked) >= fewest
    assert not [
        (question, extents[question])
        for question, best in asked
        if extents[question] and WAYS[extents[question]] != best
    ]


@pytest.mark.parametrize(
    ("question", "subject"),
    [
        ("What is the plot of the story?", ""),
        ("Summarize the whole meeting.", ""),
        ("Fasse das Buch kurz zusammen.", ""),
        ("Summarize the discussion about the harbour wall.", "harbour wall."),
        ("the harbour wall", "the harbour wall"),
        ("Worum geht es in diesem Roman?", ""),
        ("¿Cuál es la trama de la novela?", ""),
        ("这本书主要讲了什么?", ""),
        ("总结林黛玉的故事", "林黛玉"),
        ("Fasse die Debatte über den Hafen zusammen", "Debatte Hafen"),
        ("What is the letter in the box about?", "box"),
        ("이 책의 줄거리를 알려 주세요.", ""),
        ("هل يمكنك تلخيص القصة؟", ""),
        ("Summarise chapter 3", "3"),
        ("What is this log about?", ""),
        ("What happens in the chapter?", ""),
        ("Give me the gist.", ""),
        ("这本手册主要讲什么?", ""),
    ],
)
def test_a_summary_is_of_the_text_itself_or_of_a_subject(question: str, subject: str) -> None:
    assert subject_of(question) == subject


async def way_of(library: Library, question: str, context: ReaderContext, text: str = LONG, **given: Any) -> Any:
    document = await library.pages.add_document(text, title="the tower")
    return await ask(library, question, documents=[document], method="auto", context=context, **given)


async def test_a_text_that_fits_is_read_whole_in_one_call(server: ModelServer, library: Library) -> None:
    server.respond = reader
    answer = await way_of(library, "Who climbed the tower?", WIDE)
    assert (answer.method, answer.way, answer.why) == (
        "full-text",
        "read whole",
        "it fits what the model reads at once",
    )
    assert server.calls == answer.usage["calls"] == 1
    assert [step["node"] for step in answer.output["steps"]] == ["route", "open", "read", "look_up", "answer", "cite"]


@pytest.mark.parametrize(
    ("question", "method"),
    [
        ("Who climbed the tower?", "read-agent"),
        ("What is the plot?", "summary"),
        ("How often is the log book named?", "survey"),
    ],
)
async def test_a_long_text_goes_by_the_words_of_the_question(
    server: ModelServer, library: Library, question: str, method: str
) -> None:
    server.respond = reader
    answer = await way_of(library, question, MODEL)
    assert answer.method == method and answer.way and answer.why
    assert "TextAsked" not in {*map(asked_for, server.requests)}


async def test_where_rules_do_not_decide_the_model_does_and_its_call_is_counted(
    server: ModelServer, library: Library
) -> None:
    def reply(request: ChatRequest) -> Any:
        return {"needs": "every"} if asked_for(request) == "TextAsked" else reader(request)

    server.respond = reply
    answer = await way_of(library, "Tell me about the keepers of towers", MODEL)
    assert answer.method == "survey" and answer.output["steps"][0]["usage"]["calls"] == 1
    assert answer.usage["calls"] == server.calls
    few = await way_of(library, "Tell me about the keepers of lamps", replace(MODEL, max_calls=2))
    assert few.method == "read-agent" and few.status == "budget" and few.usage["calls"] == 2
    some = await way_of(
        library,
        "Tell me about the keepers of oil",
        replace(MODEL, max_calls=4, max_page_words=300, min_page_words=100),
        LONG.replace("keeper", "miller"),
    )
    assert some.status == "budget" and some.usage["calls"] == 4


async def test_a_reply_that_cannot_be_used_leaves_the_default_way(server: ModelServer, library: Library) -> None:
    server.respond = lambda request: "none" if asked_for(request) == "TextAsked" else reader(request)
    answer = await way_of(library, "Tell me about the keepers of towers", MODEL)
    assert answer.method == "read-agent" and answer.output["fallbacks"]["way"] == 1


async def test_a_memory_that_is_kept_is_used_where_that_is_cheaper(server: ModelServer, library: Library) -> None:
    server.respond = reader
    for text, method in ((LONG, "full-text"), (LONG * 6, "mem-walker")):
        document = await library.pages.add_document(text, title="the tower")
        await read(library, document, method="mem-walker", context=WIDE)
        assert (await way_of(library, "Who climbed the tower?", WIDE, text)).method == method
    text = f"Another one. {LONG}"
    assert (await way_of(library, "Who fell?", MODEL, text)).why == "it is long"
    assert (await way_of(library, "Who rose?", MODEL, text)).why == "it was read so before"


async def test_a_summary_that_finds_nothing_proves_nothing(server: ModelServer, library: Library) -> None:
    server.respond = lambda asked: {"sentences": []} if asked_for(asked) == "WrittenSummary" else reader(asked)
    question, proving = "Summarise what it says on quaggas", replace(MODEL, prove_absence=True)
    for context, notices in ((MODEL, []), (proving, [NOT_JUDGED.format("summary")])):
        answer = await way_of(library, question, context)
        assert (answer.method, answer.status, answer.notices) == ("summary", "no_answer", notices)


async def test_a_history_goes_to_gam(server: ModelServer, library: Library) -> None:
    server.respond = reader
    appended = await append_sessions(library.pages, "Days", [SessionText(LONG, "Monday")])
    answer = await ask(library, "Who climbed?", documents=[appended.document], method="auto", context=MODEL)
    assert (answer.method, answer.why) == ("gam", "it is a history, which grows")
    await read(library, appended.document, method="read-agent", context=MODEL)
    answer = await ask(library, "Who fell?", documents=[appended.document], method="auto", context=MODEL)
    assert (answer.method, answer.why) == ("gam", "it was read so before")


async def test_without_a_model_a_place_is_quoted_as_before_and_the_text_itself_summarised(
    library: Library, story: str
) -> None:
    question = "Who took the log book from the lamp room?"
    answer = await way_of(library, question, ReaderContext(), story)
    choice = await way_of(library, "What is the plot?", ReaderContext(), story, options=["The lamp", "The goat"])
    assert choice.method == "read-agent" and choice.choice
    plain = await ask(library, question, method="read-agent")
    assert (answer.answer, answer.method, answer.why) == (plain.answer, "read-agent", "")
    whole = await way_of(library, "What is the plot of the story?", ReaderContext(), story)
    assert (whole.method, whole.status, whole.by_rule) == ("summary", "extracted", True)
    assert whole.citations and not whole.notices


async def test_a_question_that_follows_goes_its_own_way_in_the_same_thread(
    server: ModelServer, library: Library
) -> None:
    server.respond = reader
    first = RunThread(saver=library.checkpointer, id="towers")
    await way_of(library, "What is the plot?", MODEL, thread=first)
    after = await way_of(library, "Who wrote it?", MODEL, thread=replace(first, follow_up=True))
    assert after.method == "read-agent" and "What is the plot?" in server.requests[-1].text


async def test_an_estimate_names_the_way_and_sends_nothing(server: ModelServer, library: Library) -> None:
    document = await library.pages.add_document(LONG, title="the tower")
    estimates = [
        await estimate_with_question(library.pages, METHODS["auto"], document, context, "Who climbed the tower?")
        for context in (WIDE, MODEL)
    ]
    assert [each.way.partition(",")[0] for each in estimates] == ["read whole", "looked up by its gists"]
    undecided = (library.pages, METHODS["auto"], document, MODEL, "Tell me about the keepers of towers")
    assert "the model decides it when asked" in (await estimate_with_question(*undecided)).way
    assert estimates[0].calls.expected == 1 < estimates[1].calls.expected
    assert server.calls == 0 and not await library.pages.memories(document.id)


async def test_as_one_graph_it_has_the_compiled_methods_as_nodes(server: ModelServer, library: Library) -> None:
    server.respond = reader
    assert {"full_text", "summary", "survey", "read_agent", "gam"} <= {*graph.builder.nodes}
    document = await library.pages.add_document(LONG, title="the tower")
    compiled = graph.builder.compile(store=library.store)
    output = await compiled.ainvoke({"document": document.id, "question": "Who climbed the tower?"}, context=WIDE)
    assert (output["method"], output["answer"] is not None) == ("full-text", True)
    assert output["usage"]["calls"] == server.calls == 1


def test_an_estimate_of_what_is_paid_for_names_the_way_too(
    readgraph: Command, server: ModelServer, tmp_path: Path
) -> None:
    (tmp_path / "tower.txt").write_text(LONG)
    asked = ("ask", "Who climbed the tower?", tmp_path / "tower.txt", "--model", "openai:double")
    readgraph(*asked)
    told = readgraph(*asked, "--estimate").text
    assert "no call is needed" in told and "Read whole, since it fits" in told
