"""A summary: made from the notes that are there, bounded, checked sentence by sentence, cited."""

import random
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import anyio
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from readgraph.features.summary import graph as summary
from readgraph.features.summary.write import CheckState, SummaryItem, even_groups, groups_within, words_of
from readgraph.graphs import mem_walker, read_agent
from readgraph.library.opening import Library, open_library
from readgraph.nodes.extractive.summaries import extract_summary
from readgraph.state.context import ReaderContext
from readgraph.state.errors import BadInput
from readgraph.state.settings import ReplyForm
from readgraph.state.words import count_words
from tests.doubles import summariser
from tests.doubles.model_server import ChatRequest, ModelServer
from tests.doubles.reader import asked_for, reader
from tests.models.test_faulty_readings import FAULTS
from tests.support.command import kinds

pytestmark = pytest.mark.quick

MODEL = ReaderContext(model="openai:double", summary_words=80)
REPORT = "# Rivers\n\n{}\n\n# Money\n\n{}\n\n## Debts\n\n{}\n\n# Lamps\n\n{}\n"


async def summarised(library: Library, text: str, context: ReaderContext = MODEL, **given: Any) -> dict[str, Any]:
    graph = summary.build().compile(store=library.store)
    found: dict[str, Any] = await graph.ainvoke({"text": text, **given}, context=context)  # type: ignore[call-overload]
    return found


def report() -> str:
    """Four sections, each of which has words of its own."""
    told = {"river": "flows", "coin": "shines", "debt": "grows", "lamp": "burns"}
    sections = [
        "\n\n".join(f"The {thing} of number {number} {does} in the town for all to see." for number in range(25))
        for thing, does in told.items()
    ]
    return REPORT.format(*sections)


def replying(sentences: Any = None, verdicts: Any = None) -> Any:
    """The reader, with other summaries or verdicts."""

    def respond(request: ChatRequest) -> str | dict[str, object]:
        if sentences and asked_for(request) == "WrittenSummary":
            return {"sentences": sentences(request)}
        if verdicts and asked_for(request) == "SentenceVerdicts":
            return {"verdicts": verdicts(request)}
        return reader(request)

    return respond


async def test_a_summary_names_the_pages_of_each_sentence_and_is_checked(
    server: ModelServer, library: Library, story: str
) -> None:
    found = await summarised(library, story[:6000])
    assert (found["status"], found["by_rule"], found["unsupported"], found["unchecked"]) == ("summarised", False, 0, 0)
    assert 56 <= count_words(found["answer"]) <= 80
    assert found["answer"] == " ".join(each["text"] for each in found["sentences"])
    assert all(each["pages"] and each["supported"] for each in found["sentences"])
    for citation in found["citations"]:
        assert story[citation["start"] : citation["end"]] == citation["quote"]
        assert citation["mark_at"] in {match.end() for match in re.finditer(r"\.", found["answer"])}
    assert kinds(server.requests).count("WrittenSummary") == 1
    assert [step["node"] for step in found["steps"]] == ["open", "read", "choose", "write", "check", "cite"]


async def test_a_planted_sentence_is_marked_and_counted(server: ModelServer, library: Library, story: str) -> None:
    def judged(request: ChatRequest) -> list[dict[str, object]]:
        said = summariser.numbered(request)
        return [
            {"sentence": number, "quotes": [{"page": 0, "quote": TITLE}], "supported": text != PLANTED}
            for number, text in said.items()
        ]

    def with_planted(request: ChatRequest) -> Any:
        sentences: Any = summariser.written(request)["sentences"]
        return [*sentences[:-1], {"text": PLANTED, "pages": [0]}]

    server.respond = replying(with_planted, judged)
    found = await summarised(library, story[:6000])
    assert found["unsupported"] == 1 and found["unchecked"] == 0
    wrong = [each for each in found["sentences"] if each["supported"] is False]
    assert [(each["text"], each["quotes"]) for each in wrong] == [(PLANTED, [])]
    assert "supported" in next(step["summary"] for step in found["steps"] if step["node"] == "check")
    checked = [request for request in server.requests if asked_for(request) == "SentenceVerdicts"]
    assert any(PLANTED in request.text and TITLE in request.text for request in checked)


