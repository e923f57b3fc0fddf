"""The child process that runs a model: llama.cpp's server of OpenAI's protocol, which ends with its parent.

Its first line of input is JSON: the model's `path`, its `context` in tokens, the `threads`, the `key` that a request
must bring, and the `defaults` of requests. Its first line of output is JSON too: the `port`, or the `problem`.
"""

import json
import os
import socket
import sys
import threading
from collections.abc import Callable
from typing import Any

import uvicorn
from starlette.types import ASGIApp, Message, Receive, Scope, Send

MOST_CHARACTERS, MOST_IN_LIST, MOST_ITEMS = 500, 150, 3
"""What a text, a text in a list, and a list of a typed reply may have.

`llama_cpp` nests a rule for each character, to about 1,000.
"""

CHARACTER = r'[^"\\\x00-\x1F\u200B-\u200F\u2600-\u27BF\uFE00-\uFE0F\U00010000-\U0010FFFF] | "\\" ["\\/bfnrt]'
"""A character of a text in a typed reply, as llama.cpp's grammar says it: no pictures, which take many tokens each.

A small model that begins with them goes on with them until it is cut.
"""


class OpenAIRequests:
    """Requests as OpenAI takes them: `llama_cpp.server` says a JSON schema in its own words, and has other defaults."""

    def __init__(self, app: ASGIApp, defaults: dict[str, Any]) -> None:
        self.app, self.defaults = app, defaults

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve a request, its body translated."""
        if scope["type"] != "http" or scope["method"] != "POST":
            await self.app(scope, receive, send)
            return
        body, more = b"", True
        while more:
            part = await receive()
            body, more = body + part.get("body", b""), part.get("more_body", False)
        parts: list[Message] = [{"type": "http.request", "body": self._translated(body)}]

        async def translated() -> Message:
            return parts.pop() if parts else await receive()

        await self.app(scope, translated, send)

    def _translated(self, body: bytes) -> bytes:
        try:
            request = {**self.defaults, **json.loads(body)}
        except (ValueError, TypeError):
            return body  # the server says what is wrong with it
        form = request.get("response_format") or {}
        if form.get("type") == "json_schema":
            schema = bounded(form["json_schema"]["schema"])
            request["response_format"] = {"type": "json_object", "schema": schema}
        return json.dumps(request).encode()


def bounded(schema: Any, most: int = MOST_CHARACTERS) -> Any:
    """The schema with a bound for each text and each list that has none: small models know no end by themselves."""
    if isinstance(schema, list):
        return [bounded(part, most) for part in schema]
    if not isinstance(schema, dict):
        return schema
    kind = schema.get("type")
    inner = {name: bounded(part, MOST_IN_LIST if kind == "array" else most) for name, part in schema.items()}
    bounds = {"string": {"maxLength": most}, "array": {"maxItems": MOST_ITEMS}}
    return {**bounds.get(kind, {}), **inner} if isinstance(kind, str) else inner


def serve(make_app: Callable[[dict[str, Any]], ASGIApp]) -> None:
    """Serve what is made of the first line, until the parent ends."""
    given = json.loads(sys.stdin.readline())
    threading.Thread(target=_end_with_parent, daemon=True).start()
    listening = socket.create_server(("127.0.0.1", 0))
    try:
        app = make_app(given)
    except Exception as problem:
        _tell({"problem": str(problem)})
        return
    _tell({"port": listening.getsockname()[1]})
    config = uvicorn.Config(OpenAIRequests(app, given["defaults"]), log_level="error", access_log=False)
    uvicorn.Server(config).run(sockets=[listening])


def llama(given: dict[str, Any]) -> ASGIApp:
    """llama.cpp's server with the model loaded."""
    from llama_cpp import llama_grammar
    from llama_cpp.server.app import create_app
    from llama_cpp.server.settings import ModelSettings, ServerSettings

    model = ModelSettings(
        model=given["path"],
        n_ctx=given["context"],
        n_threads=given["threads"],
        n_threads_batch=given["threads"],
        use_mlock=False,
        last_n_tokens_size=256,  # what is said again within so many tokens is made less likely
        logits_all=False,  # of a context of 8,192 tokens they would take 1.6 GB
        verbose=False,
    )
    llama_grammar.PRIMITIVE_RULES["char"] = llama_grammar.BuiltinRule(CHARACTER, [])
    app: ASGIApp = create_app(server_settings=ServerSettings(api_key=given["key"]), model_settings=[model])
    return app


def _tell(said: dict[str, Any]) -> None:
    sys.stdout.write(json.dumps(said) + "\n")
    sys.stdout.flush()
    sys.stdout = sys.stderr  # nobody reads on


def _end_with_parent() -> None:
    """The input stays open as long as the parent lives, and is closed however that ends."""
    sys.stdin.read()
    os._exit(0)


if __name__ == "__main__":
    serve(llama)
