"""The state of one reading: small plain JSON values, the same for every method; and its chat messages."""

from collections.abc import Mapping, Sequence
from operator import add
from typing import Annotated, Any, Literal, NamedTuple, NotRequired, cast

from langchain_core.messages import AnyMessage, BaseMessage
from langgraph.channels import EphemeralValue
from langgraph.graph.message import add_messages
from pydantic import Field
from typing_extensions import TypedDict

from readgraph.state.errors import BadInput

__all__ = ["Answered", "ReadingState"]

MOST_MESSAGES = 20  # messages of a thread that are kept: they are written again with every checkpoint


def add_chat(before: Sequence[Any], new: Any) -> list[AnyMessage]:
    """The newest messages of both, of those with one id the later; raises `BadInput` for what is no message."""
    messages = [
        message for message in before if isinstance(message, BaseMessage)
    ]  # earlier versions kept plain texts here
    try:
        joined: Any = add_messages(messages, new or [])  # type: ignore[arg-type]
    except (TypeError, ValueError, NotImplementedError, LookupError):
        raise BadInput(
            "The input's 'messages' must be chat messages, such as [{'role': 'user', 'content': 'Who took it?'}]."
        ) from None
    return [*joined][-MOST_MESSAGES:]


ChatMessages = Annotated[
    list[AnyMessage],
    Field(description="The conversation as chat messages. Without `question`, the last message is the question."),
    add_chat,
]


def last_question(messages: Sequence[BaseMessage]) -> str:
    """The question in a conversation: its last message, if a person wrote it; else ""."""
    return str(messages[-1].text).strip() if messages and messages[-1].type == "human" else ""


def exchanges_in(messages: Sequence[BaseMessage]) -> list[tuple[str, str | None]]:
    """The questions of a conversation before its last message, each with its answer; None if it has none."""
    exchanges: list[tuple[str, str | None]] = []
    for message in messages[:-1]:
        text = str(message.text).strip()
        if message.type == "human" and text:
            exchanges.append((text, None))
        elif message.type == "ai" and text and exchanges:
            exchanges[-1] = (exchanges[-1][0], text)
    return exchanges


Status = Literal["reading", "answered", "nearest", "researched", "no_answer", "budget", "summarised", "extracted"]
"""`nearest`: no model said what answers the question; the sentences nearest to it are quoted, the best first.
`researched`: the context was gathered, and no answer was wanted. `no_answer`: the text doesn't hold the answer, or,
without a model, no passage shares words with the question. `budget`: the budget ended the reading, and the findings so
far are returned. `summarised`: a summary was written; `extracted`: it consists of the text's own sentences, which no
model chose."""


class Usage(TypedDict):
    """What was used: calls to the model, calls answered from recorded replies, words in and out, seconds of steps.

    `refused` counts the replies that could not be used. Tokens are as the model server reports them, 0 if it reports
    none; of those sent, a provider's cache held the `cache_read_tokens` and took in the `cache_write_tokens`.
    `embedded_texts` are those that an embedding model was sent; without any, it is left out.
    """

    calls: int
    cached_calls: int
    refused: int
    input_words: int
    output_words: int
    input_tokens: int
    output_tokens: int
    cache_read_tokens: NotRequired[int]
    cache_write_tokens: NotRequired[int]
    embedded_texts: NotRequired[int]
    seconds: float


class Tokens(NamedTuple):
    """The tokens of a call, as its server counts them; `cache_read` and `cache_written` are parts of those `sent`."""

    sent: int = 0
    received: int = 0
    cache_read: int = 0
    cache_written: int = 0


NO_TOKENS = Tokens()


class Step(TypedDict):
    """One run of a node in the trajectory: its model, a one-line summary, its usage and its fall-backs.

    `by_meaning`: it searched by meaning as well as by words, where no setting named a model for that. `pictures`: the
    places that the model was shown in pictures, too.
    """

    node: str
    model: str
    summary: str
    usage: Usage
    fallbacks: dict[str, int]
    by_meaning: NotRequired[bool]
    pictures: NotRequired[list[str]]


