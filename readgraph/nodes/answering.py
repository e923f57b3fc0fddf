"""Answer from the gists and the pages read again, with quotes (ReadAgent, section 3.2)."""

from langgraph.runtime import Runtime

from readgraph.nodes import extractive
from readgraph.nodes.asking import ask
from readgraph.nodes.contracts import AnswerState, AnswerUpdate
from readgraph.nodes.memory_text import MemoryView, view_memory
from readgraph.nodes.metering import fell_back
from readgraph.nodes.prompts.answer import ChosenAnswer, FreeAnswer, answer_prompt
from readgraph.nodes.step import step_with
from readgraph.state.context import ReaderContext
from readgraph.state.errors import NoUsableReply
from readgraph.state.reading import Quote


@step_with(without_model=extractive.answer)
async def answer(state: AnswerState, runtime: Runtime[ReaderContext]) -> AnswerUpdate:
    """Answer the question; status `no_answer` where the text doesn't hold it.

    Where no usable reply came, the answer quotes what was read again.
    """
    view = await view_memory(runtime, state["document"], state["memory"], state["pages_read"])
    try:
        if state["choices"]:
            return await _choose(view, state, runtime)
        return await _say(view, state, runtime)
    except NoUsableReply:
        fell_back("answer")
        return {**extractive.quoted_answer(view, state), "did": "gave no usable answer: quoted what was read"}


async def _choose(view: MemoryView, state: AnswerState, runtime: Runtime[ReaderContext]) -> AnswerUpdate:
    choices = state["choices"]

    def complaint(reply: ChosenAnswer) -> str | None:
        return None if letter_of(reply.choice) in choices else f"choice must be one of {', '.join(choices)}"

    reply = await ask(runtime, answer_prompt(view.text, state["asked"], choices), ChosenAnswer, complaint)
    letter = letter_of(reply.choice)
    return _answered(view, reply, choices[letter], letter, state)


async def _say(view: MemoryView, state: AnswerState, runtime: Runtime[ReaderContext]) -> AnswerUpdate:
    reply = await ask(runtime, answer_prompt(view.text, state["asked"], {}), FreeAnswer)
    said = reply.answer.strip() if reply.answer else None
    return _answered(view, reply, said or None, None, state)


def _answered(
    view: MemoryView, reply: FreeAnswer | ChosenAnswer, answer: str | None, choice: str | None, state: AnswerState
) -> AnswerUpdate:
    quotes = [Quote(page=quoted.page, quote=quoted.quote) for quoted in reply.quotes]
    gists = sum(note.words > 0 for number, note in view.notes.items() if number not in view.full)
    return {
        "answer": answer,
        "choice": choice,
        "quotes": quotes,
        "status": "answered" if answer else "no_answer",
        "compression_rate": view.compression_rate,
        "did": f"answered from {gists} gists and {len(view.full)} pages in full"
        if answer
        else "found no answer in the text",
    }


def letter_of(choice: str) -> str:
    """The letter in what a model says for one: "b", "(B)", "B. The lamp"."""
    return choice.strip().lstrip("([").strip()[:1].upper()
