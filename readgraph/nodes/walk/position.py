"""Where a walk begins and stands: its position, what it carries, where a decision leads (MemWalker, section 3)."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from readgraph.models.metering import current_meter, record_corrections
from readgraph.nodes.bounds import content_room
from readgraph.nodes.building.summaries import compress
from readgraph.nodes.contracts import AskedState, ReaderRuntime, StepUpdate
from readgraph.nodes.extractive import query_of
from readgraph.nodes.memory import OpenedMemory, load_memory
from readgraph.nodes.search import find_nearest
from readgraph.nodes.step import node
from readgraph.state.channels import Action, Hop
from readgraph.state.context import ReaderContext
from readgraph.state.reading import Finding, with_finding
from readgraph.state.records import Note, Page, TreeNode
from readgraph.state.summary_tree import TreeShape, node_id, page_of
from readgraph.state.words import count_words, first_words

LONGEST_REASONING = 120  # most words of a reasoning or a finding in the state, which holds no long texts

Texts = Mapping[str, Note | TreeNode]  # by the ids of the nodes


class WalkingState(AskedState):
    current_node: str
    walk: int
    hops: list[Hop]
    findings: list[Finding]


class AgainUpdate(StepUpdate):
    """Where a walk goes on, or a further one begins."""

    current_node: str
    walk: int
    continue_search: bool


class WalkUpdate(AgainUpdate):
    """What a step of the walk writes: the next node, whether the walk goes on, and the decision."""

    hops: list[Hop]


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

    memory: OpenedMemory
    shape: TreeShape
    state: WalkingState

    @classmethod
    async def open(cls, state: WalkingState, runtime: ReaderRuntime) -> "WalkPosition":
        """A walk's position; raises `BadInput` if the state names a node that doesn't exist."""
        memory = await load_memory(runtime, state)
        place = cls(memory, TreeShape.of(memory.record), state)
        place.shape.pages(place.at)
        return place

    @property
    def context(self) -> ReaderContext:
        """The settings."""
        return self.memory.runtime.context

    @property
    def at(self) -> str:
        """The walk's current node."""
        return self.state["current_node"]

    def children_left(self) -> list[str]:
        """The children at which no decision was made, in this walk or an earlier one."""
        visited = {hop["node"] for hop in self.state["hops"]}
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
        before = self._nodes_of_walk() if how in ("visited", "summary") else []
        return [node for node in dict.fromkeys([*before, *path]) if node != self.at]

    @property
    def earlier_findings(self) -> list[str]:
        """The findings of earlier leaves in this walk; they are a part of its working memory."""
        walked = [] if self.context.working_memory == "off" else self._nodes_of_walk()
        return [finding["text"] for finding in self.state["findings"] if node_id(0, finding["page"]) in walked]

    def _nodes_of_walk(self) -> list[str]:
        return [hop["node"] for hop in self.state["hops"] if hop["walk"] == self.state["walk"]]

    async def segment(self) -> tuple[Page, str]:
        """The page of the walk's current leaf, and its text."""
        (page,) = await self.memory.pages([page_of(self.at)])
        (text,) = (await self.memory.store.page_texts(self.memory.document, [page])).values()
        return page, text

    async def notes(self, nodes: Iterable[str]) -> Texts:
        """The notes of leaves and of nodes above them, by their ids; those of sections under their headings."""
        found = await self.memory.nodes({*nodes})
        record_corrections(note for note in found.values() if isinstance(note, Note))
        for at, note in found.items():
            if heading := self.shape.heading(at):
                text = self.shape.text_with_heading(at, note.text)
                found[at] = replace(note, text=text, words=note.words + count_words(heading))
        return found

    async def fit_working_memory(self, notes: Texts, words: int) -> tuple[list[str], int]:
        """The notes beside so many words, and their own; the oldest are left out, and counted, where they don't fit.

        As a summary, they are shortened to the words of one node where they have more (the paper's footnote in section
        3 names this way, and did not try it).
        """
        texts = [notes[node] for node in self.memory_nodes() if node in notes]
        if self.context.working_memory == "summary" and sum(text.words for text in texts) > self.context.node_words:
            short, _ = await compress([text.text for text in texts], self.memory.runtime)
            return [short], count_words(short)
        room = content_room(self.context, self.state["question_text"], self.state["choices"]) - words
        room -= sum(map(count_words, self.earlier_findings))
        while texts and sum(text.words for text in texts) > room:
            current_meter().remarks.left_out += texts[0].words
            texts = texts[1:]
        return [text.text for text in texts], sum(text.words for text in texts)

    def take_decision(self, decision: Decision) -> WalkUpdate:
        """Go where a decision leads; if the walk ends, the next one begins, unless it was the last."""
        state, on = self.state, None
        if decision.action not in ("answer", "unusable"):
            on = decision.to or self.shape.parent(self.at)
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
        walk = state["walk"]
        if on and sum(made["walk"] == walk for made in hops) < self.context.max_hops:
            at, goes_on = on, True
        else:
            did += f"; the walk ends after {self.context.max_hops} hops" if on else ""
            fresh = {*self.shape.children(self.shape.root)} - {made["node"] for made in hops}
            goes_on = bool(fresh) and walk + 1 < self.context.walks
            at, walk = (self.shape.root, walk + 1) if goes_on else (self.at, walk)
        return {"current_node": at, "walk": walk, "continue_search": goes_on, "hops": hops, "step_summary": did}

    def take_leaf_decision(self, decision: Decision, finding: Finding | None = None) -> LeafUpdate:
        """Go where a decision at a leaf leads, with the leaf's finding."""
        read, page = self.state["pages_read"], page_of(self.at)
        return {
            **self.take_decision(decision),
            "pages_read": read if page in read else [*read, page],
            "findings": with_finding(self.state["findings"], finding) if finding else self.state["findings"],
        }

    def _did(self, hop: Hop) -> str:
        after = self.shape.name(hop["next_node"]) if hop["next_node"] else None
        pages = self.shape.pages(hop["next_node"] or self.at)
        place = f"part {pages[0]}" if len(pages) == 1 else f"parts {pages[0]}-{pages[-1]}"
        ways: dict[Action, str] = {
            "child": f"went down to {after} ({place})",
            "revert": f"went back up to {after}" if after else "found no answer there",
            "exhausted": f"nothing is left there: went back up to {after}" if after else "nothing is left",
            "answer": "answered",
            "keep": f"kept what it says and went back up to {after}" if after else "kept what it says",
            "unusable": "no usable reply: the walk ends",
        }
        why = f": {hop['reasoning']}" if hop["reasoning"] else ""
        return f"at {self.shape.name(hop['node'])}: {ways[hop['action']]}{why}"