class Quote(TypedDict):
    """A quote as the model gave it, before it is looked up in the document.

    `start`: the character offset from which on it is looked for, since a page may have the same words several times.
    `pictures`: the places of its page that the model saw in pictures, too.
    """

    page: int
    quote: str
    start: NotRequired[int]
    pictures: NotRequired[list[str]]


class Finding(TypedDict):
    """What any method learned from a page: an answer to the question, or (`answers` false) a part of one.

    `page` is -1 if no page is named; `choice` is the letter chosen in a multiple choice; `by_rule`: no model said so.
    """

    page: int
    answers: bool
    text: str
    choice: str | None
    quotes: list[Quote]
    by_rule: NotRequired[bool]


def with_finding(findings: Sequence[Finding], new: Finding) -> list[Finding]:
    """The findings with a new one; it replaces an earlier finding of the same page, but keeps that one's quotes."""
    earlier = [quote for finding in findings if finding["page"] == new["page"] for quote in finding["quotes"]]
    others = [finding for finding in findings if finding["page"] != new["page"]]
    quotes = [*earlier, *(quote for quote in new["quotes"] if quote not in earlier)]
    return [*others, {**new, "quotes": quotes}]


Seen = Literal["with the text", "in the picture"]
"""Whether a quote of a page that was shown as a picture stands in the text, or was read off the picture alone."""


class Citation(TypedDict):
    """A quote that was found in the document: page number, exact text, character span `[start, end)`.

    `place` says where it is in the source's own terms: the page of a PDF, a chapter, a heading, a line, a time.
    `document` names the document if it is not the document of the question. `mark_at` is where its mark stands in the
    answer, as an offset, where the method knows it. `dates`: what words for a time in it ("last Sunday") mean, by the
    day in its place's name. `before`, `after`: the sentences around it, where the settings want them. `seen`: the model
    saw a picture of its place; of what it read "in the picture" alone no span is known, and `end` is `start`.
    """

    page: int
    quote: str
    start: int
    end: int
    place: str | None
    document: NotRequired[str]
    mark_at: NotRequired[int]
    dates: NotRequired[dict[str, str]]
    before: NotRequired[str]
    after: NotRequired[str]
    seen: NotRequired[Seen]


class Sentence(TypedDict):
    """A sentence of a summary or of a long answer, and the pages that it rests on or was checked against.

    `places`: where these pages begin in the source's own terms. `quotes`: words of the pages that show it; of a summary
    not yet looked up, of an answer the document's own. `supported`: whether the pages' texts say so, None where that
    was not checked. `extracted`: it is the text's own sentence. `paragraph`: the number of its paragraph. `end`: the
    offset in an answer where it ends. `doubt`: what is said of it there, where more is known than that.
    """

    text: str
    pages: list[int]
    places: list[str | None]
    quotes: list[Quote]
    supported: bool | None
    extracted: bool
    paragraph: int
    end: NotRequired[int]
    doubt: NotRequired[str]


WhyNot = Literal["", "model", "budget", "replies", "unread"]


class Absence(TypedDict):
    """A proof that a text holds no answer, or how far it came: of `parts`, those `to_judge` were not read before.

    `judged`: how many of these a model judged; `unjudged`: the parts that are left; `found`: parts in which an answer
    was found after all. Where nothing is `proven` or found, `why_not`: no "model", the "budget" ended, no usable
    "replies" came for some parts, or some of the text is "unread".
    """

    parts: int
    to_judge: int
    judged: int
    unjudged: list[int]
    found: list[int]
    proven: bool
    why_not: WhyNot


class QuestionTurn(TypedDict):
    """A question of a thread and its answer; None if there is no answer, or not yet."""

    question: str
    answer: str | None


EMBEDDED = "embedded_texts"
NOTHING_USED = cast(
    Usage, {**dict.fromkeys([name for name in Usage.__annotations__ if name != EMBEDDED], 0), "seconds": 0.0}
)


