"""Recurrence: a summary is carried through the text, piece by piece, and answers alone (MemWalker, section 4.3)."""

from functools import partial

from readgraph.graphs.baselines.linear import linear
from readgraph.models.wording import versions_of
from readgraph.nodes.answering.answer import answer_from_notes_alone
from readgraph.nodes.building.build import read_pages
from readgraph.nodes.building.even_pages import one_page
from readgraph.nodes.building.running_summary import SUMMARY_WORDS, extract_on, piece_words, summarise_on
from readgraph.nodes.look_up.fixed import no_page
from readgraph.nodes.prompts.building.summaries import RUNNING_SUMMARY
from readgraph.nodes.step import StepNode
from readgraph.state.context import ReaderContext
from readgraph.state.records import Recipe
from readgraph.state.settings import Language, Paragraphs, Rebuilding, Window

__all__ = ["build", "graph"]


def recipe(context: ReaderContext) -> Recipe:
    """The recipe of the summary: the whole text is one page, and the summary at its end is the page's note."""
    parameters = {
        "piece_words": piece_words(context),
        "summary_words": SUMMARY_WORDS,
        "paragraph_break": context.paragraph_break,
        "sample": context.sample,
    }
    prompts = versions_of(RUNNING_SUMMARY) if context.model else {}
    return Recipe("recurrent", parameters, context.model, prompts)


read = StepNode(
    read_pages(one_page, summarise_on, recipe, cuts_text=False),
    without_model=read_pages(one_page, extract_on, recipe, cuts_text=False),
    builds=True,
    settings=(Window, Paragraphs, Language, Rebuilding),
)

build = partial(linear, read=read, look_up=no_page, answer=answer_from_notes_alone)
"""Every argument is a node, as in `linear`."""

graph = build().compile(name="recurrent")
