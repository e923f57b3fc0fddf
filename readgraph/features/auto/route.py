"""The step that chooses the method of a question, and the graph of it alone."""

from typing import Any, ClassVar

from langgraph.graph import END, START, StateGraph
from pydantic import BaseModel, Field

from readgraph.features.auto.ways import WAYS, choose_way, choose_without_model
from readgraph.graphs.wiring import add_nodes, add_path, begin_graph, complete_graph
from readgraph.language.hints import Extent, find_extent
from readgraph.library.page_store import page_store
from readgraph.models.asking import ask_reply
from readgraph.models.prompt import DATA_RULE, Prompt, declare_wording
from readgraph.models.rehearsed import RehearsedReply
from readgraph.models.reply import TRIES, current_stand_in
from readgraph.nodes.contracts import ReaderRuntime
from readgraph.nodes.opening import OpenState, OpenUpdate, open_document
from readgraph.nodes.prompts import question_part
from readgraph.nodes.step import node
from readgraph.state.context import ReaderContext
from readgraph.state.reading import Answered, Question, ReadingState

CHOOSE_WAY = declare_wording(
    "choose_way",
    "You see a question about a long text, and not the text. You say how much of the text must be read to answer it. "
    "You don't answer it. " + DATA_RULE,
    "How much of the text does the question ask for? 'place': what stands at one place, or at a few that a search can "
    "find, such as who did something, when, where or why. 'every': all things of a kind wherever they stand, how many "
    "there are, how often something happens, or a comparison of many. 'summary': what the text tells as a whole, such "
    "as its plot or its main ideas, or how somebody or something develops from its beginning to its end.",
)
DECIDES_LATER = "that is likeliest: the model decides it when asked"


class TextAsked(BaseModel):
    """How much of the text the question asks for."""

    DECIDES: ClassVar[tuple[str, ...]] = ("needs",)
    needs: Extent = Field(description="place, every or summary.")

    @classmethod
    def rehearse(cls, reply: RehearsedReply) -> dict[str, Any]:
        """One place is asked for; for the most, every part."""
        return {"needs": "every" if reply.longest else "place"}


def choose_way_prompt(question: str) -> Prompt:
    """Ask how much of a text the question asks for."""
    return CHOOSE_WAY.ask(question_part(question, {}))


class RouteUpdate(OpenUpdate):
    """What routing writes: the name of the method, what that does in words, and why; the question for its graph."""

    method: str
    way: str
    why: str
    question: str
    options: list[str]


class RoutedAnswer(Answered):
    """An answer, with the method that gave it, what that does in words, and why it was chosen."""

    method: str
    way: str
    why: str


class RouteState(ReadingState, RoutedAnswer):
    """All channels of a question that is routed."""


@node(starts_question=True)
async def route(state: OpenState, runtime: ReaderRuntime) -> RouteUpdate:
    """Open a question, and choose its way: by rules; by the model only where these don't decide."""
    opened, store, context = await open_document(state, runtime), page_store(runtime), runtime.context
    document, question = await store.document(opened["document"]), opened["question_turns"][-1]["question"]
    extent = "place" if opened["choices"] or not question else find_extent(question)
    if context.model:
        way = await choose_way(question, extent, document, store, context)
    else:
        way = choose_without_model(question, extent, document)
    if not way.method:
        said = await _ask_extent(question, runtime)
        way = await choose_way(question, said or "place", document, store, context)
        taken = DECIDES_LATER if current_stand_in() else "the model takes the question so"
        way = way._replace(why=taken if said else "nothing says more")
    named = {"method": way.method, "way": WAYS[way.method], "why": way.why}
    did = f"{way.method}: {WAYS[way.method]}, since {way.why}" if way.why else way.method
    asked = {"question": opened["question_text"], "options": [*opened["choices"].values()]}
    return {**opened, **named, **asked, "step_summary": did}  # type: ignore[typeddict-item]


async def _ask_extent(question: str, runtime: ReaderRuntime) -> Extent | None:
    """How much of the text the model takes the question to ask for; None where a small budget is not for that."""
    most = runtime.context.max_calls
    if most is not None and most <= TRIES:
        return None
    reply = await ask_reply(runtime, choose_way_prompt(question), TextAsked, fallback="way")
    return reply.needs if reply else None


@complete_graph
def build_router() -> StateGraph[RouteState, ReaderContext, Question, RoutedAnswer]:
    """The step alone: who runs the method that it chose sees, stops and resumes that one's steps."""
    builder = begin_graph(RouteState, RouteState, Question, RoutedAnswer)
    add_nodes(builder, route=route)
    add_path(builder, START, "route", END)
    return builder


router = build_router().compile(name="auto_router")
