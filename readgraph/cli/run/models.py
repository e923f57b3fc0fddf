"""`models`: which model is used, and from where; another one from now on; and one short call to a model."""

import os
import re
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

from langgraph.runtime import Runtime
from langgraph.store.memory import InMemoryStore

from readgraph.cli.terminal.rendering import print_json
from readgraph.cli.terminal.safe_text import Console
from readgraph.cli.terminal.screen import run_until_stopped
from readgraph.models.asking import ask_reply
from readgraph.models.chat_models import IS_KEY, check_no_key, key_variable, looks_like_key, make_chat
from readgraph.models.client import model_client
from readgraph.models.names import HOW_TO_NAME
from readgraph.models.openai.address import without_secrets
from readgraph.models.own.tables import NAME, ModelTable, model_table, model_tables, validate_table
from readgraph.nodes.prompts import Counted, check_prompt
from readgraph.state.context import ReaderContext
from readgraph.state.errors import BadInput, ModelUnavailable, NoUsableReply
from readgraph.state.providers import find_provider, full_name
from readgraph.state.settings import EXAMPLE_MODEL
from readgraph.state.settings.settings_file import file_settings, keep_in_file, settings_file

VARIABLE = "READGRAPH_MODEL"


def show_model(*, as_json: bool) -> None:
    """Print which model is used where no option names one, from where it comes, and where its key comes from."""
    model_tables()
    by_variable, by_file, file = os.environ.get(VARIABLE, ""), str(file_settings().get("model", "")), settings_file()
    model = by_variable or by_file
    for named in (by_variable, by_file):
        check_no_key(named)
    key = _key_of(model)
    if as_json:
        place = VARIABLE if by_variable else "settings file" if by_file else ""
        about = {"model": model, "from": place, "settings_file": str(file), "in_settings_file": by_file}
        print_json({**about, "key_from": key, "key_is_set": bool(os.environ.get(key)), "own": sorted(model_tables())})
        return
    lines = [f"{model}, from {VARIABLE if by_variable else file}. {_say_key(model)}"]
    if not model:
        lines = [f"No model: readgraph quotes only. To choose one: readgraph models use {EXAMPLE_MODEL}"]
    if by_variable and by_file not in ("", by_variable):
        lines.append(f"Not used: {by_file}, from {file}, since {VARIABLE} is set.")
    if own := sorted(model_tables()):
        lines.append(f"Names of your own in {file}: {', '.join(own)}")
    _print_lines(lines)


def use_model(model: str, *, key_env: str, base_url: str, none: bool, as_json: bool) -> None:
    """Keep a model in the settings file as the one that is used where no option names one, or take it out."""
    if none == bool(model) or (none and (key_env or base_url)):
        raise BadInput(f"Name a model, such as {EXAMPLE_MODEL}, or give --none alone, to use none from now on.")
    if none:
        file = keep_in_file("model", None)
    else:
        model, tables = _checked(model, key_env, base_url)
        file = keep_in_file("model", model, tables)
    if as_json:
        show_model(as_json=True)
        return
    lines = [f"From now on: {model}, kept in {file}. {_say_key(model)}" if model else f"No model any more in {file}."]
    if (named := os.environ.get(VARIABLE)) and named != model:
        lines.append(f"But {VARIABLE} is set to {named}, which takes precedence: unset it.")
    _print_lines(lines)


def _print_lines(lines: list[str]) -> None:
    console = Console(whole_lines=True)
    for line in lines:
        console.print(line)


def _checked(model: str, key_env: str, base_url: str) -> tuple[str, dict[str, dict[str, str]]]:
    """The name to keep, and the table that it needs, if any; raises `BadInput` for what can't be a model."""
    check_no_key(model)
    provider = find_provider(full_name(model))
    file = Path(model.partition(":")[2]).expanduser()
    if provider and file.is_file():
        model = f"{provider.name}:{file.resolve()}"  # it is also found from another folder
    tables = dict[str, dict[str, str]]()
    table = model_table(model)
    if key_env or base_url:
        if table or provider:
            raise BadInput(f"--key-env and --base-url belong to PROVIDER:NAME, not to '{model}': leave them out.")
        table, model, tables = _table_of(model, key_env, base_url)
    if provider:
        provider.settings(full_name(model))
        return model, tables
    with suppress(ModelUnavailable):  # its key is not set yet, which is said
        make_chat(ReaderContext(model=model), table, None)
    return model, tables