TITLE = "The Lamp at Sarn Head"
PLANTED = "The moon fell into the harbour on a Tuesday."


async def test_what_cannot_be_checked_stays_unchecked(server: ModelServer, library: Library, story: str) -> None:
    server.respond = replying(verdicts=lambda request: [{"sentence": 99, "quotes": [], "supported": True}])
    found = await summarised(library, story[:4000])
    assert found["unchecked"] == len(found["sentences"]) > 0 and found["fallbacks"]["check"] > 0
    asked = len(server.requests)
    unasked = await summarised(library, story[:4000], replace(MODEL, check_sentences=False))
    assert len(server.requests) == asked and unasked["unchecked"] == len(unasked["sentences"])
    assert unasked["fallbacks"] == {}


@pytest.mark.parametrize("form", ["json_schema", "text"])
async def test_what_a_model_meant_is_understood(
    server: ModelServer, library: Library, story: str, form: ReplyForm
) -> None:
    def sentences(request: ChatRequest) -> Any:
        said: Any = summariser.written(request)["sentences"]
        return [{**each, "pages": f"page {each['pages'][0]}"} for each in said]

    def verdicts(request: ChatRequest) -> Any:
        said: Any = summariser.verdicts(request)["verdicts"]
        return [{**each, "supported": "yes", "quotes": each["quotes"][0]["quote"]} for each in said]

    server.respond = replying(sentences, verdicts)
    found = await summarised(library, story[:4000], replace(MODEL, reply_form=form))
    assert (found["fallbacks"], found["unchecked"], found["unsupported"]) == ({}, 0, 0)
    assert found["citations"] and found["usage"]["refused"] == 0


@pytest.mark.parametrize(("replies", "counted"), [((40, 15), 0), ((40, 40), 1), ((4, 15), 0), ((4, 4), 1)])
async def test_a_summary_of_the_wrong_length_is_asked_for_again_then_cut(
    server: ModelServer, library: Library, story: str, replies: tuple[int, int], counted: int
) -> None:
    sizes = iter(replies)

    def long_or_short(request: ChatRequest) -> list[dict[str, object]]:
        return [{"text": "The keeper climbed up to it.", "pages": [0]}] * next(sizes)

    server.respond = replying(long_or_short)
    context = replace(MODEL, summary_words=120, check_sentences=False)
    found = await summarised(library, story[:6000], context)
    assert found["fallbacks"].get("summary_length", 0) == counted
    assert count_words(found["answer"]) <= 120 and found["answer"].endswith("up to it.")
    again = [request.last for request in server.requests if asked_for(request) == "WrittenSummary"]
    assert len(again) == 2 and "words, and must have 84 to 120" in again[1]


async def test_notes_that_are_there_are_used(server: ModelServer, library: Library, story: str) -> None:
    document = await library.pages.add_document(story[:6000])
    walker = mem_walker.build().compile(store=library.store)
    context = replace(MODEL, segment_words=200, children=3)
    read = await walker.ainvoke({"document": document.id}, context=context)
    asked = len(server.requests)
    graph = summary.build().compile(store=library.store)
    found = await graph.ainvoke({"document": document.id}, context=replace(MODEL, check_sentences=False))
    assert found["memory"] == read["memory"] and len(server.requests) == asked + 1
    own = await read_agent.build().compile(store=library.store).ainvoke({"document": document.id}, context=MODEL)
    found = await graph.ainvoke({"document": document.id}, context=replace(MODEL, check_sentences=False))
    assert found["memory"] == own["memory"] != read["memory"]
    purpose = await graph.ainvoke({"document": document.id}, context=replace(MODEL, purpose="to find the goat"))
    assert purpose["memory"] not in (own["memory"], read["memory"])


