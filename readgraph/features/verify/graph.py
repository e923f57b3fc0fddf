"""A draft is checked against documents, claim by claim.

Rules decide what they can; a model, where there is one, is asked of the rest, and must quote what it rests on.
"""

from typing import Any

from langgraph.graph import END, START, StateGraph

from readgraph.features.verify import claims as claims_types
from readgraph.features.verify import decide as decide_types
from readgraph.features.verify.by_rules import compare_claims
from readgraph.features.verify.claims import cut_claims, open_draft
from readgraph.features.verify.decide import cite_claims, decide_claims
from readgraph.features.verify.finding import FindState, find_pages
from readgraph.features.verify.state import VerifyOutput, VerifyState, VerifyWanted
from readgraph.graphs.wiring import add_nodes, add_path, begin_graph, complete_graph
from readgraph.nodes.building.build import ReadState, ReadWrites, cut_pages
from readgraph.nodes.building.paging import even_pages
from readgraph.nodes.building.recipes import recipe_of_pages
from readgraph.nodes.contracts import Node
from readgraph.nodes.opening import OpenUpdate
from readgraph.state.context import ReaderContext
from readgraph.state.settings import Paragraphs, Rebuilding

PAGE_WORDS = 40  # most words of a page: a few sentences, so that the right ones rank first

recipe = recipe_of_pages("verify", lambda context: PAGE_WORDS)
"""The recipe of the pages."""

read = cut_pages(even_pages(lambda context: PAGE_WORDS), recipe, settings=(Paragraphs, Rebuilding))


@complete_graph
def build(
    *,
    open: Node[claims_types.VerifyOpenState, OpenUpdate] = open_draft,
    read: Node[ReadState, ReadWrites] = read,
    cut: Node[claims_types.ClaimsState, claims_types.ClaimsUpdate] = cut_claims,
    find: Node[FindState, claims_types.ClaimsUpdate] = find_pages,
    compare: Node[FindState, claims_types.ClaimsUpdate] = compare_claims,
    decide: Node[FindState, claims_types.ClaimsUpdate] = decide_claims,
    cite: Node[decide_types.VerdictsState, decide_types.VerdictsUpdate] = cite_claims,
    state: type[Any] = VerifyState,
) -> StateGraph[VerifyState, ReaderContext, VerifyWanted, VerifyOutput]:
    """Cut the document into pages and the draft into claims, find what is near, compare, decide the rest, cite."""
    builder = begin_graph(state, VerifyState, VerifyWanted, VerifyOutput)
    add_nodes(builder, open=open, read=read, cut=cut, find=find, compare=compare, decide=decide, cite=cite)
    add_path(builder, START, "open", "read", "cut", "find", "compare", "decide", "cite", END)
    return builder


graph = build().compile(name="verify")
