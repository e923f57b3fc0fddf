"""The engines by their ids: ReadAgent, MemWalker, GAM, one without a model, and those that other packages offer.

ReadAgent's is after compact-memory's ReadAgentGistEngine, with its configuration: prompts are templates, and episodes,
the pages of its memory, are cut by a chunker of the caller's own or by size, since a model that only shortens and
answers can't choose pauses. A package offers an engine by the hook `engines` (`readgraph.plugins`).
"""

import sys
from collections.abc import Mapping, Sequence
from copy import copy
from dataclasses import replace
from importlib.util import find_spec
from os import PathLike
from types import ModuleType
from typing import Any, ClassVar

from langchain_core.callbacks import Callbacks
from langchain_core.documents import BaseDocumentCompressor, Document
from langgraph.graph import StateGraph
from langgraph.runtime import Runtime
from pydantic import ConfigDict

from readgraph.features.compression import read_agent_parts as words
from readgraph.features.compression.condenser import Condenser, check_budget, notes_of, tokens_in, words_in
from readgraph.features.compression.engine import GROUP_WORDS, LEAST_SHARE, CompressionEngine, gist_of
from readgraph.features.compression.kept import read_engine
from readgraph.features.compression.read_agent_parts import (
    GivenChunks,
    SentenceWindowChunker,
    Templates,
    name_of,
    paginator_for,
)
from readgraph.graphs import gam, mem_walker, read_agent
from readgraph.library.page_store import PageStore
from readgraph.nodes.answering.answer import make_answer_node
from readgraph.nodes.building.build import ReadUpdate, read_pages
from readgraph.nodes.building.merge import merge, merge_without_model
from readgraph.nodes.building.notes import ask_gist
from readgraph.nodes.building.parts import WriteNote
from readgraph.nodes.building.recipes import BuiltState
from readgraph.nodes.contracts import ReaderRuntime
from readgraph.nodes.extractive import pages_by_rule
from readgraph.nodes.extractive.gists import extract_gist
from readgraph.nodes.look_up import make_look_up_node
from readgraph.nodes.step import StepNode, node
from readgraph.plugins import Places, leave_out, plugged_in
from readgraph.state.context import ReaderContext
from readgraph.state.declaring import LARGEST
from readgraph.state.errors import BadInput
from readgraph.state.installed import object_at
from readgraph.state.loops import all_finished, in_background
from readgraph.state.records import Memory, Note, Page, Recipe
from readgraph.state.settings import Gists, Language, Paragraphs, Purpose, Rebuilding, Window
from readgraph.state.summary_tree import node_id
from readgraph.state.words import count_words


def engine_ids() -> list[str]:
    """The ids of all engines, ours first; none is imported."""
    return [*OWN, *_places_of_others()]


def _places_of_others() -> dict[str, str]:
    """Where the engines of other packages stand, by their ids; ours can't be replaced."""
    places = dict[str, str]()
    for package, (identity, place) in plugged_in("engines", Places):
        if identity in OWN or identity in places:
            leave_out(package, f"there is another compression engine '{identity}'")
        else:
            places[identity] = place
    return dict(sorted(places.items()))


def engine_named(identity: str) -> type[CompressionEngine]:
    """The engine with this id; raises `BadInput` if there is none, or if another package's can't be used."""
    if identity in OWN:
        return OWN[identity]
    if place := _places_of_others().get(identity):
        what = f"The compression engine '{identity}'"
        engine = object_at(place, what)
        if not (isinstance(engine, type) and issubclass(engine, CompressionEngine)):
            raise BadInput(f"{what} ({place}) is no CompressionEngine.")
        return engine
    raise BadInput(f"There is no compression engine '{identity}': choose one of {', '.join(engine_ids())}.")


def load_engine(folder: str | PathLike[str], **config: Any) -> CompressionEngine:
    """The engine that was saved in a folder, whichever it is (see `CompressionEngine.load`)."""
    return engine_named(str(read_engine(folder)["engine"])).load(folder, **config)