@pytest.mark.parametrize(
    ("part", "names", "words"),
    [
        ("Money", ["§ Money"], {"coin", "debt"}),
        ("debts", ["Debts"], {"debt"}),
        ("2.1", ["Debts"], {"debt"}),
        ("section 3", ["Lamps"], {"lamp"}),
        ("Money > Debts", ["Debts"], {"debt"}),
    ],
)
async def test_a_part_is_summarised_alone(library: Library, part: str, names: list[str], words: set[str]) -> None:
    document = await library.pages.add_document(report(), places=places_of(report()))
    graph = summary.build().compile(store=library.store)
    context = ReaderContext(summary_words=150, min_page_words=100, max_page_words=200)
    found = await graph.ainvoke({"document": document.id, "part": part}, context=context)
    (of,) = found["parts"]
    assert of["name"].endswith(names[0].removeprefix("§ "))
    things = {"river", "coin", "debt", "lamp"}
    assert things & {*re.findall(r"\w+", found["answer"])} == words
    assert all(of["start"] <= each["start"] < each["end"] <= of["end"] for each in found["citations"])


@pytest.mark.parametrize("named", ["Chapter {}", "{}. Day"])
async def test_a_number_is_that_of_the_heading_however_many_stand_before_it(library: Library, named: str) -> None:
    titles = ["Preface", *(named.format(number) for number in (1, 2, 3))]
    text = "\n\n".join(f"# {title}\n\nThe lamp burned all night in {title}." for title in titles)
    document = await library.pages.add_document(text, places=places_of(text))
    graph = summary.build().compile(store=library.store)
    for part in ("2", "chapter 2"):
        found = await graph.ainvoke({"document": document.id, "part": part}, context=ReaderContext())
        assert [each["name"] for each in found["parts"]] == [titles[2]]
    for part in ("4", "chapter 4"):
        with pytest.raises(BadInput):
            await graph.ainvoke({"document": document.id, "part": part}, context=ReaderContext())


@pytest.mark.parametrize("part", ["Part Two", "part ii"])
async def test_a_part_whose_first_chapter_begins_with_it_is_found(library: Library, part: str) -> None:
    """As in the outline of a PDF, whose pages have one name each."""
    names = ["§ Part One > Chapter 1", "§ Part One > Chapter 2", "§ Part Two > Chapter 3", "§ Part Two > Chapter 4"]
    paragraph = "The lamp burned all night long. It was out in the morning.\n\n"
    places = [(number * len(paragraph), f"{name}, PDF page {number + 1}") for number, name in enumerate(names)]
    document = await library.pages.add_document(paragraph * 4, places=places)
    graph = summary.build().compile(store=library.store)
    for wanted, end in ((part, 4), ("2.1", 3)):
        found = await graph.ainvoke({"document": document.id, "part": wanted}, context=ReaderContext())
        assert [(of["start"], of["end"]) for of in found["parts"]] == [(2 * len(paragraph), end * len(paragraph))]


def places_of(text: str) -> list[tuple[int, str]]:
    """The places that a Markdown file with this text has."""
    from readgraph.sources.formats.plain_text import convert_markdown

    return [(place.start, place.label) for place in convert_markdown(text.encode(), "report.md").places]


async def test_a_step_that_changes_sentences_changes_the_summary(library: Library) -> None:
    def drop_first(state: CheckState) -> dict[str, Any]:
        return {"sentences": state["sentences"][1:], "unsupported": 0, "unchecked": 0}

    graph = summary.build(check=drop_first).compile(store=library.store)
    found = await graph.ainvoke({"text": report()}, context=ReaderContext(summary_words=60))
    assert found["answer"] == " ".join(each["text"] for each in found["sentences"])
    assert {each["mark_at"] for each in found["citations"]} <= {at.end() for at in re.finditer(r"\.", found["answer"])}


async def test_a_part_that_is_no_string_or_of_a_text_without_a_title_is_refused(library: Library) -> None:
    for part, told in {5: "'part' must be a string, not int", "Lamps": "'[0-9a-f]+' has no place 'Lamps'"}.items():
        asks: Any = {"part": part}
        with pytest.raises(BadInput, match=told):
            await summarised(library, "A lamp burned. It was out.", ReaderContext(), **asks)


