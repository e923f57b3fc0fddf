"""What all steps that answer share: how an answer is asked for and read, its status and its figures.

The prompts ask for it in words or by a letter (ReadAgent, 3.2, F; GAM, 2.2.2, 3.5), or weigh findings.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Annotated, Any, ClassVar, NamedTuple, TypeAlias, cast, get_args

from langchain_core.messages import AIMessage, AnyMessage
from pydantic import BaseModel, BeforeValidator, Field

from readgraph.language.asked import answers
from readgraph.language.detection import DEFAULT, certain_language
from readgraph.library.page_store import page_store
from readgraph.models.asking import ask_reply, can_ask, say_budget_spent
from readgraph.models.metering import current_meter
from readgraph.models.prompt import DATA_RULE, Prompt, Wording, declare_wording, fenced
from readgraph.models.reply import numbers_in, restrict_reply
from readgraph.models.streaming import stream_message
from readgraph.nodes.contracts import AnswerDraft, AnswerUpdate, AskedQuestion, AskedState, ReaderRuntime
from readgraph.nodes.memory import describe_missing
from readgraph.nodes.prompts import (
    READER_SYSTEM,
    Reply,
    answer_length,
    at_length,
    length_line,
    question_alone,
    question_part,
)
from readgraph.state.context import ReaderContext
from readgraph.state.declaring import LARGEST, Groups
from readgraph.state.language_names import NAMES
from readgraph.state.reading import Finding, Quote, Status, last_question
from readgraph.state.records import Document, Page
from readgraph.state.settings import LONG, AnswerForm, AnswerLength, Language, Meaning

__all__ = ["compression_rate", "write_answer"]

ANSWER = declare_wording(
    "answer",
    READER_SYSTEM,
    "{free}{choose}",
    version=2,
    shared="question",
    free="Answer the question, and quote the words of the text that show the answer.",
    choose="Choose the best option: {letters}. Quote the words of the text that show it.",
)


class QuotedText(BaseModel):
    """Words of the text that show the answer."""

    page: int = Field(description="The page's number.")
    quote: str = Field(description="A sentence or less, copied word by word from a page that stands in full.")


def quotes_in(value: Any) -> list[dict[str, Any]]:
    """The quotes among what was given; one that names no page may stand on any (-1)."""
    given = value if isinstance(value, list) else [value]
    parts = [{"quote": part} if isinstance(part, str) else part for part in given]
    sound = [part for part in parts if isinstance(part, dict) and isinstance(part.get("quote"), str)]
    return [{"quote": part["quote"], "page": [*numbers_in(part.get("page")), -1][0]} for part in sound]


Quotes = Annotated[list[QuotedText], BeforeValidator(quotes_in)]
"""A list of quotes; also accepts a single one, null, and bare texts."""


class Quoting(BaseModel):
    """An answer with quotes. As the last base of a reply it makes them the first field."""

    quotes: list[QuotedText] = Field(description="One to three quotes that show the answer; empty if there is none.")


class AnswerAlone(BaseModel):
    """An answer in one's own words, without quotes: where no part of the text is in view."""

    DECIDES: ClassVar[tuple[str, ...]] = ("answer",)
    answer: str | None = Field(description="A short and concise answer; null if the notes don't hold it.")

    @classmethod
    def thoughts_and_text(cls, begun: dict[str, Any]) -> tuple[str, Any]:
        """The answer, which is streamed while the model writes it."""
        return "", begun.get("answer")


class FreeAnswer(AnswerAlone, Quoting):
    """An answer in one's own words."""

    answer: str | None = Field(description="A short and concise answer; null if the text doesn't say.")


class ChoiceAlone(BaseModel):
    """An answer chosen from options, without quotes."""

    DECIDES: ClassVar[tuple[str, ...]] = ("choice",)
    choice: str = Field(description="The letter of the best option.")


class ChosenAnswer(ChoiceAlone, Quoting):
    """An answer chosen from options."""


