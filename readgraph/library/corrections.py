"""Corrections: notes that a user wrote in place of a method's gist, summary or memo.

A correction belongs to a document, a method and the text of a page. It holds in every memory in which the method has a
page with this text: built already, built again, or of a new version of the file. The method's own note is kept beside
it (`Note.replaced`), so that restoring it asks no model.
"""

from dataclasses import asdict, dataclass, replace

from readgraph.library.documents import CORRECTIONS, check_not_forgotten
from readgraph.library.page_store import PageStore
from readgraph.library.search.indexes import indexes_of
from readgraph.library.store import hold_build_lock
from readgraph.library.stored_items import EVERY, ROOT, replace_surrogates
from readgraph.state.errors import BadInput
from readgraph.state.records import FEWEST_NOTE_WORDS, Document, Memory, Note, Page, digest, load_valid
from readgraph.state.summary_tree import TreeShape, is_gist_over_page, node_id
from readgraph.state.words import count_words, format_count

__all__ = ["correct", "restore"]


@dataclass(frozen=True, slots=True)
class Correction:
    """A user's note. "" says that the method's own was restored, whatever an earlier version of the file has."""

    key: str
    text: str


@dataclass(frozen=True, slots=True)
class Corrected:
    """A note after its correction or restoring, and the nodes above it that the next reading makes again."""

    note: Note
    renewed: list[str]


async def correct(pages: PageStore, memory: Memory, number: int, text: str) -> Corrected:
    """Replace the note of page `number` by the user's `text`, in every memory of this method that has the page.

    Summaries above it are dropped, and made again by the next reading.

    Args:
        pages: The page store of the library.
        memory: A memory that has the page.
        number: The page's number.
        text: The new note.

    Raises:
        BadInput: Where there is no such page or note, or the text is empty or longer than the page.
    """
    text = replace_surrogates(text).strip()
    if not text:
        raise BadInput("The correction is empty: write the note, or restore the method's own.")
    return await _change_note(pages, memory, number, text)


async def restore(pages: PageStore, memory: Memory, number: int) -> Corrected:
    """Put the method's own note of page `number` back; raises `BadInput` where it was not corrected."""
    return await _change_note(pages, memory, number, "")


async def corrections_of(pages: PageStore, document: Document) -> dict[str, str]:
    """The corrections that hold for a document, by their keys (`correction_key`); "" for a restored note.

    Those of the file's earlier versions and of a collection's documents hold too, where it has none of its own; not
    those of a document that is known only up to a place: who wrote them may have known what follows.
    """
    earlier = [other.id for other in reversed(await pages.other_versions(document))]
    members, last = [part.document for part in document.parts], document.parts[-1:]
    if last and last[0].end - last[0].start < (await pages.document(last[0].document)).characters:
        members.pop()
    of = [*earlier, *members, document.id]
    found = dict[str, str]()
    for identity in dict.fromkeys(each for each in of if each != document.id) | {document.id: None}:
        items = await pages.search((*CORRECTIONS, identity), EVERY)
        found |= {
            correction.key: correction.text for correction in load_valid(Correction, [item.value for item in items])
        }
    return found


def correction_key(method: str, text: str) -> str:
    """The key of the correction of a method's note about this text."""
    return digest([method, replace_surrogates(text)])


async def keep_correction(pages: PageStore, document: str, key: str, text: str) -> None:
    """Keep a correction with this document."""
    await pages.put([((*CORRECTIONS, document), key, asdict(Correction(key, text)))])


def with_correction(note: Note, text: str) -> Note:
    """The note with the user's text in place of the method's, or, where that is "", with the method's own."""
    own = note.text if note.replaced is None else note.replaced
    return replace(note, text=text or own, words=count_words(text or own), replaced=own if text else None)


async def _change_note(pages: PageStore, memory: Memory, number: int, text: str) -> Corrected:
    async with hold_build_lock(pages.store, memory.document):  # no forgetting meanwhile
        await check_not_forgotten(pages, memory.document)
        document = await pages.document(memory.document)
        page = await _page_to_correct(pages, document, memory, number, text)
        (page_text,) = await pages.spans(document, [(page.start, page.end)])
        await keep_correction(pages, document.id, correction_key(memory.recipe.method, page_text), text)
        renewed = list[str]()
        for each in await pages.memories(document.id):
            if each.recipe.method == memory.recipe.method:
                above = await _put(pages, each, page, text)
                renewed = above if each.id == memory.id else renewed
    (note,) = await pages.notes(memory.id, [number])
    return Corrected(note, renewed)


async def _page_to_correct(pages: PageStore, document: Document, memory: Memory, number: int, text: str) -> Page:
    """The page; raises `BadInput` where it has no note to be changed so."""
    found = await pages.pages(memory.id, [number] if 0 <= number < memory.pages else [])
    if not found:
        last = memory.pages - 1
        numbers = f"its parts are 0 to {last}" if last > 0 else "its only part is 0"
        raise BadInput(f"'{document.title}' has no part {number}: {numbers}.")
    note = next(iter(await pages.notes(memory.id, [number])), None)
    if note is None or not (note.text or note.replaced):
        raise BadInput(f"Part {number} has no note of {memory.recipe.method} that could be corrected.")
    if not text and note.replaced is None:
        raise BadInput(f"The note of part {number} was not corrected: there is nothing to restore.")
    most, words = max(found[0].words, FEWEST_NOTE_WORDS), count_words(text)
    if words > most:
        raise BadInput(
            f"The correction has {format_count(words, 'word')}, its part only {found[0].words:,}: shorten it."
        )
    return found[0]


async def _put(pages: PageStore, memory: Memory, page: Page, text: str) -> list[str]:
    """Change the note of the same page in a memory, if it has it; returns the nodes above that were dropped."""
    async with hold_build_lock(pages.store, memory.id):
        memory = await pages.memory(memory.document, memory.id)
        same = [each for each in await pages.pages(memory.id, range(memory.pages)) if each.start == page.start]
        number = same[0].number if same and same[0].end == page.end else -1
        notes = await pages.notes(memory.id, [number] if same and number >= 0 else [])
        if not notes:
            return []
        memory = await pages.change_note(memory, notes[0], with_correction(notes[0], text))
        async with hold_build_lock(pages.store, f"{memory.id}-search"):
            await (await indexes_of(pages.store)).forget(memory)  # filled again by the next search
        if "children" not in memory.recipe.parameters:
            kept = [key async for key, _ in pages.each((ROOT, "tree", memory.id))]
            above = [key for key in kept if is_gist_over_page(key, number)]
        else:
            path = TreeShape.final_tree(memory).path(node_id(0, number))
            above = [node.id for node in await pages.tree_nodes(memory.id, path)]
            if memory.levels:
                await pages.put_memory(replace(memory, levels=()))
        await pages.delete((ROOT, "tree", memory.id), above)  # the next reading makes those that are missing
        return above
