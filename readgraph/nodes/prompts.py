"""What prompts share: the question, reasons, lines on length and language; and which prompts there are."""

import pkgutil
import re
from collections.abc import Iterator, Sequence
from copy import copy
from functools import cache, lru_cache
from importlib import import_module
from importlib.util import find_spec
from types import ModuleType
from typing import Annotated, Any, TypeVar

from pydantic import BaseModel, BeforeValidator, Field, create_model

from readgraph import features, nodes
from readgraph.language.terms import content_words
from readgraph.models.prompt import DATA_RULE, Prompt, Wording, declare_wording, fenced, find_unused_name, list_wordings
from readgraph.models.reply import LenientReply
from readgraph.nodes.contracts import AskedQuestion
from readgraph.plugins import leave_out, plugged_in
from readgraph.state.context import ReaderContext
from readgraph.state.language_names import NAMES
from readgraph.state.settings import AnswerLength

READER_SYSTEM = (
    "You have read a long text, and see what you remember of it: gists of its pages and, after all gists, some pages "
    "in full. You answer a question about the text; before that, you may be asked which pages you want to read again. "
    "Use nothing but what stands there. " + DATA_RULE
)
"""The same for choosing pages and for answering, so that both prompts begin alike for a provider's cache."""


def question_part(question: str, choices: dict[str, str]) -> str:
    """The question, and its options after their letters."""
    options = "\n".join(f"{letter}. {option}" for letter, option in choices.items())
    return fenced("question", f"{question}\n{options}" if options else question)


def question_alone(state: AskedQuestion) -> str:
    """The question without those before it; one without content words ("And why?") comes with the one before."""
    asked = [turn["question"] for turn in state.get("question_turns") or []] or [state["question_text"]]
    return asked[-1] if len(asked) == 1 or content_words(asked[-1]) else " ".join(asked[-2:])


def number_parts(texts: Sequence[str]) -> str:
    """The texts of a node's children, each after a tag with its number from 0."""
    tag = find_unused_name("part", texts)
    return "\n\n".join(f"<{tag} {number}>\n{text.strip()}" for number, text in enumerate(texts))


def memory_block(name: str, texts: Sequence[str]) -> str:
    """Texts that are carried along, in a fence of this name; nothing where there are none."""
    return fenced(name, "\n\n".join(text.strip() for text in texts)) if texts else ""


Reply = TypeVar("Reply", bound=BaseModel)

_ASKED_FOR = "In a sentence or two: what speaks for the decision."


class Reasoned(BaseModel):
    """A decision with its reasons. As the last base of a reply it makes them the first field."""

    reasoning: str = Field(description=_ASKED_FOR)


class PerhapsReasoned(LenientReply):
    """A reply with its reasons, which is taken without them too."""

    reasoning: Annotated[str, BeforeValidator(lambda value: value or ""), Field(description=_ASKED_FOR)]


@cache
def with_reasons(reply: type[Reply]) -> type[Reply]:
    """The reply's type with the reasons as its first field."""
    bases: Any = (reply, PerhapsReasoned)
    made: type[Reply] = create_model(reply.__name__, __base__=bases, __doc__=reply.__doc__)
    return made


@cache
def require_reasons(reply: type[Reply]) -> type[Reply]:
    """The reply's type with the reasons as its first field, without which it can't be used."""
    bases: Any = (reply, Reasoned)
    about = f"{str(reply.__doc__).removesuffix('.')}, with the reasons first."
    made: type[Reply] = create_model(f"Reasoned{reply.__name__}", __base__=bases, __doc__=about)
    return made


NAME, VERSION = "language", 1  # the line on the language of notes, as a memory's recipe names it
PARAGRAPH_WORDS = 75  # words of a paragraph where no number is given: as the summaries of meetings in QMSum

_LENGTHS: dict[AnswerLength, str] = {
    "phrase": "as a name, a number, a date or a few words, not as a sentence",
    "sentence": "in one sentence",
    "paragraph": f"in one paragraph of about {PARAGRAPH_WORDS} words",
    "free": "in as many words as the question wants, with several paragraphs or a list where they help",
}

