"""Ask for an answer in words or by a letter (ReadAgent, 3.2, F; GAM, 2.2.2, 3.5), or weigh findings of pages."""

from collections.abc import Callable, Collection, Iterable, Sequence
from typing import Annotated, Any, ClassVar, NamedTuple

from pydantic import BaseModel, BeforeValidator, Field

from readgraph.models.asking import ask
from readgraph.models.prompt import DATA_RULE, Prompt, declare_wording, fenced
from readgraph.models.reply_types import numbers_in, restrict_reply
from readgraph.nodes.contracts import AnswerDraft, AskedQuestion, AskedState, ReaderRuntime
from readgraph.nodes.extractive import question_alone
from readgraph.nodes.prompts import Reply, answer_length, at_length, length_line, question_part
from readgraph.state.context import ReaderContext
from readgraph.state.declaring import LARGEST, Groups
from readgraph.state.languages import DEFAULT, NAMES, certain_language
from readgraph.state.reading import Finding, Quote
from readgraph.state.settings import LONG, AnswerForm, AnswerLength, Language

ANSWER = declare_wording(
    "answer",
    "You answer questions about a long text from your memory of it: gists of its pages, and some pages in full. "
    "Use nothing but what stands there. " + DATA_RULE,
    "{free}{choose}",
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


def answer_prompt(memory: str, question: str, choices: dict[str, str]) -> Prompt:
    """Ask for the answer; with choices, for a letter."""
    values = {"free": not choices, "choose": choices, "letters": ", ".join(choices)}
    return ANSWER.ask(fenced("memory", memory), question_part(question, choices), **values)


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


def weigh_prompt(findings: str, question: str, choices: dict[str, str]) -> Prompt:
    """Ask for one answer; `findings`: each finding after the tag of its page."""
    values = {"free": not choices, "choose": choices, "letters": ", ".join(choices)}
    return WEIGH.ask(fenced("memory", findings), question_part(question, choices), **values)


STYLE: Groups = (AnswerForm, Language)  # the settings that say how answers are written


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


async def ask_for_answer(
    runtime: ReaderRuntime, prompt: Prompt, state: AskedState, *, quoting: bool = True
) -> AnswerDraft:
    """Ask for an answer, or for the letter of a choice; `quoting`: with quotes. Errors as in `ask`."""
    style, choices = answer_style(state, runtime), state["choices"]
    if choices:

        def complaint(reply: ChoiceAlone) -> str | None:
            return None if letter_of(reply.choice) in choices else f"choice must be one of {', '.join(choices)}"

        letters = ChosenAnswer if quoting else ChoiceAlone
        chosen = await ask(runtime, prompt, restrict_reply(letters, choice=choices), complaint)
        letter = letter_of(chosen.choice)
        quotes = quotes_from(chosen.quotes) if isinstance(chosen, Quoting) else []
        return AnswerDraft(choices[letter], letter, quotes)
    words = FreeAnswer if quoting else AnswerAlone
    free = await ask(runtime, prompt.adding(style.line), style.reply(words))
    said = free.answer.strip() if free.answer else None
    return AnswerDraft(said or None, None, quotes_from(free.quotes) if isinstance(free, Quoting) else [])


def quotes_from(given: Iterable[QuotedText]) -> list[Quote]:
    """A model's quotes. A page that can't exist counts as unknown: a state can't hold arbitrarily large integers."""
    return [Quote(page=quoted.page if 0 <= quoted.page <= LARGEST else -1, quote=quoted.quote) for quoted in given]


def choice_or_none(choices: Collection[str]) -> Callable[[Any], str | None]:
    """The complaint about a reply whose `choice` is none of these letters; null is no fault."""

    def complaint(reply: Any) -> str | None:
        known = not reply.choice or letter_of(reply.choice) in choices
        return None if known else f"choice must be one of {', '.join(choices)}, or null"

    return complaint


def letter_of(choice: str) -> str:
    """The letter in a model's choice: "b", "(B)", "B. The lamp"."""
    return choice.strip().lstrip("([").strip()[:1].upper()


async def weigh_findings(
    findings: Sequence[Finding], shown: str, state: AskedState, runtime: ReaderRuntime, words: int
) -> AnswerDraft:
    """The answer of findings as `shown`, backed by the quotes of those that the model names. Errors as in `ask`."""
    choices, letter = state["choices"], None
    prompt = weigh_prompt(shown, state["question_text"], choices)
    if choices:
        chosen = await ask(runtime, prompt, restrict_reply(WeighedChoice, choice=choices), choice_or_none(choices))
        letter, pages = letter_of(chosen.choice) if chosen.choice else None, chosen.pages
        answered = choices[letter] if letter else None
    else:
        style = answer_style(state, runtime)
        weighed = await ask(runtime, prompt.adding(style.line), style.reply(WeighedAnswer))
        answered, pages = (weighed.answer or "").strip() or None, weighed.pages
    backing = [finding for finding in findings if finding["page"] in pages] or findings
    did = f"weighed {len(findings)} findings" + ("" if answered else ": they give no answer")
    return AnswerDraft(answered, letter, all_quotes(backing) if answered else [], words, did)


def all_quotes(findings: Sequence[Finding]) -> list[Quote]:
    """The quotes of all findings."""
    return [quote for finding in findings for quote in finding["quotes"]]


def format_finding(finding: Finding) -> str:
    """A finding's text for weighing: the finding, then its quotes."""
    return "\n".join([finding["text"], *(f'"{quote["quote"]}"' for quote in finding["quotes"])])
