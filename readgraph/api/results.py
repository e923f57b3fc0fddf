"""What the functions of the api return: typed, described, and plain JSON when dumped."""

from collections.abc import Mapping
from typing import Any, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, PrivateAttr

from readgraph.library.search.passages import FoundBy
from readgraph.state.channels import NotMemorised
from readgraph.state.reading import Seen, Status

__all__ = ["Result"]

LACKS = "What the conversion of the file left out or could not have, a line each."


class Result(BaseModel):
    """The base of all results."""

    model_config = ConfigDict(frozen=True, extra="ignore")


class Used(Result):
    """A result of a reading, with what it used."""

    usage: dict[str, Any] = Field(description="Calls, words and tokens in and out, and seconds.")
    fallbacks: dict[str, int] = Field(
        default_factory=dict, description="Kinds of replies that could not be used, and how often a substitute stands."
    )
    notices: list[str] = Field(default_factory=list, description=LACKS)
    _output: Mapping[str, Any] = PrivateAttr(default_factory=dict)

    @classmethod
    def of(cls, output: Mapping[str, Any], **fields: Any) -> Self:
        """The result of a run with this output; `fields` are those that the output has otherwise, or not at all."""
        result = cls(**{**output, **fields})
        result._output = output
        return result

    @property
    def output(self) -> Mapping[str, Any]:
        """All that the method's graph gave, plain JSON: also its steps, its findings, and its fall-backs."""
        return self._output


class OfDocuments(Used):
    """What was made of a document, or of several that were read as one."""

    document: str = Field(description="The id of the document, or of the collection of those that were read as one.")
    title: str
    documents: list[dict[str, Any]] = Field(description="id, title, start and end of each document of a collection.")


class DocumentInfo(Result):
    """A document of the library."""

    id: str = Field(description="Names the document everywhere.")
    title: str
    source: str = Field(description="The file it was made from; empty if it was given as a text.")
    words: int
    sessions: int = Field(description="The number of sessions of a history that grows; 0 for other documents.")
    added: str = Field(description="When it was added: UTC, ISO 8601.")
    date: str = Field(description="Its own date: YYYY-MM-DD, YYYY-MM or YYYY; empty where none is known.")
    supersedes: str = Field(description="The id of the document in whose place it stands; empty for none.")
    notices: list[str] = Field(default_factory=list, description=LACKS)
    methods: list[str] = Field(description="The methods that have read it to its end.")
    read_together: int = Field(0, description="How often it was read together with others, for questions about all.")
    replaced_by: str = Field("", description="The id of the newer version that stands in its place; empty for none.")


class Reading(Used):
    """The memory that a method has built of a document."""

    document: str = Field(description="The id of the document.")
    title: str
    method: str
    memory: str = Field(description="The id of the memory.")
    pages: int
    notes: int
    note_words: int = Field(description="Words of all notes together.")
    complete: bool = Field(description="Whether the whole document is read; if not, the budget was spent.")
    status: Status


class Cited(Result):
    """A quote that stands in the document exactly so, if it was not read off a picture (`seen`)."""

    document: str = Field(description="The id of the document that holds the quote.")
    page: int = Field(description="The page of the memory; open_page opens it.")
    quote: str
    start: int = Field(description="Characters before the quote, in the document of the answer.")
    end: int = Field(description="Characters before the end of the quote.")
    place: str | None = Field(description="Where it is in the source: a page, chapter, heading, line or time.")
    dates: dict[str, str] = Field(
        default_factory=dict, description="What its words for a time mean, by the date of its place."
    )
    before: str = Field(default="", description="The sentences before it, if they were asked for.")
    after: str = Field(default="", description="The sentences after it, if they were asked for.")
    seen: Seen | Literal[""] = Field(
        default="",
        description="If the model saw a picture of its page: whether it stands in the text, too, or in the picture "
        "alone, which was not checked.",
    )


