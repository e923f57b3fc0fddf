"""ReadAgent as a compression engine: gists of episodes, and for a query the episodes that matter, in full.

After compact-memory's ReadAgentGistEngine, with its configuration. It is ReadAgent's graph with its prompts from
templates; episodes are cut by a chunker or by size, since a model that only shortens and answers can't choose pauses.
"""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, ClassVar

from langgraph.graph import StateGraph
from langgraph.runtime import Runtime
from langgraph.store.base import BaseStore

from readgraph.compression import templates as words
from readgraph.compression.condensing import Condenser, notes_of
from readgraph.compression.engine import CompressionEngine
from readgraph.compression.episodes import name_of, paging_by
from readgraph.compression.reading_engine import EmbeddingFunction
from readgraph.compression.templates import Templates
from readgraph.compression.tokens import tokens_in, words_in
from readgraph.graphs import read_agent
from readgraph.nodes.answering.answer import memory_shown_by
from readgraph.nodes.answering.in_view import answering
from readgraph.nodes.building.build import read_pages
from readgraph.nodes.building.gists import gisting
from readgraph.nodes.building.interfaces import WriteNote
from readgraph.nodes.building.merging import MergeState, MergeUpdate, merge, merge_without_model
from readgraph.nodes.contracts import AnswerUpdate
from readgraph.nodes.extractive import extract_gist, pages_by_rule
from readgraph.nodes.look_up.by_model import looking_up_pages
from readgraph.nodes.step import StepNode
from readgraph.state.context import ReaderContext
from readgraph.state.declaring import LARGEST
from readgraph.state.errors import BadInput
from readgraph.state.records import Note, Page, Recipe
from readgraph.state.settings import Gists, Language, Paragraphs, Purpose, Rebuilding, Window
from readgraph.state.words import count_words

LEAST_TOKENS = 10
"""The least that an episode or a gist may be asked to have."""


async def _merge_for_query(state: MergeState, runtime: Runtime[ReaderContext]) -> MergeUpdate:
    """Merge pages as ReadAgent does where a query is asked; without one, no prompt holds all gists."""
    if not state.get("question_text"):
        return {"memory": state["memory"], "step_summary": "kept all gists: they are condensed next"}
    return await merge.work(state, runtime)


merge_for_query = StepNode[MergeState, MergeUpdate](
    _merge_for_query, merge_without_model, builds=True, settings=(Gists, Purpose, Language, Window)
)


