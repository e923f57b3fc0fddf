"""What the methods are compared with: the papers' baselines on texts and on web pages.

Each has a `build_NAME` and its compiled graph, NAME. Those that need no loop are wired in a line: open, read, look up,
answer, cite. Where a row stands in the papers:

- `bm25`, `dense`: retrieval of segments (GAM's RAG row, section 3.1; ReadAgent's and MemWalker's retrieval); `fused`
  ranks by words and embeddings together, a stronger RAG row.
- `full_text`: all of the text, chunk by chunk where it is longer than the window (GAM's long-LLM row).
- `first_words`, `last_words`: the beginning or the end and no more (ReadAgent's truncated rows, table 3; MemWalker's
  "keep left" and "keep right", table 2).
- `recurrent`: a summary is carried through the text, piece by piece, and answers alone (MemWalker, section 4.3).
- `gists_only`: ReadAgent without look-up (GistMem, tables 1 to 3).
- `retrieved_pages`: ReadAgent whose look-up is retrieval over its pages, with gists beside them (table 4) or without:
  then it is the retrieval of tables 1 to 3, which reuses ReadAgent's pages (section 4.2).
- `web_gists_only`, `web_page`, `web_bm25`, `web_dense`: the web agent without look-up, with the page itself, or with
  retrieved parts instead of gists (ReadAgent, table 10).
"""

from functools import partial
from typing import Any

from langgraph.graph import END, START, StateGraph

from readgraph.graphs import read_agent, web_agent
from readgraph.graphs.methods import Method
from readgraph.graphs.wiring import MethodGraph, Node, add_nodes, check_wiring, choosing, fit_context, with_channels
from readgraph.models.prompt import versions_of
from readgraph.nodes.answering.answer import (
    answer,
    answer_from_each,
    answer_from_notes_alone,
    answer_from_retrieved,
    answer_from_segments,
)
from readgraph.nodes.answering.cite import cite
from readgraph.nodes.building.build import cut_pages, read_pages
from readgraph.nodes.building.paging import cut_in_two, even_pages, one_page, words_kept
from readgraph.nodes.building.summaries import RUNNING_SUMMARY, SUMMARY_WORDS, extract_on, piece_words, summarise_on
from readgraph.nodes.contracts import AskedState
from readgraph.nodes.look_up import (
    every_page,
    first_page,
    last_page,
    leading_pages,
    no_page,
    retrieve,
    retrieve_by_both,
    retrieve_by_vectors,
    retrieve_parts,
)
from readgraph.nodes.opening import open_document
from readgraph.state.context import ReaderContext
from readgraph.state.reading import Answered, Question, ReadingState
from readgraph.state.records import Recipe
from readgraph.state.settings import Excerpt, Language, Paragraphs, Rebuilding, Segments, Window

__all__ = [
    "build_bm25",
    "build_dense",
    "build_first_words",
    "build_full_text",
    "build_fused",
    "build_gists_only",
    "build_last_words",
    "build_recurrent",
    "build_retrieved_pages",
    "build_web_bm25",
    "build_web_dense",
    "build_web_gists_only",
    "build_web_page",
    "read_segments",
]

