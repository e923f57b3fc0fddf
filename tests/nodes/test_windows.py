"""No prompt has more words than the window: not one of any method, however long questions, options and pages are."""

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from readgraph.graphs.methods import METHODS
from readgraph.library.opening import Library
from readgraph.models.prompt import Prompt, fenced, fit_prompt
from readgraph.nodes.bounds import INSTRUCTION_WORDS
from readgraph.nodes.prompts import every_wording, question_part
from readgraph.state.context import ReaderContext
from readgraph.state.errors import BadInput
from readgraph.state.words import count_words
from tests.doubles.model_server import ModelServer
from tests.doubles.reader import reader
from tests.support.some_methods import OF_THE_PAPERS, mostly_slow

TEXTS = st.text(alphabet="ab 字\n", max_size=400) | st.integers(0, 300).map(lambda words: "lamp oil\n" * words)


@given(st.lists(TEXTS, min_size=1, max_size=4), st.integers(30, 900))
def test_a_prompt_is_cut_to_the_window_and_no_further(texts: list[str], most: int) -> None:
    user = "\n\n".join([*(fenced(f"part-{number}", text) for number, text in enumerate(texts)), "What now?"])
    prompt = Prompt("tried", 1, "You read.", user)
    assume(most >= 5 + 3 * len(texts))
    short, words, left_out = fit_prompt(prompt, most)
    assert short.words == words <= most and left_out == prompt.words - words
    assert (short == prompt) == (prompt.words <= most)
    assert short.user.endswith("What now?") and short.user.count("</part-") == len(texts)


def test_what_is_cut_keeps_all_options_and_tags() -> None:
    options = dict.fromkeys("ABCDEFGHIJKLMNOPQRSTUVWXYZ", "word " * 300)
    memory = "\n\n".join(f"<page {number}>\n{'gist ' * 90}" for number in range(9))
    prompt = Prompt(
        "tried", 1, "You read.", f"{fenced('memory', memory)}\n\n{question_part('Who?', options)}\n\nAnswer."
    )
    short, *_ = fit_prompt(prompt, 500)
    assert all(f"\n{letter}. word" in short.user for letter in options)
    assert all(f"<page {number}>\ngist" in short.user for number in range(9))


def test_a_text_is_cut_wherever_its_tag_stands_in_a_line() -> None:
    prompt = Prompt("tried", 1, "You read.", f"Context: {fenced('memory', 'word ' * 900)}\n\nQuestion: Who?")
    short, _, left_out = fit_prompt(prompt, 100)
    assert short.words <= 100 and left_out > 800 and short.user.endswith("</memory>\n\nQuestion: Who?")


def test_instructions_are_not_cut() -> None:
    prompt = Prompt("tried", 1, "You read. " * 40, fenced("passage", "text"))
    with pytest.raises(BadInput, match="82 words are instructions"):
        fit_prompt(prompt, 50)


def test_instructions_are_not_longer_than_what_is_kept_free_for_them() -> None:
    assert max(sum(map(count_words, words.texts.values())) for words in every_wording()) <= INSTRUCTION_WORDS


OPTIONS = [f"Option {number}: the goat stood on the gallery. " * 7 for number in range(26)]
ASKED: dict[str, dict[str, Any]] = {
    "plain": {"question": "What of the goat?"},
    "long": {"question": "What of the goat that stood on the gallery? " * 150},
    "options": {"question": "What of the goat that stood on the gallery? " * 30, "options": OPTIONS},
}
CONTEXT = ReaderContext(
    model="openai:double",
    embeddings="openai:double-embeddings",
    max_pages=9,
    segment_words=200,
    children=8,
    node_words=180,
    memo_page_words=900,
    working_memory="visited",
    window_words=1000,
)
SMALLEST = dict.fromkeys(("mem-gpt", "reader-agent"), 8000)
"""Windows of the methods that refuse a smaller one."""


@pytest.mark.parametrize(
    "asked", ["options", *(pytest.param(name, marks=pytest.mark.slow) for name in ("plain", "long"))]
)
@pytest.mark.parametrize("method", mostly_slow(METHODS, [*OF_THE_PAPERS, "survey", "reader-agent", "recurrent"]))
async def test_no_prompt_of_any_method_exceeds_the_window(
    server: ModelServer, library: Library, story: str, method: str, asked: str
) -> None:
    window = SMALLEST.get(method, CONTEXT.window_words)
    graph = METHODS[method].build().compile(store=library.store)
    given: Any = {"text": story[:6000], **ASKED[asked]}
    found = await graph.ainvoke(given, context=replace(CONTEXT, window_words=window))
    assert found["status"] in ("answered", "no_answer", "nearest")
    words = [count_words(request.text) for request in server.requests]
    assert words and max(words) <= window
    if asked == "options" and method not in SMALLEST:
        assert found["fallbacks"]["prompt_cut"] > 0
        assert any("words did not fit the window" in step["summary"] for step in found["steps"])


async def test_pages_are_opened_only_as_far_as_the_whole_prompt_fits(
    server: ModelServer, library: Library, story: str
) -> None:
    server.respond = lambda request: (
        {"reason": "", "pages": [3, 1, 5, 2, 7]} if request.schema_name == "PagesToRead" else reader(request)
    )
    document = await library.pages.add_document(story[:12_000])
    graph = METHODS["read-agent"].build().compile(store=library.store)
    context = replace(CONTEXT, min_page_words=100, max_page_words=200, window_words=1500)
    found = await graph.ainvoke({"document": document.id, "question": "What of the goat?"}, context=context)
    assert found["pages_read"] and "prompt_cut" not in found["fallbacks"]
    assert max(count_words(request.text) for request in server.requests) <= 1500
