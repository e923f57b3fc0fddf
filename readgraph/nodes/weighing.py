"""Weigh what several pages had to say into one answer."""

from typing import NamedTuple

from langgraph.runtime import Runtime

from readgraph.nodes.answering import letter_of
from readgraph.nodes.asking import ask
from readgraph.nodes.prompts.offered import offering
from readgraph.nodes.prompts.weigh import WeighedAnswer, WeighedChoice, weigh_prompt
from readgraph.state.context import ReaderContext


class Weighed(NamedTuple):
    """The answer that the findings give, or none; the letter of a choice; the pages that show it."""

    answer: str | None
    choice: str | None
    pages: list[int]


async def weigh(runtime: Runtime[ReaderContext], findings: str, question: str, choices: dict[str, str]) -> Weighed:
    """Ask what the findings, each behind the tag of its page, give together. Errors as in `ask`."""
    prompt = weigh_prompt(findings, question, choices)
    if not choices:
        weighed = await ask(runtime, prompt, WeighedAnswer)
        return Weighed((weighed.answer or "").strip() or None, None, weighed.pages)

    def complaint(reply: WeighedChoice) -> str | None:
        known = not reply.choice or letter_of(reply.choice) in choices
        return None if known else f"choice must be one of {', '.join(choices)}, or null"

    chosen = await ask(runtime, prompt, offering(WeighedChoice, choice=choices), complaint)
    letter = letter_of(chosen.choice) if chosen.choice else None
    return Weighed(choices[letter] if letter else None, letter, chosen.pages)
