"""Conditional gisting: notes that serve a purpose, in a memory of their own beside the one without."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any, get_args

import pytest
from langgraph.graph import StateGraph

from readgraph.graphs import gam, mem_walker, read_agent
from readgraph.library.opening import Library
from readgraph.nodes.building.recipes import PRESETS
from readgraph.nodes.extractive import extract_for
from readgraph.nodes.extractive.gists import extract_gist
from readgraph.state.context import ReaderContext
from readgraph.state.errors import BadInput
from readgraph.state.records import Document, Memory
from readgraph.state.settings import Preset
from tests.doubles.model_server import ModelServer
from tests.doubles.reader import asked_for
from tests.support.command import Command, assert_refused

GOATS, LAMP = "Who keeps goats?", "Who lit the lamp?"
CONTEXT = ReaderContext(model="openai:double", segment_words=300, children=2, node_words=30, memo_page_words=400)
TOLD = "is for: answering this question: "

METHODS = pytest.mark.parametrize("build", [read_agent.build, mem_walker.build, gam.build], ids=["read", "walk", "gam"])

Build = Callable[[], StateGraph[Any, ReaderContext, Any, Any]]


@pytest.fixture
async def document(library: Library, story: str) -> Document:
    return await library.pages.add_document(story[:6000], title="story")


async def made(
    library: Library,
    document: Document,
    build: Build,
    context: ReaderContext,
    question: str | None = None,
    **given: Any,
) -> Memory:
    """The memory that a run used."""
    compiled = build().compile(store=library.store)
    found = await compiled.ainvoke({"document": document.id, "question": question, **given}, context=context)
    return await library.pages.memory(document.id, found["memory"])


def notes_asked(server: ModelServer) -> list[str]:
    """The tasks of the prompts that asked for notes, of which the purpose is a part."""
    return [r.text.rsplit("\n\n", 1)[-1] for r in server.requests if asked_for(r) in ("", "MemoAndHeader")]


@METHODS
@pytest.mark.slow
async def test_each_question_has_a_memory_that_serves_it_beside_the_one_without_a_purpose(
    server: ModelServer, library: Library, document: Document, build: Build
) -> None:
    asked = replace(CONTEXT, preset="question")
    plain = await made(library, document, build, CONTEXT)
    assert not any(TOLD in task for task in notes_asked(server))
    server.requests.clear()
    goats = await made(library, document, build, asked, GOATS)
    tasks = notes_asked(server)
    assert tasks and all(TOLD + GOATS in task for task in tasks)
    assert not any(asked_for(request) == "PausePoint" for request in server.requests), "recorded replies cut pages"
    assert {goats.recipe.purpose, plain.recipe.purpose} == {f"answering this question: {GOATS}", ""}
    server.requests.clear()
    assert await made(library, document, build, asked, GOATS) == goats
    assert await made(library, document, build, CONTEXT, GOATS) == plain
    assert not notes_asked(server), "both are there"
    lamp = await made(library, document, build, asked, LAMP, options=["Ann", "Bo"])
    assert lamp.id not in (goats.id, plain.id)
    assert lamp.recipe.purpose.endswith(f"{LAMP} - Ann - Bo")


@METHODS
async def test_a_preset_and_a_task_stand_in_every_prompt_for_notes(
    server: ModelServer, library: Library, document: Document, build: Build
) -> None:
    context = replace(CONTEXT, preset="novel", purpose="  a play in three acts ")
    memory = await made(library, document, build, context)
    assert all(f"{PRESETS['novel'].text}\na play in three acts\n" in task for task in notes_asked(server))
    assert memory.recipe.purpose == "novel: a play in three acts"
    assert memory.recipe.prompts["preset"] == 1
    assert (await made(library, document, build, replace(context, preset="meeting"))).id != memory.id


@METHODS
async def test_without_a_model_notes_have_the_sentences_that_serve_the_question(
    library: Library, document: Document, build: Build
) -> None:
    context = replace(CONTEXT, model="", preset="question", min_page_words=280, segment_words=600)
    question = "What was the butcher caught at?"
    notes = [
        " ".join(note.text for note in await library.pages.notes(memory.id, range(memory.pages)))
        for memory in (
            await made(library, document, build, replace(context, preset=None), question),
            await made(library, document, build, context, question),
        )
    ]
    assert "butcher" in notes[1] and "butcher" not in notes[0]


def test_a_sentence_that_serves_the_purpose_is_preferred_and_nothing_else_changes() -> None:
    text = "The lamp of the tower was lit at nine by the lamp keeper. Bread had burned in an oven by then."
    assert extract_gist(text, 14).startswith("The lamp")
    assert extract_gist(text, 14, "What happened to the bread in the oven?").startswith("Bread")
    assert extract_gist(text, 14, "Nobody spoke of ships.") == extract_gist(text, 14)


def test_of_code_signatures_are_kept() -> None:
    code = """import re

