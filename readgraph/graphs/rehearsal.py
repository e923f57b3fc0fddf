"""What a reading will use, before it is run: its graph runs over the text, and a stand-in replies for every model.

Nothing is sent or stored. The expected numbers are those of replies of usual length; the upper bounds those of the
longest that count, with decisions that go on, each refused as often as it may be, or of replies that can't be used.
"""

import asyncio
import math
import random
import zlib
from bisect import bisect_right
from collections.abc import Awaitable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import asdict, dataclass, replace
from functools import lru_cache, partial
from typing import Any

from langgraph.graph import StateGraph
from langsmith.run_helpers import tracing_context

from readgraph.graphs.estimate import Estimate, Used, estimate_of, extrapolate
from readgraph.graphs.method import Method
from readgraph.graphs.wiring.joined import join_steps
from readgraph.graphs.wiring.method_graph import separate_run
from readgraph.library.histories import sessions_of
from readgraph.library.overlay import OverlayStore
from readgraph.library.page_store import PageStore
from readgraph.library.stored_items import ROOT, base_of, in_namespace
from readgraph.models.metering import Meter, exchanges_to, start_meter
from readgraph.models.rehearsed import Kind, RehearsedReplies, TooManyCalls
from readgraph.models.reply import use_stand_in
from readgraph.nodes.building.recipes import resolve_notes_language
from readgraph.nodes.search import use_stand_ins
from readgraph.nodes.step import StepNode
from readgraph.state.context import ReaderContext
from readgraph.state.logs import RunUsage, use_run
from readgraph.state.records import Document, Memory, parts_until
from readgraph.state.variables import silence
from readgraph.state.words import count_words

__all__ = ["rehearse_method"]

Graph = StateGraph[Any, ReaderContext, Any, Any]

CHANCES, MANY, MANY_WORDS = 6, 12, 30_000
"""How often few questions are rehearsed, with other choices, unless one takes so many calls or words that these even
out, or hardly matter."""

KINDS: tuple[Kind, ...] = ("usual", "longest", "useless")

BOUNDING = {"longest": 2, "useless": 1}
"""How many of several questions are rehearsed for the upper bounds."""

MOST_QUESTIONS, FEW_QUESTIONS = 24, 6
"""How many of several questions are rehearsed for the expected numbers; for rough ones, fewer."""

HAVING_WORDS = 0.5
"""The share of a text's pages that share words with a query, as usual."""

LONG: dict[Kind, tuple[int, int]] = {
    "usual": (125_000, 50_000),
    "longest": (25_000, 25_000),
    "useless": (25_000, 25_000),
}
"""Words of a text above which only its beginning is rehearsed, and how many: at most about 100 pages."""

ROUGH = 10_000, 6_000
"""The same for rough numbers."""

FEW, LONGEST = 20, 2_000_000
"""Calls up to which a long text is rehearsed as a whole, and the words of the longest text with which that is tried."""


@dataclass(frozen=True)
class _AnyPages:
    """Stands in for a search: other pages for each query, since embedding models are not asked either."""

    store: PageStore
    document: Document
    memory: Memory
    share: float = 1
    """The share of all pages that are found at most."""

    async def find(self, query: str, most: int) -> list[tuple[int, float]]:
        """At most so many pages, by chance, the first with the highest score."""
        pages = range(self.memory.pages)
        number = min(most, math.ceil(self.share * len(pages)))
        drawn = random.Random(zlib.crc32(query.encode(errors="replace"))).sample(pages, number)
        return [(page, 1 / rank) for rank, page in enumerate(drawn, 1)]


