"""The functions by which an agent reaches its memory, as LangChain tools (MemGPT, sections 2.2 and 2.3).

A tool that takes `memory` gets the agent's `AgentMemory`, which the model does not see as an argument. Your own tools
may take it too. A call that can't be done raises `BadInput`, whose text goes back to the model.
"""

import re
from collections.abc import Sequence
from datetime import date
from typing import Annotated

from langchain_core.tools import BaseTool, InjectedToolArg, tool
from pydantic import BeforeValidator

from readgraph.nodes.agent.archival_storage import own_passages, search_archive
from readgraph.nodes.agent.event_text import cut_to, day_and_time
from readgraph.nodes.agent.indexes import events_between, search_recall
from readgraph.nodes.agent.memory import PER_PAGE, AgentMemory, Given
from readgraph.nodes.agent.results import items_listed, listed, opened_page, results_page
from readgraph.nodes.agent.working_context import append_to_block, block_named, replace_in_block, rewrite_block, size_of
from readgraph.state.agents import SPEAKS, ArchiveEntry, local_now
from readgraph.state.errors import BadInput
from readgraph.state.reading import Quote
from readgraph.state.words import count_words, first_words

__all__ = [
    "MEMORY_FUNCTIONS",
    "archival_delete",
    "archival_insert",
    "archival_search",
    "document_list",
    "document_open",
    "memory_append",
    "memory_replace",
    "memory_rewrite",
    "recall_search",
    "recall_search_date",
    "send_message",
]

MOST_MESSAGE_WORDS = 500
"""Most words of a message, because a turn's messages are kept in the state; a longer one must be sent in parts."""

MOST_QUOTES, LONGEST_QUOTE = 10, 120
"""Most quotes of an answer, and most words of a quote."""

Memory = Annotated[AgentMemory, InjectedToolArg]
ResultPage = Annotated[int, "Page of results, from 1."]
Numbers = Annotated[
    list[int],
    BeforeValidator(lambda given: re.findall(r"\d+", given) if isinstance(given, str) else given),
    "Numbers, such as 3, 7.",
]


@tool(SPEAKS)
async def send_message(message: Annotated[str, "What to say."], memory: Memory) -> str:
    """Say something to the person; nothing else is heard."""
    if not message.strip():
        raise BadInput("The message is empty: say something, or wait for the next event with request_heartbeat false.")
    if count_words(message) > MOST_MESSAGE_WORDS:
        raise BadInput(f"The message has more than {MOST_MESSAGE_WORDS} words: send it in several messages.")
    memory.said.append(message)
    return "Sent."


@tool
async def memory_append(
    block: Annotated[str, "The block's label."], text: Annotated[str, "The line to add."], memory: Memory
) -> str:
    """Add a line to a block of the working context."""
    memory.life["blocks"] = append_to_block(memory.life["blocks"], block, text)
    return _now_holds(memory, block)


@tool
async def memory_replace(
    block: Annotated[str, "The block's label."],
    old: Annotated[str, "Exact text that the block holds."],
    new: Annotated[str, "What takes its place; empty to remove it."],
    memory: Memory,
) -> str:
    """Replace an exact piece of a block of the working context."""
    memory.life["blocks"] = replace_in_block(memory.life["blocks"], block, old, new)
    return _now_holds(memory, block)


@tool
async def memory_rewrite(
    block: Annotated[str, "The block's label."], text: Annotated[str, "The whole new text."], memory: Memory
) -> str:
    """Write a block of the working context anew; what it held before is gone from it."""
    before = block_named(memory.life["blocks"], block)["text"]
    memory.life["blocks"] = rewrite_block(memory.life["blocks"], block, text)
    return f"{_now_holds(memory, block)} It held before: {before or '(nothing)'}"


@tool
async def recall_search(words: Annotated[str, "Words to look for."], memory: Memory, page: ResultPage = 1) -> str:
    """Search all that was ever said, by its words."""
    found = await search_recall(memory.store, memory.id, memory.recallable, words, memory.context)
    return await _events_page(found, page, memory)


@tool
async def recall_search_date(
    first_day: Annotated[date, "YYYY-MM-DD"],
    last_day: Annotated[date, "YYYY-MM-DD"],
    memory: Memory,
    page: ResultPage = 1,
) -> str:
    """What was said from one day to another, the oldest first."""
    if last_day < first_day:
        raise BadInput("The last day is before the first: exchange them.")
    return await _events_page(await events_between(memory, first_day, last_day), page, memory)


@tool
async def archival_insert(text: Annotated[str, "A passage that can be understood alone."], memory: Memory) -> str:
    """Keep a passage in archival storage, however many there are."""
    if not text.strip():
        raise BadInput("The passage is empty: give its text.")
    if count_words(text) > memory.room:
        raise BadInput(f"The passage has more than {memory.room} words: insert it in several parts.")
    number = memory.life["archive"]
    await memory.store.put_entry(memory.id, ArchiveEntry(number, "passage", local_now(), text.strip()))
    memory.life["archive"] += 1
    memory.life["passages"] += 1
    return f"Kept as passage {number}."