CHOICE = (
    "The letter of the option that was chosen, in a multiple choice; with by_rule, no model chose it: a guess by "
    "shared words, no better than chance."
)


class Answer(OfDocuments):
    """The answer to a question, with the quotes that it rests on."""

    method: str
    way: str = Field(default="", description="Where a method chose the one that answers: what that does, in words.")
    why: str = Field(default="", description="Why it was chosen.")
    model: str | None = Field(description="None: without a model, the nearest sentences are quoted.")
    answer: str | None = Field(
        description="None if the text does not hold the answer, or, with a fallback 'answer', if the model gave none "
        "that could be used. With status nearest: the nearest sentence instead."
    )
    choice: str | None = Field(description=CHOICE)
    status: Status
    by_rule: bool = Field(description="Whether no model gave the answer.")
    searched_by: list[FoundBy] = Field(
        default_factory=list,
        description="Without a model: words, and meaning where vectors of the text are there (readgraph[meaning]).",
    )
    citations: list[Cited]
    pages_read: list[int] = Field(description="The pages that were read for this question, in this order.")
    percent_read: float | None = Field(description="The percentage of the text's words that stand on these pages.")
    sentences: list[dict[str, Any]] = Field(
        default_factory=list,
        description="Of a long answer: text, pages checked against, supported (true, false, or null: not checked).",
    )
    unread: list[int] = Field(
        default_factory=list, description="Of a survey: the parts that could not be read, so that records are missing."
    )
    unsupported: int = Field(default=0, description="Sentences of a long answer that the text doesn't support.")
    unchecked: int = Field(default=0, description="Sentences of a long answer that were not checked.")
    absence: dict[str, Any] | None = Field(
        default=None,
        description="Where no answer was found, and it was to be proven: parts, to_judge, judged, unjudged, found, "
        "proven, why_not.",
    )
    notices: list[str] = Field(
        default_factory=list,
        description=f"{LACKS} Without a model: that the match is weak, and what fits the question better.",
    )
    memory: str
    _asked: tuple[Any, ...] = PrivateAttr(default=())  # the question, method, context and thread, to ask once more


class Hit(Result):
    """A passage that shares words with a query; `text` is an excerpt of it."""

    document: str = Field(description="The id of the document.")
    title: str
    page: int | None = Field(description="The page of the newest memory on which it stands; None if none was read.")
    method: str | None = Field(description="The method that built this memory.")
    place: str | None = Field(description="Where it is in the source.")
    start: int = Field(description="Characters before the excerpt.")
    end: int
    score: float = Field(description="Higher is better; scores of one search can be compared.")
    found_by: list[FoundBy] = Field(description="words, where it shares any with the query; meaning, where it is near.")
    text: str
    marks: list[tuple[int, int]] = Field(description="Spans of the query's words in the document.")


class OpenedPage(Result):
    """The text of a page, and its note."""

    document: str
    title: str
    method: str = Field(description="The method that cut the page.")
    page: int
    pages: int = Field(description="How many pages there are; they are numbered from 0.")
    place: str | None = Field(description="Where the page begins in the source.")
    start: int
    end: int
    text: str
    note: str | None = Field(description="The gist, summary or memo of the page.")
    notices: list[str] = Field(default_factory=list, description=LACKS)


class Remembered(Used):
    """What was appended to a history, and its memory after that."""

    document: str
    title: str
    sessions: int = Field(description="How many sessions the history has now.")
    added: int = Field(description="How many were new.")
    known: int = Field(description="How many were known already, and not appended again.")
    memory: str
    pages: int
    notes: int
    note_words: int
    complete: bool


class Researched(Used):
    """What research gathered on a question, for an agent that answers itself."""

    document: str
    title: str
    context: str = Field(description="What was found; empty if nothing was.")
    sources: list[int] = Field(description="The pages that it rests on.")
    status: Status
    not_memorised: NotMemorised = Field(
        description="Sessions of a history, and words, that gam has not read yet, so that nothing is found there."
    )
