"""What a server of OpenAI's protocol tells of its model's window: it is asked once, and may answer anything at all."""

import asyncio
import json
import re
from collections.abc import Awaitable, Callable, Iterator
from typing import Any, NamedTuple
from urllib.parse import urlsplit, urlunsplit

SECONDS = 2.0  # that all questions to a server may take together
MOST_BYTES = 4_000_000  # of an answer: OpenRouter's list of its models has about one million
FEWEST, MOST = 256, 100_000_000  # tokens that a window can have
SILENT = ("openai.com", "openai.azure.com", "anthropic.com", "googleapis.com", "deepseek.com", "x.ai", "amazonaws.com")
"""Hosts of providers whose lists of models tell no window."""
_FIELDS = {
    *("max_model_len", "context_length", "context_window", "max_context_length", "loaded_context_length", "n_ctx"),
    *("max_input_tokens", "max_input_length", "max_total_tokens", "context_size"),
}  # of vLLM and SGLang; OpenRouter, Together and Ollama; Groq; LM Studio and Mistral; llama.cpp; LiteLLM and TGI
_NAMES = ("id", "name", "model", "key", "model_name")  # where an entry of a list has the model's name
_NUM_CTX = re.compile(r"^num_ctx\s+(\d+)", re.MULTILINE)
_VERSION = re.compile(r"(/api|/openai)?/v\d\w*$")
_OWNERS = {"library": "Ollama", "llamacpp": "llama.cpp", "vllm": "vLLM", "sglang": "SGLang"}
_DEEPEST = 4  # how far inside of an entry a number may stand

Fetch = Callable[[str, dict[str, str] | None], Awaitable[Any]]


class Told(NamedTuple):
    """The window that a server tells, in tokens (0: it doesn't), and the kind of server ("": not known)."""

    tokens: int = 0
    kind: str = ""


async def ask_server(chat: Any, model: str) -> Told:
    """What the server of a chat model of OpenAI's protocol tells; nothing where it has not done so in `SECONDS`.

    Only that server is asked, with the headers and the query of a call. First its list of models, then what single
    kinds of servers have beside the protocol.
    """
    client = chat.root_async_client
    parts = urlsplit(str(client.base_url))
    if any(f".{parts.hostname}".endswith(f".{host}") for host in SILENT):
        return Told()
    base = urlunsplit(parts._replace(query="", fragment="")).rstrip("/")
    model_list, given = f"{base}/models", {**client.default_headers, **client.auth_headers}
    headers = {name: value for name, value in given.items() if isinstance(value, str)}

    async def fetch(address: str, body: dict[str, str] | None = None) -> Any:
        # Several questions go out at once, and of each connection that stays open every later call looks whether it is.
        named = headers if address == model_list else {**headers, "Connection": "close"}
        request = {"headers": named, "params": client.default_query, "timeout": SECONDS, "follow_redirects": False}
        method, sent = ("POST", {"json": body}) if body else ("GET", {})
        async with chat.http_async_client.stream(method, address, **request, **sent) as response:
            content = b""
            async for part in response.aiter_bytes():
                content += part
                if len(content) > MOST_BYTES:
                    return None
            return json.loads(content) if response.status_code == 200 else None

    return await _ask(fetch, base, model_list, model)


async def _ask(fetch: Fetch, base: str, model_list: str, model: str) -> Told:
    told = Told()
    root = _VERSION.sub("", base)
    try:
        async with asyncio.timeout(SECONDS):
            told = _read_list(await _fetch_or_none(fetch, model_list), model)
            if told.tokens:
                return told
            beside: dict[str, tuple[str, dict[str, str] | None]] = {
                f"{root}/api/ps": ("Ollama", None),
                f"{root}/api/show": ("Ollama", {"model": model}),
                f"{root}/props": ("llama.cpp", None),
                f"{root}/api/v0/models": ("LM Studio", None),
                f"{root}/info": ("TGI", None),
                f"{root}/model/info": ("LiteLLM", None),
            }
            answers = await asyncio.gather(
                *(_fetch_or_none(fetch, address, body) for address, (_, body) in beside.items())
            )
    except TimeoutError:
        return told
    told_values = [
        Told(each.tokens, each.kind or kind)
        for (kind, _), answer in zip(beside.values(), answers, strict=True)
        if (each := _read_list(answer, model)).tokens
    ]
    return min(told_values, default=told)


async def _fetch_or_none(fetch: Fetch, address: str, body: dict[str, str] | None = None) -> Any:
    try:
        return await fetch(address, body)
    except Exception:  # whatever it sends, a call will show whether the server is of use
        return None


def _read_list(answer: Any, model: str) -> Told:
    """The smallest window in what is said of the model in a list, or in an answer that is of one model alone."""
    if not isinstance(answer, dict):
        return Told()
    entries = next((listed for name in ("data", "models") if isinstance(listed := answer.get(name), list)), None)
    if entries is None:
        return Told(min(_windows(answer), default=0))
    windows, kind = list[int](), ""
    for entry in entries:
        if isinstance(entry, dict) and any(_is_named(entry.get(name), model) for name in _NAMES):
            windows += _windows(entry)
            kind = _OWNERS.get(str(entry.get("owned_by")), kind)
    return Told(min(windows, default=0), kind)


def _is_named(name: Any, model: str) -> bool:
    """Whether a name is the model's; Ollama's names end with a version, which may be left out."""
    return isinstance(name, str) and name in (model, f"{model}:latest")


def _windows(value: Any, depth: int = 0) -> Iterator[int]:
    """The numbers of tokens in the fields that tell a window, anywhere in an entry."""
    if isinstance(value, list) and depth < _DEEPEST:
        for each in value:
            yield from _windows(each, depth + 1)
    if not isinstance(value, dict) or depth >= _DEEPEST:
        return
    for name, inner in value.items():
        told = inner
        if name == "parameters" and isinstance(inner, str):  # of Ollama's Modelfile
            match = _NUM_CTX.search(inner)
            told = int(match[1]) if match else None
        elif name not in _FIELDS and not name.endswith(".context_length"):
            yield from _windows(inner, depth + 1)
            continue
        if type(told) is int and FEWEST <= told <= MOST:
            yield told