def answer_prompt(memory: str, question: str, choices: dict[str, str], words: Wording = ANSWER) -> Prompt:
    """Ask for the answer; with choices, for a letter. With the words `WEIGH`, memory is findings after page tags."""
    values = {"free": not choices, "choose": choices, "letters": ", ".join(choices)}
    return words.ask(fenced("memory", memory), question_part(question, choices), **values)


ANSWER_FROM_NOTES = declare_wording(
    "answer_from_notes",
    "You answer questions about a long text from what was collected on them: notes, and in some cases parts of the "
    "text. Use nothing but what stands there. " + DATA_RULE,
    "{free}{choose}{quote}",
    free="Answer the question.",
    choose="Choose the best option: {letters}.",
    quote=" Quote the words of the text that show it.",
)


def answer_from_notes_prompt(notes: str, evidence: str, question: str, choices: dict[str, str]) -> Prompt:
    """Ask for the answer; where parts of the text are given as evidence, for quotes from them too."""
    parts = [fenced("text", evidence) if evidence else "", fenced("notes", notes), question_part(question, choices)]
    values = {"free": not choices, "choose": choices, "letters": ", ".join(choices), "quote": evidence}
    return ANSWER_FROM_NOTES.ask(*parts, **values)


WEIGH = declare_wording(
    "weigh",
    "Several passages of a long text were read in search of the answer to a question. You see what was found in each, "
    "with quotes, and say what the answer is. Use nothing but what stands there. " + DATA_RULE,
    "{free}{choose} Where findings disagree, weigh what they quote. Name the pages that show it.",
    free="Answer the question.",
    choose="Choose the best option: {letters}.",
)


class WeighedAnswer(BaseModel):
    """The answer that the findings give."""

    DECIDES: ClassVar[tuple[str, ...]] = ("answer",)
    reason: str = Field(description="A few words: what agrees, what doesn't.")
    pages: list[int] = Field(description="The pages whose findings show the answer; empty if there is none.")
    answer: str | None = Field(description="A short and concise answer; null if the findings don't give one.")


class WeighedChoice(BaseModel):
    """The option that the findings speak for."""

    DECIDES: ClassVar[tuple[str, ...]] = ("choice",)
    reason: str = Field(description="A few words: what agrees, what doesn't.")
    pages: list[int] = Field(description="The pages whose findings show it; empty if there are none.")
    choice: str | None = Field(description="The letter of the best option; null if the findings don't speak for any.")


NOT_FOUND = "I found no answer to this in the text."
GAVE_NONE = "The model gave no answer to this that could be used."
NEAREST = "No model answered this. Nearest sentences:"
SAYS = "No model answered this. The text says:"
NEAREST_OPTION = "No model answered this. Nearest option:"
RESEARCHED = "I gathered what the text says about this; the answer was left to you."


STYLE: Groups = (AnswerForm, Language, Meaning)  # how answers are written, and without a model how quotes are found


class AnswerStyle(NamedTuple):
    """How an answer is to be written: `line` is said at the end of a prompt, "" where nothing is to be said."""

    length: AnswerLength | None = None
    line: str = ""

    @property
    def long(self) -> bool:
        """Whether the answer may be long."""
        return self.length in LONG

    def reply(self, reply: type[Reply]) -> type[Reply]:
        """The type of the reply, which does not ask for a short answer where it may be long."""
        return at_length(reply) if self.long else reply


def set_long(context: ReaderContext) -> bool:
    """Whether the settings want long answers, whatever the question's words want."""
    return answer_length(context, "") in LONG


def dates_line(example: str) -> str:
    """The line on the form of dates in an answer."""
    return f"Write dates in the answer like this: {example.strip()}." if example.strip() else ""


def answer_language_line(language: str) -> str:
    """The line on the language of an answer, an ISO 639-1 code or ""."""
    return f"Write the answer in {NAMES[language]}; quotes stay as they stand in the text." if language else ""


