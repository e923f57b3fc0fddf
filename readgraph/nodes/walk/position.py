"""Where a walk begins and stands: its position, what it carries, where a decision leads (MemWalker, section 3)."""

import asyncio
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from langgraph.runtime import Runtime
from typing_extensions import TypedDict

from readgraph.library.page_store import page_store
from readgraph.library.search.hits import pages_of
from readgraph.models.metering import current_meter, record_corrections
from readgraph.nodes.bounds import content_room
from readgraph.nodes.contracts import AskedState
from readgraph.nodes.extractive import query_of
from readgraph.nodes.memory import load_memory
from readgraph.nodes.search import SearchBounds, ranker_of, search_pages
from readgraph.nodes.step import node
from readgraph.state.channels import Action, Hop
from readgraph.state.context import ReaderContext
from readgraph.state.reading import Finding, with_finding
from readgraph.state.records import Document, Memory, Note, Page, TreeNode
from readgraph.state.summary_tree import TreeShape, is_leaf, node_id, page_of
from readgraph.state.words import count_words, first_words

LONGEST_REASONING = 120
"""Most words of a reasoning or a finding in the state, which holds no long texts."""


Texts = Mapping[str, Note | TreeNode]
"""Notes of leaves and of nodes above them, by the ids of the nodes."""


class WalkingState(AskedState):
    """What a step of the walk reads."""

    current_node: str
    walk: int
    hops: list[Hop]
    findings: list[Finding]


class WalkUpdate(TypedDict):
    """What a step of the walk writes: the next node, whether the walk goes on, and the decision."""

    current_node: str
    walk: int
    continue_search: bool
    hops: list[Hop]
    step_summary: str


class LeafUpdate(WalkUpdate):
    """What a leaf also writes: the pages read so far, and the findings."""

    pages_read: list[int]
    findings: list[Finding]


@dataclass(frozen=True, slots=True)
class Decision:
    """A decision at a node, by the model or by rule; `to` is the chosen child."""

    action: Action
    reasoning: str = ""
    to: str | None = None
    memory_words: int = 0
    shown_words: int = 0