@dataclass(frozen=True)
class Rehearsal:
    """The rehearsal of a graph over a document that is stored, with these settings."""

    builder: Graph
    pages: PageStore
    document: Document
    context: ReaderContext
    reader: Graph | None = None
    """The graph that reads the document for several questions, where it is another one."""
    rough: bool = False
    """Whether rough numbers without an upper bound will do, as for a list of many."""

    async def run(self, given: Mapping[str, Any]) -> Estimate:
        """What one run will use with this input beside the document."""
        estimate, _ = await self._rehearse(given, [])
        return estimate

    async def run_several(self, questions: Sequence[Mapping[str, Any]]) -> tuple[Estimate, Estimate]:
        """What reading the document will use, and then all questions together; each is the input of a run."""
        return await replace(self, reader=self.reader or self.builder)._rehearse({}, questions)

    async def _rehearse(
        self, given: Mapping[str, Any], questions: Sequence[Mapping[str, Any]]
    ) -> tuple[Estimate, Estimate]:
        """The estimates of a run with this input, and of all questions after it."""
        if not (self.context.model or self.context.reading_model):
            return Estimate(), Estimate()
        unread = await self._count_unread_words()
        if not self.rough and unread > min(longest for longest, _ in LONG.values()):
            first = {**given, **(questions[0] if questions else {})}
            unread = 0 if await self._takes_few_calls(first) else unread
        kinds = KINDS[:1] if self.rough else KINDS
        used = {kind: await self._use_with(kind, given, questions, unread) for kind in kinds}
        reading, asking = ({kind: both[part] for kind, both in used.items()} for part in (0, 1))
        return estimate_of(reading, self.context), estimate_of(asking, self.context).times(len(questions))

    async def find_output(self, given: Mapping[str, Any]) -> dict[str, Any]:
        """What one run would give with usual replies."""
        layer = OverlayStore(base_of(self.pages.store))
        return await self._run_over(layer, RehearsedReplies("usual", 0), given, self.context)

    async def _takes_few_calls(self, given: Mapping[str, Any]) -> bool:
        """Whether a run takes so few calls that a long text, too, can be rehearsed as a whole."""
        if self.document.words > LONGEST:
            return False
        try:
            await self._use(OverlayStore(base_of(self.pages.store)), "usual", given, most_calls=FEW)
        except TooManyCalls:
            return False
        return True

    async def _use_with(
        self, kind: Kind, given: Mapping[str, Any], questions: Sequence[Mapping[str, Any]], unread: int
    ) -> tuple[Used, Used]:
        """What a run and a question after it use with replies of this kind; of a long text, told by its beginning."""
        longest, shown = ROUGH if self.rough else LONG[kind]
        if unread <= longest:
            return await self._use_over(self.document, kind, given, questions)
        half, whole = [await self._cut_document(words) for words in (shown // 2, shown)]
        of_half = await self._use_over(half, kind, given, questions)
        of_whole = await self._use_over(whole, kind, given, questions)
        factors = (unread / whole.words, self.document.words / whole.words)
        first, later = (
            extrapolate(one, two, factor, self.context.window_words)
            for one, two, factor in zip(of_half, of_whole, factors, strict=True)
        )
        return first, later

    async def _use_over(
        self, document: Document, kind: Kind, given: Mapping[str, Any], questions: Sequence[Mapping[str, Any]]
    ) -> tuple[Used, Used]:
        """The same over a document, which may be the beginning of the stored one."""
        layer = OverlayStore(base_of(self.pages.store))
        if document is not self.document:
            await self._replace_document(layer, document)
        reading = replace(self, builder=self.reader) if self.reader else self
        first = await reading._use(layer, kind, given)
        asking = replace(self, context=replace(self.context, rebuild=False))  # what was just read is there
        return first, await asking._ask_each(layer, kind, questions) if questions else Used()

    async def _ask_each(self, layer: OverlayStore, kind: Kind, questions: Sequence[Mapping[str, Any]]) -> Used:
        """What a question uses: the mean of several, and of one with several choices; the most of two as a bound."""
        if kind != "usual":
            used = [await self._use(OverlayStore(layer), kind, question) for question in questions[: BOUNDING[kind]]]
            return max(used, key=lambda each: each.input_words)
        most = FEW_QUESTIONS if self.rough else MOST_QUESTIONS
        mappings = questions[:: -(-len(questions) // most)]
        used = [await self._use(OverlayStore(layer), kind, each) for each in mappings]
        if used[0].calls <= MANY and used[0].input_words <= MANY_WORDS:
            for seed in range(1, 1 if self.rough else CHANCES // len(mappings)):
                used += [await self._use(OverlayStore(layer), kind, each, seed) for each in mappings]
        return Used.mean(used)

    async def _use(
        self, layer: OverlayStore, kind: Kind, given: Mapping[str, Any], seed: int = 0, most_calls: int | None = None
    ) -> Used:
        """What a run uses that writes into this layer; where a bound is looked for, no budget ends it."""
        context = replace(self.context, max_seconds=None)
        if kind != "usual":
            context = replace(context, max_calls=None, max_words=None)
        kept = await self.pages.holds_replies(self.document.id)
        stand_in = RehearsedReplies(kind, seed, finds_kept=kept, most_calls=most_calls)
        await self._run_over(layer, stand_in, given, context)
        return Used(stand_in.calls, stand_in.input_words, stand_in.output_words, stand_in.held_words)

    async def _run_over(
        self, layer: OverlayStore, stand_in: RehearsedReplies, given: Mapping[str, Any], context: ReaderContext
    ) -> dict[str, Any]:
        graph = _joined(self.builder).compile(store=in_namespace(layer, self.pages.namespace))
        work = _run_unseen(graph.ainvoke({"document": self.document.id, **given}, context=context), stand_in)
        return dict(await asyncio.create_task(work, context=separate_run()))

    async def _count_unread_words(self) -> int:
        """The words that the graph's memory of the document lacks; all where it says of none which one it builds."""
        nodes = [node.runnable for node in self.builder.nodes.values()]
        read = list[int]()
        for node in nodes:
            if isinstance(node, StepNode) and node.recipe and not self.context.rebuild:
                own = node.own_context(self.context)
                wanted, _ = await resolve_notes_language(node.recipe(own), self.document, own, self.pages)
                memory = await self.pages.find_memory(self.document.id, wanted)
                read.append(memory.read_to if memory else 0)
        share = 1 - min(read, default=0) / max(1, self.document.characters)
        return round(share * self.document.words)

    async def _cut_document(self, words: int) -> Document:
        """The beginning of the document with so many words, of a history whole sessions."""
        document = self.document
        end = document.characters * words // document.words
        sessions = 0
        if document.sessions:
            ends = [session.end for session in await sessions_of(self.pages, document)]
            sessions = max(1, bisect_right(ends, end))
            end = ends[sessions - 1]
        parts = parts_until(document.parts, end)
        (text,) = await self.pages.spans(document, [(0, end)])
        return replace(document, characters=end, words=count_words(text), parts=parts, sessions=sessions)

    async def _replace_document(self, layer: OverlayStore, document: Document) -> None:
        """Let the layer hold this beginning of the document, and no memory of it."""
        store = PageStore(in_namespace(layer, self.pages.namespace))
        memories = [((ROOT, "memories", document.id), memory.id, None) for memory in await store.memories(document.id)]
        await store.put([((ROOT, "documents"), document.id, asdict(document)), *memories])


async def _run_unseen(run: Awaitable[Any], stand_in: RehearsedReplies) -> Any:
    """Run with the stand-in for every model, and for searches; nobody is told of it."""
    start_meter(Meter())
    with ExitStack() as inside:
        for manager in (
            silence(),
            use_run(RunUsage()),
            exchanges_to(lambda exchange: None),
            tracing_context(enabled=False),
            use_stand_in(stand_in),
            use_stand_ins({"keyword": partial(_AnyPages, share=HAVING_WORDS), "vector": _AnyPages}),
        ):
            inside.enter_context(manager)
        return await run


async def rehearse_method(
    method: Method, pages: PageStore, document: Document, context: ReaderContext, given: Mapping[str, Any]
) -> Estimate:
    """What a run of the method will use: reading the document, and what its input asks for beside that.

    Nothing is sent. Steps of a method of your own run as they are: one that asks a model by itself would ask it.

    Args:
        method: The method.
        pages: The page store of the library.
        document: The document.
        context: The settings of the run.
        given: The input of the run beside the document, such as a question; nothing: reading only.
    """
    rehearsal = Rehearsal(build_once(method), pages, document, context)
    budget = (context.max_calls, context.max_words) != (None, None)
    if budget or not given or method.package or method.kind not in READING_FIRST:
        return await rehearsal.run(given)
    reading, asking = await rehearsal.run_several([given])
    return reading + asking


READING_FIRST = ("question", "web")
"""What graphs do that read only where nothing is asked; a budget is that of a whole run."""

build_once, _joined = lru_cache(64)(Method.build), lru_cache(64)(join_steps)
