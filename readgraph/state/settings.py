"""Every setting of a reading, declared once: its type, bounds, default and help, in groups by purpose.

A node names the groups that it reads (`readgraph.nodes.step.step_with`). The runtime context, LangGraph Studio's forms,
the command's options and the tables of the documentation are all made from here. This module imports only the standard
library and `annotated_types`, so that the command's help does not have to wait for pydantic.
"""

import os
from dataclasses import dataclass, field
from typing import Annotated, Literal

from annotated_types import Ge, Le, MinLen

from readgraph.state.declaring import Groups, Help, Settings
from readgraph.state.errors import BadInput

ReplyForm = Literal["auto", "json_schema", "function", "text", "plain"]
Strategy = Literal["parallel", "sequential"]
ParagraphBreak = Literal["auto", "two-blank-lines", "blank-line", "line"]
WorkingMemory = Literal["path", "visited", "off"]
ToolName = Literal["keyword", "vector", "page"]
Evidence = Literal["integration", "pages", "snippets"]

PACKAGED_MODEL = "local:SmolLM2-135M-Instruct"
"""The chat model that comes inside a package (`readgraph[local-model]`)."""


def full_name(model: str) -> str:
    """The model's name with its provider; `local` alone means the packaged model."""
    return PACKAGED_MODEL if model == "local" else model


@dataclass(frozen=True, kw_only=True)
class Model(Settings):
    """The model that is asked."""

    panel = "Model"

    model: Annotated[
        str,
        Help(
            "PROVIDER:NAME as for LangChain's init_chat_model, such as openai:gpt-4.1-mini, or local for a model that "
            "runs on this machine. Without one, reading is extractive.",
            "PROVIDER:NAME",
            "READGRAPH_MODEL",
        ),
    ] = field(default_factory=lambda: os.environ.get("READGRAPH_MODEL", ""))
    reply_form: Annotated[
        ReplyForm,
        Help("How typed replies are requested; auto uses the best form that the model supports.", option=False),
    ] = "auto"
    sample: Annotated[
        int,
        Ge(0),
        Help("The number of the run; another number gets new replies instead of recorded ones.", option=False),
    ] = 0

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "model", full_name(self.model))


@dataclass(frozen=True, kw_only=True)
class ReadingModel(Settings):
    """Another model to build memories with."""

    panel = "Model"

    reading_model: Annotated[
        str,
        Help("Another model to build memories with, such as a cheaper one; without one, the same.", "PROVIDER:NAME"),
    ] = ""

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "reading_model", full_name(self.reading_model))


@dataclass(frozen=True, kw_only=True)
class Concurrency(Settings):
    """How many model calls are made at once."""

    panel = "Model"

    concurrency: Annotated[int, Ge(1), Le(1000), Help("Model calls in flight at once, at most.")] = 16


@dataclass(frozen=True, kw_only=True)
class Calls(Settings):
    """How long a model call may take."""

    panel = "Model"

    timeout: Annotated[float, Ge(0.1), Help("Seconds that one model call may take.")] = 120.0
    retry_seconds: Annotated[
        float, Ge(0), Help("Seconds to keep retrying a call after a temporary failure; 0 = don't retry.")
    ] = 300.0


@dataclass(frozen=True, kw_only=True)
class Budget(Settings):
    """How much may be spent."""

    panel = "Budget"

    max_calls: Annotated[
        int | None, Ge(0), Help("Stop after this many model calls in one reading, or in one turn of an agent.")
    ] = None
    max_words: Annotated[
        int | None, Ge(0), Help("Stop after this many words sent and received in one reading, or in one turn.")
    ] = None


@dataclass(frozen=True, kw_only=True)
class Window(Settings):
    """How much the model sees at once."""

    panel = "Model"

    window_words: Annotated[
        int, Ge(1000), Help("Words that a prompt may hold; notes that don't fit are merged or left out.")
    ] = 60_000


@dataclass(frozen=True, kw_only=True)
class Rebuilding(Settings):
    """Whether a memory is built again."""

    panel = "Pages"

    rebuild: Annotated[bool, Help("Build the memory again where prompts have changed.")] = False


@dataclass(frozen=True, kw_only=True)
class Paragraphs(Settings):
    """Where paragraphs end."""

    panel = "Pages"

    paragraph_break: Annotated[
        ParagraphBreak, Help("What ends a paragraph; auto decides by the text.", option=False)
    ] = "auto"


@dataclass(frozen=True, kw_only=True)
class PageSizes(Settings):
    """How long pages are."""

    panel = "Pages"

    min_page_words: Annotated[int, Ge(1), Help("A page has at least this many words.")] = 280
    max_page_words: Annotated[int, Ge(2), Help("A page has at most this many words.")] = 600

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.min_page_words >= self.max_page_words:
            raise BadInput(
                f"min_page_words ({self.min_page_words}) must be smaller than max_page_words ({self.max_page_words})."
            )


@dataclass(frozen=True, kw_only=True)
class Pausing(Settings):
    """How a model chooses where pages end."""

    panel = "Pages"

    stretches: Annotated[
        int, Ge(1), Le(1000), Help("Cut a long text into this many stretches that are paged at the same time.")
    ] = 1
    show_previous_page: Annotated[
        bool,
        Help("Show the previous page when choosing where to pause (this helps with transcripts).", option=False),
    ] = False
    show_next_paragraph: Annotated[
        bool, Help("Show the next paragraph when choosing where to pause.", option=False)
    ] = False


