"""The runtime context: what a reading may use and how far it may go."""

import os
from dataclasses import field
from typing import Annotated, Any, Literal

from pydantic import ConfigDict, Field
from pydantic.dataclasses import dataclass

from readgraph.state.errors import BadInput

ReplyForm = Literal["auto", "json_schema", "function", "text"]
Strategy = Literal["parallel", "sequential"]
ParagraphBreak = Literal["auto", "blank-line", "line"]


def _model_from_environment() -> str:
    return os.environ.get("READGRAPH_MODEL", "")


@dataclass(frozen=True, kw_only=True, config=ConfigDict(extra="forbid"))
class ReaderContext:
    """Settings of one reading; JSON-plain, so that LangGraph Studio shows them as configuration.

    Defaults are those of ReadAgent on QuALITY (section 4 and appendix C). Raises pydantic's `ValidationError` for a
    value out of its range.
    """

    model: Annotated[
        str,
        Field(description="PROVIDER:NAME as for langchain's init_chat_model; empty = read without a model."),
    ] = field(default_factory=_model_from_environment)
    reading_model: Annotated[
        str, Field(description="PROVIDER:NAME of the model that builds memories; empty = the same model.")
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
    stretches: Annotated[
        int, Field(ge=1, description="Cut a long text into this many stretches that are paged at the same time.")
    ] = 1
    window_words: Annotated[
        int, Field(ge=1000, description="Words that a prompt may hold; gists that don't fit are merged.")
    ] = 60_000
    max_chain: Annotated[
        int, Field(ge=1, description="MemGPT: at most this many function calls before control goes back.")
    ] = 30
    max_calls: Annotated[int | None, Field(ge=0, description="Budget: model calls in one reading.")] = None
    max_words: Annotated[int | None, Field(ge=0, description="Budget: words sent and received in one reading.")] = None
    concurrency: Annotated[int, Field(ge=1, description="At most this many model calls are in flight.")] = 16
    timeout: Annotated[float, Field(gt=0, description="Seconds that one model call may take.")] = 120.0
    sample: Annotated[int, Field(ge=0, description="Number of the run: another number samples replies anew.")] = 0
    rebuild: Annotated[bool, Field(description="Build the memory again with the current prompts.")] = False

    def __post_init__(self) -> None:
        if self.min_page_words >= self.max_page_words:
            raise BadInput(
                f"min_page_words ({self.min_page_words}) must be smaller than max_page_words ({self.max_page_words})."
            )


PROFILES: dict[str, dict[str, Any]] = {
    "quality": {"min_page_words": 280, "max_page_words": 600, "max_pages": 5},
    "qmsum": {"min_page_words": 280, "max_page_words": 600, "max_pages": 6, "show_previous_page": True},
    "gutenberg": {"min_page_words": 500, "max_page_words": 3000, "max_pages": 3},
    "movie": {"min_page_words": 600, "max_page_words": 1000, "max_pages": 3, "gist_words": 96},
}
"""The settings of ReadAgent's experiments (section 4 and appendix C); movie gists had 128 tokens, about 96 words."""
