"""Ask for an answer: in words, or by the letter of a choice."""

from collections.abc import Callable, Collection
from typing import Protocol

from langgraph.runtime import Runtime
from pydantic import BaseModel

from readgraph.models.asking import ask
from readgraph.models.prompt import Prompt
from readgraph.models.replies.offered_values import offering
from readgraph.nodes.answering.style import answer_style
from readgraph.nodes.contracts import AskedState, SaidAnswer
from readgraph.nodes.prompts.answering.answer import AnswerAlone, ChoiceAlone, ChosenAnswer, FreeAnswer
from readgraph.state.context import ReaderContext
from readgraph.state.declaring import LARGEST
from readgraph.state.reading import Quote


async def ask_for_answer(
    runtime: Runtime[ReaderContext], prompt: Prompt, state: AskedState, *, quoting: bool = True
) -> SaidAnswer:
    """Ask for an answer, or for the letter of a choice; `quoting`: with quotes. Errors as in `ask`."""
    style, choices = answer_style(state, runtime), state["choices"]
    if choices:

        def complaint(reply: ChosenAnswer | ChoiceAlone) -> str | None:
            return None if letter_of(reply.choice) in choices else f"choice must be one of {', '.join(choices)}"

        letters: type[ChosenAnswer | ChoiceAlone] = ChosenAnswer if quoting else ChoiceAlone
        chosen = await ask(runtime, prompt, offering(letters, choice=choices), complaint)
        letter = letter_of(chosen.choice)
        return SaidAnswer(choices[letter], letter, _quotes(chosen))
    words: type[FreeAnswer | AnswerAlone] = FreeAnswer if quoting else AnswerAlone
    free = await ask(runtime, prompt.adding(style.line), style.reply(words))
    said = free.answer.strip() if free.answer else None
    return SaidAnswer(said or None, None, _quotes(free))


def _quotes(reply: BaseModel) -> list[Quote]:
    given = reply.quotes if isinstance(reply, FreeAnswer | ChosenAnswer) else []
    # A page that can't exist counts as unknown, since the state can't hold arbitrarily large integers.
    return [Quote(page=quoted.page if 0 <= quoted.page <= LARGEST else -1, quote=quoted.quote) for quoted in given]


class Chosen(Protocol):
    """A reply that may name the letter of a choice."""

    choice: str | None


def choice_or_none(choices: Collection[str]) -> Callable[[Chosen], str | None]:
    """The complaint about a reply whose letter is none of the choices'; null is no fault."""

    def complaint(reply: Chosen) -> str | None:
        known = not reply.choice or letter_of(reply.choice) in choices
        return None if known else f"choice must be one of {', '.join(choices)}, or null"

    return complaint


def letter_of(choice: str) -> str:
    """The letter in a model's choice: "b", "(B)", "B. The lamp"."""
    return choice.strip().lstrip("([").strip()[:1].upper()