LEAST_TOKENS = 10  # the least that an episode or a gist may be asked to have


@node(without_model=merge_without_model, builds=True, settings=(Gists, Purpose, Language, Window))
async def merge_for_query(state: BuiltState, runtime: Runtime[ReaderContext]) -> ReadUpdate:
    """Merge pages as ReadAgent does where a query is asked; without one, no prompt holds all gists."""
    if not state.get("question_text"):
        return {"memory": state["memory"], "step_summary": "kept all gists: they are condensed next"}
    return await merge.work(state, runtime)


class EpisodeEngine(CompressionEngine):
    """What reads episodes and keeps a gist of each.

    `chunker` cuts the episodes (see `read_agent_parts.paginator_for`); without one, they have at most
    `episode_token_limit` tokens, and end as `cut_by_default` says. A gist has about `gist_length` tokens.
    """

    cut_by_default: ClassVar[type[SentenceWindowChunker] | None] = None  # None: at headings and paragraphs

    instead: ClassVar[Mapping[str, str]] = {
        **dict.fromkeys(("min_page_words", "max_page_words"), "episode_token_limit"),
        **dict.fromkeys(("purpose", "preset"), "gist_prompt_template"),
        **{"gist_words": "gist_length", "strategy": "lookup_prompt_template"},
    }
    plain: ClassVar[tuple[str, ...]] = ("episode_token_limit", "gist_length")
    templates: Templates | None = None

    def __init__(
        self, *, chunker: object = None, episode_token_limit: int = 500, gist_length: int = 100, **more: Any
    ) -> None:
        self.episode_token_limit = _tokens("episode_token_limit", episode_token_limit)
        self.gist_length = _tokens("gist_length", gist_length)
        if gist_length >= episode_token_limit:
            raise BadInput(
                f"gist_length ({gist_length}) must be less than episode_token_limit ({episode_token_limit})."
            )
        default = self.cut_by_default(episode_token_limit) if self.cut_by_default else None
        self.chunker = default if chunker is None else chunker
        self._paginate = paginator_for(self.chunker)
        super().__init__(**more)
        self.functions["chunker"] = name_of(chunker)
        most = words_in(episode_token_limit)
        self.context = replace(
            self.context, min_page_words=most // 2, max_page_words=most, strategy="parallel", purpose="", preset=None
        )

    def _recipe(self, context: ReaderContext) -> Recipe:
        parameters = {
            "episode_tokens": self.episode_token_limit,
            "gist_tokens": self.gist_length,
            "chunker": name_of(self.chunker),
            "paragraph_break": context.paragraph_break,
            "sample": context.sample,
        }
        if not context.model or not self.templates:
            return Recipe("read-agent", parameters, "")
        prompts = {words.NAME: words.VERSION}
        return Recipe("read-agent", {**parameters, "gist_template": self.templates.gist}, context.model, prompts)

    def _read(self, write: WriteNote) -> StepNode[Any, Any]:
        without = pages_by_rule if self.chunker is None or self._paginate is self.chunker else self._paginate
        return read_pages(
            self._paginate,
            write,
            self._recipe,
            without_model=(without, self._extract_note),
            settings=(Language, Paragraphs, Rebuilding),
        )

    def for_chunks(self, chunks: Sequence[str]) -> "EpisodeEngine":
        """A copy whose episodes are these chunks."""
        engine = copy(self)
        engine.chunker = GivenChunks(tuple(chunks))
        engine._paginate = paginator_for(engine.chunker)
        engine.graph = engine.build().compile(store=self.pages.store)
        return engine

    async def _extract_note(self, text: str, page: Page, runtime: Runtime[ReaderContext]) -> Note:
        gist = extract_gist(text, words_in(self.gist_length))
        return Note(page.number, gist, count_words(gist))