def answer_style(state: AskedQuestion, runtime: ReaderRuntime) -> AnswerStyle:
    """The style of the answer to a question; of an option there is nothing to say."""
    if state["choices"]:
        return AnswerStyle()
    context, question = runtime.context, question_alone(state)
    words, language, length = context.answer_words, context.language, answer_length(context, question)
    if not language:
        asked_in = certain_language([question])
        language = "" if asked_in == DEFAULT else asked_in
    lines = [length_line(length, words), dates_line(context.answer_dates), answer_language_line(language)]
    return AnswerStyle(length, " ".join(filter(None, lines)))


Replies: TypeAlias = tuple[type[BaseModel], type[BaseModel]]
"""The types of a reply: with an `answer` in words, and with a `choice` where the question has options."""

QUOTED: Replies = (FreeAnswer, ChosenAnswer)
UNQUOTED: Replies = (AnswerAlone, ChoiceAlone)
WEIGHED: Replies = (WeighedAnswer, WeighedChoice)


class AnswerRequest(NamedTuple):
    """What `ask_reply` is to ask for an answer: the prompt, the type of the reply, and what is wrong with one."""

    prompt: Prompt
    reply: type[Any]
    complaint: Callable[[Any], str | None]


def answer_request(
    prompt: Prompt, state: AskedState, runtime: ReaderRuntime, replies: Replies = QUOTED
) -> AnswerRequest:
    """The request for an answer in the style that the settings want, or for the letter of an option."""
    in_words, by_letter = replies
    choices = state["choices"]
    if not choices:
        style = answer_style(state, runtime)
        return AnswerRequest(prompt.adding(style.line), style.reply(in_words), lambda reply: None)
    may_be_null = type(None) in get_args(by_letter.model_fields["choice"].annotation)

    def complaint(reply: Any) -> str | None:
        is_choice = letter_of(reply.choice or "") in choices or (may_be_null and not reply.choice)
        return None if is_choice else f"choice must be one of {', '.join(choices)}{', or null' if may_be_null else ''}"

    return AnswerRequest(prompt, restrict_reply(by_letter, choice=choices), complaint)


def read_answer(reply: Any, choices: Mapping[str, str]) -> tuple[str | None, str | None]:
    """The answer of a reply, and its letter where there are options; None where it gives none."""
    if not choices:
        return (reply.answer or "").strip() or None, None
    letter = letter_of(reply.choice) if reply.choice else None
    return choices[letter] if letter else None, letter


def quotes_from(given: Iterable[QuotedText]) -> list[Quote]:
    """A model's quotes. A page that can't exist counts as unknown: a state can't hold arbitrarily large integers."""
    return [Quote(page=quoted.page if 0 <= quoted.page <= LARGEST else -1, quote=quoted.quote) for quoted in given]


def with_pictures(quotes: Iterable[Quote]) -> list[Quote]:
    """The quotes of a step, each with the places of its page that the model saw in pictures."""
    named = ((quote, current_meter().places_seen(quote["page"])) for quote in quotes)
    return [Quote(**{**quote, "pictures": places}) if places else quote for quote, places in named]


def letter_of(choice: str) -> str:
    """The letter in a model's choice: "b", "(B)", "B. The lamp"."""
    return choice.strip().lstrip("([").strip()[:1].upper()


async def weigh_findings(
    findings: Sequence[Finding], shown: str, state: AskedState, runtime: ReaderRuntime, words: int
) -> AnswerDraft | None:
    """The answer of findings as `shown`, backed by the quotes of those that the model names; None without a reply."""
    if not can_ask(runtime):
        return None
    prompt = answer_prompt(shown, state["question_text"], state["choices"], WEIGH)
    reply = await ask_reply(runtime, *answer_request(prompt, state, runtime, WEIGHED), fallback="weigh")
    if reply is None:
        return None
    answer, letter = read_answer(reply, state["choices"])
    backing = [finding for finding in findings if finding["page"] in reply.pages] or findings
    did = f"weighed {len(findings)} findings" + ("" if answer else ": they give no answer")
    return AnswerDraft(answer, letter, all_quotes(backing) if answer else [], words, did)


