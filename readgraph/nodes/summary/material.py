"""What a summary is written from, as the model sees it, and how it is divided where it does not fit the window."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from langgraph.runtime import Runtime

from readgraph.models.metering import used_notes
from readgraph.models.prompt import unused_name
from readgraph.nodes.memory_view import remembered
from readgraph.state.context import ReaderContext
from readgraph.state.page_store import page_store
from readgraph.state.reading import Sentence
from readgraph.state.records import Document, Memory
from readgraph.state.summary import ShownPart
from readgraph.state.words import count_words

TAG_WORDS = 2
"""Words of the tag before a text, but for its further pages."""


@dataclass(frozen=True)
class Item:
    """A text, and the pages that it stands for: a note, a page, or sentences of a summary of some of them."""

    pages: tuple[int, ...]
    text: str

    @property
    def words(self) -> int:
        """The words of the text with its tag."""
        return count_words(self.text) + TAG_WORDS + len(self.pages) - 1


@dataclass(frozen=True)
class Material:
    """What is shown of a text: its items in order, and the texts of the pages and their notes by page."""

    document: Document
    memory: Memory
    items: list[Item]
    texts: Mapping[int, str]
    notes: Mapping[int, str]


async def material_of(
    shown: Sequence[ShownPart], document: str, memory: str, runtime: Runtime[ReaderContext]
) -> Material:
    """The notes of these pages, and the texts of those in full."""
    store = page_store(runtime)
    described, kept = await remembered(runtime, document, memory)
    found = await store.spans(described, [(each["start"], each["end"]) for each in shown])
    texts = {each["page"]: text for each, text in zip(shown, found, strict=True) if text.strip()}
    notes = {note.page: note for note in await store.notes(memory, [each["page"] for each in shown])}
    in_full = {each["page"] for each in shown if each["full"]}
    used_notes(note for note in notes.values() if note.page not in in_full)
    said = {page: note.text for page, note in notes.items()}
    items = [Item((page,), text if page in in_full else said[page]) for page, text in texts.items()]
    return Material(described, kept, items, texts, said)


def words_of(items: Sequence[Item]) -> int:
    """The words of these items as they are shown."""
    return sum(item.words for item in items)


def shown_text(items: Sequence[Item]) -> str:
    """Each item after its tag, which names its pages and occurs in none of the texts."""
    tag = unused_name("page", [item.text for item in items])
    return "\n\n".join(f"<{tag} {', '.join(map(str, item.pages))}>\n{item.text.strip()}" for item in items)


def even_groups(items: Sequence[Item], number: int, most_words: int | None = None) -> list[list[Item]]:
    """The items in about this many groups of about even words, none of more than `most_words` but single items."""
    target = max(words_of(items) / max(number, 1), 1)
    groups, before, size = [list[Item]()], 0, 0
    for item in items:
        full = before >= target * len(groups) or (most_words is not None and size + item.words > most_words)
        if groups[-1] and full:
            groups.append([])
            size = 0
        groups[-1].append(item)
        before, size = before + item.words, size + item.words
    return groups


def groups_within(items: Sequence[Item], room: int) -> list[list[Item]]:
    """The items in as few even groups as fit the room each."""
    return even_groups(items, math.ceil(words_of(items) / max(room, 1)), room)


def as_items(sentences: Sequence[Sentence]) -> list[Item]:
    """The sentences of summaries as items: those in a row that rest on the same pages are one."""
    items = list[Item]()
    for sentence in sentences:
        pages = tuple(sentence["pages"])
        if items and items[-1].pages == pages:
            items[-1] = Item(pages, f"{items[-1].text} {sentence['text']}")
        else:
            items.append(Item(pages, sentence["text"]))
    return items
