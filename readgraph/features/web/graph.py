"""ReadAgent on web pages (appendix E): gists of a page's parts, a look-up, the next action; and its estimate.

A step will use notes on the parts of the page, a look-up, an action.
"""

from langgraph.graph import END, START, StateGraph

from readgraph.features.web import look_up as web_pages
from readgraph.features.web.settings import Subtrees
from readgraph.features.web.state import WebState, WebStepOutput, WebTask
from readgraph.graphs.estimates.arithmetic import NONE, NOTE_LINE, TAG_WORDS, Estimate, EstimateCase, Range
from readgraph.graphs.wiring import add_nodes, add_path, add_question, begin_graph, complete_graph
from readgraph.library.page_store import PageStore
from readgraph.nodes.building.build import ReadState, ReadWrites, cut_pages, read_pages
from readgraph.nodes.building.merge import largest_page
from readgraph.nodes.building.notes import make_gist_writer
from readgraph.nodes.building.recipes import recipe_of_notes
from readgraph.nodes.contracts import LookUpState, LookUpWrites, Node
from readgraph.nodes.look_up import make_look_up_node
from readgraph.nodes.purpose import purpose_of
from readgraph.state.context import ReaderContext
from readgraph.state.declaring import recipe_parameters
from readgraph.state.records import FEWEST_NOTE_WORDS, Document, Recipe
from readgraph.state.settings import Gists, Language, Purpose, Rebuilding

__all__ = ["build", "estimate_web_step", "graph"]


def parts_recipe(context: ReaderContext) -> Recipe:
    """The recipe of the parts of a web page, without notes."""
    parameters = recipe_parameters(context, (Subtrees,)) | {"most_words": largest_page(context)}
    return Recipe("web-parts", parameters, "")


recipe = recipe_of_notes(
    "web-agent", (Gists,), web_pages.WEB_GIST, more=lambda context: parts_recipe(context).parameters
)
"""The recipe of the memory of a web page."""


gist_part = make_gist_writer(
    lambda text, context: web_pages.web_gist_prompt(text, context.gist_words, purpose_of(context)),
    lambda context, text: web_pages.extract_web_note(text),
)

read = read_pages(
    web_pages.pages_of_subtrees,
    gist_part,
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


NOTE_WORDS, LOOK_UP_REPLY, ACT_REPLY = 40, 30, 25  # expected words of replies

HISTORY_FRAME = 20  # words around the history; each action in it has a number besides


async def estimate_web_step(
    store: PageStore, document: Document, context: ReaderContext, instruction_words: int | None
) -> Estimate:
    """What one step on a page will use; makes no call.

    The number of parts is known, since they are cut by rule.

    Args:
        store: The page store of the library.
        document: The page.
        context: The settings of the step.
        instruction_words: Words of the instruction and of the history; None: notes on the page only.
    """
    case = EstimateCase(store, document, context, instruction_words)
    return await case.bound(await estimate_web_agent(case))


async def estimate_web_agent(case: EstimateCase) -> Estimate:
    """Notes on the parts of the page, a look-up, an action."""
    document, context, estimate = case.document, case.context, Estimate()
    left = await case.unread(recipe(case.reader))
    begun = left.memory.read_to if left.memory else 0
    sizes = (context.page_depth, context.join_words, largest_page(context))
    new = web_pages.part_ends(await case.store.text(document), begun, *sizes)[0] if left.words else []
    notes, note_words = len(new) + left.pages, context.gist_words or NOTE_WORDS
    if notes and case.reader.model:
        words = sum(words for _, words in new) + left.paged_words
        prompt = Range.frame(web_pages.web_gist_prompt("", context.gist_words, purpose_of(context)).words)
        estimate = Estimate.of(notes, prompt + Range(0, words / notes, words) + NOTE_LINE, note_words)
    if not case.asks:
        return estimate
    parts = notes + left.notes
    # No note is longer than its part, except those of very short parts.
    gists = Range(0, note_words * parts, document.words + (FEWEST_NOTE_WORDS + TAG_WORDS) * parts)
    gists += case.question + Range(0, 0, case.question_words + HISTORY_FRAME)
    opened = Range(0, min(context.max_pages, parts) * document.words / max(parts, 1), document.words)
    look_up = Range.frame(web_pages.web_look_up_prompt("", "", {}, context.max_pages).words)
    looking = Estimate.of(1 if context.max_pages else NONE, look_up + gists, LOOK_UP_REPLY)
    act = Range.frame(web_pages.web_act_prompt("", "").words)
    return estimate + looking + Estimate.of(1, act + gists + opened, ACT_REPLY)
