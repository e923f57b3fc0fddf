"""Names of one thing are joined: one typed ask, with a quote for each name."""

from collections import Counter
from typing import NotRequired

from langgraph.runtime import Runtime
from typing_extensions import TypedDict

from readgraph.models.asking import ask
from readgraph.models.metering import fell_back
from readgraph.nodes.bounds import content_room
from readgraph.nodes.deciding import Choice, deciding
from readgraph.nodes.prompts.survey.table import SameNames, survey_same_prompt
from readgraph.nodes.survey.combining import distinct_names, name_column
from readgraph.nodes.survey.table import entries_of
from readgraph.nodes.survey.values import same_as
from readgraph.state.context import ReaderContext
from readgraph.state.errors import NoUsableReply
from readgraph.state.page_store import page_store
from readgraph.state.reading import Usage
from readgraph.state.survey import Programme
from readgraph.state.words import count_words, counted, first_words

QUOTE_WORDS = 25
"""Words of the quote that is shown with a name."""


class SameState(TypedDict):
    """What joining names reads."""

    document: str
    records: str
    programme: Programme | None
    usage: NotRequired[Usage]


class SameUpdate(TypedDict):
    """What joining names writes."""

    same_names: list[list[str]]
    step_summary: str


APART: SameUpdate = {"same_names": [], "step_summary": "no names were joined"}


async def join_names_without_model(state: SameState, runtime: Runtime[ReaderContext]) -> SameUpdate:
    """Without a model, only names that are written alike are one."""
    return APART


@deciding(join_names_without_model)
async def join_names(state: SameState, runtime: Runtime[ReaderContext]) -> Choice[SameUpdate] | SameUpdate:
    """Ask which of the names mean the same; only where a name decides which records are one, or in one group.

    Where not all names fit the window, those are shown that share a word with another; of these, what still does not
    fit stays apart, and is counted. Without a usable reply, names
    stay apart.
    """
    shown = await _names_shown(state, runtime)
    if len(shown) < 2:
        return APART
    names = {number: name for number, (name, _) in shown.items()}

    def complaint(reply: SameNames) -> str | None:
        numbers = Counter(number for group in reply.groups for number in {*group.numbers})
        if unknown := [number for number in numbers if number not in names]:
            return f"there is no name {unknown[0]}"
        twice = [number for number, times in numbers.items() if times > 1]
        return f"name {twice[0]} is in two groups" if twice else None

    async def ask_for_groups() -> SameUpdate:
        programme = state["programme"]
        prompt = survey_same_prompt(shown, programme["record"] if programme else "")
        reply = await ask(runtime, prompt, SameNames, complaint)
        groups = [[names[number] for number in dict.fromkeys(group.numbers)] for group in reply.groups]
        groups = [group for group in groups if len(group) > 1]
        joined = sum(map(len, groups))
        return {"same_names": groups, "step_summary": f"{joined} of {counted(len(names), 'name')} mean {len(groups)}"}

    async def leave_apart(problem: NoUsableReply) -> SameUpdate:
        return APART

    return Choice(ask_for_groups, leave_apart, "same_names")


async def _names_shown(state: SameState, runtime: Runtime[ReaderContext]) -> dict[int, tuple[str, str]]:
    """Names by their numbers, each with a quote, as many as fit."""
    programme, store = state["programme"], page_store(runtime)
    if programme is None:
        return {}
    if (named := name_column(programme)) is None:
        return {}
    document = await store.document(state["document"])
    names = distinct_names(
        await entries_of(store, document, state["records"], programme),
        [column["name"] for column in programme["columns"]].index(named),
    )
    spans = [(entry.mentions[0].start, entry.mentions[0].end) for entry in names.values()]
    quotes = await store.spans(document, spans)
    lines = {name: first_words(" ".join(quote.split()), QUOTE_WORDS) for name, quote in zip(names, quotes, strict=True)}
    room = content_room(runtime.context)
    if _words(lines) > room:
        shared = Counter(word for name in lines for word in {*same_as(name).split()})
        lines = {
            name: quote for name, quote in lines.items() if any(shared[word] > 1 for word in same_as(name).split())
        }
    shown = dict[int, tuple[str, str]]()
    for number, (name, quote) in enumerate(sorted(lines.items(), key=lambda item: same_as(item[0]))):
        room -= count_words(f"{name} {quote}") + 1
        if room < 0:
            break
        shown[number] = (name, quote)
    if left_out := len(lines) - len(shown):
        fell_back("names_left_out", left_out)
    return shown


def _words(lines: dict[str, str]) -> int:
    return sum(count_words(f"{name} {quote}") + 1 for name, quote in lines.items())
