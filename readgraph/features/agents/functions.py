"""The functions by which an agent reaches its memory, as LangChain tools (MemGPT, sections 2.2 and 2.3).

A tool that takes `memory`, also your own, gets the `MemGptMemory`, unseen by the model; `BadInput` tells it what to do.
"""

import json
import re
from collections.abc import Iterable, Sequence
from datetime import date, datetime
from functools import cached_property
from typing import Annotated, Any

from langchain_core.tools import BaseTool, InjectedToolArg, tool
from langchain_core.utils.function_calling import convert_to_openai_function
from langgraph.errors import GraphBubbleUp
from pydantic import BeforeValidator, ValidationError

from readgraph.features.agents import storages
from readgraph.features.agents.memory import (
    PER_PAGE,
    MemGptMemory,
    append_to_block,
    block_named,
    cut_to,
    day_and_time,
    replace_in_block,
    rewrite_block,
    size_of,
)
from readgraph.features.agents.store import SPEAKS, ArchiveEntry, Event, local_now
from readgraph.models.replies.forms import storable
from readgraph.nodes.answering.in_view import letter_of
from readgraph.state.errors import BadInput, ReadgraphError
from readgraph.state.reading import Finding, Quote
from readgraph.state.words import count_words, first_words

__all__ = ["MEMORY_FUNCTIONS"]

_KINDS = {"integer": "number", "number": "number", "boolean": "true or false", "array": "list", "object": "object"}


class Functions:
    """The functions of an agent by their names, of two the later; raises `BadInput` for what is no LangChain tool."""

    def __init__(self, tools: Iterable[BaseTool]) -> None:
        self.tools = dict[str, BaseTool]()
        self._fewer = dict[frozenset[str], Functions]()
        for base_tool in tools:
            if not isinstance(base_tool, BaseTool):
                raise BadInput(
                    f"{base_tool!r:.60} is no LangChain tool: decorate the function with langchain_core's @tool."
                )
            self.tools[base_tool.name] = base_tool

    def without(self, names: frozenset[str]) -> "Functions":
        """The functions but for those with these names."""
        if not names & self.tools.keys():
            return self
        if names not in self._fewer:
            self._fewer[names] = Functions(tool for name, tool in self.tools.items() if name not in names)
        return self._fewer[names]

    @cached_property
    def schemas(self) -> dict[str, dict[str, Any]]:
        """The JSON schema of each function's arguments, as the model sees them."""
        return {name: convert_to_openai_function(tool)["parameters"] for name, tool in self.tools.items()}

    @cached_property
    def arguments_needed(self) -> dict[str, dict[str, str]]:
        """The required arguments of each function, with their descriptions."""
        return {
            name: {needed: _kind(schema["properties"][needed]) for needed in schema.get("required", [])}
            for name, schema in self.schemas.items()
        }

    @cached_property
    def descriptions(self) -> str:
        """One line for each: name, arguments, what it does."""
        lines = list[str]()
        for name, function in self.tools.items():
            fields, required = self.schemas[name].get("properties", {}), self.arguments_needed[name]
            arguments = [
                f"{argument}{'' if argument in required else '?'}: {_kind(field)}" for argument, field in fields.items()
            ]
            lines.append(f"- {name}({', '.join(arguments)}): {' '.join(function.description.split())}")
        return "\n".join(lines)

    async def call(self, event: Event, memory: MemGptMemory) -> tuple[str, bool]:
        """The result of a call, and whether it failed; one with side effects is not run again after its result."""
        if event.failed and event.result is not None:  # it was refused by `think`, or its step runs again
            return event.result, True
        tool = self.tools.get(event.function)
        if tool is None:
            return f"There is no function '{event.function}': call one of {', '.join(self.tools)}.", True
        fields = self.schemas[event.function].get("properties", {})
        own = "memory" in getattr(tool.args_schema, "model_fields", {}) and "memory" not in fields
        if event.result is not None and not own:
            return event.result, event.failed
        if unknown := [name for name in event.arguments if name not in fields]:
            return f"{event.function} takes {_names(fields)}; it has no argument '{unknown[0]}'.", True
        arguments = {name: _value(value, fields[name]) for name, value in event.arguments.items()}
        try:
            return str(await tool.ainvoke(arguments | {"memory": memory} if own else arguments)), False
        except BadInput as problem:
            return str(problem), True
        except (ReadgraphError, GraphBubbleUp):  # a function may use LangGraph's interrupt
            raise
        except ValidationError as problem:
            faults = "; ".join(f"{fault['loc'][0]}: {fault['msg']}" for fault in problem.errors()[:3] if fault["loc"])
            return f"{event.function} takes {_names(fields)}. {faults or 'Its arguments can not be used'}.", True
        except Exception as problem:  # a user's function may raise anything; the conversation goes on
            return f"{event.function} failed: {type(problem).__name__}: {problem}", True


