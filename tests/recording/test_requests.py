"""What the model double is sent by every method, byte for byte, and what a reading gives.

Recorded replies are found by what was asked, so a prompt that differs by one character is paid for again. Calls are
made one at a time: with more of them, two runs of the same code differ where a budget ends them.
"""

import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from readgraph import ReaderContext
from readgraph.features.agents import mem_gpt
from readgraph.features.agents.lives import agent_config
from readgraph.features.summary import graph as summary
from readgraph.graphs import gam
from readgraph.graphs.method_facts import settings_of
from readgraph.graphs.methods import METHODS, WEB_METHODS
from readgraph.library.histories import SessionText, append_sessions
from readgraph.library.opening import open_library_in_background
from readgraph.state.loops import in_background
from tests.cli.test_settings_as_options import NUMBER, VALUES
from tests.doubles.lifelike import lifelike
from tests.doubles.model_server import ChatRequest, ModelServer, Responder
from tests.doubles.reader import reader
from tests.doubles.web_agent import does
from tests.recording.conftest import Compare
from tests.support.web_pages import html

pytestmark = [pytest.mark.slow, pytest.mark.recording]

CONTEXT = ReaderContext(
    model="openai:double",
    embeddings="openai:double-embeddings",
    segment_words=200,
    children=3,
    memo_page_words=400,
    concurrency=1,
)
QUESTION = "Who took the log book?"
OPTIONS = ["the keeper", "the goat", "nobody", "the inspector"]
NOT_VARIED = {
    *("model", "prompts", "batch", "concurrency", "timeout", "retry_seconds", "max_reply_mb", "max_seconds"),
    *("namespace", "share_replies", "reply_form", "sample"),
}
"""Settings that change no request, change it by the clock, or have runs of their own here."""
CHOSEN: dict[str, Any] = {
    **{"rounds": 2, "max_hops": 3, "children": 2, "gist_words": 30, "max_calls": 4, "window_words": 1500},
    **{"min_page_words": 150, "max_page_words": 300, "segment_words": 150, "memory_words": 90, "chunk_words": 90},
    **{"answer_dates": "%d %B %Y", "paragraph_break": "line", "page_depth": 4},
    **dict.fromkeys(("show_previous_page", "show_next_paragraph"), True),
}
"""Values that show in a text of this length."""
FORMS = {"function": frozenset({"tools"}), "text": frozenset[str]()}
NOW = re.compile(r"20\d\d-\d\d-\d\d \d\d:\d\d(?=>)")
ONE_THREAD: Any = {"configurable": {"thread_id": "1"}}


def requests_of(server: ModelServer) -> list[str]:
    """The bodies of the requests since the last look, as sent, but for the times of an agent's events."""
    sent = [json.dumps(request.body, sort_keys=True, ensure_ascii=False) for request in server.requests]
    bodies = [NOW.sub("NOW", body) for body in sent]
    server.reset()
    return bodies


def kept(found: Any) -> dict[str, Any]:
    """What a reading gives, without ids of this run."""
    names = "answer choice status by_rule citations pages_read percent_read fallbacks findings said action sentences"
    given = {name: found[name] for name in names.split() if name in found}
    calls = (found.get("usage") or {}).get("calls")
    steps = [{"node": each.get("node"), "detail": each.get("detail")} for each in found.get("steps") or []]
    return {**given, "calls": calls, "steps": steps}


class Reading:
    """Runs graphs over one library each, and hands what was sent and found to the record."""

    def __init__(self, server: ModelServer, folder: Path, record: Compare) -> None:
        self.server, self.folder, self.record = server, folder, record
        self.count = 0

    def run(
        self, label: str, builder: Any, *inputs: Any, context: ReaderContext = CONTEXT, config: Any = ONE_THREAD
    ) -> None:
        """Run a graph with these inputs, one after the other in one thread of a new library."""
        self.count += 1
        with open_library_in_background(self.folder / f"library{self.count}") as library:
            graph = builder.compile(checkpointer=library.checkpointer, store=library.store)
            found = []
            for given in inputs:
                found.append(kept(graph.invoke(given, config, context=context)))
        self.record(f"{label}: sent", requests_of(self.server))
        self.record(f"{label}: found", found)


