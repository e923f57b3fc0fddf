"""The reading methods by their names."""

from dataclasses import dataclass
from importlib import import_module
from typing import Any

from langgraph.graph import StateGraph

from readgraph.state.context import ReaderContext
from readgraph.state.errors import BadInput
from readgraph.state.records import Document


@dataclass(frozen=True)
class Method:
    """A reading method: the module of its graph, a line that describes it, and its word for the note of a page."""

    name: str
    module: str
    line: str
    note: str

    @property
    def graph(self) -> str:
        """The compiled graph's location, `module:name`."""
        return f"readgraph.graphs.{self.module}:graph"

    def build(self) -> StateGraph[Any, ReaderContext, Any, Any]:
        """The method's graph, not compiled."""
        builder: StateGraph[Any, ReaderContext, Any, Any] = import_module(f"readgraph.graphs.{self.module}").build()
        return builder


METHODS = {
    method.name: method
    for method in (
        Method("read-agent", "read_agent", "Gists of pages; looks pages up again for each question.", "gist"),
        Method(
            "mem-walker", "mem_walker", "A tree of summaries; walks it down and back up for each question.", "summary"
        ),
        Method("gam", "gam", "Memos of pages; researches the pages for each question, round by round.", "memo"),
        Method("mem-gpt", "mem_gpt", "An agent searches the pages and opens them until it can answer.", "beginning"),
        Method("retrieved-pages", "baselines.retrieved_pages", "ReadAgent, but BM25 looks the pages up.", "gist"),
        Method("gists-only", "baselines.gists_only", "ReadAgent without look-up: the gists answer alone.", "gist"),
        Method("recurrent", "baselines.recurrent", "A summary carried through the text answers alone.", "summary"),
        Method("bm25", "baselines.bm25", "The segments that BM25 ranks first for the question.", "note"),
        Method("dense", "baselines.dense", "The segments that are nearest by their embeddings.", "note"),
        Method("fused", "baselines.fused", "The segments that rank first by words and embeddings.", "note"),
        Method("full-text", "baselines.full_text", "All of the text, in chunks of the window's size.", "note"),
        Method("first-words", "baselines.first_words", "The beginning of the text, as much as fits.", "note"),
        Method("last-words", "baselines.last_words", "The end of the text, as much as fits.", "note"),
        Method("gist-research", "hybrids.gist_research", "GAM's rounds of research over ReadAgent's gists.", "gist"),
        Method("guided-walk", "hybrids.guided_walk", "MemWalker's walk, begun where search points.", "summary"),
        Method("walk-and-read", "hybrids.walk_and_read", "MemWalker's walk; answers from all summaries.", "summary"),
        Method(
            "walk-and-research",
            "hybrids.walk_and_research",
            "MemWalker's walk; GAM researches what it lacks.",
            "summary",
        ),
        Method("reflective-walk", "hybrids.reflective_walk", "MemWalker walks again while GAM finds gaps.", "summary"),
        Method("escalate", "hybrids.escalate", "Gists, then a look-up, then research, while needed.", "gist"),
    )
}

SHARED = {
    **dict.fromkeys(("retrieved-pages", "gists-only", "gist-research", "escalate"), "read-agent"),
    **dict.fromkeys(("guided-walk", "walk-and-read", "walk-and-research", "reflective-walk"), "mem-walker"),
    **dict.fromkeys(("dense", "fused"), "bm25"),
}
"""Methods that use the memory of another method."""


def method_named(name: str) -> Method:
    """The method of this name; raises `BadInput` where there is none."""
    if name not in METHODS:
        raise BadInput(f"There is no method '{name}': choose one of {', '.join(METHODS)}.")
    return METHODS[name]


def method_for(document: Document | None) -> Method:
    """The default method for a document: GAM for a history, ReadAgent for a text."""
    return METHODS["gam" if document and document.sessions else "read-agent"]


def builder_of(name: str) -> str:
    """The name of the method whose memory this method uses: another's, or its own."""
    return SHARED.get(name, name)