class ExtractiveEngine(EpisodeEngine):
    """Compresses without a model: the most important sentences of each episode; for a query, the nearest passages."""

    id, line = "extractive", "The text's own sentences, without a model."
    instead: ClassVar[Mapping[str, str]] = {
        **EpisodeEngine.instead,
        **dict.fromkeys(("model", "local_llm_pipeline"), "another engine"),
    }

    def __init__(self, **more: Any) -> None:
        if more.get("local_llm_pipeline") is not None:
            raise BadInput("extractive asks no model: leave local_llm_pipeline out, or take another engine.")
        super().__init__(**more)
        self.context = replace(self.context, model="", reading_model="")

    def build(self) -> StateGraph[Any, ReaderContext, Any, Any]:
        """ReadAgent's graph, of which only what needs no model runs."""
        return read_agent.build(read=self._read(self._extract_note))


class ReadAgentGistEngine(EpisodeEngine):
    """ReadAgent (Lee et al., 2024) as a compression engine, with compact-memory's configuration.

    Besides the keys of `EpisodeEngine` and `CompressionEngine`: `gist_prompt_template` with {text} and, if wanted,
    {gist_length}; `lookup_prompt_template` with {summaries} and {question}, asked which pages to read in full;
    `qa_prompt_template` with {context} and {question}, asked for the answer.
    """

    cut_by_default = SentenceWindowChunker
    id, line = "readagent_gist", "ReadAgent: gists of episodes; for a query, the episodes that matter in full."
    plain = (*EpisodeEngine.plain, "gist_prompt_template", "qa_prompt_template", "lookup_prompt_template")
    templates: Templates

    def __init__(
        self,
        *,
        gist_prompt_template: str = words.GIST,
        qa_prompt_template: str = words.QA,
        lookup_prompt_template: str = words.LOOK_UP,
        **more: Any,
    ) -> None:
        self.templates = Templates(gist_prompt_template, qa_prompt_template, lookup_prompt_template)
        self.gist_prompt_template, self.qa_prompt_template = gist_prompt_template, qa_prompt_template
        self.lookup_prompt_template = lookup_prompt_template
        super().__init__(**more)

    def build(self) -> StateGraph[Any, ReaderContext, Any, Any]:
        """ReadAgent's graph with the templates' prompts."""
        answer = make_answer_node(self.templates.qa_prompt)
        look_up = make_look_up_node(self.templates.look_up_prompt)
        read = self._read(self._gist_of(self.gist_length))
        return read_agent.build(read=read, merge=merge_for_query, look_up=look_up, answer=answer)

    def condenser(self) -> Condenser:
        """Gists of neighbouring gists, by the same template."""
        group, share = words_in(self.episode_token_limit), self.gist_length / self.episode_token_limit
        return Condenser(notes_of, lambda words: self._gist_of(tokens_in(words)), group, share)

    def _gist_of(self, tokens: int) -> WriteNote:
        async def gist(text: str, page: Page, runtime: ReaderRuntime) -> Note:
            return await ask_gist(self.templates.gist_prompt(text, tokens), text, page, runtime)

        return gist


def _tokens(key: str, value: object) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or not LEAST_TOKENS <= value <= LARGEST:
        raise BadInput(f"{key} must be a whole number of tokens, at least {LEAST_TOKENS}, not {value!r}.")
    return value


class MemWalkerTreeEngine(CompressionEngine):
    """MemWalker's tree of summaries: the most detailed level that fits the budget; for a query, the walk's answer."""

    id, line = "memwalker_tree", "MemWalker: the most detailed level of its tree of summaries that fits."

    def build(self) -> StateGraph[Any, ReaderContext, Any, Any]:
        """MemWalker's graph."""
        return mem_walker.build()

    def condenser(self) -> Condenser:
        """Where even the root is too long, it is shortened."""
        return Condenser(tree_levels, gist_of, GROUP_WORDS, LEAST_SHARE)