class AgainState(AskedState):
    """What beginning a further walk reads: what is missing, and where it was before."""

    requests: list[str]
    walk: int
    hops: list[Hop]


@node
async def enter(state: AskedState, runtime: ReaderRuntime) -> WalkUpdate:
    """Begin at the root, and clear the walks of an earlier question."""
    shape = TreeShape.of((await load_memory(runtime, state)).record)
    asked = bool(state["question_text"])
    did = f"stood at the root, {shape.name(shape.root)}" if asked else "nothing is asked"
    return {"current_node": shape.root, "walk": 0, "continue_search": asked, "hops": [], "step_summary": did}


@node
async def enter_at_leaf(state: AskedState, runtime: ReaderRuntime) -> WalkUpdate:
    """Begin at the leaf that shares most words with the question, else at the root; nodes above it are unvisited."""
    entered = await enter(state, runtime)
    if not entered["continue_search"]:
        return entered
    memory = await load_memory(runtime, state)
    unread = {*memory.unread(state["pages_read"])}
    nearest = await find_nearest(await memory.open_ranker(), [query_of(state)], 1, unread)
    if not nearest:
        return entered
    (best,) = nearest
    did = f"stood at part {best}: it shares most words with the question"
    return {**entered, "current_node": node_id(0, best), "step_summary": did}


@node
async def walk_again(state: AgainState, runtime: ReaderRuntime) -> AgainUpdate:
    """Begin a further walk at the unread leaf that shares most words with what is missing, else at the root."""
    memory = await load_memory(runtime, state)
    shape, unread = TreeShape.of(memory.record), memory.unread(state["pages_read"])
    wanted, why = state["requests"] or [query_of(state)], "it shares most words with what is missing"
    begin = await find_nearest(await memory.open_ranker(), wanted, 1, {*unread})
    if not begin and {*shape.children(shape.root)} <= {hop["node"] for hop in state["hops"]}:
        begin, why = unread[:1], "it was not read"
    return {
        "current_node": node_id(0, begin[0]) if begin else shape.root,
        "walk": state["walk"] + 1,
        "continue_search": True,
        "step_summary": f"stood at part {begin[0]}: {why}" if begin else f"stood at the root, {shape.name(shape.root)}",
    }
