"""The chat model of a table in the settings file."""

from collections.abc import Mapping
from typing import Any

from langchain_core.language_models import BaseChatModel
from pydantic import SecretStr, ValidationError

from readgraph.models.names.model_table import ModelTable
from readgraph.state.errors import BadInput, ModelUnavailable

NAMED_BY_OTHERS = {"max_output_tokens": "max_tokens", "headers": "default_headers"}
"""Keys of a table that LangChain's packages call otherwise; the others have the same name."""


def table_chat(name: str, table: ModelTable, timeout: float, most_bytes: int) -> BaseChatModel:
    """The chat model of a table, for one event loop. This blocks: imports and certificates are read from disk.

    A server at a table's own `base_url` gets the key that the table names, and no other. A reply has at most
    `most_bytes`, where the server speaks OpenAI's protocol. Raises `BadInput` for a key of the table that its provider
    does not know, `ModelUnavailable` where a variable of the environment is missing.
    """
    settings: dict[str, Any] = dict(table.text_settings)
    if headers := table.sent_headers(name):
        settings["headers"] = headers
    if table.base_url:
        settings["base_url"] = table.base_url
    if key := table.key(name):
        settings["api_key"] = SecretStr(key)
    if table.provider == "openai":
        return _openai(name, table, settings, timeout, most_bytes)
    return _other(name, table, settings, timeout)


def _openai(name: str, table: ModelTable, settings: dict[str, Any], timeout: float, most_bytes: int) -> BaseChatModel:
    from openai import OpenAIError

    from readgraph.models.transport.bounded_client import bounded_client
    from readgraph.models.transport.openai_chat import InLoopChatOpenAI

    if table.base_url and "api_key" not in settings:
        settings["api_key"] = SecretStr("none")  # a server of one's own needs no key, but the client does
    client = bounded_client(timeout, most_bytes)
    called = {NAMED_BY_OTHERS.get(key, key): value for key, value in settings.items()}
    try:
        return InLoopChatOpenAI(model=table.model, http_async_client=client, timeout=timeout, max_retries=0, **called)
    except OpenAIError:
        raise ModelUnavailable(f"There is no key for '{name}': name its variable with api_key_env.") from None
    except ValueError as problem:
        raise BadInput(f"The model '{name}' can't be set up: {type(problem).__name__}, check its table.") from None


def _other(name: str, table: ModelTable, settings: Mapping[str, Any], timeout: float) -> BaseChatModel:
    from langchain.chat_models import init_chat_model

    called = {NAMED_BY_OTHERS.get(key, key): value for key, value in settings.items()}
    try:
        more: dict[str, Any] = {"timeout": timeout, "max_retries": 0, **called}
        chat: BaseChatModel = init_chat_model(table.model, model_provider=table.provider, **more)
    except ImportError as problem:
        raise BadInput(f"The provider '{table.provider}' needs a package that is not installed: {problem}") from None
    except Exception as problem:  # each provider's package raises its own
        if isinstance(problem, ValueError) and not isinstance(problem, ValidationError):
            raise BadInput(f"[models.{name}]: '{table.provider}' is not a known provider.") from None
        raise ModelUnavailable(f"The model '{name}' can't be set up: check its table, and its key.") from None
    fields = type(chat).model_fields
    known = {*fields, *(field.alias for field in fields.values() if field.alias)}
    for key in settings:
        if NAMED_BY_OTHERS.get(key, key) not in known:
            raise BadInput(f"[models.{name}]: '{table.provider}' takes no '{key}': leave it out, or register_model.")
    return chat