_BEGINS = r"(?:^|[.!?;:]\s+|\b(?:can|could|would|will) you\s+)(?:please,?\s+)?"
_WANTS_PARAGRAPH = re.compile(
    rf"{_BEGINS}(?:summari[sz]e|sum\s+up|explain|compare|(?:give|write)\b[^.?!]*\b(?:summary|overview)\s+of)\b", re.I
)
_WANTS_PARAGRAPH_ELSEWHERE = re.compile(
    r"""^[\s¿¡]*(?:bitte\s+|пожалуйста,?\s+|请)?(?:
    (?: fass(?:e|en\s+sie|t)?\b[^.?!]*\bzusammen | (?:erklär|erläuter|vergleich)(?:e|en|t)?
    | résume | explique | (?:résum|expliqu|compar)ez | resum[ae]\s+(?:el|l[ao]s?|este|esta|[ao]s?) | explica | compara
    | riassumi | spiega | confronta | vat\b[^.?!]*\bsamen | leg\b[^.?!]*\buit
    | (?:объясни|сравни|перескажи|обобщи)(?:те)? | لخص | اشرح | قارن | סכמי? | הסבר | הסבירי | השווה )\b
    | 总结 | 概括 | 解释 | 说明 | 比较 ) | (?:要約|説明|比較)して""",
    re.IGNORECASE | re.VERBOSE,
)
"""The same in German, French, Spanish, Portuguese, Italian, Dutch, Russian, Arabic, Hebrew, Chinese and Japanese."""

_WANTS_MORE = re.compile(
    rf"{_BEGINS}(?:list|enumerate|(?:describe|explain|tell|discuss|report)\b[^.?!]*\bin\s+(?:\w+\s+)?detail)\b", re.I
)

_SHORT = re.compile("A short and concise answer|The answer, short and concise")
_AS_ASKED = "The answer, as long as it is asked for"


def length_by_question(question: str) -> AnswerLength | None:
    """The length that a question wants by its words ("summarise", "list"); None for an ordinary question."""
    if _WANTS_MORE.search(question):
        return "free"
    wants_paragraph = _WANTS_PARAGRAPH.search(question) or _WANTS_PARAGRAPH_ELSEWHERE.search(question)
    return "paragraph" if wants_paragraph else None


def answer_length(context: ReaderContext, question: str) -> AnswerLength | None:
    """The length of the answer to a question: as the settings say, else as the question wants."""
    return context.answer_length or ("free" if context.answer_words else length_by_question(question))


def length_line(length: AnswerLength | None, words: int | None) -> str:
    """The line on the length of an answer; "" where nothing is asked of it. A phrase has no number of words."""
    if words and length != "phrase":
        unit = f"one {length} of " if length in ("sentence", "paragraph") else ""
        return f"Give the answer in {unit}about {words} words."
    return f"Give the answer {_LENGTHS[length]}." if length else ""


def note_line(language: str) -> str:
    """The line on the language of a note, an ISO 639-1 code or ""."""
    return f"Write in {NAMES[language]}." if language else ""


def talk_language_line(language: str) -> str:
    """The line on the language of an agent that talks, an ISO 639-1 code or ""."""
    return f"Speak and write in {NAMES[language]}." if language else ""


def at_length(reply: type[Reply]) -> type[Reply]:
    """The reply's type, with a field for an answer that need not be short."""
    return _at_length(reply)


@lru_cache(64)
def _at_length(reply: type[Reply]) -> type[Reply]:
    fields: dict[str, Any] = {}
    for name, field in reply.model_fields.items():
        if _SHORT.search(field.description or ""):
            longer = copy(field)
            longer.description = _SHORT.sub(_AS_ASKED, field.description or "")
            fields[name] = (field.annotation, longer)
    changed: type[Reply] = create_model(reply.__name__, __base__=reply, __doc__=reply.__doc__, **fields)
    return changed


CHECK = declare_wording("check", "You count words.", "How many words are there?")


class Counted(BaseModel):
    """How many words there are."""

    count: int = Field(description="The number of words.")


def check_prompt() -> Prompt:
    """Ask for something that every model knows."""
    return CHECK.ask(fenced("words", "lamp sea keeper"))


def prompt_modules() -> list[ModuleType]:
    """The modules that declare prompts, or name one without words; no other is imported, since some need an extra."""
    return [*_our_modules(), *_modules_of_packages()]


@cache  # what is installed stays the same, and to look through it takes longer than most that needs it
def _our_modules() -> list[ModuleType]:
    rooms = ((room.__path__, f"{room.__name__}.") for room in (nodes, features))
    modules = (module.name for path, name in rooms for module in pkgutil.walk_packages(path, name))
    return [import_module(name) for name in modules if _names_at_top(name) & {declare_wording.__name__, "NAME"}]


def _modules_of_packages() -> Iterator[ModuleType]:
    for package, name in plugged_in("prompts", str):
        try:
            yield import_module(name)
        except Exception as problem:  # another package's import may raise anything
            leave_out(package, f"its prompts in '{name}' can't be imported ({type(problem).__name__}: {problem})")


def _names_at_top(module: str) -> set[str]:
    """The names that a module's code uses outside of functions, without running it."""
    spec = find_spec(module)
    get_code = getattr(spec and spec.loader, "get_code", None)  # a folder's loader has it, and a zip file's
    code = get_code(module) if get_code else None
    return {*code.co_names} if code else set()


def every_wording() -> list[Wording]:
    """The words of all prompts, by their names."""
    prompt_modules()
    return [*list_wordings()]
