"""What an estimate expects is near what is used, with replies as long as a real model's, on texts of our own."""

from dataclasses import replace

import pytest

from benchmarks.estimates import COUNTED, EXAMPLES, Compared, compared
from readgraph.state.words import first_words
from readgraph_evaluation.datasets import load_dataset
from readgraph_evaluation.records import Dataset, Text
from tests.doubles.lifelike import lifelike
from tests.doubles.model_server import ModelServer
from tests.doubles.reader import reader

NEAR = 1.25
"""Most that an estimate of calls and of words sent may be off, as a factor."""

NEAR_REPLIES = 1.35
"""The same for words received: an option is chosen in fewer words than an answer is written in."""

STORIES = load_dataset(EXAMPLES, None, 6)

METHODS_ON_STORIES = ["read-agent", "read-agent-s", "retrieved-pages", "gists-only", "mem-walker", "gam", "mem-gpt"]
METHODS_ON_STORIES += ["survey", "overwrite-memory", "recurrent", "bm25", "full-text", "gist-research"]
METHODS_ON_STORIES += ["outline-walk", "walk-and-read"]

OTHERS = ["reader-agent", "guided-walk", "walk-and-research", "reflective-walk", "escalate"]
"""Whether they go on is decided a few times a question: so many questions are needed until the mean is met."""

LENGTHS = ["read-agent", "mem-walker", "gam", "mem-gpt", "reader-agent", "survey", "overwrite-memory", "recurrent"]

EMBEDDINGS = "openai:double-embeddings"


def assert_near(found: Compared) -> None:
    """Within a quarter, and within the bounds."""
    ratios = dict(zip(COUNTED, found.ratios(), strict=True))
    for name, ratio in ratios.items():
        near = NEAR_REPLIES if name == "output_words" else NEAR
        assert 1 / near <= ratio <= near, (name, ratios, found.used)
    assert_holds(found)


def assert_holds(found: Compared) -> None:
    """What was used lies within the bounds."""
    for name in COUNTED:
        limits = getattr(found.estimate, name)
        assert limits.high is None or found.used[name] <= limits.high, (name, found.used, limits)


def of_words(words: int, questions: int) -> Dataset:
    """The story's first words, or several stories, with free questions."""
    whole = "\n\n".join(text.text for text in STORIES.texts * (1 + words // 30_000))
    items = [item for item in STORIES.items if not item.options] + [
        replace(item, id=f"{item.id} {again}", question=f"{again}: {item.question}")
        for again in ("Tell shortly", "In a word", "Look for it")
        for item in STORIES.items
    ]
    text = Text("story", "The story", first_words(whole, words))
    return replace(
        STORIES, texts=(text,), items=tuple(replace(item, text=text.id, options=()) for item in items[:questions])
    )


@pytest.mark.slow
@pytest.mark.parametrize("method", METHODS_ON_STORIES)
async def test_a_quarter_at_most_lies_between_estimate_and_use(server: ModelServer, method: str) -> None:
    server.respond = lifelike
    assert_near(await compared(STORIES, method, embeddings=EMBEDDINGS))


@pytest.mark.slow
@pytest.mark.parametrize("method", OTHERS)
async def test_so_it_is_of_many_questions_where_chance_decides_how_far_one_goes(
    server: ModelServer, method: str
) -> None:
    server.respond = lifelike
    assert_near(await compared(load_dataset(EXAMPLES, None, None), method, embeddings=EMBEDDINGS))


@pytest.mark.slow
@pytest.mark.parametrize("words", [2_000, 30_000])
@pytest.mark.parametrize("method", LENGTHS)
async def test_so_it_is_of_short_and_long_texts(server: ModelServer, method: str, words: int) -> None:
    server.respond = lifelike
    assert_near(await compared(of_words(words, 12), method, embeddings=EMBEDDINGS))


@pytest.mark.parametrize("method", ["survey", "reader-agent"])
async def test_what_questions_share_lies_within_the_bounds(server: ModelServer, method: str) -> None:
    server.respond = reader  # it plans every survey alike, so that all questions share the records of one
    found = await compared(of_words(6_000, 4), method)
    assert_holds(found)
    if method == "survey":
        assert found.used["calls"] < 0.75 * found.estimate.calls.expected


async def test_an_option_is_chosen_in_fewer_words_than_an_answer_takes(server: ModelServer) -> None:
    server.respond = lifelike
    free = of_words(500, 2)
    chosen = replace(free, items=tuple(replace(item, options=("one", "two"), correct=0) for item in free.items))
    assert_near(await compared(chosen, "first-words"))
    expected = [(await compared(each, "first-words")).estimate.output_words.expected for each in (free, chosen)]
    assert expected[1] < 0.8 * expected[0]
