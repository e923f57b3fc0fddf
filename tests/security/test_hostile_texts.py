"""A text is data: two hundred texts that try to be more change nothing but what stands between fences."""

import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import pytest

from readgraph.features.overwrite.question_notes import take_notes_prompt
from readgraph.features.survey.answer import survey_prose_prompt
from readgraph.features.survey.plan import survey_plan_prompt
from readgraph.graphs.methods import METHODS, ROWS
from readgraph.library.opening import Library
from readgraph.models.prompt import Prompt
from readgraph.nodes.answering.cite import CHECK_ANSWER
from readgraph.nodes.answering.in_view import WEIGH, answer_from_notes_prompt, answer_prompt
from readgraph.nodes.answering.verdicts import check_sentences_prompt
from readgraph.nodes.look_up import look_up_next_prompt, look_up_pages_prompt
from readgraph.nodes.research.integrate import integrate_prompt
from readgraph.nodes.research.plan import plan_prompt
from readgraph.nodes.research.reflect import ENOUGH, MISSING, reflect_prompt
from readgraph.nodes.walk.steps import leaf_prompt, triage_prompt
from readgraph.state.context import ReaderContext
from readgraph.state.records import Page
from tests.doubles.deaf import ANSWER, deaf
from tests.doubles.model_server import ChatRequest, ModelServer
from tests.doubles.reader import asked_for
from tests.nodes.test_prompts import BESIDE_OTHERS, CHOICES, FOUND, FROM_TEXT, MEMORY, TOOLS
from tests.support.hostile_texts import ORDERED, QUIET, harmless, hostile_texts

QUESTIONED: dict[str, Callable[[str], Prompt]] = {
    "answer": lambda asked: answer_prompt(MEMORY, asked, {}),
    "answer, options": lambda asked: answer_prompt(MEMORY, "Who?", {"A": asked, "B": "nobody"}),
    "answer from notes": lambda asked: answer_from_notes_prompt(FOUND, MEMORY, asked, {}),
    "check answer": lambda asked: check_sentences_prompt(CHECK_ANSWER, MEMORY, ["The lamp was out."], asked),
    "check answer, sentence": lambda asked: check_sentences_prompt(CHECK_ANSWER, MEMORY, [asked], "Who?"),
    "integrate": lambda asked: integrate_prompt(MEMORY, FOUND, asked, {}),
    "leaf": lambda asked: leaf_prompt("The lamp.", [], [], asked, CHOICES),
    "look up": lambda asked: look_up_pages_prompt(MEMORY, asked, {}, 5),
    "look up next": lambda asked: look_up_next_prompt(MEMORY, asked, {}, [1]),
    "plan": lambda asked: plan_prompt(MEMORY, asked, {}, TOOLS, 5),
    "plan, searched": lambda asked: plan_prompt(MEMORY, "Who?", {}, TOOLS, 5, requests=[asked], searched=[asked]),
    "reflect": lambda asked: reflect_prompt(FOUND, asked, {}),
    "enough": lambda asked: reflect_prompt(FOUND, asked, {}, words=ENOUGH),
    "missing": lambda asked: reflect_prompt(FOUND, asked, {}, words=MISSING),
    "survey plan": lambda asked: survey_plan_prompt(asked, {}),
    "survey prose": lambda asked: survey_prose_prompt("1 rows.", asked, {}, 1, 1),
    "take notes": lambda asked: take_notes_prompt("The lamp.", "", "", asked, {}, page=0, most_words=99),
    "triage": lambda asked: triage_prompt(
        ["The keeper climbs to the lamp.", "He looks for oil."], [], [], [], asked, {}
    ),
    "triage, parts": lambda asked: triage_prompt([asked, "The lamp."], [], [asked], [asked], "Who?", {}),
    "weigh": lambda asked: answer_prompt(MEMORY, asked, {}, WEIGH),
}
"""Each prompt with a question, an option or a request in its place."""

EVERY_PLACE = {
    **{f"text: {name}": make for name, make in FROM_TEXT.items()},
    **{f"beside: {name}": make for name, make in BESIDE_OTHERS.items()},
    **{f"question: {name}": make for name, make in QUESTIONED.items()},
}
FENCE = re.compile(r"(?ms)^<([a-z]+(?:-[a-z]+)*)((?:-\d+)?)>\n(.*?)\n</\1\2>$")
NUMBERED = re.compile(r"<([a-z]+)-\d+ ")


