"""Texts are compressed into a budget by a method's own graph, and never cut."""

import json
import sys
from collections.abc import Callable
from importlib import import_module
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from readgraph.features.compression import ReadAgentGistEngine, engine_named, stand_in_for_compact_memory
from readgraph.features.compression.condenser import count_tokens, words_in
from readgraph.features.compression.engines import engine_ids
from readgraph.features.compression.read_agent_parts import SentenceWindowChunker
from readgraph.graphs import read_agent
from readgraph.language.sentences import sentence_spans
from readgraph.models.own.functions import function_model
from readgraph.state.context import ReaderContext
from readgraph.state.errors import BadInput, ModelUnavailable
from readgraph.state.words import count_words
from tests.doubles.model_server import ModelServer
from tests.doubles.pipeline import Pipeline

pytestmark = pytest.mark.quick

SMALL: dict[str, Any] = {"episode_token_limit": 150, "gist_length": 30}


@pytest.fixture(scope="module")
def text() -> str:
    from tests.support.examples import EXAMPLES

    return (EXAMPLES / "the-lamp-at-sarn-head.txt").read_text(encoding="utf-8")[:5000]


def test_gists_are_gisted_again_until_they_fit(text: str) -> None:
    pipeline = Pipeline()
    compressed, trace = ReadAgentGistEngine(local_llm_pipeline=pipeline, **SMALL).compress(text, 30)
    assert 15 <= compressed.tokens == count_tokens(compressed.text) <= 30
    assert compressed.status == "compressed" and trace.fallbacks == {}
    assert trace.output_summary["rounds"] >= 2
    gists = [said["reply"] for step in trace.steps if step["node"] == "read" for said in step["replies"]]
    assert len(gists) > 4 and all(gist in " ".join(text.split()) for gist in gists)
    assert trace.usage["calls"] == len(pipeline.prompts) == sum(len(step["replies"]) for step in trace.steps)
    everything = count_tokens(" ".join(gists))
    compressed, trace = ReadAgentGistEngine(local_llm_pipeline=pipeline, **SMALL).compress(text, everything)
    assert (compressed.text.split("\n\n"), trace.output_summary["rounds"]) == (gists, 0)


def test_gists_that_no_prompt_could_hold_are_condensed_all_the_same(text: str) -> None:
    pipeline = Pipeline()
    long: dict[str, Any] = {"episode_token_limit": 150, "gist_length": 140, "window_words": 1000}
    compressed, trace = ReadAgentGistEngine(local_llm_pipeline=pipeline, **long).compress(text, 300)
    assert 150 < compressed.tokens <= 300 and trace.fallbacks == {}
    assert all("\n\nShorten this passage" in prompt for prompt in pipeline.prompts)


def test_chunks_are_the_episodes_and_what_came_before_stands_first(text: str) -> None:
    pipeline = Pipeline()
    engine = ReadAgentGistEngine(local_llm_pipeline=pipeline, **SMALL)
    chunks = [text[:900], text[900:1500], text[1500:2400]]
    compressed, trace = engine.compress(chunks, 60)
    assert len([said for step in trace.steps if step["node"] == "read" for said in step["replies"]]) == 3
    engine.compress([text[:1500], text[1500:2400]], 60)
    calls = len(pipeline.prompts)
    assert engine.compress(chunks, 60)[0].text == compressed.text and len(pipeline.prompts) == calls
    assert len(ReadAgentGistEngine(local_llm_pipeline=pipeline, **SMALL).compress("\n\n".join(chunks), 60)[1].steps) > 1
    later, _ = engine.compress(text[2400:3000], 2000, previous_compression_result=compressed)
    assert later.text == f"{compressed.text}\n\n{text[2400:3000]}" and later.status == "whole"
    with pytest.raises(BadInput, match="what compress returned"):
        engine.compress(text, 60, previous_compression_result="x")  # type: ignore[arg-type]
    with pytest.raises(BadInput, match="not int"):
        engine.compress(["a", 1], 60)  # type: ignore[list-item]


