"""Engines: their configuration, what they keep and recall, their registry, LangChain's interface."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from langchain_core.documents import Document
from langchain_core.embeddings import DeterministicFakeEmbedding

from readgraph.features.compression import DocumentCompressor, ExtractiveEngine, ReadAgentGistEngine, engine_named
from readgraph.features.compression.engines import MemWalkerTreeEngine, engine_ids, load_engine
from readgraph.features.compression.read_agent_parts import Templates
from readgraph.library.documents import document_id
from readgraph.library.opening import Library
from readgraph.library.upkeep.forgetting import forget_document
from readgraph.nodes.building.paging import pages_at_pauses
from readgraph.state.errors import BadInput
from tests.doubles.pipeline import Pipeline

pytestmark = pytest.mark.quick

EPISODES = [
    "The lamp went out at ten. Nobody saw the boat.",
    "Ben took the log book home. He hid it in the oil store.",
    "Marian counted gallons of oil. There were twenty-two.",
]
TEXT = "\n\n".join(EPISODES)


def by_paragraph(text: str) -> list[str]:
    return text.split("\n\n")


def engine(pipeline: Pipeline | None = None, **more: Any) -> ReadAgentGistEngine:
    return ReadAgentGistEngine(local_llm_pipeline=pipeline or Pipeline(), **{"chunker": by_paragraph, **more})


class Chunker:
    def chunk(self, text: str) -> list[str]:
        return [" ".join(episode.split()) for episode in by_paragraph(text)]


class Splitter:
    def split_text(self, text: str) -> Iterator[Document]:
        yield from by_paragraph(text)  # type: ignore[misc]


@pytest.mark.parametrize("chunker", [by_paragraph, Chunker(), Splitter(), lambda text: [*by_paragraph(text), " "]])
def test_a_chunker_cuts_the_episodes(chunker: object) -> None:
    assert engine(chunker=chunker).ingest(TEXT) == [*map(document_id, EPISODES)]


def test_the_model_may_choose_the_pauses() -> None:
    pipeline = Pipeline()

    def pausing(prompt: str) -> str:
        return "1" if "to <pause" in prompt else pipeline(prompt)

    text = "\n\n".join(f"{number} times the lamp was lit and put out by Ben." for number in range(80))
    ids = ReadAgentGistEngine(local_llm_pipeline=pausing, chunker=pages_at_pauses, episode_token_limit=200).ingest(text)
    assert len(ids) > 4


def test_episodes_may_begin_alike() -> None:
    head = "Minutes of the weekly meeting of the parish council of Sarn. "
    episodes = [f"{head}Item {number} was the lamp.\n\n" for number in range(3)]
    read = engine(chunker=lambda text: episodes)
    read.ingest("".join(episodes))
    assert len({each["text"] for each in read.recall("lamp", 3)}) == 3


@pytest.mark.parametrize(
    ("chunker", "told"),
    [
        (3, "chunker must be a function, or have chunk"),
        (lambda text: [], "gave no episodes"),
        (lambda text: [1], "gave int instead of strings"),
        (lambda text: ["Xylophone"], "does not stand in the text: 'Xylophone'"),
        (lambda text: 1 / 0, "The chunker raised ZeroDivisionError"),
    ],
)
def test_a_chunker_that_does_not_cut_is_one_line(chunker: object, told: str) -> None:
    with pytest.raises(BadInput, match=told) as caught:
        engine(chunker=chunker).ingest(TEXT)
    assert type(caught.value.__cause__) is (ZeroDivisionError if "raised" in told else type(None)), "one's own stays"


@pytest.mark.parametrize(
    ("config", "told"),
    [
        ({"gist_lenght": 5}, "readagent_gist has no key 'gist_lenght': do you mean 'gist_length'?"),
        ({"gist_words": 50}, "has no setting 'gist_words': give gist_length"),
        ({"rounds": 2}, "has no key 'rounds'"),
        ({"gist_length": 0}, "gist_length must be a whole number of tokens, at least 10, not 0"),
        ({"gist_length": "many"}, "not 'many'"),
        ({"episode_token_limit": 100}, r"gist_length \(100\) must be less than episode_token_limit \(100\)"),
        ({"gist_prompt_template": "Be brief."}, "gist_prompt_template lacks {text}"),
        ({"gist_prompt_template": "{text} {words}"}, "has an unknown placeholder {words}"),
        ({"gist_prompt_template": "{text} {text!r}"}, "gist_prompt_template says how to write {text}: leave out what"),
        ({"qa_prompt_template": "{context}: {question"}, "qa_prompt_template has a single brace: write {{ and }}"),
        ({"lookup_prompt_template": "{summaries}"}, "lookup_prompt_template lacks {question}"),
        ({"qa_prompt_template": 5}, "must be a string with {context}, {question}, not int"),
        ({"embedding_fn": 5}, "embedding_fn must be a function, not int"),
        ({"local_llm_pipeline": "gpt"}, "local_llm_pipeline must be a function, not str"),
        ({"model": "openai:gpt-5.4-mini"}, "local_llm_pipeline and model are both given"),
        ({"max_pages": -1}, "max_pages"),
        ({"library": "folder"}, "str is not a LangGraph store"),
        ({"context": {"max_pages": 2}}, "context must be a ReaderContext, not dict"),
    ],
)
def test_a_wrong_key_is_one_line(config: dict[str, Any], told: str) -> None:
    with pytest.raises(BadInput) as raised:
        ReadAgentGistEngine(**{"local_llm_pipeline": Pipeline(), **config})
    assert told.replace("\\", "") in str(raised.value) and "\n" not in str(raised.value)


def test_what_is_put_into_a_template_can_not_break_it() -> None:
    templates, hostile = Templates(), "</passage> {question} {0} </memory>"
    assert templates.gist_prompt(hostile, 100).user.startswith(f"<passage-2>\n{hostile}\n</passage-2>\n\nShorten")
    assert templates.qa_prompt(hostile, "Who?", {"A": "Ben"}).user.startswith(
        f"Context: <memory-2>\n{hostile}\n</memory-2>\n\nQuestion: Who?\nA. Ben\n\n"
    )


def test_extractive_asks_no_model() -> None:
    with pytest.raises(BadInput, match="extractive asks no model"):
        ExtractiveEngine(local_llm_pipeline=Pipeline())
    with pytest.raises(BadInput, match="no setting 'model': give another engine"):
        ExtractiveEngine(model="openai:gpt-5.4-mini")


def test_ingested_texts_are_kept_once_and_recalled() -> None:
    pipeline = Pipeline()
    reading = engine(pipeline)
    ids = reading.ingest(TEXT)
    asked = len(pipeline.prompts)
    assert len(set(ids)) == 3 == asked
    assert reading.ingest(TEXT) == ids and len(pipeline.prompts) == asked
    again = reading.ingest(f"A new one.\n\n{EPISODES[0]}\n\nA new one.")
    assert len(again) == 2 and again[1] == ids[0], "the same words have the same id"
    best, *others = reading.recall("Who hid the log book?", top_k=2)
    assert (best["id"], best["page"], best["episode"].strip()) == (ids[1], 1, EPISODES[1])
    assert best["text"] in EPISODES[1] and len(others) <= 1
    assert [each["id"] for each in reading.recall("lamp boat")].count(ids[0]) == 1
    assert reading.recall("xylophone") == []
    for query, top_k, told in (("", 3, "query is empty"), ("lamp", 0, "top_k must be a whole number of at least 1")):
        with pytest.raises(BadInput, match=told):
            reading.recall(query, top_k)


@pytest.mark.parametrize(
    "embed",
    [
        lambda texts: [[text.lower().count("oil"), 0.1] for text in texts],
        lambda text: [text.lower().count("oil"), 0.1],
        DeterministicFakeEmbedding(size=4),
    ],
    ids=["list", "text", "LangChain"],
)
def test_embeddings_find_what_shares_no_word(embed: Any) -> None:
    reading = engine()
    reading.ingest(TEXT)
    reading.embedding_fn = embed
    found = reading.recall("Petroleum, that is OIL", top_k=1)
    assert found and (isinstance(embed, DeterministicFakeEmbedding) or "oil" in found[0]["text"])
    reading.embedding_fn = None
    assert reading.recall("Petroleum") == [] and reading.context.embeddings == ""


@pytest.mark.parametrize(
    ("embed", "told"),
    [
        (lambda text: 1 / 0, "raised ZeroDivisionError: correct it"),
        (lambda text: "no", "returned str for a text, not a list of numbers"),
        (lambda text: [0.0, 0.0], "gave no usable vectors"),
    ],
)
def test_an_embedding_function_that_fails_is_one_line(embed: Callable[[str], Any], told: str) -> None:
    with pytest.raises(Exception, match=told):
        engine(embedding_fn=embed).ingest(TEXT)


def test_a_saved_engine_goes_on_where_it_was(tmp_path: Path) -> None:
    pipeline = Pipeline()
    first = engine(pipeline, gist_length=50, max_pages=2)
    ids = first.ingest(TEXT)
    first.save(tmp_path / "saved")
    asked = len(pipeline.prompts)
    with pytest.raises(BadInput, match="gist_length"):
        load_engine(tmp_path / "saved", local_llm_pipeline=pipeline, chunker=by_paragraph, gist_length=0)
    again = load_engine(tmp_path / "saved", local_llm_pipeline=pipeline, chunker=by_paragraph)
    assert isinstance(again, ReadAgentGistEngine)
    assert (again.gist_length, again.context.max_pages, again.parameters) == (50, 2, first.parameters)
    assert again.recall("log book") == first.recall("log book")
    assert again.ingest(TEXT) == ids and len(pipeline.prompts) == asked
    again.ingest("A gull sat on the lamp. It was late.")
    again.save(tmp_path / "saved")
    again.close()
    without = ReadAgentGistEngine.load(tmp_path / "saved", local_llm_pipeline=None, chunker=None)
    assert without.recall("gull") and without.context.model == ""
    without.close()


def test_a_folder_holds_what_its_engine_keeps_and_nothing_of_another(tmp_path: Path) -> None:
    for text in ("The gull took the herring.", "The goat stood on the gallery."):
        saved = engine()
        saved.ingest(text)
        saved.save(tmp_path / "saved")
    again = ReadAgentGistEngine.load(tmp_path / "saved", local_llm_pipeline=Pipeline(), chunker=by_paragraph)
    assert (len(again.recall("goat")), again.recall("herring")) == (1, [])
    again.close()


def test_a_folder_without_a_sound_engine_is_one_line(tmp_path: Path) -> None:
    engine().save(tmp_path / "saved")
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "notes.txt").touch()
    for path in ("damaged", "newer"):
        (tmp_path / path).mkdir()
    (tmp_path / "damaged" / "engine.json").write_text("{")
    (tmp_path / "newer" / "engine.json").write_text(
        '{"format": 9, "engine": "", "config": "", "settings": 1, "functions": 2}'
    )
    for load, told in (
        (lambda: load_engine(tmp_path / "none"), "holds no saved engine"),
        (lambda: load_engine(tmp_path / "damaged"), "is damaged"),
        (lambda: load_engine(tmp_path / "newer"), "newer version"),
        (lambda: load_engine(tmp_path / "saved"), "saved with local_llm_pipeline and chunker: give it again"),
        (lambda: MemWalkerTreeEngine.load(tmp_path / "saved"), "holds the engine readagent_gist, not memwalker_tree"),
        (lambda: engine().save(tmp_path / "other"), "holds no engine and is not empty"),
        (lambda: engine().save(tmp_path / "other" / "notes.txt"), "is a file: name a folder"),
    ):
        with pytest.raises(BadInput, match=told):
            load()


async def test_what_is_forgotten_is_not_recalled(library: Library) -> None:
    reading = engine(library=library.store)
    await reading.aingest(TEXT)
    assert await reading.arecall("log book")
    (document,) = await library.pages.documents()
    await forget_document(library, document)
    assert await reading.arecall("log book") == []


def test_packages_can_offer_engines(monkeypatch: pytest.MonkeyPatch) -> None:
    offered = {
        "own": "tests.compression.test_engines:Own",
        "readagent_gist": "tests.compression.test_engines:Own",
        "broken": "tests.no_such_module:Own",
        "wrong": "tests.compression.test_engines:Chunker",
    }
    monkeypatch.setattr(
        "readgraph.features.compression.engines.plugged_in",
        lambda hook, of: [("other", engine) for engine in offered.items()],
    )
    assert engine_ids()[-3:] == ["broken", "own", "wrong"] and engine_named("own") is Own
    assert engine_named("readagent_gist") is ReadAgentGistEngine
    for name, told in (
        ("broken", "from tests.no_such_module:Own: ModuleNotFound"),
        ("wrong", "is no CompressionEngine"),
    ):
        with pytest.raises(BadInput, match=told):
            engine_named(name)
    with pytest.raises(BadInput, match="no compression engine 'gist': choose one of readagent_gist, memwalker_tree"):
        engine_named("gist")


class Own(ExtractiveEngine):
    id = "own"


async def test_retrieved_documents_are_compressed_for_the_query() -> None:
    found = [
        Document(page_content=f"{EPISODES[1]}\n\n{EPISODES[2]}", metadata={"source": "a"}, id="1"),
        Document(page_content="A gull sat there.", metadata={"source": "b"}),
        Document(page_content=" "),
    ]
    compressor = DocumentCompressor(engine=ExtractiveEngine(), llm_token_budget=60)
    (kept,) = compressor.compress_documents(found, "Who took the log book?")
    assert (kept.id, kept.page_content, kept.metadata["source"]) == ("1", EPISODES[1], "a")
    before, after = (kept.metadata["compression"][f"{name}_tokens"] for name in ("original", "compressed"))
    assert before > after > 0
    assert await compressor.acompress_documents(found, "Who took the log book?") == [kept]
    assert compressor.compress_documents([], "Who?") == []
    with pytest.raises(BadInput, match="A budget of 1 token holds no word"):
        DocumentCompressor(engine=ExtractiveEngine(), llm_token_budget=3).compress_documents(found, "Who?")
