"""Recurrence: a summary is carried through the text, piece by piece, and answers alone (MemWalker, section 4.3)."""

from functools import partial

from readgraph.graphs.baselines.in_a_line import in_a_line
from readgraph.nodes.answering import answer
from readgraph.nodes.extractive import answer_from_notes
from readgraph.nodes.fixed_look_ups import no_page
from readgraph.nodes.plain_pages import one_page
from readgraph.nodes.prompts import running_summary
from readgraph.nodes.reading_pages import read_pages
from readgraph.nodes.running_summary import SUMMARY_WORDS, extract_on, piece_words, summarise_on
from readgraph.nodes.step import StepNode
from readgraph.state.context import ReaderContext
from readgraph.state.records import Recipe


def recipe(context: ReaderContext) -> Recipe:
    """What the summary is made with: the whole text is one page, and the summary at its end is the page's note."""
    parameters = {
        "piece_words": piece_words(context),
        "summary_words": SUMMARY_WORDS,
        "paragraph_break": context.paragraph_break,
        "sample": context.sample,
    }
    prompts = {running_summary.NAME: running_summary.VERSION} if context.model else {}
    return Recipe("recurrent", parameters, context.model, prompts)


read = StepNode(
    read_pages(one_page, summarise_on, recipe, cuts_text=False),
    without_model=read_pages(one_page, extract_on, recipe, cuts_text=False),
    builds=True,
)

build = partial(in_a_line, read=read, look_up=no_page, answer=StepNode(answer.work, without_model=answer_from_notes))
"""Every argument is a node, as in `in_a_line`."""

graph = build().compile(name="recurrent")