def shown(name: str, *, most: int = 3) -> str:
    \"\"\"The name as it is shown to everybody who asks for it.\"\"\"
    return name[:most] or "the type of a class that nobody has named before"


class Lamp(
    Light,
    metaclass=ABCMeta,
):
    async def light(self):
        ...

export async function open(path: string): Promise<File> {
"""
    signatures = [
        "def shown(name: str, *, most: int = 3) -> str:",
        "class Lamp( Light, metaclass=ABCMeta, ):",
        "async def light(self):",
        "export async function open(path: string): Promise<File>",
    ]
    assert extract_for(ReaderContext(preset="code"), code).split("\n") == signatures
    assert extract_for(ReaderContext(preset="code"), code, 4) == signatures[2]
    assert extract_for(ReaderContext(preset="code"), "The class was late.") == "The class was late."


@METHODS
@pytest.mark.parametrize("model", ["", "openai:double"])
async def test_the_question_as_purpose_needs_a_question(
    server: ModelServer, library: Library, document: Document, build: Build, model: str
) -> None:
    with pytest.raises(BadInput, match=r"The preset 'question' needs a question: ask one, or choose another"):
        await made(library, document, build, replace(CONTEXT, model=model, preset="question"))


async def test_research_prefers_the_memory_of_its_purpose(
    server: ModelServer, library: Library, document: Document
) -> None:
    plain = await made(library, document, gam.build_memorize, CONTEXT)
    contract = await made(library, document, gam.build_memorize, replace(CONTEXT, preset="contract"))
    other = replace(CONTEXT, memory_words=700)  # no memory has this recipe
    assert await made(library, document, gam.build_research, other, GOATS) == plain
    assert await made(library, document, gam.build_research, replace(other, preset="contract"), GOATS) == contract


def test_every_preset_has_a_text_of_its_own() -> None:
    assert PRESETS.keys() == {*get_args(Preset)}
    texts = [preset.text for name, preset in PRESETS.items() if name != "question"]
    assert all(texts) and len({*texts}) == len(texts)


def test_memories_are_shown_with_their_purpose(readgraph: Command, tmp_path: Any) -> None:
    (tmp_path / "deed.txt").write_text("The tenant shall pay on Monday. The roof is red and the yard is wide and dry.")
    (tmp_path / "settings.toml").write_text('preset = "contract"')
    deed = tmp_path / "deed.txt"
    readgraph("read", deed)
    assert "read-agent for contract, without a model" in readgraph("show").text
    readgraph("read", deed, "--purpose", "to find\nthe roof")
    (tmp_path / "settings.toml").write_text("")
    readgraph("read", deed)
    assert "also read for contract; contract: to find the roof: --purpose shows it" in readgraph("show", "deed").text
    assert readgraph("show", "deed", "--purpose", "ROOF", "--json").json["memory"]["purpose"].startswith("contract")
    assert readgraph("show", "deed", "--purpose", "", "--json").json["memory"]["purpose"] == ""
    readgraph("show", "deed", "--purpose", "contract", "--report", tmp_path / "deed.html")
    assert '"purpose":"contract' in (tmp_path / "deed.html").read_text(encoding="utf-8").replace('": "', '":"')
    assert_refused(readgraph("show", "deed", "--purpose", "novel"), "has no memory for 'novel': the library holds")
    readgraph("read", deed, "--purpose", "of the roof " * 1000)
    long = readgraph("show", "deed", "--purpose", "novel " * 1000)
    assert_refused(long, "of the roof of the")
    assert len(long.err) < 1000, "of a long purpose, its beginning"
    assert_refused(readgraph("read", deed, "--preset", "question"), "The preset 'question' needs a question")
    assert_refused(readgraph("read", deed, "--preset", "poem"), "'poem' is not one of")


def test_an_estimate_knows_the_memory_of_the_asked_question(
    readgraph: Command, server: ModelServer, tmp_path: Any
) -> None:
    (tmp_path / "deed.txt").write_text("The tenant shall pay on Monday. The roof is red.")
    ask = ["ask", GOATS, tmp_path / "deed.txt", "--method", "read-agent", "--preset", "question", "--max-pages", 0]
    ask += ["--model", "openai:double"]
    before = readgraph(*ask, "--estimate", "--json").json
    readgraph(*ask)
    after = readgraph(*ask, "--estimate", "--json").json
    assert (before["calls"]["expected"], after["calls"]["expected"]) == (2, 0), "the reply is kept, too"
