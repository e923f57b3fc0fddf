"""The runtime context: what a reading may use and how far it may go."""

import os
from collections.abc import Mapping
from dataclasses import field, fields
from difflib import get_close_matches
from typing import Annotated, Any, Literal, Self

from pydantic import (
    AfterValidator,
    ConfigDict,
    Field,
    ModelWrapValidatorHandler,
    ValidationError,
    model_validator,
)
from pydantic.dataclasses import dataclass
from pydantic_core import ErrorDetails

from readgraph.state.errors import BadInput

ReplyForm = Literal["auto", "json_schema", "function", "text", "plain"]
Strategy = Literal["parallel", "sequential"]
ParagraphBreak = Literal["auto", "two-blank-lines", "blank-line", "line"]
WorkingMemory = Literal["path", "visited", "off"]
ToolName = Literal["keyword", "vector", "page"]
Evidence = Literal["integration", "pages", "snippets"]

LARGEST = 2**31 - 1
"""Sizes go into stored records, which hold no integer of any size."""


PACKAGED_MODEL = "local:SmolLM2-135M-Instruct"
"""The one chat model that comes inside a package (`readgraph[local-model]`)."""


def full_name(model: str) -> str:
    """The name with its provider; `local` alone is the packaged model."""
    return PACKAGED_MODEL if model == "local" else model


def _model_from_environment() -> str:
    return full_name(os.environ.get("READGRAPH_MODEL", ""))


@dataclass(frozen=True, kw_only=True, config=ConfigDict(extra="forbid"))
class ReaderContext:
    """Settings of one reading; JSON-plain, so that LangGraph Studio shows them as configuration.

    Defaults are those of ReadAgent on QuALITY (section 4 and appendix C). Raises `BadInput` for a value out of its
    range, and for a setting that there is not.
    """

    model: Annotated[
        str,
        AfterValidator(full_name),
        Field(
            description="PROVIDER:NAME as for langchain's init_chat_model, or local for a model that runs on this "
            "machine; empty = read without a model."
        ),
    ] = field(default_factory=_model_from_environment)
    reading_model: Annotated[
        str,
        AfterValidator(full_name),
        Field(description="PROVIDER:NAME of the model that builds memories; empty = the same model."),
    ] = ""
    reply_form: Annotated[
        ReplyForm, Field(description="How typed replies are asked for; 'auto' takes the best that the model offers.")
    ] = "auto"
    strategy: Annotated[
        Strategy, Field(description="Look pages up all at once (ReadAgent-P) or one by one (ReadAgent-S).")
    ] = "parallel"
    max_pages: Annotated[int, Field(ge=0, description="At most this many pages are read again for a question.")] = 5
    min_page_words: Annotated[int, Field(ge=1, description="A page has at least this many words.")] = 280
    max_page_words: Annotated[int, Field(ge=2, description="A page has at most this many words.")] = 600
    paragraph_break: Annotated[
        ParagraphBreak, Field(description="What ends a paragraph; 'auto' decides by the text.")
    ] = "auto"
    show_previous_page: Annotated[
        bool, Field(description="Show the page before when choosing where to pause (helps with transcripts).")
    ] = False
    show_next_paragraph: Annotated[
        bool, Field(description="Show the paragraph after when choosing where to pause.")
    ] = False
    gist_words: Annotated[int | None, Field(ge=10, description="Ask for gists of at most so many words.")] = None
    gist_purpose: Annotated[
        str, Field(description="What gists are for: a task that is known before the text is read, or the kind of text.")
    ] = ""
    stretches: Annotated[
        int,
        Field(ge=1, le=1000, description="Cut a long text into this many stretches that are paged at the same time."),
    ] = 1
    segment_words: Annotated[int, Field(ge=10, description="MemWalker: a segment has about this many words.")] = 750
    children: Annotated[int, Field(ge=2, description="MemWalker: a tree node has at most this many children.")] = 8
    node_words: Annotated[
        int,
        Field(
            ge=10, description="MemWalker: a tree node's text is compressed where it is longer than this many words."
        ),
    ] = 300
    reasoning: Annotated[
        bool, Field(description="MemWalker: each decision of the walk is reasoned about before it is made.")
    ] = True
    working_memory: Annotated[
        WorkingMemory,
        Field(description="MemWalker: the notes that a walk carries: of the path, of all nodes visited, or none."),
    ] = "path"
    max_hops: Annotated[int, Field(ge=1, description="MemWalker: a walk ends after this many decisions.")] = 32
    walks: Annotated[
        int, Field(ge=1, description="MemWalker: walks for a question; each begins at the next-best part of the text.")
    ] = 1
    session_page_words: Annotated[
        int, Field(ge=50, description="GAM: a page has at most this many words; 1,536 are about 2,048 tokens.")
    ] = 1536
    memory_words: Annotated[
        int, Field(ge=0, description="GAM: at most this many words of earlier memos are shown with each page.")
    ] = 1500
    block: Annotated[
        int, Field(ge=1, description="GAM: memorise this many pages at once, against the memory before them.")
    ] = 1
    two_calls: Annotated[
        bool, Field(description="GAM: ask for the memo and the header of a page in a call of its own each.")
    ] = False
    window_words: Annotated[
        int, Field(ge=1000, description="Words that a prompt may hold; gists that don't fit are merged.")
    ] = 60_000
    baseline_words: Annotated[
        int | None, Field(ge=1, description="first-words and last-words: cut the text to so many; none = the window.")
    ] = None
    retrieval_words: Annotated[
        int, Field(ge=10, description="bm25, dense, fused: a segment has at most this many words.")
    ] = 1536
    rounds: Annotated[
        int, Field(ge=0, description="GAM: at most this many rounds of research; 0 = answer from the memory alone.")
    ] = 3
    pages_per_tool: Annotated[
        int, Field(ge=1, description="GAM: at most this many pages of each search tool in a round.")
    ] = 5
    tools: Annotated[
        tuple[ToolName, ...], Field(min_length=1, description="GAM: the search tools that are offered.")
    ] = ("keyword", "vector", "page")
    embeddings: Annotated[str, Field(description="PROVIDER:NAME of the embedding model; empty = no vector search.")] = (
        ""
    )
    without_memory: Annotated[bool, Field(description="GAM: plan without seeing the memory.")] = False
    separate_requests: Annotated[
        bool, Field(description="GAM: ask what is missing in a call of its own, as the paper does.")
    ] = False
    evidence: Annotated[Evidence, Field(description="GAM: what the context holds beside the integrated notes.")] = (
        "integration"
    )
    context_only: Annotated[bool, Field(description="GAM: give the context, and no answer.")] = False
    max_chain: Annotated[
        int, Field(ge=1, description="MemGPT: at most this many function calls before control goes back.")
    ] = 30
    max_calls: Annotated[int | None, Field(ge=0, description="Budget: model calls in one reading.")] = None
    max_words: Annotated[int | None, Field(ge=0, description="Budget: words sent and received in one reading.")] = None
    concurrency: Annotated[int, Field(ge=1, le=1000, description="At most this many model calls are in flight.")] = 16
    timeout: Annotated[float, Field(gt=0, description="Seconds that one model call may take.")] = 120.0
    sample: Annotated[int, Field(ge=0, description="Number of the run: another number samples replies anew.")] = 0
    rebuild: Annotated[bool, Field(description="Build the memory again with the current prompts.")] = False

    @model_validator(mode="wrap")
    @classmethod
    def _check(cls, given: Any, checked: ModelWrapValidatorHandler[Self]) -> Self:
        try:
            return checked(given)
        except ValidationError as problem:
            raise BadInput(_complaint(problem.errors()[0])) from None

    def __post_init__(self) -> None:
        for name, value in vars(self).items():
            if isinstance(value, int) and value > LARGEST:
                raise BadInput(f"The setting '{name}' can't be used: {value} is too large.")
        if self.without_memory and not self.rounds:
            raise BadInput("Without memory there must be research: give rounds of at least 1.")
        if self.min_page_words >= self.max_page_words:
            raise BadInput(
                f"min_page_words ({self.min_page_words}) must be smaller than max_page_words ({self.max_page_words})."
            )


