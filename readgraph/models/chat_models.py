"""The chat model of a name: by a provider's package, a table of the settings file, or a server on this machine.

What names none may be a model's name in other words, or a key in its place.
"""

import os
import re
from collections.abc import Iterable
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any

from pydantic import SecretStr, ValidationError

from readgraph.models.names import HOW_TO_NAME, is_function, unknown_function
from readgraph.models.openai.address import address_settings, environment_settings
from readgraph.models.own.tables import NAME, ModelTable, model_tables
from readgraph.state.context import ReaderContext
from readgraph.state.errors import BadInput, ModelUnavailable, ReadgraphError
from readgraph.state.providers import ModelServer, providers
from readgraph.state.settings import EXAMPLE_MODEL

if TYPE_CHECKING:
    from langchain_core.language_models import BaseChatModel

MB = 1_000_000
HOW_TO_NAME_OWN = "write PROVIDER:NAME, or give it a table [models.{name}] in the settings file."
OLLAMA = (
    "pip install langchain-ollama. Ollama is asked at http://localhost:11434, or where OLLAMA_HOST says; or name the "
    "model openai:{name}, with OPENAI_BASE_URL=http://HOST:11434/v1"
)
NAMED_BY_OTHERS = {"max_output_tokens": "max_tokens", "headers": "default_headers"}
"""Keys of a table that LangChain's packages call otherwise; the others have the same name."""

FAMILIES = {
    "openai": r"gpt-(?!oss)|chatgpt|o[1-9]\b",
    "anthropic": "claude",
    "google_genai": "gemini",
    "mistralai": r"(mistral|magistral|ministral|devstral|pixtral)-(small|medium|large|\d+b-latest|latest)|codestral-",
    "deepseek": "deepseek-(chat|reasoner)",
    "xai": "grok",
    "cohere": "command-",
    "perplexity": "sonar",
    "ollama": "llama|codellama|tinyllama|qwen|qwq|phi|gemma|mistral|mixtral|deepseek|gpt-oss|granite|smollm|olmo|yi",
}
"""How the names of each provider's models begin."""

CALLED = {
    **{"gpt": "openai", "chatgpt": "openai", "azure": "azure_openai", "claude": "anthropic", "mistral": "mistralai"},
    **{"google": "google_genai", "gemini": "google_genai", "vertex": "google_vertexai", "vertexai": "google_vertexai"},
    **{"aws": "bedrock", "grok": "xai", "x-ai": "xai", "hf": "huggingface", "llama": "ollama"},
}
"""Providers as people call them."""

_KEY = re.compile(
    r"(?:(?:sk|pk|rk|gsk|xai|pplx|nvapi|tgp|csk|fw|hf|r8|ghp|lsv2)[-_]|AIza|AKIA|github_pat_)[\w-]{12,}"
    r"|[0-9a-f]{32,}|eyJ[\w.-]{20,}"
)
_RANDOM = re.compile(r"(?=\D*\d)(?=[^A-Z]*[A-Z])(?=[^a-z]*[a-z])[\w-]{32,}")  # a key without a sign of its own
KEYS_OF = {"sk-ant-": "anthropic", "AIza": "google_genai", "gsk_": "groq", "xai-": "xai"}
"""Whose keys begin so; of others, OpenAI's are the likeliest."""

IS_KEY = "That looks like a key, which is kept nowhere: put it into the environment, as {variable}. "
VARIABLES = {
    **{"bedrock": "AWS_PROFILE", "bedrock_converse": "AWS_PROFILE", "google_genai": "GOOGLE_API_KEY", "ollama": ""},
    **{"google_vertexai": "GOOGLE_APPLICATION_CREDENTIALS", "huggingface": "HUGGINGFACEHUB_API_TOKEN"},
}
"""The variables in which packages of providers look for a key where these are not PROVIDER_API_KEY; "": none."""