@dataclass(frozen=True, kw_only=True)
class Gists(Settings):
    """How gists are written."""

    panel = "Pages"

    gist_words: Annotated[int | None, Ge(10), Help("Ask for gists of at most this many words.")] = None
    gist_purpose: Annotated[
        str, Help("What gists are for: a task that is known before the text is read, or the kind of text.", "TEXT")
    ] = ""


@dataclass(frozen=True, kw_only=True)
class PagesRead(Settings):
    """How many pages are read again."""

    panel = "Looking up"

    max_pages: Annotated[int, Ge(0), Help("Read at most this many pages again for a question.")] = 5


@dataclass(frozen=True, kw_only=True)
class LookUp(Settings):
    """How a model chooses the pages."""

    panel = "Looking up"

    strategy: Annotated[
        Strategy, Help("Look pages up all at once (parallel, ReadAgent-P) or one by one (sequential, ReadAgent-S).")
    ] = "parallel"


@dataclass(frozen=True, kw_only=True)
class Tree(Settings):
    """The shape of MemWalker's tree."""

    panel = "MemWalker"

    segment_words: Annotated[int, Ge(10), Help("A segment has about this many words.")] = 750
    children: Annotated[int, Ge(2), Help("A tree node has at most this many children.")] = 8
    node_words: Annotated[int, Ge(10), Help("A tree node's text is compressed if it has more words than this.")] = 300


@dataclass(frozen=True, kw_only=True)
class Walk(Settings):
    """How MemWalker's tree is walked."""

    panel = "MemWalker"

    reasoning: Annotated[bool, Help("Reason before each decision of the walk.")] = True
    working_memory: Annotated[
        WorkingMemory, Help("The notes that a walk carries: of its path, of all nodes visited, or none (off).")
    ] = "path"
    max_hops: Annotated[int, Ge(1), Help("A walk ends after this many decisions.")] = 32
    walks: Annotated[
        int, Ge(1), Help("Walk this many times for a question, each time from the next-best part of the text.")
    ] = 1


@dataclass(frozen=True, kw_only=True)
class Memorizing(Settings):
    """How GAM's memos are written."""

    panel = "GAM"

    session_page_words: Annotated[
        int, Ge(50), Help("A page of a session has at most this many words; 1,536 are about 2,048 tokens.")
    ] = 1536
    memory_words: Annotated[int, Ge(0), Help("Show at most this many words of earlier memos with each page.")] = 1500
    memorize_batch: Annotated[
        int, Ge(1), Help("Memorise this many pages at once; each of them sees only the memory before all of them.")
    ] = 1
    two_calls: Annotated[bool, Help("Ask for the memo and the header of a page in two calls.")] = False


@dataclass(frozen=True, kw_only=True)
class Reflecting(Settings):
    """How often GAM reflects on what was found, and how."""

    panel = "GAM"

    rounds: Annotated[int, Ge(0), Help("At most this many rounds of research; 0 = answer from the memory alone.")] = 3
    separate_requests: Annotated[bool, Help("Ask what is missing in a separate call, as the paper does.")] = False


@dataclass(frozen=True, kw_only=True)
class Research(Settings):
    """How GAM searches, and what it gives."""

    panel = "GAM"

    pages_per_tool: Annotated[int, Ge(1), Help("At most this many pages of each search tool in a round.")] = 5
    without_memory: Annotated[bool, Help("Plan without seeing the memory.")] = False
    evidence: Annotated[
        Evidence, Help("What the context holds besides the integrated notes: nothing (integration), pages or snippets.")
    ] = "integration"
    context_only: Annotated[bool, Help("Return the context that was found, without an answer.")] = False

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.without_memory and not getattr(self, "rounds", 1):
            raise BadInput("Without memory there must be research: give rounds of at least 1.")


@dataclass(frozen=True, kw_only=True)
class SearchTools(Settings):
    """Which search tools a plan may use."""

    panel = "GAM"

    tools: Annotated[
        tuple[ToolName, ...], MinLen(1), Help("The search tools to offer, with commas between them.", "NAMES")
    ] = ("keyword", "vector", "page")


@dataclass(frozen=True, kw_only=True)
class Embeddings(Settings):
    """The embedding model of vector search."""

    panel = "Model"

    embeddings: Annotated[
        str, Help("The embedding model of vector search; without one, there is no vector search.", "PROVIDER:NAME")
    ] = ""


@dataclass(frozen=True, kw_only=True)
class Segments(Settings):
    """The segments that the retrieval baselines rank."""

    panel = "Baselines"

    retrieval_words: Annotated[int, Ge(10), Help("bm25, dense, fused: a segment has at most this many words.")] = 1536


@dataclass(frozen=True, kw_only=True)
class Excerpt(Settings):
    """How much of the text the baselines `first-words` and `last-words` keep."""

    panel = "Baselines"

    baseline_words: Annotated[
        int | None,
        Ge(1),
        Help("first-words, last-words: keep this many words; without a number, as many as fit the window."),
    ] = None


@dataclass(frozen=True, kw_only=True)
class Chaining(Settings):
    """How many steps MemGPT's agent may chain."""

    panel = "MemGPT"

    max_chain: Annotated[
        int, Ge(1), Help("The agent makes at most this many function calls before it waits again.")
    ] = 30


GROUPS: Groups = (
    *(Model, ReadingModel, Embeddings, Window, Concurrency, Calls, Budget),
    *(PageSizes, Paragraphs, Pausing, Gists, Rebuilding, PagesRead, LookUp),
    *(Tree, Walk, Memorizing, Reflecting, Research, SearchTools, Chaining, Segments, Excerpt),
)
"""All groups, in the order in which they are shown."""
