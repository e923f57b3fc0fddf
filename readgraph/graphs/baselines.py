"""What the methods are compared with: the papers' baselines that read a text in their own ways.

Each has a `build_NAME` and its compiled graph, NAME, and is wired in a line: open, read, look up, answer, cite. Where a
row stands in the papers:

- `bm25`, `dense`: retrieval of segments (GAM's RAG row, section 3.1; ReadAgent's and MemWalker's retrieval); `fused`
  ranks by words and embeddings together, a stronger RAG row. `bm25` is rank-bm25's; `ranked` is what our methods search
  with.
- `full_text`: all of the text, chunk by chunk where it is longer than the window (GAM's long-LLM row).
- `first_words`, `last_words`: the beginning or the end and no more (ReadAgent's truncated rows, table 3; MemWalker's
  "keep left" and "keep right", table 2).
- `recurrent`: a summary is carried through the text, piece by piece, and answers alone (MemWalker, section 4.3).
"""

from functools import partial
from typing import Any, Literal

from langgraph.graph import END, START, StateGraph

from readgraph.graphs.wiring import add_nodes, add_path, add_question, begin_graph, complete_graph
from readgraph.models.prompt import versions_of
from readgraph.nodes import look_up as look_ups
from readgraph.nodes.answering import answer as answers
from readgraph.nodes.answering.cite import cite
from readgraph.nodes.building import summaries
from readgraph.nodes.building.build import ReadState, ReadUpdate, ReadWrites, cut_pages, read_pages
from readgraph.nodes.building.paging import cut_in_two, even_pages, one_page, words_kept
from readgraph.nodes.building.recipes import recipe_of_pages
from readgraph.nodes.contracts import AnswerState, AnswerWrites, CiteState, CiteWrites, LookUpState, LookUpWrites, Node
from readgraph.nodes.opening import OpenState, OpenUpdate, open_document
from readgraph.nodes.step import StepNode
from readgraph.state.context import ReaderContext
from readgraph.state.reading import Answered, Question, ReadingState
from readgraph.state.records import Recipe
from readgraph.state.settings import Excerpt, Language, Paragraphs, Rebuilding, Segments, Window

__all__ = ["read_segments"]


@complete_graph
def build_linear(
    *,
    read: Node[ReadState, ReadWrites],
    look_up: Node[LookUpState, LookUpWrites],
    open: Node[OpenState, OpenUpdate] = open_document,
    answer: Node[AnswerState, AnswerWrites] = answers.answer,
    cite: Node[CiteState, CiteWrites] = cite,
    state: type[Any] = ReadingState,
) -> StateGraph[ReadingState, ReaderContext, Question, Answered]:
    """Wire the nodes in a line."""
    builder = begin_graph(state, ReadingState, Question, Answered)
    add_nodes(builder, open=open, read=read, look_up=look_up, answer=answer, cite=cite)
    add_path(builder, START, "open", "read")
    add_question(builder, "read", "look_up")
    add_path(builder, "look_up", "answer", "cite", END)
    return builder


def segment_words(context: ReaderContext) -> int:
    """A segment has at most `retrieval_words` (by default GAM's 2,048 tokens, section 3.1), and those of the window."""
    return min(context.retrieval_words, context.window_words)


read_segments = cut_pages(
    even_pages(segment_words),
    recipe_of_pages("segments", segment_words),
    settings=(Segments, Window, Paragraphs, Rebuilding),
)
"""Cuts the text into segments of one size, without notes, for retrieval."""

build_retrieval = partial(build_linear, read=read_segments, answer=answers.answer_from_segments)

build_bm25 = partial(build_retrieval, look_up=look_ups.retrieve)
"""The answer from the segments that BM25 ranks first."""
build_ranked = partial(build_retrieval, look_up=look_ups.retrieve_by_index)
"""The answer from the segments that readgraph's own search ranks first, as in the methods."""
build_dense = partial(build_retrieval, look_up=look_ups.retrieve_by_vectors)
"""The answer from the segments that are nearest by their embeddings."""
build_fused = partial(build_retrieval, look_up=look_ups.retrieve_by_both)
"""The answer from the segments that rank first by words and embeddings together."""

bm25 = build_bm25().compile(name="bm25")
ranked = build_ranked().compile(name="ranked")
dense = build_dense().compile(name="dense")
fused = build_fused().compile(name="fused")


def chunk_words(context: ReaderContext) -> int:
    """A chunk has at most the words of the window."""
    return context.window_words


read_chunks = cut_pages(
    even_pages(chunk_words),
    recipe_of_pages("full-text", chunk_words),
    cuts_text=False,
    settings=(Window, Paragraphs, Rebuilding),
)

build_full_text = partial(build_linear, read=read_chunks, look_up=look_ups.every_page, answer=answers.answer_from_each)
"""An answer from each chunk of the window's size, and one from these."""

full_text = build_full_text().compile(name="full_text")


def _make_end_reader(kept: Literal["first", "last"]) -> StepNode[ReadState, ReadUpdate]:
    def recipe(context: ReaderContext) -> Recipe:
        return Recipe(f"{kept}-words", {"words": words_kept(context)}, model="")

    return cut_pages(cut_in_two(words_kept, kept), recipe, cuts_text=False, settings=(Excerpt, Window, Rebuilding))


build_first_words = partial(build_linear, read=_make_end_reader("first"), look_up=look_ups.first_page)
"""The answer from the beginning of the text."""
build_last_words = partial(build_linear, read=_make_end_reader("last"), look_up=look_ups.last_page)
"""The answer from the end of the text."""

first_words = build_first_words().compile(name="first_words")
last_words = build_last_words().compile(name="last_words")


def running_summary_recipe(context: ReaderContext) -> Recipe:
    """The recipe of the summary: the whole text is one page, and the summary at its end is the page's note."""
    parameters = {
        "piece_words": summaries.piece_words(context),
        "summary_words": summaries.SUMMARY_WORDS,
        "paragraph_break": context.paragraph_break,
        "sample": context.sample,
    }
    prompts = versions_of(summaries.RUNNING_SUMMARY) if context.model else {}
    return Recipe("recurrent", parameters, context.model, prompts)


read_recurrently = read_pages(
    one_page,
    summaries.summarise_on,
    running_summary_recipe,
    without_model=(one_page, summaries.extract_on),
    cuts_text=False,
    settings=(Window, Paragraphs, Language, Rebuilding),
)

build_recurrent = partial(
    build_linear, read=read_recurrently, look_up=look_ups.no_page, answer=answers.answer_from_notes_alone
)
"""The answer from a summary that was carried through the text."""

recurrent = build_recurrent().compile(name="recurrent")
