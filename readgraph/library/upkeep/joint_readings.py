"""What was read and asked of several documents as one: what of it stays when one of them is forgotten.

What the forgotten document alone said must not be found any more. So a question stays if all that its answer cites
stands in the others, and neither it nor the answer has a word that only the forgotten document has; then it is one
about the others, without the steps that led to the answer. Notes of the others' pages stay by the same test.
"""

from bisect import bisect_right
from collections.abc import AsyncIterator, Callable, Iterable, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import CheckpointTuple, empty_checkpoint

from readgraph.language.detection import language_of
from readgraph.language.terms import content_words
from readgraph.library.checkpointer import QUESTION
from readgraph.library.collections import add_collection, collections_with
from readgraph.library.library import Library
from readgraph.library.page_store import PageStore, memory_item, note_item, page_item
from readgraph.library.store import InUse, OnWait, hold_build_lock, hold_lock
from readgraph.library.stored_items import EVERY, ROOT
from readgraph.state.errors import LibraryError, ReadgraphError
from readgraph.state.records import Document, Memory, Page, digest
from readgraph.state.words import count_words, end_after_words, format_count

MOST_TOLD = 5


@dataclass(frozen=True)
class JointReading:
    """A reading of several documents as one, of which one is to be forgotten.

    Attributes:
        id: The id of the collection.
        title: Its title.
        documents: How many documents it holds.
        methods: The methods that have read it.
        questions: How many questions were asked about it.
        kept: How many of these stay, since they are about its other documents alone.
    """

    id: str
    title: str
    documents: int
    methods: list[str]
    questions: int
    kept: int

    def __str__(self) -> str:
        """The reading in some words."""
        stay = (
            f", of which {self.kept} about the others alone {'stays' if self.kept == 1 else 'stay'}"
            if self.kept
            else ""
        )
        sizes = f"{format_count(self.documents, 'document')}, {format_count(self.questions, 'question')}"
        return f"'{self.title}' ({sizes}{stay})"


def tell_joint(joint: Sequence[JointReading]) -> str:
    """What forgetting a document takes of readings of several, as a sentence behind others; "" where there is none."""
    if not joint:
        return ""
    more = f", and {len(joint) - MOST_TOLD} more" if len(joint) > MOST_TOLD else ""
    told = ", ".join(map(str, joint[:MOST_TOLD]))
    return f" Deleted with it is what was read and asked of it together with others: {told}{more}."


async def list_joint(library: Library, document: Document) -> list[JointReading]:
    """The readings of several documents that forgetting this one deletes, and what of them stays."""
    joint_readings = list[JointReading]()
    for collection in await collections_with(library.pages, document):
        threads, rest = await _questions(library, collection), await _rest_of(library.pages, collection, document)
        checkpoint_tuples = [
            thread for thread in threads if rest and rest.move_answer(thread.checkpoint["channel_values"])
        ]
        methods = sorted({memory.recipe.method for memory in await library.pages.memories(collection.id)})
        about = (collection.id, collection.title, len(collection.parts))
        joint_readings.append(JointReading(*about, methods, len(threads), len(checkpoint_tuples)))
    return joint_readings


async def keep_rest(
    library: Library, collection: Document, gone: Document, on_wait: OnWait | None, *, wait: bool
) -> int:
    """Keep what is about the others of a collection under their own names; returns how many questions.

    Killed halfway, it is done again. Two that forget documents of one collection don't keep each other's: each takes
    its document off the list before it looks whether the others are there.
    """
    others = sorted(part.document for part in collection.parts if part.document != gone.id)
    async with _hold_documents(library, others, on_wait, wait=wait):
        if (rest := await _rest_of(library.pages, collection, gone)) is None:
            return 0
        moves = list[tuple[CheckpointTuple, dict[str, Any]]]()
        for saved in await _questions(library, collection):
            values = saved.checkpoint["channel_values"]
            if values.get("document") == rest.id:  # a killed forgetting has moved it
                await _drop_steps_before(library, saved.config)
            elif moved := rest.move_answer(values):
                moves.append((saved, moved))
        needed, pages = {moved["memory"] for _, moved in moves}, dict[str, tuple[str, list[Page]]]()
        for memory in await library.pages.memories(collection.id):
            if memory.id in needed or (memory.recipe.model and not rest.is_told(_wanted(memory))):
                pages[memory.id] = await _move_memory(library.pages, memory, rest)
        if pages:
            await add_collection(library.pages, rest.documents)
        moves = [(saved, moved) for saved, moved in moves if moved["memory"] in pages]
        for saved, moved in moves:
            await _put_answer(library, saved, await _with_pages(library.pages, moved, *pages[moved["memory"]]))
        return len(moves)


