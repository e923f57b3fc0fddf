"""The row `summary` of an evaluation: the graph that summarises, on questions whose answer is a summary.

A question that asks for a summary of the whole text (`Item.summary`) gets one. Where answers are long, any other
question is what the summary is to be about. Questions with options, on web pages or with short answers are left out.
"""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from readgraph.evaluation.records import Item
from readgraph.graphs.methods import SUMMARY, Method, method_typed
from readgraph.state.context import ReaderContext
from readgraph.state.errors import BadInput
from readgraph.state.settings import LONG

FEWEST_WORDS = 20
"""A summary is of at least so many words."""


def row_method(name: str) -> Method:
    """The method of a row: the summary, or the method that a user typed."""
    return SUMMARY if name == SUMMARY.name else method_typed(name)


def at_answers_length(method: Method, context: ReaderContext, own: Iterable[str]) -> ReaderContext:
    """The context with summaries as long as answers are to be, where a row has no length of its own."""
    if method is not SUMMARY or "summary_words" in own or not context.answer_words:
        return context
    return replace(context, summary_words=max(context.answer_words, FEWEST_WORDS))


def takes(method: Method, item: Item, answer_length: str | None) -> bool:
    """Whether a row asks a question, where answers have this length; only the summary leaves some out."""
    if method.name != SUMMARY.name:
        return True
    return not (item.options or item.step) and (item.summary or answer_length in LONG)


def left_out(name: str, what: Mapping[str, Any], items: Iterable[Item]) -> int:
    """How many of the questions the row of this name leaves out, by the record of what is run."""
    if what.get("rows", {}).get(name, {"method": name})["method"] != SUMMARY.name:
        return 0
    return sum(not takes(SUMMARY, item, what["settings"]["answer_length"]) for item in items)


def check_takes_any(name: str, method: Method, items: Iterable[Item], answer_length: str | None) -> None:
    """Raise `BadInput` where the row of this name can be asked none of the questions."""
    items = [*items]
    if not any(takes(method, item, answer_length) for item in items):
        longer = any(takes(method, item, LONG[0]) for item in items)
        hint = f", or give --answer-length {LONG[0]}: then a summary is about each question" if longer else ""
        raise BadInput(f"No question asks for a summary: leave '{name}' out{hint}.")
