"""Answer from the findings of single pages: one call weighs them."""

from collections.abc import Sequence
from typing import NamedTuple

from langgraph.runtime import Runtime

from readgraph.models.asking import ask
from readgraph.models.replies.offered_values import offering
from readgraph.nodes.answering.said import choice_or_none, letter_of
from readgraph.nodes.answering.style import answer_style
from readgraph.nodes.contracts import AskedState, SaidAnswer
from readgraph.nodes.prompts.answering.answer import WeighedAnswer, WeighedChoice, weigh_prompt
from readgraph.state.context import ReaderContext
from readgraph.state.reading import Finding, Quote


async def weigh_findings(
    findings: Sequence[Finding], shown: str, state: AskedState, runtime: Runtime[ReaderContext], words: int
) -> SaidAnswer:
    """What the findings give together; `shown` is how the model sees them, `words` what they were made from.

    The answer is backed by the quotes of the findings that the model names, else by those of all. Errors as in `ask`.
    """
    answered, letter, pages = await _weigh(runtime, shown, state)
    backing = [finding for finding in findings if finding["page"] in pages] or findings
    did = f"weighed {len(findings)} findings" + ("" if answered else ": they give no answer")
    return SaidAnswer(answered, letter, all_quotes(backing) if answered else [], words, did)


def all_quotes(findings: Sequence[Finding]) -> list[Quote]:
    """The quotes of all findings."""
    return [quote for finding in findings for quote in finding["quotes"]]


def by_the_model(findings: Sequence[Finding]) -> list[Finding]:
    """The findings of the model, without passages that were quoted in its place."""
    return [finding for finding in findings if not finding.get("by_rule")]


def finding_text(finding: Finding) -> str:
    """A finding's text for weighing: the finding, then its quotes."""
    return "\n".join([finding["text"], *(f'"{quote["quote"]}"' for quote in finding["quotes"])])


class _Weighed(NamedTuple):
    """The answer from the findings, or None; the letter of a choice; the pages that support it."""

    answer: str | None
    choice: str | None
    pages: list[int]


async def _weigh(runtime: Runtime[ReaderContext], findings: str, state: AskedState) -> _Weighed:
    choices = state["choices"]
    style, prompt = answer_style(state, runtime), weigh_prompt(findings, state["question_text"], choices)
    if not choices:
        weighed = await ask(runtime, prompt.adding(style.line), style.reply(WeighedAnswer))
        return _Weighed((weighed.answer or "").strip() or None, None, weighed.pages)

    chosen = await ask(runtime, prompt, offering(WeighedChoice, choice=choices), choice_or_none(choices))
    letter = letter_of(chosen.choice) if chosen.choice else None
    return _Weighed(choices[letter] if letter else None, letter, chosen.pages)
