"""ReadAgent on web pages (appendix E): gists of a page's parts, a look-up, the next action."""

from langgraph.graph import END, START, StateGraph

from readgraph.features.web import look_up as web_pages
from readgraph.features.web.settings import Subtrees
from readgraph.features.web.state import WebState, WebStepOutput, WebTask
from readgraph.graphs.wiring import add_nodes, add_path, add_question, begin_graph, complete_graph
from readgraph.nodes.building.build import ReadState, ReadWrites, cut_pages, read_pages
from readgraph.nodes.building.merge import largest_page
from readgraph.nodes.building.recipes import recipe_of_notes, recipe_parameters
from readgraph.nodes.contracts import LookUpState, LookUpWrites, Node
from readgraph.nodes.look_up import make_look_up_node
from readgraph.state.context import ReaderContext
from readgraph.state.records import Recipe
from readgraph.state.settings import Gists, Language, Purpose, Rebuilding

__all__ = ["build", "graph"]


def parts_recipe(context: ReaderContext) -> Recipe:
    """The recipe of the parts of a web page, without notes."""
    parameters = recipe_parameters(context, (Subtrees,)) | {"most_words": largest_page(context)}
    return Recipe("web-parts", parameters, "")


recipe = recipe_of_notes(
    "web-agent", (Gists,), web_pages.WEB_GIST, more=lambda context: parts_recipe(context).parameters
)
"""The recipe of the memory of a web page."""

read = read_pages(
    web_pages.pages_of_subtrees,
    web_pages.gist_part,
    recipe,
    without_model=(web_pages.pages_of_subtrees, web_pages.note_by_rule),
    settings=(Subtrees, Gists, Purpose, Language, Rebuilding),
)
cut_parts = cut_pages(web_pages.pages_of_subtrees, parts_recipe, settings=(Subtrees, Rebuilding))
"""Without notes, for retrieval and for the whole page."""

look_up = make_look_up_node(web_pages.web_look_up_prompt)


@complete_graph
def build(
    *,
    open: Node[web_pages.WebOpenState, web_pages.WebOpenUpdate] = web_pages.open_page,
    read: Node[ReadState, ReadWrites] = read,
    look_up: Node[LookUpState, LookUpWrites] = look_up,
    act: Node[web_pages.ActState, web_pages.WebActUpdate] = web_pages.act,
) -> StateGraph[WebState, ReaderContext, WebTask, WebStepOutput]:
    """ReadAgent for web navigation (appendix E.1): one step of an episode, from a page to the next action."""
    builder = begin_graph(WebState, WebState, WebTask, WebStepOutput)
    add_nodes(builder, open=open, read=read, look_up=look_up, act=act)
    add_path(builder, START, "open", "read")
    add_question(builder, "read", "look_up")
    add_path(builder, "look_up", "act", END)
    return builder


graph = build().compile(name="web_agent")