def _table_of(model: str, key_env: str, base_url: str) -> tuple[ModelTable, str, dict[str, dict[str, str]]]:
    """The table for a model with a key or a server of its own, its name, and how it is written."""
    if key_env and (not re.fullmatch(r"[A-Za-z_]\w*", key_env) or looks_like_key(key_env)):
        raise BadInput(f"{IS_KEY.format(variable='MY_KEY')}Then give --key-env MY_KEY.")
    provider, _, own_name = model.partition(":")
    if not own_name:
        raise BadInput(f"'{model}' is not the name of a model: {HOW_TO_NAME}")
    if base_url and without_secrets(base_url) != base_url.rstrip("/"):
        raise BadInput("--base-url holds a password or a key, which is kept nowhere: name its variable by --key-env.")
    entries = {"provider": provider, "model": own_name, "base_url": base_url, "api_key_env": key_env}
    entries = {key: value for key, value in entries.items() if value}
    name = re.sub(r"[^\w.-]+", "-", own_name).strip("-")
    table = validate_table(name, entries)
    if there := model_table(name):
        if there != table:
            raise BadInput(f"There is a table [models.{name}] already in {settings_file()}: change it there.")
        return table, name, {}
    quoted = name if re.fullmatch(r"[A-Za-z0-9_-]+", name) else f'"{name}"'
    return table, name, {f"models.{quoted}": entries}


def _key_of(model: str) -> str:
    """The environment variable that a model's key comes from; "" where it needs none."""
    if table := model_table(model):
        return table.api_key_env or ("" if table.base_url else key_variable(table.provider))
    provider, _, own_name = full_name(model).partition(":")
    return key_variable(provider) if own_name and NAME.fullmatch(provider) else ""


def _say_key(model: str) -> str:
    key = _key_of(model)
    if not key:
        return "It needs no key."
    if os.environ.get(key):
        return f"Its key is in {key}."
    if key == "OPENAI_API_KEY" and os.environ.get("OPENAI_BASE_URL"):
        return "Its server is that of OPENAI_BASE_URL."
    return f"Its key is read from {key}, which is not set."


FORMS = {
    "json_schema": "a JSON schema",
    "function": "a function call",
    "text": "JSON in its text",
    "plain": "plain words",
}

RETRY_SECONDS = 5.0  # the user is waiting, so an error that lasts longer is reported
UNUSABLE = "no usable typed reply: set another reply_form, or use a larger model"


def check_model(model: str, timeout: float, *, as_json: bool) -> None:
    """Ask the model one short question and print the result; raises `ModelUnavailable` where it does not answer."""
    result = run_until_stopped(try_model(ReaderContext(model=model, timeout=timeout, retry_seconds=RETRY_SECONDS)))
    if as_json:
        print_json(result)
        return
    at_server = f" at {result['server']}" if result["server"] else ""
    typed = f"typed replies by {FORMS[str(result['reply_form'])]}" if result["usable"] else UNUSABLE
    thinks = f"it thinks {result['thinking']}" if result["thinking"] else "no thinking seen"
    Console().print(f"{model}{at_server}: answers in {result['seconds']:.1f} s, {typed}; {thinks}.")


async def try_model(context: ReaderContext) -> dict[str, Any]:
    """How a model answers one short question; raises `ModelUnavailable` where it does not."""
    client = await model_client(context)
    client.thinking = None
    start = time.perf_counter()
    try:
        await ask_reply(Runtime(context=context, store=InMemoryStore()), check_prompt(), Counted)
        usable = True
    except NoUsableReply:
        usable = False
    seconds = round(time.perf_counter() - start, 3)
    about = {"model": context.model, "server": client.server, "usable": usable}
    return {**about, "reply_form": client.form, "thinking": client.thinking or "", "seconds": seconds}