@asynccontextmanager
async def _hold_documents(
    library: Library, ids: Sequence[str], on_wait: OnWait | None, *, wait: bool
) -> AsyncIterator[None]:
    """Hold the locks of those of these documents that are on the list.

    While one is waited for, none is held: whoever holds it may be about to forget it, and then needs the others.
    """
    busy = ""
    while True:
        if busy:
            async with hold_lock(library.store, f"{busy}.lock", on_wait):
                pass
        async with AsyncExitStack() as held:
            try:
                for busy in ids:
                    if await library.pages.find_document(busy):
                        await held.enter_async_context(hold_lock(library.store, f"{busy}.lock", wait=False))
            except InUse:
                if not wait:
                    raise
                continue
            yield
            return


async def _put_answer(library: Library, saved: CheckpointTuple, values: dict[str, Any]) -> None:
    """Let a thread consist of one step, with these values."""
    saver, versions = library.checkpointer, dict[str, Any]()
    for name in values:
        versions[name] = saver.get_next_version(None, None)
    checkpoint: Any = {**empty_checkpoint(), "v": saved.checkpoint["v"], "ts": saved.checkpoint["ts"]}
    checkpoint |= {"channel_values": values, "channel_versions": versions}
    about: Any = {**saved.metadata, "source": "update", "document": values["document"]}
    thread = {"thread_id": saved.config["configurable"]["thread_id"], "checkpoint_ns": ""}
    await _drop_steps_before(library, await saver.aput({"configurable": thread}, checkpoint, about, versions))


async def _drop_steps_before(library: Library, config: RunnableConfig) -> None:
    saver, named = library.checkpointer, config["configurable"]
    await saver.run(lambda: saver.drop_undone(str(named["thread_id"]), str(named["checkpoint_id"])))


async def _questions(library: Library, collection: Document) -> list[CheckpointTuple]:
    """The newest checkpoints of the questions about a collection."""
    saver, checkpoint_tuples = library.checkpointer, list[CheckpointTuple]()
    for thread in await saver.run(lambda: saver.threads({"document": collection.id})):
        try:
            saved = await saver.aget_tuple({"configurable": {"thread_id": thread, "checkpoint_ns": ""}})
        except LibraryError:  # it can't be read: it goes
            continue
        if saved and saved.checkpoint["channel_values"].get(QUESTION):
            checkpoint_tuples.append(saved)
    return checkpoint_tuples


class _Rest(NamedTuple):
    """The other documents of a collection, where the forgotten one stood in it, and the words of that one alone."""

    documents: Sequence[Document]
    id: str  # under which they are asked as one
    gone: Document
    start: int
    end: int
    characters: int
    terms: Callable[[str], Iterable[str]]
    own: frozenset[str]

    def is_told(self, texts: Iterable[str]) -> bool:
        """Whether a text has a word that only the forgotten document has."""
        return any(not self.own.isdisjoint(self.terms(text)) for text in texts)

    def move(self, start: int, end: int) -> tuple[int, int] | None:
        """A span of the collection in the text of the others; None where it touches the forgotten document."""
        if start < self.end and self.start < max(end, start + 1):  # what was read off a picture has no end
            return None
        by = self.end - self.start if start >= self.end else 0
        return start - by, end - by

    def move_citations(self, citations: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]] | None:
        """Citations in the others; None where one is of the forgotten document."""
        moved = list[dict[str, Any]]()
        for citation in citations:
            span = (
                (citation["start"], citation["end"])
                if "document" in citation
                else self.move(citation["start"], citation["end"])
            )
            if span is None or citation.get("document") == self.gone.id:
                return None
            moved.append({**citation, "start": span[0], "end": span[1]})
        return moved

    def move_answer(self, values: Mapping[str, Any]) -> dict[str, Any] | None:
        """What stays of a question's last step: no steps and findings; None where it is not about the others alone."""
        citations = self.move_citations(values.get("citations") or ())
        if not (values.get("answer") and values.get("memory") and citations):
            return None
        said = [values[QUESTION], values["answer"], *(values.get("choices") or {}).values()]
        said += [str(sentence) for sentence in values.get("sentences") or ()]
        kept = {name: values[name] for name in _KEPT if name in values}
        if table := values.get("table"):
            rows = [(row, self.move_citations(row["citations"])) for row in table["rows"]]
            if any(cited is None for _, cited in rows):
                return None
            kept["table"] = {**table, "rows": [{**row, "citations": cited} for row, cited in rows]}
            said += [value for row, _ in rows for value in row["values"]]
        if self.is_told(said):
            return None
        turns = values.get("question_turns") or ()
        kept["question_turns"] = [turn for turn in turns if not self.is_told([turn["question"], turn["answer"] or ""])]
        return {**kept, **_EMPTY, "document": self.id, "citations": citations}


