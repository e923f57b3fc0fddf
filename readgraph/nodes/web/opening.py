"""Open a page: HTML becomes a text with its elements, and the history stands beside the instruction."""

import asyncio
import re
from typing import Annotated, NotRequired, cast

from langgraph.channels import EphemeralValue
from langgraph.runtime import Runtime

from readgraph.models.prompt import fenced
from readgraph.nodes.opening import Opened, OpenState, check_length, open_document
from readgraph.nodes.step import step_with
from readgraph.sources.web.page import web_page
from readgraph.state.channels.fresh_reading import Cleared
from readgraph.state.context import ReaderContext
from readgraph.state.errors import BadInput
from readgraph.state.web.lines import on_one_line
from readgraph.state.web.step import WebAction

_NOT_OUR_FORM = re.compile(r"<[/!?]|[^ \n] *<|[A-Z]>")
"""What HTML has and the text of a page never: closing tags, comments, several tags on a line."""


class WebOpenState(OpenState):
    """What opening reads: the page, the instruction, what was done before."""

    history: NotRequired[Annotated[list[str], EphemeralValue]]


class WebOpened(Opened):
    """What opening writes."""

    done_before: list[str]
    action: Annotated[WebAction | None, Cleared]


@step_with(starts_question=True)
async def open_page(state: WebOpenState, runtime: Runtime[ReaderContext]) -> WebOpened:
    """Open a step on a page. What was done before is a part of what the model is asked, but not of what is searched."""
    done = _history(state)
    given = cast(OpenState, dict(state))
    if isinstance(html := state.get("text"), str):
        check_length(html)
        if ' id="' not in html or _NOT_OUR_FORM.search(html):
            page = await asyncio.to_thread(web_page, html)
            given |= {"text": page.text, "title": state.get("title") or page.title}
    opened = await open_document.work(given, runtime)
    asked = opened["question_text"] + _told(done) if opened["question_text"] else ""
    return {**opened, "question_text": asked, "done_before": done, "action": None}


def _history(state: WebOpenState) -> list[str]:
    done = state.get("history") or []
    if not isinstance(done, list | tuple) or not all(isinstance(each, str) for each in done):
        raise BadInput("The input's 'history' must be a list of strings: what was done so far, the oldest first.")
    if state.get("options"):
        raise BadInput("An instruction has no options: leave them out.")
    return [*filter(None, map(on_one_line, done))]


def _told(done: list[str]) -> str:
    """What was done before, behind the instruction. It names elements in the page's words, so it has its own fence."""
    if not done:
        return ""
    numbered = "\n".join(f"{number}. {each}" for number, each in enumerate(done, 1))
    return f"\n\nDone so far, with the page's own names of its elements:\n{fenced('done', numbered)}"
