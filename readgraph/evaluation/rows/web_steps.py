"""A step on a web page as a question to the web agent: with the true actions before it (Mind2Web, section 4.1)."""

from collections.abc import Iterable
from typing import Any

from readgraph.evaluation.records import Item, WebActed


def on_web_pages(items: Iterable[Item]) -> bool:
    """Whether the questions are steps on web pages, which only the methods for these can take."""
    return any(item.step for item in items)


def history_of(item: Item) -> dict[str, Any]:
    """What a step's input has besides the question."""
    return {"history": list(item.step.history)} if item.step else {}


def action_in(output: dict[str, Any]) -> WebActed | None:
    """The action in a reading's output; None where none was chosen."""
    action = output.get("action")
    if not action or action["outcome"] != "act":
        return None
    return WebActed(action["element"], action["operation"], action["value"] or "")
