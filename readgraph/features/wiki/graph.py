"""A wiki of documents: a page of each, and of each person, place, thing and topic; and what it will use.

Without a model the pages consist of the documents' own sentences. With one, it notes what each page tells of, and
writes a page where there are several sentences; each sentence keeps what it rests on.
"""

from typing import Any

from langgraph.graph import END, START, StateGraph

from readgraph.features.wiki import subjects as subjects_types
from readgraph.features.wiki.state import WikiMade, WikiState, WikiWanted
from readgraph.features.wiki.subjects import gather_subjects, note_pages, page_words, recipe, wiki_note_prompt
from readgraph.features.wiki.write import (
    FEWEST_TO_WRITE,
    MOST_SENTENCES,
    MOST_WRITTEN,
    CompareState,
    CompareUpdate,
    WriteState,
    WriteUpdate,
    compare_sentences_of_pages,
    wiki_page_prompt,
    write_pages,
)
from readgraph.graphs.estimates.arithmetic import SENTENCE_WORDS, Estimate, EstimateCase, Range
from readgraph.graphs.wiring import add_nodes, add_path, begin_graph, complete_graph
from readgraph.library.collections import documents_of
from readgraph.nodes.building.build import ReadState, ReadWrites, cut_pages, has_whole_memory
from readgraph.nodes.building.paging import even_pages
from readgraph.nodes.building.recipes import recipe_of_pages
from readgraph.nodes.contracts import Node
from readgraph.nodes.opening import OpenState, OpenUpdate, open_document
from readgraph.state.context import ReaderContext
from readgraph.state.settings import Paragraphs, Rebuilding, Window

__all__ = ["build", "graph"]

recipe_of_cut = recipe_of_pages("wiki-pages", page_words)
read = cut_pages(even_pages(page_words), recipe_of_cut, settings=(Window, Paragraphs, Rebuilding))


@complete_graph
def build(
    *,
    open: Node[OpenState, OpenUpdate] = open_document,
    read: Node[ReadState, ReadWrites] = read,
    note: Node[subjects_types.NoteState, subjects_types.NoteUpdate] = note_pages,
    gather: Node[subjects_types.GatherState, subjects_types.GatherUpdate] = gather_subjects,
    write: Node[WriteState, WriteUpdate] = write_pages,
    compare: Node[CompareState, CompareUpdate] = compare_sentences_of_pages,
    state: type[Any] = WikiState,
) -> StateGraph[WikiState, ReaderContext, WikiWanted, WikiMade]:
    """Cut pages, note what each tells of, gather what is told of each subject, write the wiki's pages, compare."""
    builder = begin_graph(state, WikiState, WikiWanted, WikiMade)
    add_nodes(builder, open=open, read=read, note=note, gather=gather, write=write, compare=compare)
    add_path(builder, START, "open", "read", "note", "gather", "write", "compare", END)
    return builder


graph = build().compile(name="wiki")

NOTED, SUBJECTS, MENTIONED = 8, 3, 6  # expected: subjects of a page, new ones among them, sentences that tell of one
CHANGED = 3  # pages of a changed document that are noted again, as expected
SUBJECT_WORDS = 12  # expected words of the note of a subject


async def estimate_wiki(case: EstimateCase) -> Estimate:
    """What a wiki will use: a note of each page that has none, and a page for each subject of which much is told."""
    context, store = case.context, case.store
    if not context.model:
        return Estimate()
    total = Estimate()
    for member in await documents_of(store, case.document):
        if await has_whole_memory(store, member, recipe, case.reader):
            continue
        pages = Range.of_pages(member.words, page_words(context))
        earlier = await store.other_versions(member)
        again = Range(0, min(CHANGED, pages.expected), pages.high) if earlier else pages
        words = Range.of(member.words / max(pages.expected, 1))
        prompt = (Range.frame(wiki_note_prompt([]).words) + words * Range(1, 1.1, 2)).at_most(context.window_words)
        noting = Estimate.of(again, prompt, NOTED * SUBJECT_WORDS)
        subjects = again * Range(0, SUBJECTS / 2, 2 * NOTED) + Range(0, 1, 1)
        shown = Range(FEWEST_TO_WRITE, MENTIONED, MOST_SENTENCES) * SENTENCE_WORDS
        frame = Range.frame(wiki_page_prompt("", []).words)
        writing = Estimate.of(
            subjects, (frame + shown).at_most(context.window_words), MOST_WRITTEN * SENTENCE_WORDS / 2
        )
        total = total + noting + writing
    return total
