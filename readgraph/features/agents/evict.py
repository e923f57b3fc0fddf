"""Evict the oldest events from the queue: a summary, or a line on their pages, takes their place (MemGPT, 2.1)."""

import re
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from functools import partial

from readgraph.features.agents.contracts import AgentTurnState
from readgraph.features.agents.memory import queue_text
from readgraph.features.agents.prompts import queue_summary_prompt
from readgraph.features.agents.reader_functions import Opened, find_opened_pages, open_page, page_part_name
from readgraph.features.agents.state import TurnStep
from readgraph.features.agents.store import Agent, Event, agent_id, agent_store
from readgraph.features.agents.think import summary_words
from readgraph.language.detection import DEFAULT, certain_language, sample_spans
from readgraph.library.page_store import page_store
from readgraph.models.asking import ask_text
from readgraph.nodes.bounds import groups_that_fit
from readgraph.nodes.building.unfit_notes import why_unfit
from readgraph.nodes.contracts import ReaderRuntime, StepUpdate
from readgraph.nodes.extractive.gists import extract_gist
from readgraph.nodes.prompts import note_line
from readgraph.nodes.step import Work, node
from readgraph.state.settings import Language, Window
from readgraph.state.words import count_words, first_words

KEEP = 3  # this many of the last events stay, if they leave a quarter of the room free

SumUp = Callable[[str, Sequence[Event], int, ReaderRuntime], Awaitable[str]]
"""Sums up a summary and the events after it, in at most this many words."""


async def _by_model(before: str, events: Sequence[Event], most: int, runtime: ReaderRuntime) -> str:
    queue = queue_text(events, runtime.context.window_words)
    prompt = queue_summary_prompt(before, queue, most).adding(note_line(runtime.context.language))
    complaint = partial(why_unfit, text=f"{before}\n\n{queue}", prompt=prompt)
    summary = await ask_text(runtime, prompt, complaint, fallback="queue_summary")
    return await _by_extract(before, events, most, runtime) if summary is None else summary


def _spoken_text(events: Sequence[Event]) -> str:
    return "\n".join(event.spoken_text for event in events if event.spoken_text)


async def summary_language(agent: Agent | None, events: Sequence[Event], runtime: ReaderRuntime) -> str:
    """The setting, else the language of the agent's document or of what was said; "" for English, and for several."""
    if runtime.context.language:
        return runtime.context.language
    if agent and agent.reading:
        store = page_store(runtime)
        document = await store.document(agent.reading)
        samples = await store.spans(document, sample_spans(document.characters))
    else:
        spoken = _spoken_text(events)
        samples = [spoken[slice(*span)] for span in sample_spans(len(spoken))]
    language = certain_language(samples)
    return "" if language == DEFAULT else language


async def _by_extract(before: str, events: Sequence[Event], most: int, runtime: ReaderRuntime) -> str:
    spoken = _spoken_text(events) or queue_text(events, runtime.context.window_words)
    gist = first_words(extract_gist(spoken), most // 2)
    return f"{first_words(before, most - count_words(gist))}\n{gist}".strip()


class EvictUpdate(StepUpdate):
    queue_from: int
    summaries: int
    warned: bool
    next_step: TurnStep


def evict_with(sum_up: SumUp, did: str = "summed up", *, in_language: bool = True) -> Work[AgentTurnState, EvictUpdate]:
    """The work of a node that evicts: `sum_up` makes the text for what left; `in_language`: it is told the language."""

    async def evict(state: AgentTurnState, runtime: ReaderRuntime) -> EvictUpdate:
        """Take the oldest events out of the queue, until it takes half of its room, and sum them up recursively."""
        store, agent, window = agent_store(runtime), agent_id(state["agent"]), runtime.context.window_words
        events = await store.events(agent, range(state["queue_from"], state["events"]))

        def size(event: Event) -> int:
            return count_words(queue_text([event], window))

        cut = first_to_stay(events, [*map(size, events)], state["room"])
        summary = await store.summary(agent, state["summaries"])
        if runtime.context.model and in_language:
            language = await summary_language(await store.agent(state["agent"]), events[:cut], runtime)
            runtime = runtime.override(context=replace(runtime.context, language=language))
        for part in groups_that_fit(events[:cut], size, state["room"]):  # several, if the window has become smaller
            longer = await sum_up(summary, part, summary_words(window), runtime)
            summary = first_words(longer, summary_words(window))
        await store.put_summary(agent, state["summaries"] + 1, summary)
        return {
            "queue_from": state["queue_from"] + cut,
            "summaries": state["summaries"] + 1,
            "warned": False,
            "next_step": "think",
            "step_summary": f"{did} {cut} events, {len(events) - cut} stay",
        }

    return evict


def first_to_stay(events: Sequence[Event], sizes: Sequence[int], room: int) -> int:
    """Index of the first event that stays: the rest takes at most half the room or is the last few."""
    kept, words = 0, 0
    for size in reversed(sizes):
        if words + size > (room / 2 if kept >= KEEP else room * 3 / 4):
            break
        kept, words = kept + 1, words + size
    earliest = min(max(len(events) - kept, 1), len(events) - 1)
    latest = max(earliest, len(events) - KEEP)
    arrivals = (at for at in range(earliest, latest + 1) if events[at].kind in ("user", "timer", "upload"))
    return next(arrivals, earliest)


evict_without_model = evict_with(_by_extract)
evict = node(without_model=evict_without_model, settings=(Language, Window))(evict_with(_by_model))

_OPENED, _FOUND = "opened ", "found "

_RESULT = re.compile(r"^- document (\d+), page (\d+) \(", re.MULTILINE)


async def name_pages(before: str, events: Sequence[Event], most: int, runtime: ReaderRuntime) -> str:
    """One line that names the pages opened and found in what left the view; where too long, without the first found."""
    searches = [event for event in events if event.kind == "call" and event.function != open_page.name]
    named = [_RESULT.findall(event.result or "") for event in searches if not event.failed]
    found = _merge_names(before, _FOUND, [(int(document), int(page), 1) for each in named for document, page in each])
    opened = _merge_names(before, _OPENED, find_opened_pages(events))
    while True:
        parts = [f"{word}{', '.join(names)}" for word, names in ((_OPENED, opened), (_FOUND, found)) if names]
        line = f"Left your view: {'; '.join(parts) or 'what came first'}."
        if count_words(line) <= most:
            return line
        (found or opened).pop(0)


def _merge_names(before: str, word: str, places: Sequence[Opened]) -> list[str]:
    earlier = re.search(rf"{word}([^;.]+)", before)
    return [*dict.fromkeys([*(earlier[1].split(", ") if earlier else []), *map(page_part_name, places)])]


leave_view = node(settings=(Window,))(evict_with(name_pages, "took out of view", in_language=False))
"""Takes the oldest events out of the queue, as MemGPT does; asks no model."""