def run_context(given: object) -> ReaderContext:
    """The context of a run: nothing given = the defaults; a dictionary has the settings by their names.

    Raises `BadInput` for another thing, such as the context of a graph around this one.
    """
    if given is None or isinstance(given, Mapping):
        return ReaderContext(**(given or {}))
    if not isinstance(given, ReaderContext):
        raise BadInput(
            f"The context must be a ReaderContext, not {type(given).__name__}: where a graph around this one has a "
            "context of its own, call this one in a node, with context=ReaderContext(…)."
        )
    return given


def _complaint(fault: ErrorDetails) -> str:
    name = "".join(map(str, fault["loc"][:1]))
    if fault["type"] == "unexpected_keyword_argument":
        near = get_close_matches(name, [each.name for each in fields(ReaderContext)], 1)
        return f"There is no setting '{name}'" + (f": do you mean '{near[0]}'?" if near else ".")
    if fault["type"] == "unexpected_positional_argument":
        return "Settings are given by their names, such as ReaderContext(model=…)."
    return f"The setting '{name}' can't be used: {fault['msg']}."


PROFILES: dict[str, dict[str, Any]] = {
    "quality": {
        "min_page_words": 280,
        "max_page_words": 600,
        "max_pages": 5,
        "retrieval_words": 600,
        "segment_words": 750,
        "children": 8,
    },
    "qmsum": {
        "min_page_words": 280,
        "max_page_words": 600,
        "max_pages": 6,
        "show_previous_page": True,
        "retrieval_words": 600,
        "baseline_words": 6000,
    },
    "gutenberg": {"min_page_words": 500, "max_page_words": 3000, "max_pages": 3, "retrieval_words": 3000},
    "movie": {
        "min_page_words": 600,
        "max_page_words": 1000,
        "max_pages": 3,
        "gist_words": 96,
        "retrieval_words": 1000,
    },
    "screenplay": {"segment_words": 750, "children": 5},
    "report": {"segment_words": 900, "children": 8},
    "nested-keys": {"min_page_words": 4, "max_page_words": 6},
}
"""The settings of the papers' experiments: ReadAgent's (section 4 and appendix C; retrieval ranks pages of its sizes,
and QMSum is cut to 6,000 words, section 4.2; movie gists had 128 tokens in the authors' code, about 96 words),
MemWalker's (section 4.2: QuALITY, SummScreenFD, GovReport; 1,000 tokens are about 750 words), and for MemGPT's nested
keys (section 3.2.2) a pair a page."""