METHODS = (
    Method(
        name="retrieved-pages",
        line="ReadAgent, but BM25 looks the parts up.",
        note="gist",
        estimate="estimates.read_agent:estimate_retrieved_pages",
        memory_of="read-agent",
        compiled="retrieved_pages",
        order=8,
    ),
    Method(
        name="gists-only",
        line="ReadAgent without look-up: the gists answer alone.",
        note="gist",
        estimate="estimates.read_agent:estimate_gists_only",
        memory_of="read-agent",
        compiled="gists_only",
        order=8,
    ),
    Method(
        name="recurrent",
        line="A summary carried through the text answers alone.",
        note="summary",
        estimate="estimates.baselines:estimate_recurrent",
        compiled="recurrent",
        order=8,
    ),
    Method(
        name="bm25",
        line="The segments that BM25 ranks first for the question.",
        estimate="estimates.baselines:estimate_retrieval",
        compiled="bm25",
        order=8,
    ),
    Method(
        name="dense",
        line="The segments that are nearest by their embeddings.",
        estimate="estimates.baselines:estimate_retrieval",
        memory_of="bm25",
        compiled="dense",
        needs_embeddings=True,
        order=8,
    ),
    Method(
        name="fused",
        line="The segments that rank first by words and embeddings.",
        estimate="estimates.baselines:estimate_retrieval",
        memory_of="bm25",
        compiled="fused",
        needs_embeddings=True,
        order=8,
    ),
    Method(
        name="full-text",
        line="All of the text, in chunks of the window's size.",
        estimate="estimates.baselines:estimate_full_text",
        compiled="full_text",
        order=8,
    ),
    Method(
        name="first-words",
        line="The beginning of the text, as much as fits.",
        estimate="estimates.baselines:estimate_truncated",
        compiled="first_words",
        order=8,
    ),
    Method(
        name="last-words",
        line="The end of the text, as much as fits.",
        estimate="estimates.baselines:estimate_truncated",
        compiled="last_words",
        order=8,
    ),
    Method(
        name="web-gists-only",
        kind="web",
        line="The web agent without look-up.",
        note="gist",
        estimate="estimates.baselines:estimate_web_gists",
        compiled="web_gists_only",
    ),
    Method(
        name="web-page",
        kind="web",
        line="The page from its beginning, as much as fits.",
        estimate="estimates.baselines:estimate_web_act",
        compiled="web_page",
    ),
    Method(
        name="web-bm25",
        kind="web",
        line="The parts of the page that BM25 ranks first.",
        estimate="estimates.baselines:estimate_web_act",
        compiled="web_bm25",
    ),
    Method(
        name="web-dense",
        kind="web",
        line="The parts that are nearest by their embeddings.",
        estimate="estimates.baselines:estimate_web_act",
        compiled="web_dense",
        needs_embeddings=True,
    ),
)


def choose_question_or_end(state: AskedState) -> str:
    """Go on to the question, if there is one."""
    return "look_up" if state["question_text"] else END


def build_linear(
    *,
    read: Node,
    look_up: Node,
    open: Node = open_document,
    answer: Node = answer,
    cite: Node = cite,
    state: type[Any] = ReadingState,
) -> StateGraph[ReadingState, ReaderContext, Question, Answered]:
    """Wire the nodes in a line.

    Every argument is a node: one of readgraph's, or a plain function or coroutine `(state, runtime) -> update`; but
    `state`, which may be a class derived from `ReadingState`, with channels of your own. Raises `BadInput` where a node
    reads a key that no earlier node writes.
    """
    builder = MethodGraph(
        with_channels(state, ReadingState), context_schema=ReaderContext, input_schema=Question, output_schema=Answered
    )
    add_nodes(builder, open=open, read=read, look_up=look_up, answer=answer, cite=cite)
    builder.add_edge(START, "open")
    builder.add_edge("open", "read")
    builder.add_conditional_edges("read", choosing(choose_question_or_end), ["look_up", END])
    builder.add_edge("look_up", "answer")
    builder.add_edge("answer", "cite")
    builder.add_edge("cite", END)
    fit_context(builder)
    check_wiring(builder)
    return builder


def segments_recipe(context: ReaderContext) -> Recipe:
    """The recipe of the segments; they need no model, and every kind of retrieval uses the same ones."""
    return Recipe("segments", {"words": segment_words(context), "paragraph_break": context.paragraph_break}, model="")


def segment_words(context: ReaderContext) -> int:
    """A segment has at most `retrieval_words` (by default GAM's 2,048 tokens, section 3.1), and those of the window."""
    return min(context.retrieval_words, context.window_words)


read_segments = cut_pages(
    even_pages(segment_words), segments_recipe, settings=(Segments, Window, Paragraphs, Rebuilding)
)
"""Cuts the text into segments of one size, without notes, for retrieval."""

build_bm25 = partial(build_linear, read=read_segments, look_up=retrieve, answer=answer_from_segments)
"""Every argument is a node, as in `build_linear`."""

bm25 = build_bm25().compile(name="bm25")


build_dense = partial(build_linear, read=read_segments, look_up=retrieve_by_vectors, answer=answer_from_segments)
"""Every argument is a node, as in `build_linear`."""

dense = build_dense().compile(name="dense")


build_fused = partial(build_linear, read=read_segments, look_up=retrieve_by_both, answer=answer_from_segments)
"""Every argument is a node, as in `build_linear`."""

