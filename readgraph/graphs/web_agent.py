"""ReadAgent on web pages (appendix E): gists of a page's parts, a look-up of those that matter, the next action."""

from typing import Any

from langgraph.graph import END, START, StateGraph

from readgraph.graphs.wiring import MethodGraph, Node, add_nodes, check_wiring, choosing, fit_context
from readgraph.models.wording import versions_of
from readgraph.nodes.building.build import read_pages
from readgraph.nodes.building.even_pages import no_note
from readgraph.nodes.building.gists import gisting
from readgraph.nodes.building.merging import largest_page
from readgraph.nodes.contracts import AskedState
from readgraph.nodes.look_up.by_model import looking_up_pages
from readgraph.nodes.prompts.web import WEB_GIST, web_gist_prompt, web_look_up_prompt
from readgraph.nodes.purpose import purpose_of, purpose_parameters, purpose_prompts, serves_purpose
from readgraph.nodes.step import StepNode
from readgraph.nodes.web.acting import act
from readgraph.nodes.web.by_words import extract_web_note, note_by_rule
from readgraph.nodes.web.opening import open_page
from readgraph.nodes.web.subtrees import pages_of_subtrees
from readgraph.state.context import ReaderContext
from readgraph.state.records import Recipe
from readgraph.state.settings import Gists, Language, Purpose, Rebuilding, Subtrees
from readgraph.state.web.step import WebActed, WebState, WebTask

__all__ = ["build", "graph"]


@serves_purpose
def recipe(context: ReaderContext) -> Recipe:
    """The recipe of the memory of a web page."""
    parameters = {
        **parts_recipe(context).parameters,
        "gist_words": context.gist_words,
        "sample": context.sample,
        **purpose_parameters(context),
    }
    prompts = versions_of(WEB_GIST) if context.model else {}
    return Recipe("web-agent", parameters, context.model, prompts | purpose_prompts(context))


def parts_recipe(context: ReaderContext) -> Recipe:
    """The recipe of the parts of a web page, without notes."""
    parameters: dict[str, Any] = {
        "page_depth": context.page_depth,
        "join_words": context.join_words,
        "most_words": largest_page(context),
    }
    return Recipe("web-parts", parameters, "")


gist_part = gisting(
    lambda text, context: web_gist_prompt(text, context.gist_words, purpose_of(context)),
    lambda context, text: extract_web_note(text),
)

read = StepNode(
    read_pages(pages_of_subtrees, gist_part, recipe),
    without_model=read_pages(pages_of_subtrees, note_by_rule, recipe),
    builds=True,
    settings=(Subtrees, Gists, Purpose, Language, Rebuilding),
)
cut_parts = StepNode(read_pages(pages_of_subtrees, no_note, parts_recipe), settings=(Subtrees, Rebuilding))
"""Without notes, for retrieval and for the whole page."""

look_up = looking_up_pages(web_look_up_prompt)


def is_asked(state: AskedState) -> str:
    """Go on to the instruction, if there is one."""
    return "look_up" if state["question_text"] else END


def build(
    *, open: Node = open_page, read: Node = read, look_up: Node = look_up, act: Node = act
) -> StateGraph[WebState, ReaderContext, WebTask, WebActed]:
    """ReadAgent for web navigation (appendix E.1): one step of an episode, from a page to the next action.

    Every argument is a node: one of readgraph's, or a plain function or coroutine `(state, runtime) -> update`. Raises
    `BadInput` where a node reads a key that no earlier node writes.
    """
    builder = MethodGraph(WebState, context_schema=ReaderContext, input_schema=WebTask, output_schema=WebActed)
    add_nodes(builder, open=open, read=read, look_up=look_up, act=act)
    builder.add_edge(START, "open")
    builder.add_edge("open", "read")
    builder.add_conditional_edges("read", choosing(is_asked), ["look_up", END])
    builder.add_edge("look_up", "act")
    builder.add_edge("act", END)
    fit_context(builder)
    check_wiring(builder)
    return builder


graph = build().compile(name="web_agent")
