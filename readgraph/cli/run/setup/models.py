"""`models`: check whether a model works, and with which form of reply."""

import time
from typing import Any

from langgraph.runtime import Runtime
from langgraph.store.memory import InMemoryStore

from readgraph.cli.run.stopping import run_until_stopped
from readgraph.cli.terminal.rendering import print_json
from readgraph.cli.terminal.safe_text import Console, Text
from readgraph.models.asking import ask
from readgraph.models.clients.model_client import HOW_TO_NAME, model_client
from readgraph.nodes.prompts.check import Counted, check_prompt
from readgraph.state.context import ReaderContext
from readgraph.state.errors import BadInput, NoUsableReply

FORMS = {
    "json_schema": "a JSON schema",
    "function": "a function call",
    "text": "JSON in its text",
    "plain": "plain words",
}

RETRY_SECONDS = 5.0
"""The user is waiting, so an error that lasts longer than this is reported."""

UNUSABLE = "no usable typed reply: set another reply_form, or use a larger model"


def check_model(model: str, timeout: float, *, as_json: bool) -> None:
    """Ask the model one short question and print the result; raises `ModelUnavailable` where it does not answer."""
    if not model:
        raise BadInput(f"There is no model to check: {HOW_TO_NAME}")
    result = run_until_stopped(checked_model(ReaderContext(model=model, timeout=timeout, retry_seconds=RETRY_SECONDS)))
    if as_json:
        print_json(result)
        return
    at_server = f" at {result['server']}" if result["server"] else ""
    typed = f"typed replies by {FORMS[str(result['reply_form'])]}" if result["usable"] else UNUSABLE
    Console().print(Text(f"{model}{at_server}: answers in {result['seconds']:.1f} s, {typed}."))


async def checked_model(context: ReaderContext) -> dict[str, Any]:
    """How a model answers one short question; raises `ModelUnavailable` where it does not."""
    client = await model_client(context)
    start = time.perf_counter()
    try:
        await ask(Runtime(context=context, store=InMemoryStore()), check_prompt(), Counted)
        usable = True
    except NoUsableReply:
        usable = False
    seconds = round(time.perf_counter() - start, 3)
    return {
        "model": context.model,
        "server": client.server,
        "usable": usable,
        "reply_form": client.form,
        "seconds": seconds,
    }