class EpisodeEngine(CompressionEngine):
    """What reads episodes and keeps a gist of each.

    `chunker` cuts the episodes (see `readgraph.compression.episodes.paging_by`); without one, they have at most
    `episode_token_limit` tokens. A gist has about `gist_length` tokens.
    """

    instead: ClassVar[Mapping[str, str]] = {
        "min_page_words": "episode_token_limit",
        "max_page_words": "episode_token_limit",
        "gist_words": "gist_length",
        "purpose": "gist_prompt_template",
        "preset": "gist_prompt_template",
        "strategy": "lookup_prompt_template",
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
        self.chunker, self._paginate = chunker, paging_by(chunker)
        super().__init__(**more)
        self.functions["chunker"] = name_of(chunker)
        most = words_in(episode_token_limit)
        self.context = replace(
            self.context, min_page_words=most // 2, max_page_words=most, strategy="parallel", purpose="", preset=None
        )

    @property
    def parameters(self) -> dict[str, Any]:
        """The configuration as plain values; functions by their names."""
        sizes = {"episode_token_limit": self.episode_token_limit, "gist_length": self.gist_length}
        return {**super().parameters, **sizes}

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
        return StepNode(
            read_pages(self._paginate, write, self._recipe),
            without_model=read_pages(without, self._extracted, self._recipe),
            builds=True,
            settings=(Language, Paragraphs, Rebuilding),
        )

    async def _extracted(self, text: str, page: Page, runtime: Runtime[ReaderContext]) -> Note:
        gist = extract_gist(text, words_in(self.gist_length))
        return Note(page.number, gist, count_words(gist))


class ExtractiveEngine(EpisodeEngine):
    """Compresses without a model: the most important sentences of each episode; for a query, the nearest passages."""

    id, line = "extractive", "The text's own sentences, without a model."
    instead: ClassVar[Mapping[str, str]] = {
        **EpisodeEngine.instead,
        "model": "another engine",
        "local_llm_pipeline": "another engine",
    }

    def __init__(self, **more: Any) -> None:
        if more.get("local_llm_pipeline") is not None:
            raise BadInput("extractive asks no model: leave local_llm_pipeline out, or take another engine.")
        super().__init__(**more)
        self.context = replace(self.context, model="", reading_model="")

    def build(self) -> StateGraph[Any, ReaderContext, Any, Any]:
        """ReadAgent's graph, of which only what needs no model runs."""
        return read_agent.build(read=self._read(self._extracted))


class ReadAgentGistEngine(EpisodeEngine):
    """ReadAgent (Lee et al., 2024) as a compression engine, with compact-memory's configuration.

    Besides the keys of `EpisodeEngine` and `CompressionEngine`: `gist_prompt_template` with {text} and, if wanted,
    {gist_length}; `lookup_prompt_template` with {summaries} and {question}, asked which pages to read in full;
    `qa_prompt_template` with {context} and {question}, asked for the answer.
    """

    id, line = "readagent_gist", "ReadAgent: gists of episodes; for a query, the episodes that matter in full."
    plain = (*EpisodeEngine.plain, "gist_prompt_template", "qa_prompt_template", "lookup_prompt_template")
    templates: Templates

    def __init__(
        self,
        *,
        local_llm_pipeline: Callable[[str], str] | None = None,
        chunker: object = None,
        embedding_fn: EmbeddingFunction | None = None,
        episode_token_limit: int = 500,
        gist_length: int = 100,
        gist_prompt_template: str = words.GIST,
        qa_prompt_template: str = words.QA,
        lookup_prompt_template: str = words.LOOK_UP,
        library: BaseStore | None = None,
        context: ReaderContext | None = None,
        **settings: Any,
    ) -> None:
        self.templates = Templates(gist_prompt_template, qa_prompt_template, lookup_prompt_template)
        super().__init__(
            local_llm_pipeline=local_llm_pipeline,
            chunker=chunker,
            embedding_fn=embedding_fn,
            episode_token_limit=episode_token_limit,
            gist_length=gist_length,
            library=library,
            context=context,
            **settings,
        )

    def build(self) -> StateGraph[Any, ReaderContext, Any, Any]:
        """ReadAgent's graph with the templates' prompts."""
        answer = answering(memory_shown_by(self.templates.qa_prompt), writes=AnswerUpdate)
        look_up = looking_up_pages(self.templates.look_up_prompt)
        read = self._read(self._gist_of(self.gist_length))
        return read_agent.build(read=read, merge=merge_for_query, look_up=look_up, answer=answer)

    def condenser(self) -> Condenser:
        """Gists of neighbouring gists, by the same template."""
        group, share = words_in(self.episode_token_limit), self.gist_length / self.episode_token_limit
        return Condenser(notes_of, lambda words: self._gist_of(tokens_in(words)), group, share)

    @property
    def parameters(self) -> dict[str, Any]:
        """The configuration as plain values; functions by their names."""
        return {
            **super().parameters,
            "gist_prompt_template": self.templates.gist,
            "qa_prompt_template": self.templates.qa,
            "lookup_prompt_template": self.templates.look_up,
        }

    def _gist_of(self, tokens: int) -> WriteNote:
        return gisting(lambda text, context: self.templates.gist_prompt(text, tokens))


def _tokens(key: str, value: object) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or not LEAST_TOKENS <= value <= LARGEST:
        raise BadInput(f"{key} must be a whole number of tokens, at least {LEAST_TOKENS}, not {value!r}.")
    return value