class GamMemosEngine(CompressionEngine):
    """GAM's memos of the pages; for a query, the answer of its research."""

    id, line = "gam_memos", "GAM: the memos of all pages; for a query, what its research finds."

    def build(self) -> StateGraph[Any, ReaderContext, Any, Any]:
        """GAM's graph."""
        return gam.build()


OWN: dict[str, type[CompressionEngine]] = {
    engine.id: engine for engine in (ReadAgentGistEngine, MemWalkerTreeEngine, GamMemosEngine, ExtractiveEngine)
}  # another package can't replace one of them


async def tree_levels(store: PageStore, memory: Memory) -> list[list[str]]:
    """The texts of a tree's levels, from the leaves to the highest level that was grown."""
    levels = await notes_of(store, memory)
    for level, count in enumerate(memory.levels, 1):
        nodes = await store.tree_nodes(memory.id, [node_id(level, number) for number in range(count)])
        levels.append([node.text for node in nodes])
    return levels


class DocumentCompressor(BaseDocumentCompressor):
    """Compresses retrieved documents for a query, all of them together within a budget of tokens.

    Each document gets an equal share. What an engine finds in it for the query takes the place of its text; one in
    which nothing is found is left out. Its metadata stay, with `compression`: engine, status, and tokens before and
    after. Errors as in `CompressionEngine.compress`; a share that holds no word is one.
    """

    model_config = ConfigDict(arbitrary_types_allowed=True)

    engine: CompressionEngine
    llm_token_budget: int = 1000

    def compress_documents(
        self, documents: Sequence[Document], query: str, callbacks: Callbacks | None = None
    ) -> list[Document]:
        """The documents that hold something for the query, in their order, compressed."""
        return in_background(self.acompress_documents, documents, query)

    async def acompress_documents(
        self, documents: Sequence[Document], query: str, callbacks: Callbacks | None = None
    ) -> list[Document]:
        """As `compress_documents`, in the running event loop."""
        texts = [document for document in documents if document.page_content.strip()]
        share = self.llm_token_budget // max(len(texts), 1)
        check_budget(share)
        found = await all_finished(self.engine.acompress(document.page_content, share, query) for document in texts)
        kept = list[Document]()
        for document, (compressed, trace) in zip(texts, found, strict=True):
            if compressed.text and trace.original_tokens:
                done = {"engine": compressed.engine, "status": compressed.status}
                sizes = {"original_tokens": trace.original_tokens, "compressed_tokens": compressed.tokens}
                metadata = {**document.metadata, "compression": {**done, **sizes}}
                kept.append(Document(id=document.id, page_content=compressed.text, metadata=metadata))
        return kept


PACKAGE = "compact_memory"

NAMES: dict[str, dict[str, object]] = {
    "": {},
    "chunker": {"SentenceWindowChunker": SentenceWindowChunker},
    "engines": {},
    "engines.ReadAgent": {},
    "engines.ReadAgent.engine": {"ReadAgentGistEngine": ReadAgentGistEngine},
}  # the modules within the package, with their names


def stand_in_for_compact_memory() -> None:
    """Let `from compact_memory.engines.ReadAgent.engine import ReadAgentGistEngine` give readgraph's engine.

    For programs that were written for compact-memory: call it once before they import it. Only the names of its
    ReadAgent engine are there.

    Raises:
        BadInput: If compact-memory itself is installed.
    """
    if PACKAGE in sys.modules and getattr(sys.modules[PACKAGE], "__readgraph__", False):
        return
    if PACKAGE in sys.modules or find_spec(PACKAGE):
        raise BadInput(
            "compact-memory is installed: import its names from it, and ours from readgraph.features.compression."
        )
    for inner, names in NAMES.items():
        module = ModuleType(f"{PACKAGE}.{inner}".rstrip("."), "readgraph in the place of compact-memory.")
        module.__dict__.update(names, __readgraph__=True, __path__=[])
        sys.modules[module.__name__] = module
        parent, _, name = module.__name__.rpartition(".")
        if parent:
            setattr(sys.modules[parent], name, module)
