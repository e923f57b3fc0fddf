"""A library that an earlier state of 0.1.0 wrote: it opens, its memories are used, its recorded replies answer."""

import json
import zipfile
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from readgraph.features.agents.lives import agent_config, agent_state_of
from readgraph.features.agents.mem_gpt import build_chat
from readgraph.features.agents.store import AgentStore
from readgraph.graphs.methods import METHODS
from readgraph.library.opening import open_library
from readgraph.state.context import ReaderContext
from readgraph.state.declaring import use_current_names
from tests.doubles.model_server import ModelServer

OLDER = Path(__file__).parents[1] / "fixtures" / "library-0.1.0.zip"
"""Written from the beginning of an example text and with the scripted reader of these tests as the model."""

RESEARCH = ("gam", "gist-research", "escalate")
"""Methods whose notes are asked for again: what several queries find comes in another order since."""

FROM_GISTS_AND_PAGES = (
    *("read-agent", "retrieved-pages", "gists-only", "walk-and-read", "bm25", "dense", "fused"),
    *("full-text", "first-words", "last-words", "recurrent"),
)
"""Methods whose questions are asked again, since these prompts have newer versions; their memories are used."""


@pytest.fixture
def older(tmp_path: Path) -> tuple[Path, dict[str, Any]]:
    """The folder of the library, and what was asked of it with what was found."""
    with zipfile.ZipFile(OLDER) as packed:
        packed.extractall(tmp_path)
    return tmp_path / "library", json.loads((tmp_path / "answers.json").read_text(encoding="utf-8"))


@pytest.mark.slow
async def test_every_reading_is_answered_by_the_replies_that_were_recorded(
    older: tuple[Path, dict[str, Any]], monkeypatch: pytest.MonkeyPatch
) -> None:
    folder, asked = older
    monkeypatch.setenv("OPENAI_BASE_URL", asked["server"])  # nobody listens there: a call would fail
    monkeypatch.setenv("OPENAI_API_KEY", "sk-not-a-real-key")
    context = ReaderContext(**use_current_names(asked["settings"]))
    async with open_library(folder) as library:
        for reading in asked["readings"]:
            if reading["method"] == "mem-gpt":
                continue  # its prompt has a newer version: its replies are asked for again
            if reading["method"] in ("read-agent", "full-text") and "window_words" in reading["settings"]:
                continue  # small windows: since prompts are bounded whole, these show less
            if reading["method"] in RESEARCH and reading["settings"].get("model", "a model"):
                continue
            compiled = METHODS[reading["method"]].build().compile(store=library.store)
            given: Any = {k: reading[k] for k in ("document", "options")} | {"question": asked["question"]}
            recorded = dict(reading["found"])
            if reading["method"] in FROM_GISTS_AND_PAGES and reading["settings"].get("model", "a model"):
                given, recorded = {"document": reading["document"]}, {"memory": recorded["memory"]}
            found = await compiled.ainvoke(given, context=replace(context, **reading["settings"]))
            if not reading["settings"].get("model", "a model"):
                assert found["status"] in ("nearest", "no_answer")
                recorded = {"memory": recorded["memory"]}  # what is quoted follows the rules of today
            assert {key: found[key] for key in recorded} == recorded, reading
            assert found["usage"]["calls"] == 0


async def test_an_agent_goes_on_with_what_it_remembers(older: tuple[Path, dict[str, Any]], server: ModelServer) -> None:
    folder, asked = older
    async with open_library(folder) as library:
        agent = await AgentStore(library.store).require_agent("ada")
        before = await agent_state_of(library.checkpointer, agent)
        chat = build_chat().compile(checkpointer=library.checkpointer, store=library.store)
        given: Any = {"agent": "ada", "event": {"kind": "user", "text": "And now?"}}
        context = ReaderContext(**use_current_names(asked["settings"]))
        found = await chat.ainvoke(given, agent_config("ada"), context=context)
        after = await agent_state_of(library.checkpointer, agent)
    assert found["said"] == ["It says so."]
    assert "I keep bees." in server.requests[-1].text
    assert after["events"] == before["events"] + 2