def add_usage(first: Usage, second: Usage) -> Usage:
    """The sum of two usages; calls answered from recorded replies cost nothing and are counted separately."""
    one: Mapping[str, Any] = first or NOTHING_USED
    other: Mapping[str, Any] = second
    both: Any = {name: one.get(name, 0) + other.get(name, 0) for name in NOTHING_USED}  # older ones count no cache
    if embedded := one.get(EMBEDDED, 0) + other.get(EMBEDDED, 0):
        both[EMBEDDED] = embedded
    both["seconds"] = round(both["seconds"], 4)
    return both  # type: ignore[no-any-return]


def add_counts(first: Mapping[str, int], second: Mapping[str, int]) -> dict[str, int]:
    """The sum of two counts by kind, in the order in which the kinds first occur."""
    return {kind: first.get(kind, 0) + second.get(kind, 0) for kind in dict.fromkeys([*first, *second])}


def add_pages(first: Sequence[int], second: Sequence[int]) -> list[int]:
    """The numbers of both, each once, in their order."""
    return sorted({*first, *second})


class TextGiven(TypedDict):
    """A document in the page store, or a short text with its title."""

    document: NotRequired[Annotated[str, Field(description="The id of a document in the page store.")]]
    text: NotRequired[
        Annotated[str, Field(description="A text of up to 400,000 characters, instead of a document."), EphemeralValue]
    ]
    title: NotRequired[Annotated[str, Field(description="The title of the text."), EphemeralValue]]


class Question(TextGiven):
    """Input of every graph: a document in the page store (or a short text), and a question about it.

    Without a question the graph builds the document's memory and ends. `options` makes it a multiple choice.
    `document` may be left out for a further question in the same thread. Such a question starts afresh unless
    `follow_up` says that it continues the questions before it. `messages` is for clients that speak in chat messages:
    a person's last message is the question, what was said before it makes it a follow-up, and the answer becomes a
    message too.
    """

    question: NotRequired[
        Annotated[str, Field(description="The question; without one the document is only read."), EphemeralValue]
    ]
    options: NotRequired[
        Annotated[list[str], Field(description="Two to 26 options, of which one is chosen."), EphemeralValue]
    ]
    follow_up: NotRequired[
        Annotated[bool, Field(description="The question goes on from those before it in the thread."), EphemeralValue]
    ]
    messages: NotRequired[ChatMessages]


class Answered(TypedDict):
    """Output of every graph.

    `pages_read` is in order of reading; `percent_read` is the percentage of the text's words that stand on these pages,
    None without a question. `by_rule`: no model gave the answer, or said that there is none. `compression_rate` is 100
    · (1 − words in context / words of the text) at the answer (ReadAgent, section 4), None without an answer.
    `findings` are what the method learned from single pages; their quotes have not been looked up in the text.
    `corrected_notes` are the pages whose notes were used as a user corrected them. `messages` ends with the answer
    where the question came as a message. `sentences` are those of a summary or of a long answer that were checked, none
    of a short one; `unsupported` and `unchecked` count those whose pages don't say so, and those of which that is not
    known. `absence`: where no answer was found, and the settings want it proven that there is none.
    """

    document: str
    memory: str
    answer: str | None
    choice: str | None
    status: Status
    by_rule: bool
    findings: list[Finding]
    citations: list[Citation]
    sentences: list[Sentence]
    unsupported: int
    unchecked: int
    pages_read: list[int]
    percent_read: float | None
    compression_rate: float | None
    usage: Annotated[Usage, add_usage]
    fallbacks: Annotated[dict[str, int], add_counts]
    corrected_notes: Annotated[list[int], add_pages]
    steps: Annotated[list[Step], add]
    messages: NotRequired[ChatMessages]
    absence: NotRequired[Absence | None]


class ReadingState(Answered):
    """All channels of a reading. The first node resets those that belong to one question (see `fresh_reading`)."""

    text: NotRequired[Annotated[str, EphemeralValue]]
    title: NotRequired[Annotated[str, EphemeralValue]]
    question: NotRequired[Annotated[str, EphemeralValue]]
    options: NotRequired[Annotated[list[str], EphemeralValue]]
    follow_up: NotRequired[Annotated[bool, EphemeralValue]]

    question_turns: list[QuestionTurn]
    question_text: str
    choices: dict[str, str]
    continue_search: bool
    quotes: list[Quote]