def _kind(field: dict[str, Any]) -> str:
    return str(field.get("description") or _KINDS.get(str(field.get("type")), "text"))


def _names(known: dict[str, Any]) -> str:
    return ", ".join(known) or "no arguments"


def _value(value: Any, field: dict[str, Any]) -> Any:
    """The value for a field; a list or an object may be given as JSON."""
    if isinstance(value, str) and field.get("type") in ("array", "object") and value.lstrip()[:1] in ("[", "{"):
        try:
            return storable(json.loads(value))
        except (ValueError, RecursionError):
            return value
    return value


MOST_MESSAGE_WORDS = 500  # most words of a message, since the state keeps a turn's messages
MOST_QUOTES, LONGEST_QUOTE = 10, 120  # most quotes of an answer, and most words of a quote

Memory = Annotated[MemGptMemory, InjectedToolArg]
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
    numbers = await storages.search_recall(memory.store, memory.id, memory.recallable, words, memory.context)
    return await _events_page(numbers, page, memory)


@tool
async def recall_search_date(
    first_day: Annotated[date | datetime, "YYYY-MM-DD, or with a time: YYYY-MM-DD HH:MM"],
    last_day: Annotated[date | datetime, "The same"],
    memory: Memory,
    page: ResultPage = 1,
) -> str:
    """What was said from one day, or time of day, to another, the oldest first."""
    begin, end = (_as_written(given) for given in (first_day, last_day))
    if f"{end}~" < begin:
        raise BadInput("The last day is before the first: exchange them.")
    return await _events_page(await storages.events_between(memory, begin, f"{end}~"), page, memory)


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
    return await storages.format_items(await storages.search_archive(memory, query), page, memory)


@tool
async def archival_delete(passages: Numbers, memory: Memory) -> str:
    """Take passages of your own out of archival storage, by their numbers."""
    wanted, mine = list(dict.fromkeys(passages)), await storages.own_passages(memory)
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
    starts, line = storages.results_page([start for start, _ in memory.life["documents"]], page)
    entries = await memory.store.entries(memory.id, starts)
    numbered = enumerate(entries, (page - 1) * PER_PAGE + 1)
    rows = [f"document {number}: {entry.text}, pages 0 to {entry.pages - 1}" for number, entry in numbered]
    return cut_to("\n".join([line, *rows]), memory.room)


@tool
async def document_open(
    document: Annotated[int, "The document's number, from 1."],
    page: Annotated[int, "The page's number, from 0."],
    memory: Memory,
    part: Annotated[int, "Part of a page that is too long to be seen at once, from 1."] = 1,
) -> str:
    """Read a page of a document."""
    return await storages.open_archive_page(memory, document, page, part, "document_list names them")


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
    letter = letter_of(option)
    if memory.choices and letter not in memory.choices:
        raise BadInput(f"Give the letter of one option: {', '.join(memory.choices)}.")
    text = memory.choices[letter] if memory.choices else answer.strip() or None
    quoted = [line.strip().strip("-•\"'“”").strip() for line in quotes.splitlines()]
    taken = [Quote(page=-1, quote=first_words(quote, LONGEST_QUOTE)) for quote in quoted if quote][:MOST_QUOTES]
    choice = letter if memory.choices else None
    memory.given = Finding(page=-1, answers=text is not None, text=text or "", choice=choice, quotes=taken)
    return "Given."


WORKING_FUNCTIONS: tuple[BaseTool, ...] = (memory_append, memory_replace, memory_rewrite)
RECALL_FUNCTIONS: tuple[BaseTool, ...] = (recall_search, recall_search_date)

READING_FUNCTIONS: tuple[BaseTool, ...] = (*WORKING_FUNCTIONS, archival_search, document_list, document_open, answer)
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


def _as_written(given: date | datetime) -> str:
    """A day, or a minute of it, as the times of events begin."""
    return given.isoformat(timespec="minutes")[:16] if isinstance(given, datetime) else given.isoformat()


def _now_holds(memory: MemGptMemory, label: str) -> str:
    return f"Done: the block holds {size_of(block_named(memory.life['blocks'], label))} words."


async def _events_page(numbers: Sequence[int], page: int, memory: MemGptMemory) -> str:
    shown, line = storages.results_page(numbers, page)
    events = await memory.store.events(memory.id, shown)
    memory.recalled += [event.number for event in events]
    rows = [
        (", ".join(filter(None, [day_and_time(event), "you" if event.function else event.kind])), event.spoken_text)
        for event in events
    ]
    return storages.format_results(line, rows, memory)