async def test_an_unknown_part_is_refused_with_near_names(library: Library) -> None:
    document = await library.pages.add_document(report(), title="report", places=places_of(report()))
    graph = summary.build().compile(store=library.store)
    for part, told in {
        "Monney": "its places have names such as '§ Money'",
        "parts 3-900": "There is no part 900",
        "parts 4-2": "goes backwards",
        " ": "The part is empty",
    }.items():
        with pytest.raises(BadInput, match=told):
            await graph.ainvoke({"document": document.id, "part": part}, context=ReaderContext())


async def test_without_a_model_sentences_of_the_whole_text_are_extracted(library: Library, story: str) -> None:
    context = ReaderContext(summary_words=250)
    found = await summarised(library, story, context)
    assert (found["status"], found["by_rule"], found["unsupported"], found["unchecked"]) == ("extracted", True, 0, 0)
    assert 175 <= count_words(found["answer"]) <= 250
    starts = [citation["start"] for citation in found["citations"]]
    assert starts == sorted(starts) and len(starts) == len(found["sentences"])
    marks = [citation["mark_at"] for citation in found["citations"]]
    assert marks == sorted({*marks})
    thirds = {3 * start // len(story) for start in starts}
    assert thirds == {0, 1, 2}
    assert await summarised(library, story, context) == {**found, "usage": ANY, "steps": ANY}
    about = await summarised(library, story, context, question="the oil")
    assert all("oil" in each["text"].casefold() for each in about["sentences"]) and about["sentences"]
    nothing = await summarised(library, story, context, question="xylophones")
    assert (nothing["status"], nothing["answer"]) == ("no_answer", None)


async def test_a_longer_extract_is_not_bound_to_the_sentences_of_the_notes(library: Library, story: str) -> None:
    found = await summarised(library, story[:12_000], ReaderContext(summary_words=1500))
    assert found["pages_read"] and count_words(found["answer"]) > 1300


@pytest.mark.slow
async def test_a_text_of_one_long_word_is_summarised_soon(library: Library) -> None:
    with anyio.fail_after(20):
        found = await summarised(library, "x" * 40_000, ReaderContext(summary_words=100))
    assert found["status"] == "extracted"


class _Any:
    def __eq__(self, other: object) -> bool:
        return True


ANY: Any = _Any()


async def test_a_subject_is_said_to_the_model_and_may_give_nothing(
    server: ModelServer, library: Library, story: str
) -> None:
    server.respond = replying(lambda request: [])
    found = await summarised(library, story[:3000], question="xylophones")
    assert "xylophones" in server.requests[-1].text
    assert (found["status"], found["answer"], found["by_rule"]) == ("no_answer", None, False)


async def test_where_no_reply_is_usable_a_text_is_not_said_to_be_silent(
    server: ModelServer, library: Library, story: str
) -> None:
    server.respond = replying(lambda request: [{"text": "So it was.", "pages": [999]}])
    found = await summarised(library, story[:3000], question="xylophones")
    assert (found["status"], found["answer"], found["by_rule"]) == ("no_answer", None, True)
    assert found["fallbacks"]["summary"] == 1


async def test_a_summary_is_in_the_language_of_the_notes(server: ModelServer, library: Library) -> None:
    german = "Der Wärter stieg in der Nacht hinauf zur Lampe, weil er kein Öl mehr hatte. " * 30
    for language, told in (("", "Write in German."), ("fr", "Write in French.")):
        await summarised(library, german, replace(MODEL, language=language, check_sentences=False))
        assert told in server.requests[-1].last


async def test_a_third_of_the_replies_is_bad_and_the_summary_ends_the_same(
    server: ModelServer, tmp_path: Path, story: str
) -> None:
    chance, faults = random.Random("summary"), [*FAULTS.values()]

    async def found(folder: str) -> dict[str, Any]:
        async with open_library(tmp_path / folder) as library:
            ended = await summarised(library, story[:6000])
        return {name: ended[name] for name in ("status", "sentences", "citations", "fallbacks", "unsupported")}

    clean = await found("clean")
    server.fault_for = lambda request, call: chance.choice(faults) if chance.random() < 1 / 3 else None
    assert await found("faulty") == clean


async def test_no_usable_summary_is_replaced_by_an_extract_and_counted(
    server: ModelServer, library: Library, story: str
) -> None:
    server.respond = replying(lambda request: [{"text": "So it was.", "pages": [999]}])
    found = await summarised(library, story[:4000])
    assert found["fallbacks"]["summary"] == 1 and found["by_rule"] and found["status"] == "extracted"
    assert all(each["extracted"] for each in found["sentences"]) and "SentenceVerdicts" not in kinds(server.requests)


@pytest.mark.parametrize("words", [200, pytest.param(900, marks=pytest.mark.slow)])
async def test_no_prompt_exceeds_the_window_and_groups_are_summarised_first(
    server: ModelServer, library: Library, whole_story: str, words: int
) -> None:
    context = ReaderContext(
        model="openai:double", window_words=1000, summary_words=words, min_page_words=200, max_page_words=300
    )
    text = whole_story if words > 200 else whole_story[:42_000]
    found = await summarised(library, text, context, question="the goat that stood on the gallery " * 9)
    sizes = [count_words(request.text) for request in server.requests]
    assert max(sizes) <= 1000 and kinds(server.requests).count("WrittenSummary") > 2
    assert 0.5 * words <= count_words(found["answer"]) <= words and "prompt_cut" not in found["fallbacks"]
    assert len({page for each in found["sentences"] for page in each["pages"]}) > 1


async def test_a_summary_whose_budget_is_spent_is_extracted(server: ModelServer, library: Library, story: str) -> None:
    found = await summarised(library, story[:6000], replace(MODEL, max_calls=4))
    assert (found["status"], found["by_rule"]) == ("budget", True) and found["answer"]


async def test_what_was_paid_for_before_a_kill_is_not_paid_again(
    server: ModelServer, library: Library, story: str
) -> None:
    class Killed(BaseException):
        pass

    async def killed(state: Any, runtime: Any) -> Any:
        raise Killed

    graph = summary.build(cite=killed).compile(store=library.store)
    with pytest.raises(Killed):
        await graph.ainvoke({"text": story[:6000]}, context=MODEL)
    asked = len(server.requests)
    found = await summarised(library, story[:6000])
    assert len(server.requests) == asked and found["status"] == "summarised" and found["usage"]["calls"] == 0


SENTENCES = st.lists(st.integers(1, 30).map(lambda words: " ".join(["lamp", "oil", "sea"] * words)[: 9 * words] + "."))


@settings(suppress_health_check=[HealthCheck.too_slow])
@given(st.dictionaries(st.integers(0, 9), SENTENCES.map(" ".join), max_size=6), st.integers(20, 200))
def test_an_extract_has_no_more_words_than_wanted_and_only_the_texts_own(texts: dict[int, str], most: int) -> None:
    sentences = extract_summary(texts, {}, most)
    assert sum(count_words(each["text"]) for each in sentences) <= most
    assert all(each["text"] in " ".join(texts[each["pages"][0]].split()) for each in sentences)
    assert bool(sentences) == any(text.strip() for text in texts.values())


@given(
    st.lists(st.integers(1, 60).map(lambda words: SummaryItem((0,), "lamp " * words)), min_size=1), st.integers(10, 200)
)
def test_groups_hold_every_item_once_within_the_room(items: list[SummaryItem], room: int) -> None:
    for groups in (groups_within(items, room), even_groups(items, 4)):
        assert [item for group in groups for item in group] == items and all(groups)
    assert all(words_of(group) <= room or len(group) == 1 for group in groups_within(items, room))
    assert len(even_groups(items, 4)) <= 4
