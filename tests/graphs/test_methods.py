"""What holds for every method."""

import sys
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import pytest

import readgraph
from readgraph.graphs.method_facts import settings_of
from readgraph.graphs.methods import METHODS
from readgraph.graphs.rehearsal import rehearse_method
from readgraph.library.opening import Library, open_library_in_background
from readgraph.state.context import ReaderContext
from readgraph.state.declaring import declarations_of
from readgraph.state.settings import GROUPS
from tests.doubles.model_server import ModelServer
from tests.support.some_methods import mostly_slow

pytestmark = pytest.mark.quick

OPTIONS = {each.name for each in declarations_of(GROUPS) if each.help.option}

CONTEXT = ReaderContext(
    model="openai:double", embeddings="openai:double-embeddings", segment_words=200, children=3, memo_page_words=400
)


PACKAGE = str(Path(readgraph.__file__).parent)

NOT_REACHED = {
    "gam": {"separate_requests"},
    "gist-research": {"separate_requests"},
    "guided-walk": {"max_hops", "triage_options"},
    "mem-gpt": {"max_pages"},
    "reader-agent": {"max_pages"},
    "rlm": {"cut_segments", "max_pages"},
    "walk-and-research": {"embeddings", "pages_per_round", "pages_per_tool", "tools", "without_memory"},
    "retrieved-pages": {"embeddings"},
    "escalate": set("embeddings evidence look max_pages pages_per_round pages_per_tool tools without_memory".split()),
}
"""What a method reads only where the double's first reply does not answer yet, or beside another setting's value."""


@pytest.fixture
def settings_read(monkeypatch: pytest.MonkeyPatch) -> set[str]:
    """The names of the settings that the code of methods looks at."""
    names, read = {field.name for field in fields(ReaderContext)}, set[str]()

    def looked_up(context: ReaderContext, name: str) -> Any:
        file = sys._getframe(1).f_code.co_filename
        elsewhere = file.startswith(PACKAGE) and "state/settings/" not in file
        if name in names and elsewhere and not file.endswith("state/context.py"):
            read.add(name)
        return object.__getattribute__(context, name)

    for method in METHODS.values():
        method.build()  # the import of a graph file looks at all settings
    monkeypatch.setattr(ReaderContext, "__getattribute__", looked_up, raising=False)
    return read


@pytest.mark.parametrize("method", mostly_slow(name for name in METHODS if not METHODS[name].router))
def test_a_thread_goes_on_synchronously(
    server: ModelServer, tmp_path: Path, story: str, method: str, settings_read: set[str]
) -> None:
    with open_library_in_background(tmp_path / "library") as library:
        graph = METHODS[method].build().compile(checkpointer=library.checkpointer, store=library.store)
        config: Any = {"configurable": {"thread_id": "1"}}
        first = graph.invoke({"text": story[:9000], "question": "Who took the log book?"}, config, context=CONTEXT)
        length = replace(CONTEXT, answer_length="sentence")
        second = graph.invoke({"question": "When did the goat come?"}, config, context=length)
        assert (first["status"], second["status"]) == ("answered", "answered")
        assert first["usage"]["calls"] + second["usage"]["calls"] == server.calls
        asked = ["Give the answer in one sentence." in request.text for request in server.requests]
        calls = first["usage"]["calls"]
        assert (any(asked[:calls]), any(asked[calls:])) == (False, True)
    if METHODS[method].needs_embeddings:
        settings_read -= {"tools"}  # their own stand in its place
    used = settings_of(METHODS[method], asks=True)
    assert settings_read <= used, "what a method reads is not refused"
    unused = (
        (used & OPTIONS) - settings_read - {"embedding_batch", "meaning", "quote_context"}
    )  # read where a server embeds, without a model, and where something is quoted
    assert unused == NOT_REACHED.get(method, set()), "what a method does not read is refused"


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.slow
def test_a_question_is_answered_without_a_model(
    server: ModelServer, tmp_path: Path, story: str, method: str, settings_read: set[str]
) -> None:
    used = settings_of(METHODS[method], asks=True)
    with open_library_in_background(tmp_path / "library") as library:
        graph = METHODS[method].build().compile(store=library.store)
        asked = {"text": story[:9000], "question": "Who bought the tide station at Sarn Head?"}
        found = graph.invoke(asked, context=replace(CONTEXT, model=""))
        assert (found["status"], server.calls) == ("nearest", 0)
        assert 0 <= found["percent_read"] <= 100 and (found["percent_read"] > 0) == bool(found["pages_read"])
    if METHODS[method].needs_embeddings:
        settings_read -= {"tools"}
    assert settings_read <= used


@pytest.mark.parametrize("method", mostly_slow(METHODS))
async def test_an_estimate_keeps_to_the_settings_of_the_graph(
    library: Library, story: str, method: str, settings_read: set[str]
) -> None:
    document = await library.pages.add_document(story[:2000])
    await rehearse_method(METHODS[method], library.pages, document, CONTEXT, {"question": "Who took the log book?"})
    if METHODS[method].needs_embeddings:
        settings_read -= {"tools"}
    assert settings_read <= settings_of(METHODS[method], asks=True)
