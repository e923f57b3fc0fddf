"""Where no answer was found, each part that was not read is judged: one is found after all, or it is proven."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from readgraph import api
from readgraph.api import functions
from readgraph.api.results import Answer
from readgraph.graphs.method_facts import settings_of
from readgraph.graphs.methods import METHODS
from readgraph.graphs.rehearsal import rehearse_method
from readgraph.library.histories import SessionText
from readgraph.library.opening import Library
from readgraph.nodes.answering.absence import describe_absence
from readgraph.state.context import ReaderContext
from readgraph.state.reading import Absence
from readgraph.state.records import Document
from tests.doubles.agent import call
from tests.doubles.model_server import ChatRequest, ModelServer
from tests.doubles.reader import asked_for, reader
from tests.support.command import Command

QUESTION = "Who ate somebody with lamp oil on the stairs?"
QUOTE = "The quagga swallowed the lonely warden."
DAYS = [f"On day {n} somebody carried lamp oil {n} up the stairs. " * 4 for n in range(24)]
JUDGING = ("PartHolds", "FreeAnswer")
CONTEXT = ReaderContext(
    model="openai:double",
    prove_absence=True,
    retrieval_words=60,
    min_page_words=40,
    max_page_words=60,
    segment_words=50,
    window_words=1000,
)


def sees(request: ChatRequest) -> bool:
    """Whether what is shown before the question has the animal."""
    return "quagga" in request.text.rpartition("<question>")[0]


def thorough(request: ChatRequest) -> Any:
    """Answers only from a part that has the animal, and never looks a page up."""
    match asked_for(request) or request.schema_name:
        case "PartHolds":
            return {"holds": sees(request)}
        case "FreeAnswer":
            known = {"quotes": [{"page": -1, "quote": QUOTE}], "answer": "the quagga"}
            return known if sees(request) else {"quotes": [], "answer": None}
        case "ChosenAnswer":
            return {"quotes": [{"page": -1, "quote": QUOTE}], "choice": "B"}
        case "PagesToRead":
            return {"pages": []}
    return reader(request)


@pytest.fixture
def server(server: ModelServer) -> ModelServer:
    server.respond = thorough
    return server


async def add(library: Library, middle: str = QUOTE) -> Document:
    text = "\n\n".join([*DAYS[:12], f"{middle} " * 4, *DAYS[12:]])
    return await library.pages.add_document(text, title="Log")


async def ask(library: Library, document: Document, **settings: Any) -> Answer:
    method = settings.pop("method", "bm25")
    return await functions.ask(
        library, QUESTION, documents=[document], method=method, context=replace(CONTEXT, **settings)
    )


async def test_the_part_that_was_missed_is_read_and_cited(server: ModelServer, library: Library) -> None:
    document = await add(library)
    assert (await ask(library, document, prove_absence=False)).status == "no_answer"
    answer = await ask(library, document)
    assert answer.status == "answered" and answer.answer == "the quagga"
    (citation,) = answer.citations
    assert citation.quote == QUOTE and answer.absence and answer.absence["found"] == [citation.page]
    assert citation.page in answer.pages_read and not answer.absence["proven"]
    assert f"Found by looking through the parts that had not been read: in part {citation.page}" in answer.notices[0]


@pytest.mark.parametrize("method", ["read-agent", "bm25"])
async def test_in_none_of_all_parts(server: ModelServer, library: Library, method: str) -> None:
    answer = await ask(library, await add(library, "Nobody came."), method=method)
    absence = answer.absence or {}
    assert answer.status == "no_answer" and absence["proven"] and not absence["unjudged"]
    assert absence["parts"] == absence["to_judge"] + len(answer.pages_read) > 5
    assert any(f"In none of {absence['parts']} parts" in notice for notice in answer.notices)
    judged = [request for request in server.requests if request.schema_name == "PartHolds"]
    shown = "".join(request.text for request in judged)
    assert sum(f"On day {n} " in shown for n in range(24)) >= 24 - len(answer.pages_read) * 2


def test_it_is_a_setting_of_every_method() -> None:
    assert all("prove_absence" in settings_of(method, asks=True) for method in METHODS.values())


async def test_a_budget_that_ends_in_the_middle_says_how_far_it_came(server: ModelServer, library: Library) -> None:
    document = await add(library, "Nobody came.")
    whole = await ask(library, document, prove_absence=False, method="bm25")
    assert whole.status == "no_answer"
    some = await ask(library, document, method="bm25", max_calls=1)
    absence = some.absence or {}
    assert some.status == "no_answer" and absence["why_not"] == "budget" and 0 < absence["judged"] < absence["to_judge"]
    assert f"the budget ended when {absence['judged']} of {absence['to_judge']} unread parts" in some.notices[0]
    before = server.calls
    rest = await ask(library, document, method="bm25")
    assert rest.absence and rest.absence["proven"] and server.calls > before
    calls = server.calls
    assert (await ask(library, document, method="bm25")).absence == rest.absence and server.calls == calls


@pytest.mark.parametrize("method", ["auto", "bm25", "full-text", "mem-walker", "survey"])
async def test_a_budget_that_ends_before_the_answer_says_that_nothing_is_proven(
    server: ModelServer, library: Library, method: str
) -> None:
    answer = await ask(library, await add(library), method=method, max_calls=0)
    absence = answer.absence or {}
    assert answer.status == "budget" and not (absence["proven"] or absence["judged"] or server.calls)
    assert absence["unjudged"] == [*range(absence["parts"])], "what was read before was read in vain"
    assert absence["why_not"] in ("budget", "unread") and answer.notices[0].startswith("Not proven: ")


@pytest.mark.parametrize("method", ["bm25", "gists-only"])
async def test_a_model_without_a_usable_reply_is_not_asked_about_every_part(
    server: ModelServer, library: Library, method: str
) -> None:
    server.respond = lambda request: "Perhaps."
    text = "\n\n".join(f"{day} {' '.join(f'w{n}x{each}' for each in range(500))}." for n, day in enumerate(DAYS * 2))
    document = await library.pages.add_document(text, title="Log")
    answer = await ask(library, document, method=method, window_words=1500, max_page_words=600, retrieval_words=600)
    absence = answer.absence or {}
    assert answer.status in ("nearest", "no_answer") and absence["why_not"] == "replies" and not absence["judged"]
    judged = {request.key for request in server.requests if "PartHolds" in asked_for(request)}
    assert 1 < len(absence["unjudged"]) == absence["parts"] and len(judged) <= 3 * 24 < absence["parts"] * 3


async def test_parts_without_a_usable_reply_are_named(server: ModelServer, library: Library) -> None:
    def respond(request: ChatRequest) -> Any:
        broken = request.schema_name == "PartHolds" and "On day 20 " in request.text
        return "Perhaps." if broken else thorough(request)

    server.respond = respond
    answer = await ask(library, await add(library, "Nobody came."))
    absence = answer.absence or {}
    assert absence["why_not"] == "replies" and absence["unjudged"] and not absence["proven"]
    assert (
        f"no usable reply came for part{'s' * (len(absence['unjudged']) > 1)} {absence['unjudged'][0]}"
        in answer.notices[0]
    )
    assert answer.output["fallbacks"]["part_holds"] == 1


async def test_what_was_read_in_vain_is_judged_too(server: ModelServer, library: Library) -> None:
    def respond(request: ChatRequest) -> Any:
        if asked_for(request) == "Integrated":
            return "Perhaps."
        if any(each.schema_name == "PartHolds" for each in server.requests):
            return thorough(request)
        reply = reader(request)
        return {**reply, "answer": None, "quotes": []} if isinstance(reply, dict) and "answer" in reply else reply

    server.respond = respond
    answer = await ask(library, await add(library), method="gam", window_words=60_000)
    assert answer.pages_read == [0] and answer.output["fallbacks"]["integrate"] == 1
    assert answer.answer == "the quagga" and (answer.absence or {})["found"] == [0]


def test_a_comparison_tells_each_proof(readgraph: Command, server: ModelServer, tmp_path: Path) -> None:
    (tmp_path / "log.txt").write_text("\n\n".join(DAYS))
    methods = ("--methods", "bm25,full-text", "--model", "openai:double", "--prove-absence")
    ran = readgraph("compare", QUESTION, tmp_path / "log.txt", *methods)
    assert ran.text.count("In none of 1 part (1 read, 0 judged).") == 2


def test_without_a_model_it_cannot_be_proven(readgraph: Command, tmp_path: Any) -> None:
    (tmp_path / "log.txt").write_text(DAYS[0])
    ran = readgraph("ask", "Which bishop reigned?", tmp_path / "log.txt", "--prove-absence")
    assert ran.code == 0 and "only a model can judge the parts that were not read" in ran.out


async def test_what_was_appended_is_judged_and_the_rest_costs_nothing(server: ModelServer, library: Library) -> None:
    def session(n: int) -> SessionText:
        return SessionText(DAYS[n] * 4, time=f"{n + 1} May 2023")

    history = (await functions.remember(library, "log", [session(n) for n in range(6)], context=CONTEXT)).document
    given: Any = {"documents": [history], "method": "bm25", "context": replace(CONTEXT, retrieval_words=150)}
    first = (await functions.ask(library, QUESTION, **given)).absence or {}
    assert first["proven"]
    await functions.remember(library, "log", [SessionText(QUOTE, time="9 June 2023")], context=CONTEXT)
    again = await functions.ask(library, "Who ate poor somebody on the stairs?", **given)
    assert again.answer == "the quagga"


@pytest.mark.parametrize(
    ("day", "settings"),
    [
        (19, {"method": "full-text"}),
        (4, {"method": "bm25", "retrieval_words": 300, "max_pages": 4, "cut_segments": True}),
    ],
)
async def test_parts_that_were_shown_without_their_ends_are_judged(
    server: ModelServer, library: Library, day: int, settings: dict[str, Any]
) -> None:
    text = "\n\n".join([*DAYS[:day], DAYS[day] + QUOTE, *DAYS[day + 1 : 20]])
    document = await library.pages.add_document(text)
    assert (await ask(library, document, prove_absence=False, **settings)).status == "no_answer"
    assert ((await ask(library, document, **settings)).absence or {})["found"] == [0]


async def test_pages_that_an_agent_saw_in_part_are_judged(server: ModelServer, library: Library) -> None:
    calls = iter([call("archival_search", query="lamp oil"), call("answer", answer="")])
    server.respond = lambda request: thorough(request) if asked_for(request) in JUDGING else next(calls)
    document = await library.pages.add_document("\n\n".join([*DAYS[:20], QUOTE]))
    answer = await ask(library, document, method="mem-gpt", window_words=4000, max_page_words=900, min_page_words=800)
    assert answer.pages_read and (answer.absence or {})["found"]


async def test_an_estimate_counts_the_proof(server: ModelServer, library: Library) -> None:
    document, asked = await add(library), {"question": QUESTION}
    plain, proving = [
        await rehearse_method(METHODS["bm25"], library.pages, document, replace(CONTEXT, prove_absence=each), asked)
        for each in (False, True)
    ]
    assert proving.calls.expected > plain.calls.expected and (proving.calls.high or 0) > proving.calls.expected


async def test_a_choice_is_made_from_the_part_that_was_missed(server: ModelServer, library: Library) -> None:
    document = await add(library)
    answer = await functions.ask(
        library, QUESTION, documents=[document], options=["a goat", "a quagga"], method="bm25", context=CONTEXT
    )
    assert answer.choice == "B" and not answer.absence, "an option was chosen: nothing is to be proven"


async def test_a_check_looks_in_every_part(server: ModelServer, library: Library) -> None:
    def respond(request: ChatRequest) -> Any:
        if request.schema_name == "StatementsNamed":
            return {"numbers": [1] if "devoured" in request.text.split("<sentences>")[0] else []}
        if request.schema_name == "ClaimVerdicts":
            seen = "devoured" in request.text.split("<sentences>")[0]
            verdict = {"verdict": "contradicted", "quotes": [{"page": 0, "quote": "The zebra devoured the warden."}]}
            nothing = {"verdict": "not found", "quotes": []}
            return {"claims": [{"claim": 1, "instead": "a zebra", **(verdict if seen else nothing)}]}
        return reader(request)

    server.respond = respond
    document = await add(library, "The zebra devoured the warden.")
    draft = "The quagga swallowed its guardian."
    plain = await api.verify(library, draft, documents=[document], context=replace(CONTEXT, prove_absence=False))
    assert plain.not_found and "not found" not in plain.output["sentences"][0]["doubt"]
    assert "no sentence near it in 1 document" in plain.output["sentences"][0]["doubt"]
    proved = await api.verify(library, draft, documents=[document], context=CONTEXT)
    assert proved.claims[0]["pages"] and proved.claims[0]["verdict"] != "not found"
    other = await add(library, "Nobody came.")
    bare = await api.verify(library, "A whale sang.", documents=[other], context=CONTEXT)
    assert bare.claims[0]["absence"]["proven"] and "In none of" in bare.output["sentences"][0]["doubt"]
    none = await api.verify(library, "A whale sang.", documents=[document], prove_absence=True)
    assert none.claims[0]["absence"]["why_not"] == "model"
    doubt = none.output["sentences"][0]["doubt"]
    assert "no sentence near it in 1 document; not proven: only a model can judge" in doubt


def test_it_is_told_in_a_line() -> None:
    absence = Absence(parts=260, to_judge=248, judged=248, unjudged=[], found=[], proven=True, why_not="")
    assert describe_absence(absence) == "In none of 260 parts (12 read, 248 judged)."
    behind = describe_absence(Absence(**{**absence, "proven": False, "why_not": "unread"}))
    assert behind == "Not proven: 248 of 248 unread parts were judged, and the text goes on behind them, unread."
    some = Absence(**{**absence, "judged": 3, "unjudged": [4, 9, 10, 11, 12, 20, 21], "proven": False})
    for why in ("budget", "replies"):
        assert "parts 4, 9–12, 20, 21." in describe_absence(Absence(**{**some, "why_not": why}))
    assert "part 7." in describe_absence(Absence(**{**some, "unjudged": [7], "why_not": "budget"}))