def all_quotes(findings: Sequence[Finding]) -> list[Quote]:
    """The quotes of all findings."""
    return [quote for finding in findings for quote in finding["quotes"]]


def format_finding(finding: Finding) -> str:
    """A finding's text for weighing: the finding, then its quotes."""
    return "\n".join([finding["text"], *(f'"{quote["quote"]}"' for quote in finding["quotes"])])


def _status(draft: AnswerDraft) -> Status:
    """What an answer like this makes of the question."""
    if draft.answer:
        return "nearest" if draft.nearest else "answered"
    return "researched" if draft.context_alone else "no_answer"


def _as_chat_message(answer_draft: AnswerDraft, document: Document, state: AskedState) -> list[AnyMessage]:
    """The answer as a message with the id of what was streamed of it; where none was asked for, it is streamed."""
    meter = current_meter()
    metadata = {"status": _status(answer_draft), "document": document.id}
    missing = describe_missing(cast("dict[str, Any]", state).get("not_memorised"))
    if not answer_draft.answer:
        gave_none = GAVE_NONE if answer_draft.nearest and meter.context.model else NOT_FOUND
        words = RESEARCHED if answer_draft.context_alone else gave_none
    else:
        words = _quoted(answer_draft, question_alone(state)) if answer_draft.nearest else answer_draft.answer
    message = AIMessage(f"{words}\n\n{missing}." if missing else words, id=meter.message.id, response_metadata=metadata)
    if last_question(state.get("messages") or []):
        return [message]
    if not meter.message.has_begun:
        stream_message(meter, message)
    return []


def _quoted(answer_draft: AnswerDraft, question: str) -> str:
    """What was quoted in place of an answer, the nearest first; or the option that was guessed, or a table."""
    if answer_draft.choice:
        return f"{NEAREST_OPTION}\n\n{answer_draft.answer}"
    texts = [quote["quote"] for quote in answer_draft.quotes]
    lead = SAYS if texts and answers(question, texts[0]) else NEAREST
    return "\n\n".join([lead, *(texts if answer_draft.answer in texts else [answer_draft.answer or ""])])


def instead_of_reply(draft: AnswerDraft, runtime: ReaderRuntime, counted_as: str = "answer") -> AnswerDraft:
    """What is answered without a reply of the model; where it was to be asked, its line says why there is none."""
    say_budget_spent(runtime)
    if not current_meter().fallbacks[counted_as]:
        return draft
    return draft._replace(summary=f"gave no usable answer: {draft.summary}")


async def write_answer(
    draft: AnswerDraft, document: Document, state: AskedState, runtime: ReaderRuntime
) -> AnswerUpdate:
    """The update with this answer about a document.

    Args:
        draft: The answer, or that there is none.
        document: What it is about.
        state: The question.
        runtime: The node's runtime.

    Returns:
        The update. Its status is `nearest` where passages were quoted instead of asking, `no_answer` if the text does
        not contain the answer, or `researched` if only a context was asked for.
    """
    read = await page_store(runtime).pages(state["memory"], state["pages_read"])
    update = AnswerUpdate(
        answer=draft.answer,
        choice=draft.choice,
        quotes=with_pictures(draft.quotes),
        status=_status(draft),
        by_rule=draft.nearest or not runtime.context.model,
        compression_rate=None if draft.words is None else compression_rate(draft.words, document),
        percent_read=percent_read(read, document),
        step_summary=draft.summary,
    )
    if messages := _as_chat_message(draft, document, state):
        update["messages"] = messages
    return update


def compression_rate(words: int, document: Document) -> float:
    """Percent of the text's words that are not in context (ReadAgent, section 4)."""
    return round(100 * (1 - words / max(document.words, 1)), 2)


def percent_read(pages: Iterable[Page], document: Document) -> float:
    """The percentage of the text's words that stand on these pages."""
    return min(100.0, round(100 * sum(page.words for page in pages) / max(document.words, 1), 2))
