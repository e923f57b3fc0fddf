"""The settings of the model that is asked, of a text's parts and their notes, and of what is written about it."""

import os
from dataclasses import field
from typing import Annotated, Literal

from annotated_types import Ge, Le, MaxLen

from readgraph.state.declaring import Help, InRecipe, Settings
from readgraph.state.errors import BadInput
from readgraph.state.language_names import language_code
from readgraph.state.providers import ModelName, full_name

ReplyForm = Literal["auto", "json_schema", "function", "text", "plain"]
"""How typed replies are requested; `auto`: by the best form that the model supports."""

EXAMPLE_MODEL = "openai:gpt-5.4-mini"
"""The model that help and pages name; a test compares them, and looks for its price."""


class Model(Settings, panel="Model"):
    """The model that is asked."""

    model: Annotated[
        ModelName,
        Help(
            f"The model to use, such as {EXAMPLE_MODEL}; or local, for one that runs on this machine. Without one, "
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
        ModelName,
        Help("Another model to write notes with, such as a cheaper one; without one, the same.", "PROVIDER:NAME"),
    ] = ""

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "reading_model", full_name(self.reading_model))


class Embeddings(Settings, panel="Model"):
    """The embedding model of vector search."""

    embeddings: Annotated[
        ModelName,
        Help("The embedding model of vector search; without one, there is no vector search.", "PROVIDER:NAME"),
    ] = ""
    embedding_batch: Annotated[
        int,
        Ge(1),
        Le(2048),
        Help("Texts that one request to the embedding model has at most; where its server takes fewer, it is found."),
    ] = 64


class Window(Settings, panel="Model"):
    """How much the model sees at once."""

    window_words: Annotated[
        int, Ge(1000), Help("Words that a prompt may hold; notes that don't fit are merged or left out.")
    ] = 60_000


class Concurrency(Settings, panel="Model"):
    """How many model calls are made at once."""

    concurrency: Annotated[int, Ge(1), Le(1000), Help("At most this many calls at the same time.")] = 16


class Calls(Settings, panel="Model", calls=True):
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


MeaningSearch = Literal["auto", "always", "never"]
"""When texts are searched by meaning as well: `auto` up to 300,000 words."""

ParagraphBreak = Literal["auto", "two-blank-lines", "blank-line", "line"]
"""What ends a paragraph; `auto` decides by the text."""

Strategy = Literal["parallel", "sequential"]
"""How ReadAgent looks parts up: all at once, or one by one."""

Paging = Literal["pauses", "even"]
"""Where pages end: at pauses that the model chooses, or evenly, of about the same length."""

Preset = Literal["question", "code", "meeting", "contract", "novel"]
"""What notes are for, by name."""


class Rebuilding(Settings, panel="Parts"):
    """Whether a memory is built again."""

    rebuild: Annotated[bool, Help("Write the notes again where prompts have changed.")] = False


class Paragraphs(Settings, panel="Parts"):
    """Where paragraphs end."""

    paragraph_break: Annotated[
        ParagraphBreak, Help("What ends a paragraph; auto decides by the text.", option=False), InRecipe()
    ] = "auto"


class PageSizes(Settings, panel="Parts"):
    """How long pages are."""

    min_page_words: Annotated[int, Ge(1), Help("A part has at least this many words."), InRecipe()] = 280
    max_page_words: Annotated[int, Ge(2), Help("A part has at most this many words."), InRecipe()] = 600

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.min_page_words >= self.max_page_words:
            raise BadInput(
                f"min_page_words ({self.min_page_words}) must be smaller than max_page_words ({self.max_page_words})."
            )


class Pausing(Settings, panel="Parts"):
    """How a model chooses where pages end."""

    paging: Annotated[
        Paging,
        Help("Where parts end: at pauses that the model chooses, or evenly, of about the same length."),
        InRecipe(with_model=True, unless_default=True),
    ] = "pauses"

    stretches: Annotated[
        int | None,
        Ge(1),
        Le(1000),
        Help(
            "Divide this many stretches of a text into parts at the same time (1: as in the paper); without it, one "
            "for every seven parts."
        ),
        InRecipe(unless_default=True),
    ] = None
    show_previous_page: Annotated[
        bool,
        Help("Show the previous part when choosing where to pause (this helps with transcripts).", option=False),
        InRecipe(),
    ] = False
    show_next_paragraph: Annotated[
        bool, Help("Show the next paragraph when choosing where to pause.", option=False), InRecipe()
    ] = False


class Gists(Settings, panel="Parts"):
    """How gists are written."""

    gist_words: Annotated[int | None, Ge(10), Help("Ask for notes of at most this many words."), InRecipe()] = None


class Purpose(Settings, panel="Parts"):
    """What notes are for, where that is known before a text is read (conditional gisting)."""

    preset: Annotated[
        Preset | None,
        Help("What notes are for, by name: the kind of text; or question, for notes that serve what is asked."),
    ] = None
    purpose: Annotated[
        str, Help("What notes are for: a task that is known before the text is read, or the kind of text.", "TEXT")
    ] = ""

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "purpose", self.purpose.strip())


class Meaning(Settings, panel="Looking up"):
    """Whether texts are searched by meaning as well as by words where no model answers."""

    meaning: Annotated[
        MeaningSearch,
        Help("Without a model: search by meaning too, with readgraph[meaning]: auto (up to 300,000 words), always."),
    ] = "auto"


class PagesRead(Settings, panel="Looking up"):
    """How many pages are read again."""

    max_pages: Annotated[int, Ge(0), Help("Read at most this many parts again for a question.")] = 5


class LookUp(Settings, panel="Looking up"):
    """How a model chooses the pages."""

    strategy: Annotated[
        Strategy, Help("Look parts up all at once (parallel, ReadAgent-P) or one by one (sequential, ReadAgent-S).")
    ] = "parallel"


AnswerLength = Literal["phrase", "sentence", "paragraph", "free"]
"""How long an answer may be; `free`: as long as the question wants."""

LONG: tuple[AnswerLength, ...] = ("paragraph", "free")
"""Lengths of answers of several sentences."""


class Language(Settings, panel="Answers"):
    """The language that is written."""

    language: Annotated[
        str,
        Help(
            "The language of notes and answers, such as de or German; without one, the text's for notes and the "
            "question's for answers.",
            "NAME",
        ),
    ] = ""

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "language", language_code(self.language))


class AnswerForm(Settings, panel="Answers"):
    """How answers are written."""

    answer_length: Annotated[
        AnswerLength | None,
        Help("How long answers are: phrase, sentence, paragraph or free; without it, as the question wants.", "LENGTH"),
    ] = None
    answer_words: Annotated[int | None, Ge(1), Help("Ask for answers of about this many words.", option=False)] = None
    answer_dates: Annotated[
        str, MaxLen(40), Help("A date as answers write dates, such as 7 May 2023.", "DATE", option=False)
    ] = ""


class Quoting(Settings, panel="Answers"):
    """What is shown with quotes."""

    quote_context: Annotated[
        int, Ge(0), Le(100), Help("Show so many sentences of the text before and after each quote.", "N")
    ] = 0


class Checking(Settings, panel="Answers"):
    """Whether what was written is checked."""

    check_sentences: Annotated[
        bool, Help("Check each sentence of a long answer (paragraph, free), or of a summary.")
    ] = True


class Proving(Settings, panel="Answers"):
    """What is done where no answer was found."""

    prove_absence: Annotated[
        bool, Help("Where no answer is found, let the model judge each part that was not read, before none is given.")
    ] = False
