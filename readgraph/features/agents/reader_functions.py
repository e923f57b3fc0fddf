"""The functions of the plain agentic reader: it searches in three ways, opens pages, and answers."""

from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from typing import Annotated

from langchain_core.tools import BaseTool, tool
from pydantic import TypeAdapter, ValidationError

from readgraph.features.agents import storages
from readgraph.features.agents.functions import Memory, ResultPage, answer
from readgraph.features.agents.storages import ArchivalResult
from readgraph.features.agents.store import Event
from readgraph.language.exact_text import ExactText
from readgraph.language.passages import passages_of
from readgraph.models.embeddings.vector_replies import NotEmbedded
from readgraph.models.metering import count_fallback
from readgraph.nodes.extractive.nearest import nearest_sentences
from readgraph.nodes.search import count_search_by_words
from readgraph.state.errors import BadInput
from readgraph.state.words import LONGEST_WORD, count_words, first_words, format_count, last_words, on_one_line

EXCERPT_WORDS = 60  # most words of a page that a result shows
EXCERPTS = 3  # most matches that a result of `text_search` shows of a page
AT_ONCE = 500  # pages whose text is looked through at once

Opened = tuple[int, int, int]  # a document, a page of it, and a part of the page

_NUMBER = TypeAdapter(int)


@tool
async def keyword_search(query: Annotated[str, "Words to look for."], memory: Memory, page: ResultPage = 1) -> str:
    """Search the pages by their words; the best come first."""
    numbers = await storages.search_archive(memory, query, by_meaning=False)
    return await storages.format_items(numbers, page, memory, lambda item: _nearest(item.text, query))


@tool
async def meaning_search(query: Annotated[str, "What to look for."], memory: Memory, page: ResultPage = 1) -> str:
    """Find the few pages that are nearest in meaning, also where they use other words."""
    counted = ""
    try:
        numbers = await storages.nearest_in_archive(memory, query)
    except NotEmbedded as problem:
        count_search_by_words(problem)
        numbers = (await storages.search_archive(memory, query, by_meaning=False))[: storages.NEAREST]
        counted = "; found by words, since the embedding model gives no vectors now"
    return await storages.format_items(numbers, page, memory, lambda item: _nearest(item.text, query), counted)


@tool
async def text_search(
    text: Annotated[str, "Exact text; * stands for anything in between."], memory: Memory, page: ResultPage = 1
) -> str:
    """Find every place where a page has exactly this text, such as a name or a number, in the order of the pages."""
    wanted, matches = ExactText(text), Counter[int]()
    for first in range(0, memory.life["archive"], AT_ONCE):
        numbers = [*range(memory.life["archive"])[first : first + AT_ONCE]]
        for item in await storages.load_archive_items(memory, numbers):
            if times := sum(1 for _ in wanted.spans(on_one_line(item.text))):
                matches[item.number] = times

    def places(item: ArchivalResult) -> str:
        return f"{format_count(matches[item.number], 'time')}: {_around(item.text, wanted, matches[item.number])}"

    counted = f"; it stands there {format_count(matches.total(), 'time')} in all"
    return await storages.format_items([*matches], page, memory, places, counted)


@tool
async def open_page(
    page: Annotated[int, "The page's number, from 0."],
    memory: Memory,
    document: Annotated[int, "The document's number, from 1."] = 1,
    part: Annotated[int, "Part of a page that is too long to be seen at once, from 1."] = 1,
) -> str:
    """Read a page that is not in your view."""
    in_view = await memory.store.events(memory.id, range(memory.life["queue_from"], memory.life["events"] - 1))
    if (document, page, part) in find_opened_pages(in_view):
        count_fallback("opened_again")
        raise BadInput(f"{page_part_name((document, page, part)).capitalize()} is in your view already: read it there.")
    return await storages.open_archive_page(memory, document, page, part, "the first is 1")


READER_FUNCTIONS: tuple[BaseTool, ...] = (keyword_search, text_search, meaning_search, open_page, answer)


def find_opened_pages(events: Sequence[Event]) -> list[Opened]:
    """What was opened in these events, in order."""
    opened = list[Opened]()
    for event in events:
        if event.function == open_page.name and event.result and not event.failed:
            with suppress(ValidationError):
                given = [_NUMBER.validate_python(event.arguments.get(name, 1)) for name in ("document", "page", "part")]
                opened.append((given[0], given[1], given[2]))
    return opened


def page_part_name(opened: Opened) -> str:
    """The name of what was opened: "page 4", with its part and its document where they are not the first."""
    document, page, part = opened
    name = f"page {page}" if part == 1 else f"page {page} (part {part})"
    return name if document == 1 else f"{name} of document {document}"


def _nearest(text: str, query: str) -> str:
    """The sentences of a page that are nearest to a query, in their order; its first words where none shares a word."""
    best = nearest_sentences(query, passages_of({0: text}))[:EXCERPTS]
    excerpt = " … ".join(on_one_line(sentence.text) for sentence in sorted(best, key=lambda each: each.start))
    return first_words(excerpt or on_one_line(text), EXCERPT_WORDS)


def _around(text: str, wanted: ExactText, times: int) -> str:
    """The first matches on a page, with what stands around them; the middle of a long match is left out."""
    line, pieces, shown_to = on_one_line(text), list[str](), 0
    share = EXCERPT_WORDS // min(times, EXCERPTS)
    for start, end in wanted.spans(line):
        if start < shown_to:
            continue
        match = line[start:end]
        if count_words(match) > share // 2:
            match = f"{first_words(match, share // 4)} … {last_words(match, share // 4)}"
        side = (share - count_words(match)) // 2
        before = last_words(line[max(shown_to, start - side * LONGEST_WORD) : start], side)
        after = first_words(line[end : end + side * LONGEST_WORD], side)
        pieces.append(f"{before}{match}{after}".strip())
        shown_to = end + len(after)
        if len(pieces) == EXCERPTS:
            break
    return " … ".join(pieces)