@dataclass(frozen=True)
class WalkPosition:
    """A walk at one node of its tree."""

    context: ReaderContext
    document: Document
    memory: Memory
    shape: TreeShape
    state: WalkingState

    @property
    def at(self) -> str:
        """The walk's current node."""
        return self.state["current_node"]

    @property
    def nodes_visited(self) -> set[str]:
        """Nodes at which a decision was made, in this walk or an earlier one."""
        return {hop["node"] for hop in self.state["hops"]}

    def children_left(self) -> list[str]:
        """The unvisited children."""
        visited = self.nodes_visited
        return [child for child in self.shape.children(self.at) if child not in visited]

    def forced_decision(self) -> Decision | None:
        """The decision where there is no choice: no child is left, or one at the root, where the walk can't revert."""
        offered = self.children_left()
        if not offered:
            return Decision("exhausted")
        if len(offered) == 1 and self.at == self.shape.root:
            return Decision("child", "it is the only one left", offered[0])
        return None

    def memory_nodes(self) -> list[str]:
        """The nodes whose notes are the working memory, the oldest first."""
        how, path = self.context.working_memory, self.shape.path(self.at)
        if how == "off":
            return []
        before = self._nodes_of_walk() if how == "visited" else []
        return [node for node in dict.fromkeys([*before, *path]) if node != self.at]

    @property
    def earlier_findings(self) -> list[str]:
        """The findings of earlier leaves in this walk; they are a part of its working memory."""
        walked = [] if self.context.working_memory == "off" else self._nodes_of_walk()
        return [finding["text"] for finding in self.state["findings"] if node_id(0, finding["page"]) in walked]

    def _nodes_of_walk(self) -> list[str]:
        return [hop["node"] for hop in self.state["hops"] if hop["walk"] == self.state["walk"]]

    def take_decision(self, decision: Decision) -> WalkUpdate:
        """Go where a decision leads; if the walk ends, the next one begins, unless it was the last."""
        state, on = self.state, self._next(decision)
        hop = Hop(
            walk=state["walk"],
            node=self.at,
            action=decision.action,
            next_node=on,
            reasoning=first_words(decision.reasoning, LONGEST_REASONING),
            memory_words=decision.memory_words,
            shown_words=decision.shown_words,
            valid=decision.action != "unusable",
        )
        if heading := self.shape.heading(self.at):
            hop["heading"] = heading
            hop["next_heading"] = self.shape.heading(on) if on else None
        hops = [*state["hops"], hop]
        did = self._did(hop)
        if on and sum(made["walk"] == state["walk"] for made in hops) < self.context.max_hops:
            return {
                "current_node": on,
                "walk": state["walk"],
                "continue_search": True,
                "hops": hops,
                "step_summary": did,
            }
        if on:
            did += f"; the walk ends after {self.context.max_hops} hops"
        fresh = {*self.shape.children(self.shape.root)} - {made["node"] for made in hops}
        again = bool(fresh) and state["walk"] + 1 < self.context.walks
        at, walk = (self.shape.root, state["walk"] + 1) if again else (self.at, state["walk"])
        return {"current_node": at, "walk": walk, "continue_search": again, "hops": hops, "step_summary": did}

    def take_leaf_decision(self, decision: Decision, finding: Finding | None) -> LeafUpdate:
        """Go where a decision at a leaf leads, with the leaf's finding."""
        read, page = self.state["pages_read"], page_of(self.at)
        return {
            **self.take_decision(decision),
            "pages_read": read if page in read else [*read, page],
            "findings": with_finding(self.state["findings"], finding) if finding else self.state["findings"],
        }

    def _next(self, decision: Decision) -> str | None:
        if decision.action in ("answer", "unusable"):
            return None
        return decision.to or self.shape.parent(self.at)

    def _did(self, hop: Hop) -> str:
        after = self.shape.name(hop["next_node"]) if hop["next_node"] else None
        ways: dict[Action, str] = {
            "child": f"went down to {after} ({self._pages(hop['next_node'])})",
            "revert": f"went back up to {after}" if after else "found no answer there",
            "exhausted": f"nothing is left there: went back up to {after}" if after else "nothing is left",
            "answer": "answered",
            "keep": f"kept what it says and went back up to {after}" if after else "kept what it says",
            "unusable": "no usable reply: the walk ends",
        }
        why = f": {hop['reasoning']}" if hop["reasoning"] else ""
        return f"at {self.shape.name(hop['node'])}: {ways[hop['action']]}{why}"

    def _pages(self, node: str | None) -> str:
        pages = self.shape.pages(node or self.at)
        return f"part {pages[0]}" if len(pages) == 1 else f"parts {pages[0]}-{pages[-1]}"


async def walk_position(state: WalkingState, runtime: Runtime[ReaderContext]) -> WalkPosition:
    """A walk's position; raises `BadInput` if the state names a node that doesn't exist."""
    document, memory = await load_memory(runtime, state["document"], state["memory"])
    place = WalkPosition(runtime.context, document, memory, TreeShape.of(memory), state)
    place.shape.pages(place.at)
    return place


async def segment_at(place: WalkPosition, runtime: Runtime[ReaderContext]) -> tuple[Page, str]:
    """The page of the walk's current leaf, and its text."""
    store = page_store(runtime)
    (page,) = await store.pages(place.memory.id, [page_of(place.at)])
    (text,) = await store.spans(place.document, [(page.start, page.end)])
    return page, text


async def node_texts(runtime: Runtime[ReaderContext], place: WalkPosition, nodes: Iterable[str]) -> Texts:
    """The notes of leaves and of nodes above them, by their ids; those of sections under their headings."""
    wanted, store, memory = {*nodes}, page_store(runtime), place.memory.id
    notes, above = await asyncio.gather(
        store.notes(memory, [page_of(node) for node in wanted if is_leaf(node)]),
        store.tree_nodes(memory, [node for node in wanted if not is_leaf(node)]),
    )
    record_corrections(notes)
    found: Texts = {node_id(0, note.page): note for note in notes} | {node.id: node for node in above}
    return {node: _under_heading(note, node, place.shape) for node, note in found.items()}