@tool
async def archival_search(query: Annotated[str, "What to look for."], memory: Memory, page: ResultPage = 1) -> str:
    """Search archival storage: your passages, and the pages of all documents."""
    numbers, line = results_page(await search_archive(memory, query), page)
    return await items_listed(numbers, line, memory)


@tool
async def archival_delete(passages: Numbers, memory: Memory) -> str:
    """Take passages of your own out of archival storage, by their numbers."""
    wanted, mine = list(dict.fromkeys(passages)), await own_passages(memory)
    if not wanted:
        raise BadInput("No passage is named: give their numbers, such as 3, 7.")
    if unknown := [number for number in wanted if number not in mine]:
        raise BadInput(f"There is no passage {unknown[0]} of your own: search for it first. Nothing was deleted.")
    number = memory.life["archive"]
    await memory.store.put_entry(memory.id, ArchiveEntry(number, "removal", local_now(), removed=wanted))
    memory.life["archive"] += 1
    memory.life["passages"] -= len(wanted)
    return f"Deleted {len(wanted)} of your passages; {memory.life['passages']} are left."


@tool
async def document_list(memory: Memory, page: ResultPage = 1) -> str:
    """The documents that were uploaded."""
    starts, line = results_page([start for start, _ in memory.life["documents"]], page)
    entries = await memory.store.entries(memory.id, starts)
    first = (page - 1) * PER_PAGE + 1
    rows = [f"document {first + at}: {entry.text}, pages 0 to {entry.pages - 1}" for at, entry in enumerate(entries)]
    return cut_to("\n".join([line, *rows]), memory.room)


@tool
async def document_open(
    document: Annotated[int, "The document's number, from 1."],
    page: Annotated[int, "The page's number, from 0."],
    memory: Memory,
    part: Annotated[int, "Part of a page that is too long to be seen at once, from 1."] = 1,
) -> str:
    """Read a page of a document."""
    return await opened_page(memory, document, page, part, "document_list names them")


@tool
async def answer(
    answer: Annotated[str, "A short and concise answer; empty if the documents don't say."],
    memory: Memory,
    quotes: Annotated[str, "One to three quotes that show it, copied word by word, one a line."] = "",
    option: Annotated[str, "The letter of the option, where there are options."] = "",
) -> str:
    """Give the answer; this ends the reading."""
    if count_words(answer) > MOST_MESSAGE_WORDS:
        raise BadInput(f"The answer has more than {MOST_MESSAGE_WORDS} words: give a short one.")
    letter = option.strip().lstrip("([").strip()[:1].upper()
    if memory.choices and letter not in memory.choices:
        raise BadInput(f"Give the letter of one option: {', '.join(memory.choices)}.")
    said = memory.choices[letter] if memory.choices else answer.strip() or None
    quoted = [line.strip().strip("-•\"'“”").strip() for line in quotes.splitlines()]
    taken = [Quote(page=-1, quote=first_words(quote, LONGEST_QUOTE)) for quote in quoted if quote]
    memory.given = Given(said, letter if memory.choices else None, taken[:MOST_QUOTES])
    return "Given."


WORKING_FUNCTIONS: tuple[BaseTool, ...] = (memory_append, memory_replace, memory_rewrite)
"""Functions that edit the working context."""

RECALL_FUNCTIONS: tuple[BaseTool, ...] = (recall_search, recall_search_date)
"""Functions that search recall storage."""

READING_FUNCTIONS: tuple[BaseTool, ...] = (
    *WORKING_FUNCTIONS,
    archival_search,
    document_list,
    document_open,
    answer,
)
"""Functions of an agent that answers a question: its archival storage is the documents, and it sends no messages."""

MEMORY_FUNCTIONS: tuple[BaseTool, ...] = (
    *WORKING_FUNCTIONS,
    *RECALL_FUNCTIONS,
    archival_insert,
    archival_search,
    archival_delete,
    document_list,
    document_open,
)
"""Functions of an agent that lives on, besides `send_message`."""


def _now_holds(memory: AgentMemory, label: str) -> str:
    return f"Done: the block holds {size_of(block_named(memory.life['blocks'], label))} words."


async def _events_page(numbers: Sequence[int], page: int, memory: AgentMemory) -> str:
    shown, line = results_page(numbers, page)
    events = await memory.store.events(memory.id, shown)
    memory.recalled += [event.number for event in events]
    rows = [
        (", ".join(filter(None, [day_and_time(event), "you" if event.function else event.kind])), event.said)
        for event in events
    ]
    return listed(line, rows, memory)