def make_chat(context: ReaderContext, table: ModelTable | None, server: ModelServer | None) -> "BaseChatModel":
    """The chat model of a name, for one event loop; blocks. Raises `BadInput`, or `ModelUnavailable` without a key."""
    name = context.model
    if not name:
        raise BadInput(f"No model is named, and this method can't do without one: {HOW_TO_NAME}")
    if server:
        return _openai_chat(context, name, base_url=server.url, api_key=SecretStr(server.key))
    if table:
        return _table_chat(context, table)
    if is_function(name):
        raise unknown_function(name)
    check_no_key(name)
    provider, _, own_name = name.partition(":")
    if not own_name:
        meant = model_meant(name)
        told = f"do you mean {meant}?" if meant else HOW_TO_NAME_OWN.format(name=name)
        raise BadInput(f"'{name}' is not the name of a model: {told}")
    if provider == "openai":
        from openai import OpenAIError

        from readgraph.models.openai.chat import openai_key

        key = openai_key()
        # A key of the environment is left to LangChain, which may send it by a gateway instead.
        given: dict[str, Any] = {} if os.environ.get("OPENAI_API_KEY") else {"api_key": SecretStr(key)}
        given |= environment_settings()
        try:
            return _openai_chat(context, own_name, **given)
        except (OpenAIError, ValueError) as problem:
            what = f"{type(problem).__name__}: check its name, and OPENAI_BASE_URL"
            raise BadInput(f"The model '{own_name}' can't be set up: {what}.") from None
    from langchain.chat_models import init_chat_model

    try:
        # Our own retries are bounded and counted; the client's retries would multiply them.
        chat: BaseChatModel = init_chat_model(name, timeout=context.timeout, max_retries=0)
        if hasattr(chat, "stream_usage"):  # tokens are counted in streams too
            chat.stream_usage = True
        return chat
    except Exception as problem:  # each provider's package raises its own
        meant = model_meant(name, providers_in(problem))
        told = f"do you mean {meant}?" if meant else HOW_TO_NAME
        raise setup_error(problem, provider, f"'{provider}' is not a known provider: {told}", name=own_name) from None


def _table_chat(context: ReaderContext, table: ModelTable) -> "BaseChatModel":
    name = context.model
    settings: dict[str, Any] = dict(table.text_settings)
    if headers := table.headers_to_send(name):
        settings["headers"] = headers
    if table.base_url:
        address = address_settings(table.base_url, f"base_url of [models.{name}]")
        settings |= address if table.provider == "openai" else {"base_url": table.base_url.strip()}
    if key := table.key(name):
        settings["api_key"] = SecretStr(key)
    called = {NAMED_BY_OTHERS.get(key, key): value for key, value in settings.items()}
    if table.provider == "openai":
        from openai import OpenAIError

        from readgraph.models.openai.chat import NO_KEY

        own_server = {"api_key": SecretStr(NO_KEY)} if table.base_url else {}
        try:
            return _openai_chat(context, table.model, **{**own_server, **called})
        except OpenAIError:
            raise ModelUnavailable(f"There is no key for '{name}': name its variable with api_key_env.") from None
        except ValueError as problem:
            raise BadInput(f"The model '{name}' can't be set up: {type(problem).__name__}, check its table.") from None
    from langchain.chat_models import init_chat_model

    try:
        more: dict[str, Any] = {"timeout": context.timeout, "max_retries": 0, **called}
        chat: BaseChatModel = init_chat_model(table.model, model_provider=table.provider, **more)
    except Exception as problem:  # each provider's package raises its own
        unknown = f"[models.{name}]: '{table.provider}' is not a known provider."
        failed = f"The model '{name}' can't be set up: check its table, and its key."
        raise setup_error(problem, table.provider, unknown, failed) from None
    fields = type(chat).model_fields
    known = {*fields, *(field.alias for field in fields.values() if field.alias)}
    for key in settings:
        if NAMED_BY_OTHERS.get(key, key) not in known:
            raise BadInput(f"[models.{name}]: '{table.provider}' takes no '{key}': leave it out, or register_model.")
    return chat