@given(
    st.lists(st.sampled_from(["One. ", "Two three four five. ", "word " * 40, "\n\n", "Wo? "]), min_size=1),
    st.integers(2, 60),
)
def test_windows_of_sentences_hold_the_whole_text_and_keep_their_size(parts: list[str], most: int) -> None:
    text = "".join(parts)
    episodes = SentenceWindowChunker(most).chunk(text)
    assert "".join("".join(episodes).split()) == "".join(text.split())
    assert all(count_words(episode) <= words_in(most) for episode in episodes)


def test_no_sentence_stands_twice_in_a_compressed_text() -> None:
    verses = [f"The keeper of lamp {number} wrote of the wind and of oil that week. " for number in range(40)]
    song = "\n\n".join(verse + "And the goat stood on the gallery and looked at the sea. " for verse in verses)
    compressed, _ = ReadAgentGistEngine(**SMALL).compress(song, 600)
    said = [sentence.strip() for sentence in compressed.text.replace("\n", " ").split(". ")]
    assert len(said) == len({*said}) > 5


def test_compact_memory_s_names_give_our_engine() -> None:
    stand_in_for_compact_memory()
    stand_in_for_compact_memory()
    names = import_module("compact_memory.engines.ReadAgent.engine")
    assert names.ReadAgentGistEngine is ReadAgentGistEngine
    assert import_module("compact_memory.chunker").SentenceWindowChunker is SentenceWindowChunker
    for name in [name for name in sys.modules if name.partition(".")[0] == "compact_memory"]:
        del sys.modules[name]


def test_a_query_is_answered_from_the_pages_that_were_looked_up(text: str) -> None:
    pipeline = Pipeline()
    engine = ReadAgentGistEngine(local_llm_pipeline=pipeline, **SMALL)
    compressed, trace = engine.compress(text, 20, query="Who took it?")
    assert (str(compressed), compressed.status) == ("Ben took it.", "answered")
    assert [step["node"] for step in trace.steps] == [
        *("open", "read", "merge", "look_up", "answer", "cite"),
        "condense",
    ]
    asked = pipeline.prompts[-1]
    assert "</memory>\n\nQuestion: Who took it?" in asked
    pages = [" ".join(part.split()[1:12]) for part in asked.split("<page ")[2:4]]
    assert all(page in " ".join(text.split()) for page in pages)
    before = len(pipeline.prompts)
    engine.compress(text, 20, query="Who took it?")
    assert len(pipeline.prompts) == before, "what was asked before is recorded"


def test_nothing_is_asked_where_the_text_fits(text: str) -> None:
    pipeline = Pipeline()
    short = "  The lamp was out.\n\nNobody had lit it. "
    compressed, trace = ReadAgentGistEngine(local_llm_pipeline=pipeline).compress(short, 100)
    assert (compressed.text, compressed.status, pipeline.prompts, trace.steps) == (short, "whole", [], [])


@pytest.mark.parametrize("length", [1.6, 50], ids=["too long", "not shortened at all"])
def test_a_model_that_replies_longer_than_asked_is_never_cut(text: str, length: float) -> None:
    compressed, trace = ReadAgentGistEngine(local_llm_pipeline=Pipeline(length), **SMALL).compress(text, 80)
    assert 20 < compressed.tokens <= 80
    if length > 2:
        assert trace.fallbacks["compress"] == 1, "its most important sentences stand for it"
        sentences = {" ".join(text[slice(*span)].split()) for span in sentence_spans(text)}
        assert any(" ".join(compressed.text.split()).endswith(sentence) for sentence in sentences)


def test_what_holds_no_answer_gives_an_empty_text(text: str) -> None:
    engine = ReadAgentGistEngine(local_llm_pipeline=Pipeline(answer="none", pages="Page 700"), **SMALL)
    compressed, trace = engine.compress(text, 50, query="Who took it?")
    assert (compressed.text, compressed.status, compressed.tokens) == ("", "no_answer", 0)
    assert trace.fallbacks == {"look_up": 1}


def test_an_answer_over_the_budget_is_shortened(text: str) -> None:
    engine = ReadAgentGistEngine(local_llm_pipeline=Pipeline(answer="Ben took the log book home. " * 20), **SMALL)
    compressed, trace = engine.compress(text, 40, query="Who took it?")
    assert 10 < compressed.tokens <= 40 and trace.output_summary["rounds"] >= 1


