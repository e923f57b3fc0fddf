"""Choose the next action on a page (ReadAgent, appendix E.1): element, operation and value, or that there is none."""

import asyncio

from langgraph.runtime import Runtime

from readgraph.models.asking import ask
from readgraph.models.replies.offered_values import offering
from readgraph.nodes.answering.in_view import compression_rate, percent_read
from readgraph.nodes.contracts import AnswerUpdate, AskedState
from readgraph.nodes.deciding import Choice, deciding
from readgraph.nodes.extractive import question_alone
from readgraph.nodes.memory_view import MemoryView, view_memory
from readgraph.nodes.prompts.web import NextAction, web_act_prompt
from readgraph.nodes.web.by_words import acting, action_by_words, not_acting
from readgraph.state.context import ReaderContext
from readgraph.state.errors import NoUsableReply
from readgraph.state.page_store import page_store
from readgraph.state.settings import Window
from readgraph.state.web.elements import WebElement, elements_of, problem_with
from readgraph.state.web.step import WebAction


class ActState(AskedState):
    """What choosing an action reads: the instruction with what was done before, the memory, the parts looked up."""

    done_before: list[str]


class ActUpdate(AnswerUpdate):
    """What choosing an action writes."""

    action: WebAction


async def act_without_model(state: ActState, runtime: Runtime[ReaderContext]) -> ActUpdate:
    """Without a model: the element whose label shares most words with the instruction; parts looked up come first."""
    view = await view_memory(runtime, state["document"], state["memory"], state["pages_read"])
    elements = await _elements(view, runtime)
    seen = [element for element in elements.values() if _is_seen(element, view)]
    action = action_by_words(question_alone(state), seen or elements.values(), state["done_before"])
    return _update(view, action, by_rule=True)


@deciding(act_without_model, settings=(Window,))
async def act(state: ActState, runtime: Runtime[ReaderContext]) -> ActUpdate | Choice[ActUpdate]:
    """The next action, from the parts looked up and the notes of the others; only what exists can be named.

    An element that the page does not have, an operation that it can't take and an option that it does not offer are
    refused with the reason. After three unusable replies nothing is done: the outcome is `stuck`, by rule.
    """
    view = await view_memory(runtime, state["document"], state["memory"], state["pages_read"])
    elements = await _elements(view, runtime)
    seen = [element.id for element in elements.values() if _is_seen(element, view)]

    def complaint(reply: NextAction) -> str | None:
        if reply.operation == "finished" or reply.operation == "stuck":
            return None
        if reply.element is None:
            return f"to {reply.operation}, name the id of an element"
        return problem_with(elements, reply.element, reply.operation, reply.value or "")

    async def choose() -> ActUpdate:
        prompt = web_act_prompt(view.text, state["question_text"])
        reply = await ask(runtime, prompt, offering(NextAction, element=seen), complaint)
        return _update(view, _action(reply, elements), by_rule=False)

    async def do_nothing(problem: NoUsableReply) -> ActUpdate:
        return _update(view, not_acting("stuck", "no usable reply came"), by_rule=True)

    return Choice(choose, do_nothing, "act")


async def _elements(view: MemoryView, runtime: Runtime[ReaderContext]) -> dict[str, WebElement]:
    text = await page_store(runtime).text(view.document)
    return await asyncio.to_thread(elements_of, text)


def _is_seen(element: WebElement, view: MemoryView) -> bool:
    return any(page.number in view.full and page.start <= element.start < page.end for page in view.pages)


def _action(reply: NextAction, elements: dict[str, WebElement]) -> WebAction:
    if reply.operation == "finished" or reply.operation == "stuck":
        return not_acting(reply.operation, reply.reason)
    assert reply.element is not None
    return acting(elements[reply.element], reply.operation, reply.value or "", reply.reason)


def _update(view: MemoryView, action: WebAction, *, by_rule: bool) -> ActUpdate:
    stuck = action["outcome"] == "stuck"
    return {
        "action": action,
        "answer": None if stuck else action["said"],
        "choice": None,
        "quotes": [],
        "status": "no_answer" if stuck else "nearest" if by_rule else "answered",
        "by_rule": by_rule,
        "compression_rate": compression_rate(view.words, view.document),
        "percent_read": percent_read([page for page in view.pages if page.number in view.full], view.document),
        "step_summary": f"{action['said']}: {action['reason']}",
    }