def _openai_chat(context: ReaderContext, model: str, **settings: Any) -> "BaseChatModel":
    from readgraph.models.openai.chat import InLoopChatOpenAI
    from readgraph.models.openai.transport import make_http_client, unused_sync_client

    own: dict[str, Any] = {"timeout": context.timeout, "max_retries": 0, "openai_proxy": None}
    own["http_socket_options"] = ()  # else it warns that proxies would not be used
    own["http_async_client"] = make_http_client(context.timeout, context.max_reply_mb * MB)
    query = settings.pop("default_query", None)
    chat = InLoopChatOpenAI(model=model, http_client=unused_sync_client(), **own, **settings)
    if query:  # it may hold a key, and traces show a model's own fields
        chat.root_async_client = chat.root_async_client.copy(default_query=query)
        chat.async_client = chat.root_async_client.chat.completions
    return chat


def providers_in(problem: Exception) -> list[str]:
    """The providers that LangChain knows, which its refusal of another one lists."""
    listed = re.search(r"Supported providers: (.+)", str(problem))
    return listed[1].split(", ") if listed else []


def setup_error(
    problem: Exception, provider: str, unknown: str, failed: str = "", *, name: str = "NAME"
) -> ReadgraphError:
    """Why a provider's package made no client: it is not installed, the provider is `unknown`, or it `failed`."""
    if isinstance(problem, ImportError) and provider == "ollama":
        return BadInput(f"The provider 'ollama' needs a package that is not installed: {OLLAMA.format(name=name)}.")
    if isinstance(problem, ImportError):
        return BadInput(f"The provider '{provider}' needs a package that is not installed: {problem}")
    if isinstance(problem, ValueError) and not isinstance(problem, ValidationError):
        return BadInput(unknown)
    return ModelUnavailable(failed or f"{provider} can't be set up: set its key in the environment.")


def key_variable(provider: str) -> str:
    """The environment variable in which a provider's key is looked for; "" where it needs none."""
    return "" if provider in providers() else VARIABLES.get(provider, f"{provider.upper()}_API_KEY")


def looks_like_key(text: str) -> bool:
    """Whether a text begins as keys do."""
    return bool(_KEY.fullmatch(text))


def check_no_key(name: str) -> None:
    """Raise `BadInput`, which doesn't repeat it, where a key stands in the place of a model's name."""
    provider, _, own_name = name.rpartition(":")
    if looks_like_key(own_name.strip()) or (not provider and _RANDOM.fullmatch(name.strip())):
        owner = next((owner for begin, owner in KEYS_OF.items() if own_name.strip().startswith(begin)), "openai")
        variable = key_variable(provider if NAME.fullmatch(provider) else owner) or "OPENAI_API_KEY"
        raise BadInput(f"{IS_KEY.format(variable=variable)}A model is named as in {EXAMPLE_MODEL}.")


def model_meant(name: str, known_providers: Iterable[str] = ()) -> str:
    """The name that was probably meant by one that names no model; "" where that is not plain.

    Providers are known by the beginnings of names and as people call them, and those in `known_providers`.
    """
    name = name.strip().strip(":")
    if ":" not in name:
        own = get_close_matches(name.lower(), [*model_tables(), *providers()], 1, 0.75)
        provider, slash, own_name = name.partition("/")
        if own or not slash:
            return own[0] if own else _of_family(name)
    else:
        provider, _, own_name = name.partition(":")
    if whole := _of_family(name):  # such as "qwen3:8b"
        return whole
    known = [*known_providers, *FAMILIES, *providers()]
    spelt = provider.strip().lower()
    meant = CALLED.get(spelt) or next(iter(get_close_matches(spelt, known, 1, 0.75)), "")
    return f"{meant}:{own_name.strip()}" if meant and own_name.strip() else ""


def _of_family(name: str) -> str:
    if re.match(rf"({'|'.join([*CALLED, *FAMILIES])})[:/]", name, re.I):
        return ""
    provider = next((each for each, begins in FAMILIES.items() if re.match(begins, name, re.I)), "")
    return f"{provider}:{name}" if provider else ""