@pytest.mark.parametrize("identity", engine_ids())
def test_every_engine_works_without_a_model_and_says_so(text: str, identity: str) -> None:
    engine = engine_named(identity)()
    compressed, trace = engine.compress(text, 90)
    assert trace.model == "" == trace.steps[1]["model"] and trace.usage["calls"] == 0
    assert 30 < compressed.tokens <= 90 and (trace.engine_name, compressed.status) == (identity, "compressed")
    sentences = [" ".join(text[slice(*span)].split()) for span in sentence_spans(text)]
    left = " ".join(compressed.text.split())
    for sentence in sorted(sentences, key=len, reverse=True):
        left = left.replace(sentence, "")
    assert not left.strip(), "whole sentences of the text, and nothing else"
    compressed, _ = engine.compress(text, 60, query="lamp oil")
    assert compressed.status == "nearest" and compressed.text.split("\n\n")[0] in text
    assert engine.compress(text, 60, query="xylophone")[0].text == ""


def test_without_a_model_a_query_s_budget_is_filled_with_what_is_near(text: str) -> None:
    sizes = []
    for budget in (40, 120, 240):
        compressed, _ = engine_named("extractive")().compress(text, budget, query="lamp oil keeper Marian")
        passages = compressed.text.split("\n\n")
        assert compressed.tokens <= budget and all(passage in text for passage in passages)
        sizes.append(len(passages))
    assert sizes[0] < sizes[1] < sizes[2]


def test_a_model_of_a_server_serves_in_place_of_a_function(server: ModelServer, text: str) -> None:
    for identity in ("memwalker_tree", "gam_memos", "extractive"):
        compressed, trace = engine_named(identity)(context=ReaderContext(model="openai:double")).compress(text, 90)
        assert compressed.tokens <= 90 and trace.usage["calls"] == server.calls
        assert (server.calls > 0) == (identity != "extractive")
        server.reset()


def test_the_level_of_the_tree_that_fits_is_taken(text: str) -> None:
    engine = engine_named("memwalker_tree")(
        local_llm_pipeline=lambda prompt: "A part is told.", segment_words=100, children=2, node_words=10
    )
    sizes = [engine.compress(text, budget)[0].text.count("A part") for budget in (90, 25, 10)]
    assert sizes[0] > sizes[1] > sizes[2] == 1


def test_a_trace_is_plain_json(text: str) -> None:
    engine = ReadAgentGistEngine(local_llm_pipeline=Pipeline(), gist_prompt_template="{text} to about 20 tokens, {{}}")
    _, trace = engine.compress(text, 100)
    kept = json.loads(trace.to_json())
    assert kept["parameters"]["gist_prompt_template"] == "{text} to about 20 tokens, {{}}"
    assert kept["parameters"]["local_llm_pipeline"].startswith("function:tests.doubles.pipeline.Pipeline")
    assert kept["parameters"]["local_llm_pipeline"] == kept["model"]
    assert kept["original_tokens"] > kept["compressed_tokens"] > 0 < kept["processing_ms"]
    assert kept["usage"] == trace.usage and kept["input_summary"]["budget"] == 100


def test_a_spent_budget_of_calls_goes_on_without_the_model(text: str) -> None:
    pipeline = Pipeline()
    compressed, trace = ReadAgentGistEngine(local_llm_pipeline=pipeline, max_calls=2, **SMALL).compress(text, 100)
    assert len(pipeline.prompts) == 2 == trace.usage["calls"]
    assert compressed.status == "budget" and 30 < compressed.tokens <= 100


@pytest.mark.parametrize(
    ("pipeline", "kind", "told"),
    [
        (lambda prompt: 1 / 0, ModelUnavailable, "raised ZeroDivisionError: correct it"),
        (lambda prompt: None, BadInput, "returned NoneType instead of a string: wrap it"),
        (lambda prompt: [{"generated_text": prompt}], BadInput, "returned list instead of a string"),
    ],
)
def test_a_function_that_is_no_model_is_one_line(
    text: str, pipeline: Callable[[str], str], kind: type[Exception], told: str
) -> None:
    with pytest.raises(kind, match=told) as raised:
        ReadAgentGistEngine(local_llm_pipeline=pipeline).compress(text, 100)
    assert "\n" not in str(raised.value)


