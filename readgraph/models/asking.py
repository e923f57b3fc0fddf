"""The only place that talks to chat models: tries, recorded replies, budget, window, usage, for all methods.

What only a model needs is imported when one is asked (`tries`).
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TypeVar, overload

from langgraph.runtime import Runtime
from pydantic import BaseModel

from readgraph.models import metering
from readgraph.models.prompt import Prompt
from readgraph.models.reply import Complaint
from readgraph.models.streaming import stream_whole_reply
from readgraph.state.context import ReaderContext
from readgraph.state.errors import BudgetSpent, NoUsableReply

__all__ = ["ask_reply", "ask_text", "can_ask", "say_budget_spent"]

Reply = TypeVar("Reply", bound=BaseModel)


def can_ask(runtime: Runtime[ReaderContext]) -> bool:
    """Whether there is a model, and a budget for it; a step that goes on without says so by `say_budget_spent`."""
    return bool(runtime.context.model) and not metering.current_meter().budget.is_over


def say_budget_spent(runtime: Runtime[ReaderContext]) -> None:
    """Let the trajectory say that a step goes on without the model, if the budget is spent."""
    meter = metering.current_meter()
    meter.remarks.went_without |= meter.budget.is_over and bool(runtime.context.model)


@overload
async def ask_reply(
    runtime: Runtime[ReaderContext], prompt: Prompt, reply: type[Reply], complaint: Complaint[Reply] = ...
) -> Reply: ...
@overload
async def ask_reply(
    runtime: Runtime[ReaderContext],
    prompt: Prompt,
    reply: type[Reply],
    complaint: Complaint[Reply] = ...,
    *,
    fallback: str,
) -> Reply | None: ...
async def ask_reply(
    runtime: Runtime[ReaderContext],
    prompt: Prompt,
    reply: type[Reply],
    complaint: Complaint[Reply] = lambda reply: None,
    *,
    fallback: str | None = None,
) -> Reply | None:
    """Ask for a decision: a reply of the type `reply`.

    A reply that can't be used is asked for again with the reason, up to three tries; one that the server withheld or
    damaged as before, and a withheld one only once. Each try is a call of its own. All replies stay recorded, so the
    same prompt gets no usable reply again, and pays nothing, until the settings say `again` or `rebuild`.

    Args:
        runtime: The node's runtime.
        prompt: What is asked.
        reply: The type of the reply.
        complaint: Returns what is wrong with a well-formed reply, or None.
        fallback: Under which name it is counted that no usable reply came. With it, the caller has a substitute.

    Returns:
        The reply; with `fallback`, None where no usable reply came, or where the budget is spent and no node around
        has a substitute of its own (`without_model`).

    Raises:
        NoUsableReply: After the last try, without `fallback`.
        BudgetSpent: If the budget allows no further call, without `fallback` or inside of a node with a substitute.
        ModelUnavailable: If the server can't be used.
    """
    from readgraph.models.tries import prepare_tries

    with _fall_back(fallback):
        tries = await prepare_tries(runtime, prompt, reply, complaint)
        usable: Reply = await tries.first_usable()
        stream_whole_reply(metering.current_meter(), usable)
        return usable
    return None


@overload
async def ask_text(runtime: Runtime[ReaderContext], prompt: Prompt, complaint: Complaint[str] = ...) -> str: ...
@overload
async def ask_text(
    runtime: Runtime[ReaderContext], prompt: Prompt, complaint: Complaint[str] = ..., *, fallback: str
) -> str | None: ...
async def ask_text(
    runtime: Runtime[ReaderContext],
    prompt: Prompt,
    complaint: Complaint[str] = lambda text: None,
    *,
    fallback: str | None = None,
) -> str | None:
    """Ask for a note: plain text that is not empty. `complaint`, `fallback` and errors are as in `ask_reply`."""
    from readgraph.models.tries import prepare_tries

    with _fall_back(fallback):
        tries = await prepare_tries(runtime, prompt, None, complaint)
        text: str = await tries.first_usable()
        return text
    return None


@contextmanager
def _fall_back(fallback: str | None) -> Iterator[None]:
    """With a name, leave the `with` where no usable reply came, and count that, or where the step does without."""
    try:
        yield
    except NoUsableReply:
        if fallback is None:
            raise
        metering.count_fallback(fallback)
    except BudgetSpent:
        if fallback is None or metering.node_substitutes():
            raise
        metering.current_meter().remarks.went_without = True