fused = build_fused().compile(name="fused")


def chunks_recipe(context: ReaderContext) -> Recipe:
    """The recipe of the chunks, which need no model."""
    return Recipe("full-text", {"words": chunk_words(context), "paragraph_break": context.paragraph_break}, model="")


def chunk_words(context: ReaderContext) -> int:
    """A chunk has at most the words of the window."""
    return context.window_words


read_chunks = cut_pages(
    even_pages(chunk_words), chunks_recipe, cuts_text=False, settings=(Window, Paragraphs, Rebuilding)
)

build_full_text = partial(build_linear, read=read_chunks, look_up=every_page, answer=answer_from_each)
"""Every argument is a node, as in `build_linear`."""

full_text = build_full_text().compile(name="full_text")


def first_words_recipe(context: ReaderContext) -> Recipe:
    """The recipe of the cut, which needs no model."""
    return Recipe("first-words", {"words": words_kept(context)}, model="")


read_first_words = cut_pages(
    cut_in_two(words_kept, "first"), first_words_recipe, cuts_text=False, settings=(Excerpt, Window, Rebuilding)
)

build_first_words = partial(build_linear, read=read_first_words, look_up=first_page)
"""Every argument is a node, as in `build_linear`."""

first_words = build_first_words().compile(name="first_words")


def last_words_recipe(context: ReaderContext) -> Recipe:
    """The recipe of the cut, which needs no model."""
    return Recipe("last-words", {"words": words_kept(context)}, model="")


read_last_words = cut_pages(
    cut_in_two(words_kept, "last"), last_words_recipe, cuts_text=False, settings=(Excerpt, Window, Rebuilding)
)

build_last_words = partial(build_linear, read=read_last_words, look_up=last_page)
"""Every argument is a node, as in `build_linear`."""

last_words = build_last_words().compile(name="last_words")


def running_summary_recipe(context: ReaderContext) -> Recipe:
    """The recipe of the summary: the whole text is one page, and the summary at its end is the page's note."""
    parameters = {
        "piece_words": piece_words(context),
        "summary_words": SUMMARY_WORDS,
        "paragraph_break": context.paragraph_break,
        "sample": context.sample,
    }
    prompts = versions_of(RUNNING_SUMMARY) if context.model else {}
    return Recipe("recurrent", parameters, context.model, prompts)


read_recurrently = read_pages(
    one_page,
    summarise_on,
    running_summary_recipe,
    without_model=(one_page, extract_on),
    cuts_text=False,
    settings=(Window, Paragraphs, Language, Rebuilding),
)

build_recurrent = partial(build_linear, read=read_recurrently, look_up=no_page, answer=answer_from_notes_alone)
"""Every argument is a node, as in `build_linear`."""

recurrent = build_recurrent().compile(name="recurrent")


build_gists_only = partial(read_agent.build, look_up=no_page, answer=answer_from_notes_alone)
"""ReadAgent's graph with these two nodes in it; every argument is a node, as there."""

gists_only = build_gists_only().compile(name="gists_only")


build_retrieved_pages = partial(read_agent.build, look_up=retrieve_parts, answer=answer_from_retrieved)
"""ReadAgent's graph with these two nodes in it; every argument is a node, as there."""

retrieved_pages = build_retrieved_pages().compile(name="retrieved_pages")


build_web_gists_only = partial(web_agent.build, look_up=no_page)
"""The web agent's graph with this look-up in it; every argument is a node, as there."""

web_gists_only = build_web_gists_only().compile(name="web_gists_only")


build_web_page = partial(web_agent.build, read=web_agent.cut_parts, look_up=leading_pages)
"""The web agent's graph with these nodes in it; every argument is a node, as there."""

web_page = build_web_page().compile(name="web_page")


build_web_bm25 = partial(web_agent.build, read=web_agent.cut_parts, look_up=retrieve)
"""The web agent's graph with these nodes in it; every argument is a node, as there."""

web_bm25 = build_web_bm25().compile(name="web_bm25")


build_web_dense = partial(web_agent.build, read=web_agent.cut_parts, look_up=retrieve_by_vectors)
"""The web agent's graph with these nodes in it; every argument is a node, as there."""

web_dense = build_web_dense().compile(name="web_dense")