def test_a_function_that_fails_is_not_tried_as_long_for_each_episode(text: str) -> None:
    tried = list[str]()

    def fails(prompt: str) -> str:
        tried.append(prompt)
        raise RuntimeError

    with pytest.raises(ModelUnavailable, match="raised RuntimeError"):
        ReadAgentGistEngine(local_llm_pipeline=fails, episode_token_limit=200).compress(text, 100)
    assert len(tried) == 1


def test_the_trace_names_the_settings_that_were_given(text: str) -> None:
    engine = ReadAgentGistEngine(local_llm_pipeline=Pipeline(), max_pages=2, window_words=5000)
    _, trace = engine.compress(text, 60, "Who took the log book?")
    assert (trace.parameters["max_pages"], trace.parameters["window_words"]) == (2, 5000)
    json.loads(trace.to_json())


def test_the_function_of_compact_memory_s_page_serves() -> None:
    def my_llm_func(prompt: str) -> str:
        if "Summarize:" in prompt:
            return f"Simulated summary for: {prompt[:50]}..."
        if "Relevant pages:" in prompt:
            return "Page 1"
        if "Context:" in prompt and "Question:" in prompt:
            return f"Simulated answer for: {prompt.split('Question:')[1][:50]}..."
        return "LLM response."

    engine = ReadAgentGistEngine(local_llm_pipeline=my_llm_func)
    document = "This is the first episode.\n\nThis is the second episode, much longer.\n\nAnd a third."
    assert engine.compress(document, llm_token_budget=100)[0].text == document
    assert engine.compress(document, llm_token_budget=15)[0].text == "LLM response."
    answered, _ = engine.compress(document, llm_token_budget=50, query="What is in the first episode?")
    assert answered.text.split()[:5] == ["Simulated", "answer", "for:", "What", "is"]
    assert len(engine.ingest(document)) == 1
    assert engine.recall(query="first episode content", top_k=1)[0]["text"] == "LLM response."


def test_a_function_that_says_nothing_is_replaced_and_counted(text: str) -> None:
    compressed, trace = ReadAgentGistEngine(local_llm_pipeline=lambda prompt: " ").compress(text, 100)
    assert trace.fallbacks["gist"] > 1 and trace.usage["refused"] == 3 * trace.fallbacks["gist"]
    assert 30 < compressed.tokens <= 100


def test_a_function_that_fails_for_a_while_is_asked_again(text: str) -> None:
    pipeline, failures = Pipeline(), iter(range(3))

    def sometimes(prompt: str) -> str:
        if next(failures, None) is not None:
            raise ConnectionError
        return pipeline(prompt)

    assert ReadAgentGistEngine(local_llm_pipeline=sometimes).compress(text, 100)[0].status == "compressed"


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({"llm_token_budget": 0}, "A budget of 0 tokens holds no word: give at least 2"),
        ({"llm_token_budget": -5}, "A budget of -5 tokens"),
        ({"llm_token_budget": 2.5}, "must be a whole number of tokens, not 2.5"),
        ({"llm_token_budget": True}, "not True"),
        ({"llm_token_budget": 2}, r"holds no whole sentence of what was found, and none is cut: give at least \d+"),
        ({"text": " \n"}, "The text is empty"),
        ({"text": None}, "must be a string or a list of strings, not NoneType"),
        ({"query": " "}, "The query is empty"),
        ({"query": 3}, "The query is empty"),
    ],
)
def test_bad_input_is_one_line(text: str, given: dict[str, Any], told: str) -> None:
    arguments = {"text": text, "llm_token_budget": 100, **given}
    with pytest.raises(BadInput, match=told):
        ReadAgentGistEngine().compress(**arguments)


async def test_a_function_serves_any_method(text: str) -> None:
    context = ReaderContext(model=function_model(lambda prompt: "The lamp was out." if "tells" in prompt else "1"))
    with pytest.warns(UserWarning, match="no store"):
        found = await read_agent.graph.ainvoke({"text": text, "question": "Who?"}, context=context)
    assert found["answer"] == "1" and found["pages_read"] == [1] and found["fallbacks"] == {}


async def test_an_engine_works_in_a_running_loop(text: str) -> None:
    engine = ReadAgentGistEngine(local_llm_pipeline=Pipeline(), **SMALL)
    assert (await engine.acompress(text, 60))[0] == engine.compress(text, 60)[0]
