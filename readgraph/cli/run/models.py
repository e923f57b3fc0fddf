"""`models`: whether a model can be used, and how."""

import asyncio
import time

from langgraph.runtime import Runtime
from langgraph.store.memory import InMemoryStore

from readgraph.cli.terminal.rendering import print_json
from readgraph.cli.terminal.safe_text import Console, Text
from readgraph.models.asking import ask
from readgraph.models.clients import HOW_TO_NAME, model_client
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
"""A person waits: a fault that lasts longer is reported."""

UNUSABLE = "no usable typed reply: set another reply_form, or take a larger model"


def check_model(model: str, timeout: float, *, as_json: bool) -> None:
    """Ask the model one tiny question and say what came of it; raises `ModelUnavailable` where nothing did."""
    if not model:
        raise BadInput(f"There is no model to check: {HOW_TO_NAME}")
    found = asyncio.run(_checked(ReaderContext(model=model, timeout=timeout, retry_seconds=RETRY_SECONDS)))
    if as_json:
        print_json(found)
        return
    at = f" at {found['server']}" if found["server"] else ""
    typed = f"typed replies by {FORMS[str(found['reply_form'])]}" if found["usable"] else UNUSABLE
    Console().print(Text(f"{model}{at}: answers in {found['seconds']:.1f} s, {typed}."))


async def _checked(context: ReaderContext) -> dict[str, object]:
    client = await model_client(context)
    began = time.perf_counter()
    try:
        await ask(Runtime(context=context, store=InMemoryStore()), check_prompt(), Counted)
        usable = True
    except NoUsableReply:
        usable = False
    seconds = round(time.perf_counter() - began, 3)
    return {
        "model": context.model,
        "server": client.server,
        "usable": usable,
        "reply_form": client.form,
        "seconds": seconds,
    }
