"""Answer from the gists and the pages read again, with quotes (ReadAgent, section 3.2)."""

from typing import NamedTuple

from langgraph.runtime import Runtime
from pydantic import BaseModel

from readgraph.nodes import extractive
from readgraph.nodes.asking import ask
from readgraph.nodes.contracts import AnswerState, AnswerUpdate
from readgraph.nodes.memory_text import view_memory
from readgraph.nodes.metering import fell_back
from readgraph.nodes.prompting import Prompt
from readgraph.nodes.prompts.answer import AnswerAlone, ChoiceAlone, ChosenAnswer, FreeAnswer, answer_prompt
from readgraph.nodes.prompts.offered import offering
from readgraph.nodes.step import step_with
from readgraph.state.context import ReaderContext
from readgraph.state.errors import NoUsableReply
from readgraph.state.reading import Quote
from readgraph.state.words import counted


@step_with(without_model=extractive.answer)
async def answer(state: AnswerState, runtime: Runtime[ReaderContext]) -> AnswerUpdate:
    """Answer the question; status `no_answer` where the text doesn't hold it.

    Where no usable reply came, the answer quotes what was read again.
    """
    view = await view_memory(runtime, state["document"], state["memory"], state["pages_read"])
    prompt = answer_prompt(view.text, state["asked"], state["choices"])
    try:
        said = await ask_for_answer(runtime, prompt, state["choices"])
    except NoUsableReply:
        fell_back("answer")
        return {**extractive.quoted_answer(view, state), "did": "gave no usable answer: quoted what was read"}
    gists = sum(note.words > 0 for number, note in view.notes.items() if number not in view.full)
    return {
        "answer": said.answer,
        "choice": said.choice,
        "quotes": said.quotes,
        "status": "answered" if said.answer else "no_answer",
        "compression_rate": view.compression_rate,
        "did": f"answered from {counted(gists, 'gist')} and {counted(len(view.full), 'page')} in full"
        if said.answer
        else "found no answer in the text",
    }


class SaidAnswer(NamedTuple):
    """An answer as the model gave it: nothing where the text doesn't hold it; quotes not yet found in the text."""

    answer: str | None
    choice: str | None
    quotes: list[Quote]


async def ask_for_answer(
    runtime: Runtime[ReaderContext], prompt: Prompt, choices: dict[str, str], *, quoting: bool = True
) -> SaidAnswer:
    """Ask for an answer, or for the letter of a choice; `quoting`: with quotes. Errors as in `ask`."""
    if choices:

        def complaint(reply: ChosenAnswer | ChoiceAlone) -> str | None:
            return None if letter_of(reply.choice) in choices else f"choice must be one of {', '.join(choices)}"

        letters: type[ChosenAnswer | ChoiceAlone] = ChosenAnswer if quoting else ChoiceAlone
        chosen = await ask(runtime, prompt, offering(letters, choice=choices), complaint)
        letter = letter_of(chosen.choice)
        return SaidAnswer(choices[letter], letter, _quotes(chosen))
    words: type[FreeAnswer | AnswerAlone] = FreeAnswer if quoting else AnswerAlone
    free = await ask(runtime, prompt, words)
    said = free.answer.strip() if free.answer else None
    return SaidAnswer(said or None, None, _quotes(free))


def _quotes(reply: BaseModel) -> list[Quote]:
    given = reply.quotes if isinstance(reply, FreeAnswer | ChosenAnswer) else []
    return [Quote(page=quoted.page, quote=quoted.quote) for quoted in given]


def letter_of(choice: str) -> str:
    """The letter in what a model says for one: "b", "(B)", "B. The lamp"."""
    return choice.strip().lstrip("([").strip()[:1].upper()
