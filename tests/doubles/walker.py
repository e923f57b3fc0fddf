"""A scripted walker for the model double, and a text in which every paragraph is a segment."""

from typing import Any

from readgraph.graphs.mem_walker import build
from readgraph.library.opening import Library
from readgraph.state.context import ReaderContext
from readgraph.state.records import Document
from tests.doubles.model_server import ChatRequest
from tests.doubles.reader import asked_for, reader

CONTEXT = ReaderContext(model="openai:double", segment_words=20, children=3, node_words=60)

THINGS = ["goat", "mackerel", "lantern", "plaque", "ledger", "gander", "bell", "anchor", "barrel"]
PARAGRAPHS = [
    f"In year {year} the keeper of the lamp found a {thing} beneath the stair, and sold it again in the autumn."
    for year, thing in enumerate(THINGS)
]
TEXT = "\n\n".join(PARAGRAPHS)
"""Nine segments: with three children per node, the root 2.0 is above 1.0, 1.1 and 1.2."""

ASKED = "What was found in year 4?"
Found = dict[str, Any]
REVERT: dict[str, Any] = {"reasoning": "it isn't here", "quotes": [], "action": "revert", "found": None}


def down(part: int | None, reasoning: str = "it looks near") -> dict[str, Any]:
    """A reply to triage."""
    return {"reasoning": reasoning, "part": part}


def says(action: str, found: str, quote: str = "the keeper of the lamp") -> dict[str, Any]:
    """A leaf's reply."""
    return {"reasoning": "it says so", "quotes": [quote], "action": action, "found": found}


class Walker:
    """Writes notes as the reader does, and makes the decisions of its script, one after the other.

    After the script, each decision is `otherwise`.
    """

    def __init__(self, *script: str | dict[str, Any], otherwise: str | dict[str, Any] = "no idea") -> None:
        self.script, self.otherwise = [*script], otherwise
        self.decided: list[ChatRequest] = []

    def __call__(self, request: ChatRequest) -> str | dict[str, Any]:
        """The next reply."""
        if not asked_for(request):
            return reader(request)
        self.decided.append(request)
        return self.script.pop(0) if self.script else self.otherwise


async def run(library: Library, given: Any, context: ReaderContext = CONTEXT, thread: str = "1") -> Found:
    """The output of a run over the library."""
    compiled = build().compile(checkpointer=library.checkpointer, store=library.store)
    return dict(await compiled.ainvoke(given, {"configurable": {"thread_id": thread}}, context=context))


async def ask(library: Library, document: Document, context: ReaderContext = CONTEXT, **more: Any) -> Found:
    """The output for the tests' question, or for another one."""
    return await run(library, {"document": document.id, "question": ASKED, **more}, context)


def moves(found: Found) -> list[tuple[str, str, str | None]]:
    """Each hop as (node, action, next node)."""
    return [(hop["node"], hop["action"], hop["next_node"]) for hop in found["hops"]]