def _under_heading(note: Note | TreeNode, node: str, shape: TreeShape) -> Note | TreeNode:
    if not (heading := shape.heading(node)):
        return note
    return replace(note, text=shape.text_with_heading(node, note.text), words=note.words + count_words(heading))


def fit_working_memory(place: WalkPosition, notes: Texts, words: int) -> tuple[list[str], int]:
    """The notes that a walk carries, and their words; the oldest are left out where they don't fit beside the rest.

    `words`: of the other content of the prompt. What is left out is counted.
    """
    texts = [notes[node] for node in place.memory_nodes() if node in notes]
    room = content_room(place.context, place.state["question_text"], place.state["choices"]) - words
    room -= sum(map(count_words, place.earlier_findings))
    while texts and sum(text.words for text in texts) > room:
        current_meter().left_out += texts[0].words
        texts = texts[1:]
    return [text.text for text in texts], sum(text.words for text in texts)


def get_reasoning(reply: Any) -> str:
    """The reply's reasoning, if it has one."""
    return str(getattr(reply, "reasoning", ""))


class AgainState(AskedState):
    """What beginning a further walk reads: what is missing, and where it was before."""

    requests: list[str]
    walk: int
    hops: list[Hop]


class AgainUpdate(TypedDict):
    """Where a further walk begins."""

    current_node: str
    walk: int
    continue_search: bool
    step_summary: str


class EnterUpdate(TypedDict):
    """The channels of a walk that belong to one question."""

    current_node: str
    walk: int
    continue_search: bool
    hops: list[Hop]
    step_summary: str


@node
async def enter(state: AskedState, runtime: Runtime[ReaderContext]) -> EnterUpdate:
    """Begin at the root, and clear the walks of an earlier question."""
    shape = TreeShape.of((await load_memory(runtime, state["document"], state["memory"]))[1])
    asked = bool(state["question_text"])
    did = f"stood at the root, {shape.name(shape.root)}" if asked else "nothing is asked"
    return {
        "current_node": shape.root,
        "walk": 0,
        "continue_search": asked,
        "hops": [],
        "step_summary": did,
    }


@node
async def enter_at_leaf(state: AskedState, runtime: Runtime[ReaderContext]) -> EnterUpdate:
    """Begin at the leaf whose segment shares most words with the question, or at the root if none shares any.

    The nodes above it count as unvisited: a revert goes up to its parent, where the other children are offered.
    """
    entered = await enter(state, runtime)
    best = await _find_nearest_leaf([query_of(state)], state, runtime) if entered["continue_search"] else None
    if best is None:
        return entered
    did = f"stood at part {best}: it shares most words with the question"
    return {**entered, "current_node": node_id(0, best), "step_summary": did}


@node
async def walk_again(state: AgainState, runtime: Runtime[ReaderContext]) -> AgainUpdate:
    """Begin a further walk at the leaf, of those not read, that shares most words with what is missing.

    Where none shares any, at the root; or at the first leaf that was not read, where the root has no child left.
    """
    _, memory = await load_memory(runtime, state["document"], state["memory"])
    shape, visited = TreeShape.of(memory), {hop["node"] for hop in state["hops"]}
    root = shape.name(shape.root)
    best = await _find_nearest_leaf(state["requests"] or [query_of(state)], state, runtime)
    why = "it shares most words with what is missing"
    if best is None and {*shape.children(shape.root)} <= visited:
        best = next((page for page in range(memory.pages) if page not in state["pages_read"]), None)
        why = "it was not read"
    return {
        "current_node": shape.root if best is None else node_id(0, best),
        "walk": state["walk"] + 1,
        "continue_search": True,
        "step_summary": f"stood at the root, {root}" if best is None else f"stood at part {best}: {why}",
    }


async def _find_nearest_leaf(queries: list[str], state: AskedState, runtime: Runtime[ReaderContext]) -> int | None:
    """The page, of those not read, that shares most words with the queries together; None if none shares any."""
    document, memory = await load_memory(runtime, state["document"], state["memory"])
    bounds = SearchBounds(most=1, among={*range(memory.pages)} - {*state["pages_read"]})
    found = await search_pages({"okapi": ranker_of(page_store(runtime), document, memory)}, {"okapi": queries}, bounds)
    return next(iter(pages_of(found["okapi"])), None)