def structure(prompt: Prompt) -> tuple[object, ...]:
    """Roles, instructions, fences in their order, and all that stands outside of fences."""
    outside = FENCE.sub(lambda fence: f"<{fence[1]}>", prompt.user)
    roles = tuple(role for role, _ in prompt.messages)
    return roles, prompt.system, [fence[1] for fence in FENCE.finditer(prompt.user)], NUMBERED.sub(r"<\1 ", outside)


@pytest.mark.parametrize("place", EVERY_PLACE)
@pytest.mark.slow
def test_the_structure_of_each_prompt_is_that_of_a_harmless_text(place: str) -> None:
    check_structure(EVERY_PLACE[place])


def check_structure(make: Callable[[str], Prompt]) -> None:
    """Assert that none of the texts changes anything outside of its fence."""
    expected = structure(make(QUIET))
    assert not [name for name, text in hostile_texts().items() if structure(make(text)) != expected]


def test_the_texts_are_two_hundred_and_give_orders() -> None:
    assert len(hostile_texts()) == len({*hostile_texts().values()}) == 200
    assert sum(ORDERED in text for text in hostile_texts().values()) > 90


CONTEXT = ReaderContext(
    embeddings="openai:double-embeddings", segment_words=60, min_page_words=60, max_page_words=150, children=3
)
EVERY = {**METHODS, ROWS["summary"].name: ROWS["summary"]}


def samples() -> Iterator[tuple[str, str]]:
    """Texts of some pages and questions, each of many of the two hundred; together they are all of them."""
    texts = [text for name, text in hostile_texts().items() if not name.startswith("a long line")]
    questions = [text.strip() for name, text in hostile_texts().items() if name.endswith("in a sentence")]
    for number in range(len(EVERY)):
        parts = texts[number :: len(EVERY)]
        yield "\n\n".join(f"{QUIET} It was night.\n\n{part}" for part in parts), questions[number]


SAMPLES = dict(zip(EVERY, samples(), strict=True))


async def reading(library: Library, method: str, text: str, question: str, context: ReaderContext) -> Any:
    graph = EVERY[method].build().compile(store=library.store)
    asked = {"question": question} if method != ROWS["summary"].name else {}
    found = await graph.ainvoke({"text": text, **asked}, context=context)
    assert_pages(await library.pages.pages(found["memory"], range(1000)), text)
    for citation in found["citations"]:
        assert text[citation["start"] : citation["end"]] == citation["quote"] != ""
    return found


def assert_pages(pages: list[Page], text: str) -> None:
    assert [page.start for page in pages] == [0, *(page.end for page in pages[:-1])] and pages[-1].end == len(text)


def asked_of(requests: list[ChatRequest]) -> set[tuple[object, ...]]:
    """Each kind of request: the type of its reply, its roles, its instructions, its fences, its tools."""
    return {
        (
            asked_for(request),
            *(message["role"] for message in request.messages),
            request.messages[0]["content"],
            *(fence[1] for fence in FENCE.finditer(request.messages[1]["content"])),
            len(request.tools),
        )
        for request in requests
    }


@pytest.mark.slow
@pytest.mark.parametrize("method", EVERY)
async def test_a_method_does_with_hostile_texts_what_it_does_with_others(
    library: Library, server: ModelServer, method: str
) -> None:
    text, question = SAMPLES[method]
    found = await reading(library, method, text, question, CONTEXT)
    assert found["status"] in ("nearest", "no_answer", "extracted")
    server.respond, context = deaf, replace(CONTEXT, model="openai:double")
    found = await reading(library, method, text, question, context)
    hostile = asked_of(server.requests)
    server.reset()
    other = await reading(library, method, harmless(text), harmless(question), context)
    told = [(each["status"], each["answer"], each["choice"], each["fallbacks"]) for each in (found, other)]
    assert told[0] == told[1] and (told[0][0] == "answered" or method in ("survey", ROWS["summary"].name))
    assert told[0][1] in (ANSWER, "A scene.", "", None)
    assert hostile == asked_of(server.requests)
