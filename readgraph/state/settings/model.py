"""The settings of the model that is asked: which, how often, how much it sees, what may be spent."""

import os
from dataclasses import field
from typing import Annotated, Literal

from annotated_types import Ge, Le

from readgraph.state.declaring import Help, InRecipe, Settings

ReplyForm = Literal["auto", "json_schema", "function", "text", "plain"]
"""How typed replies are requested; `auto`: by the best form that the model supports."""

PACKAGED_MODEL = "local:SmolLM2-135M-Instruct"
"""The chat model that comes inside a package (`readgraph[local-model]`)."""


def full_name(model: str) -> str:
    """The model's name with its provider; `local` alone means the packaged model."""
    return PACKAGED_MODEL if model == "local" else model


class Model(Settings, panel="Model"):
    """The model that is asked."""

    model: Annotated[
        str,
        Help(
            "The model to use, such as openai:gpt-4.1-mini; or local, for one that runs on this machine. Without one, "
            "readgraph only quotes.",
            "PROVIDER:NAME",
            "READGRAPH_MODEL",
        ),
    ] = field(default_factory=lambda: os.environ.get("READGRAPH_MODEL", ""))
    reply_form: Annotated[
        ReplyForm,
        Help("How typed replies are requested; auto uses the best form that the model supports.", option=False),
    ] = "auto"
    prompts: Annotated[
        str, Help("A folder of prompts in your own words, as 'readgraph prompts export' writes them.", "FOLDER")
    ] = ""
    sample: Annotated[
        int,
        Ge(0),
        Help("The number of the run; another number gets new replies instead of recorded ones.", option=False),
        InRecipe(),
    ] = 0

    again: Annotated[
        bool,
        Help("Ask again where the model's saved replies could not be used; without it, nothing is paid for twice."),
    ] = False

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "model", full_name(self.model))


class Tenant(Settings, panel="Model"):
    """Whose documents, memories and replies a reading uses."""

    namespace: Annotated[
        str, Help("The part of the store that is used, such as a tenant's; others are never seen.", option=False)
    ] = ""
    share_replies: Annotated[
        bool, Help("Use recorded replies and embeddings of all namespaces, and record new ones for all.", option=False)
    ] = False


class ReadingModel(Settings, panel="Model"):
    """Another model to build memories with."""

    reading_model: Annotated[
        str, Help("Another model to write notes with, such as a cheaper one; without one, the same.", "PROVIDER:NAME")
    ] = ""

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "reading_model", full_name(self.reading_model))


class Embeddings(Settings, panel="Model"):
    """The embedding model of vector search."""

    embeddings: Annotated[
        str, Help("The embedding model of vector search; without one, there is no vector search.", "PROVIDER:NAME")
    ] = ""


class Window(Settings, panel="Model"):
    """How much the model sees at once."""

    window_words: Annotated[
        int, Ge(1000), Help("Words that a prompt may hold; notes that don't fit are merged or left out.")
    ] = 60_000


class Concurrency(Settings, panel="Model"):
    """How many model calls are made at once."""

    concurrency: Annotated[int, Ge(1), Le(1000), Help("At most this many calls at the same time.")] = 16


class Calls(Settings, panel="Model"):
    """How long a model call may take, and how large its reply may be."""

    timeout: Annotated[float, Ge(0.1), Help("Seconds that one model call may take.")] = 120.0
    retry_seconds: Annotated[
        float, Ge(0), Help("Seconds to keep retrying a call after a temporary failure; 0 = don't retry.")
    ] = 300.0
    max_reply_mb: Annotated[
        int,
        Ge(1),
        Le(1000),
        Help("Megabytes that one reply of a server with OpenAI's protocol may have, also when streamed."),
    ] = 20


class Batching(Settings, panel="Budget"):
    """Whether model calls are made in batches."""

    batch: Annotated[
        bool,
        Help(
            "Send calls that don't depend on each other in batches, at half the price: replies take minutes to hours. "
            "For models of openai, and servers with its batch endpoint."
        ),
    ] = False


class Budget(Settings, panel="Budget"):
    """How much may be spent."""

    max_calls: Annotated[
        int | None, Ge(0), Help("Stop after this many model calls in one reading, or in one turn of an agent.")
    ] = None
    max_words: Annotated[
        int | None, Ge(0), Help("Stop after this many words sent and received in one reading, or in one turn.")
    ] = None
    max_seconds: Annotated[
        int | None, Ge(0), Help("Begin no model call after this many seconds of one reading, or of one turn.")
    ] = None