@pytest.fixture
def reading(server: ModelServer, tmp_path: Path, record: Compare) -> Reading:
    return Reading(server, tmp_path, record)


@pytest.mark.parametrize("method", METHODS)
def test_requests(reading: Reading, story: str, method: str) -> None:
    build, text = METHODS[method].build, story[:9000]
    asked: Any = {"text": text, "question": QUESTION}
    responders: dict[str, Responder] = {"reader": reader, "lifelike": lifelike}
    for name, respond in responders.items():
        reading.server.respond = respond
        reading.run(f"{name}, twice in a thread", build(), asked, {"question": "When did the goat come?"})
        reading.run(f"{name}, with options", build(), {**asked, "options": OPTIONS})
        reading.run(f"{name}, read only", build(), {"text": text})
        reading.run(f"{name}, long answer", build(), asked, context=replace(CONTEXT, answer_length="paragraph"))
    for form, supported in FORMS.items():
        reading.server.supports = supported
        reading.run(f"in the form {form}", build(), asked)
    reading.server.supports = frozenset({"json_schema", "tools"})
    reading.run("in plain words", build(), asked, context=replace(CONTEXT, reply_form="plain"))
    reading.run("without a model", build(), asked, context=replace(CONTEXT, model=""))
    reading.server.respond = lambda request: "I can't say."
    reading.run("nothing usable", build(), asked)


def lifelike_or_silent(request: ChatRequest) -> Any:
    """A lifelike reply; nothing usable to the few prompts that the double can't read."""
    try:
        return lifelike(request)
    except (ValueError, KeyError, IndexError):
        return "I can't say."


@pytest.mark.parametrize("method", METHODS)
def test_settings(reading: Reading, story: str, method: str) -> None:
    reading.server.respond = lifelike_or_silent
    asked: Any = {"text": story[:6000], "question": QUESTION}
    for name in sorted(settings_of(METHODS[method], asks=True) - NOT_VARIED):
        value = CHOSEN.get(name, VALUES.get(name, NUMBER))
        if name == "tools":
            value = tuple(value.split(","))
        reading.run(f"{name}={value}", METHODS[method].build(), asked, context=replace(CONTEXT, **{name: value}))


def test_other_graphs(reading: Reading, story: str) -> None:
    for respond in (reader, lifelike):
        reading.server.respond, name = respond, respond.__name__
        reading.run(f"{name}, summary", summary.build(), {"text": story[:9000]})
        reading.run(f"{name}, summary about", summary.build(), {"text": story[:9000], "question": "the goat"})
        reading.run(f"{name}, memorize", gam.build_memorize(), {"text": story[:9000]})
        events = [{"agent": "ada", "event": {"kind": "user", "text": text}} for text in ("Hello.", "What is a goat?")]
        reading.run(f"{name}, chat", mem_gpt.build_chat(), *events, config=agent_config("ada"))
    acts = does("click", "1")
    reading.server.respond = lambda request: acts if request.schema_name == "NextAction" else reader(request)
    for method in WEB_METHODS.values():
        given = {"text": html("booking-1"), "question": "Book a renewal."}
        reading.run(f"web, {method.name}", method.build(), given, context=replace(CONTEXT, page_depth=5))


def test_a_history_that_grows(server: ModelServer, tmp_path: Path, story: str, record: Compare) -> None:
    server.respond = lifelike
    sessions = [
        SessionText(story[day * 3000 : (day + 1) * 3000], f"Day {day}", f"2024-05-0{day + 1}") for day in range(4)
    ]
    with open_library_in_background(tmp_path / "library") as library:
        memorize, research = (
            build().compile(store=library.store) for build in (gam.build_memorize, gam.build_research)
        )

        async def append(*given: SessionText) -> str:
            return (await append_sessions(library.pages, "days", given)).document.id

        for part in (sessions[:2], sessions[2:]):
            document = in_background(append, *part)
            memorize.invoke({"document": document}, context=CONTEXT)
            asked: Any = {"document": document, "question": QUESTION}
            found = research.invoke(asked, context=CONTEXT)
            record(f"{len(part)} sessions from {part[0].title}", kept(found))
            record(f"sent for {part[0].title}", requests_of(server))