_KEPT = (QUESTION, "choices", "memory", "answer", "choice", "status", "by_rule", "usage", "fallbacks")
_EMPTY: dict[str, Any] = {
    **{name: [] for name in ("findings", "sentences", "pages_read", "corrected_notes", "steps")},
    **{"unsupported": 0, "unchecked": 0, "percent_read": None, "compression_rate": None},
}


async def _rest_of(pages: PageStore, collection: Document, gone: Document) -> _Rest | None:
    """The others of a collection; None where there are none, one of them is gone too, or a text can't be read."""
    (part, *_) = [collection_part for collection_part in collection.parts if collection_part.document == gone.id]
    others = [
        await pages.find_document(collection_part.document)
        for collection_part in collection.parts
        if collection_part != part
    ]
    documents = [each for each in others if each]
    if not documents or len(documents) < len(others):
        return None
    try:
        text, *texts = [await pages.text(each) for each in (gone, *documents)]
    except ReadgraphError:  # what only the forgotten one said can't be told
        return None
    if not text:  # its record is damaged
        return None
    language = language_of(text)

    def terms(text: str) -> Iterable[str]:
        return content_words(text, language)

    own = {*terms(text), *terms(gone.title)}
    for document, kept in zip(documents, texts, strict=True):
        own.difference_update(terms(document.title), terms(kept))
    ids = [each.id for each in documents]
    identity = ids[0] if len(ids) == 1 else digest(["collection", ids])
    characters = sum(each.characters for each in documents)
    return _Rest(documents, identity, gone, part.start, part.end, characters, terms, frozenset(own))


def _wanted(memory: Memory) -> list[str]:
    """What a reading was for, in the user's words."""
    given = memory.recipe.parameters
    return [memory.recipe.purpose, *(str(given.get(name, "")) for name in ("record", "columns", "sought"))]


async def _move_memory(pages: PageStore, memory: Memory, rest: _Rest) -> tuple[str, list[Page]]:
    """Let the others have their pages and notes, unless they were read so already; gives the memory's id and pages."""
    identity = digest([rest.id, memory.recipe.fingerprint])
    async with hold_build_lock(pages.store, identity):
        if (await pages.get((ROOT, "memories", rest.id), [identity]))[0] is not None:
            known = await pages.memory(rest.id, identity)
            return identity, await pages.pages(identity, range(known.pages))
        moved, numbers, end = list[Page](), dict[int, int](), 0
        for page in await pages.pages(memory.id, range(memory.pages)):
            if (span := rest.move(page.start, page.end)) and span[0] == end:
                numbers[page.number], end = len(moved), span[1]
                moved.append(replace(page, number=len(moved), start=span[0], end=end))
        if not moved:  # its pages went on from one document to the next
            moved = await _cut_anew(pages, rest.documents)
            end = moved[-1].end
        noted = [
            replace(note, page=numbers[note.page])
            for note in await pages.notes(memory.id, numbers)
            if not rest.is_told([note.text, note.header, note.replaced or ""])
        ]
        tree = await pages.search((ROOT, "tree", memory.id), EVERY)
        whole = memory.complete and end == rest.characters and len(noted) == len(moved) and not tree
        words = sum(note.words for note in noted) if whole else None
        kept = Memory(identity, rest.id, memory.recipe, memory.started, len(moved), end, whole, whole, words)
        page_items = [page_item(identity, page) for page in moved]
        note_items = [note_item(identity, note) for note in noted]
        await pages.put([*page_items, *note_items, memory_item(kept)])
        return identity, moved


PAGE_WORDS = 500


async def _cut_anew(pages: PageStore, documents: Sequence[Document]) -> list[Page]:
    """Pages of these documents as one text, without notes."""
    cut, before = list[Page](), 0
    for document in documents:
        text, start = await pages.text(document), 0
        while start < len(text):
            end = end_after_words(text, start, PAGE_WORDS)
            cut.append(Page(len(cut), before + start, before + end, count_words(text[start:end]), "rule"))
            start = end
        before += len(text)
    return cut


async def _with_pages(pages: PageStore, moved: dict[str, Any], memory: str, of: Sequence[Page]) -> dict[str, Any]:
    """An answer with the pages and places of its citations in the others."""
    starts, document = [page.start for page in of], await pages.document(moved["document"])

    async def place(citations: list[dict[str, Any]]) -> list[dict[str, Any]]:
        own = [citation for citation in citations if "document" not in citation]
        named = iter(await pages.place_names(document, [each["start"] for each in own]))
        return [
            citation
            if "document" in citation
            else {**citation, "page": max(0, bisect_right(starts, citation["start"]) - 1), "place": next(named)}
            for citation in citations
        ]

    citations = await place(moved["citations"])
    found = {**moved, "memory": memory, "citations": citations}
    found["pages_read"] = sorted({citation["page"] for citation in citations})
    if table := moved.get("table"):
        rows = [{**row, "citations": await place(row["citations"])} for row in table["rows"]]
        found["table"] = {**table, "rows": rows}
    return found
