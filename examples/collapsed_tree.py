"""A hybrid with a channel of its own: pages, gists and summaries of gists are ranked together, as one flat tree.

readgraph ask "Who took the log book?" book.txt --method examples.collapsed_tree:build
"""

from dataclasses import replace
from functools import partial

from langgraph.runtime import Runtime

from readgraph import ReaderContext
from readgraph.graphs import read_agent
from readgraph.library.search.okapi import rank
from readgraph.nodes.answering.answer import answer_from
from readgraph.nodes.answering.in_view import write_answer
from readgraph.nodes.building.summaries import grow
from readgraph.nodes.contracts import AnswerState, AnswerUpdate, LookUpState, LookUpUpdate
from readgraph.nodes.extractive import query_of
from readgraph.nodes.memory import flat_tree, view_nodes
from readgraph.nodes.step import node
from readgraph.state.reading import ReadingState
from readgraph.state.records import Recipe
from readgraph.state.settings import AnswerForm, Language, PagesRead


class CollapsedState(ReadingState):  # all channels of ReadAgent, and one more
    tree_nodes: list[str]


class Ranked(LookUpUpdate):
    tree_nodes: list[str]


class Shown(AnswerState):
    tree_nodes: list[str]


def recipe(context: ReaderContext) -> Recipe:  # a memory of its own, whose gists have a tree above them
    plain, tree = read_agent.recipe(context), {"children": context.children, "node_words": context.node_words}
    return replace(plain, method="collapsed-tree", parameters=plain.parameters | tree)


@node(settings=(PagesRead,))
async def rank_nodes(state: LookUpState, runtime: Runtime[ReaderContext]) -> Ranked:
    texts = await flat_tree(runtime, state["document"], state["memory"])
    best = [[*texts][place] for place, _ in rank(query_of(state), [*texts.values()])][: runtime.context.max_pages]
    pages, nodes = [name for name in best if isinstance(name, int)], [name for name in best if isinstance(name, str)]
    did = f"{len(pages)} parts and {len(nodes)} summaries rank first"
    return {"pages_read": pages, "tree_nodes": nodes, "continue_search": False, "step_summary": did}


@node(settings=(AnswerForm, Language))
async def answer(state: Shown, runtime: Runtime[ReaderContext]) -> AnswerUpdate:
    view = await view_nodes(runtime, state["document"], state["memory"], state["pages_read"], state["tree_nodes"])
    return await write_answer(await answer_from(view, state, runtime), view.document, state, runtime)


read = read_agent.reading(recipe)
build = partial(read_agent.build, read=read, merge=grow, look_up=rank_nodes, answer=answer, state=CollapsedState)
