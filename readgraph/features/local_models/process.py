"""The child process that runs a model: llama.cpp's server with OpenAI's protocol, which ends with its parent.

Its first line of input is JSON: the model's `path`, its `context` in tokens, the number of `threads`, the `key` that
requests must have, and `defaults` for requests. Its first line of output is JSON too: the `port`, or the `problem`.
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

MOST_CHARACTERS, MOST_IN_LIST, MOST_ITEMS = 500, 150, 3  # of a typed reply's texts, of those in a list, of a list
CHARACTER = r'[^"\\\x00-\x1F\u200B-\u200F\u2600-\u27BF\uFE00-\uFE0F\U00010000-\U0010FFFF] | "\\" ["\\/bfnrt]'
"""A character of a text in a typed reply, in llama.cpp's grammar: no emoji, with which a small model would go on."""


class OpenAIRequests:
    """Translates OpenAI's requests for `llama_cpp.server`, which takes JSON schemas in another form."""

    def __init__(self, app: ASGIApp, defaults: dict[str, Any]) -> None:
        self.app, self.defaults = app, defaults

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve a request with its body translated."""
        if scope["type"] != "http" or scope["method"] != "POST":
            await self.app(scope, receive, send)
            return
        body, more = b"", True
        while more:
            part = await receive()
            body, more = body + part.get("body", b""), part.get("more_body", False)
        parts: list[Message] = [{"type": "http.request", "body": self._translate_request(body)}]

        async def receive_translated() -> Message:
            return parts.pop() if parts else await receive()

        await self.app(scope, receive_translated, send)

    def _translate_request(self, body: bytes) -> bytes:
        try:
            request = {**self.defaults, **json.loads(body)}
        except (ValueError, TypeError):
            return body  # the server reports what is wrong with it
        form = request.get("response_format") or {}
        if form.get("type") == "json_schema":
            schema = limit_schema(form["json_schema"]["schema"])
            request["response_format"] = {"type": "json_object", "schema": schema}
        return json.dumps(request).encode()


def limit_schema(schema: Any, most: int = MOST_CHARACTERS) -> Any:
    """The schema with a bound for each text and list that has none: small models don't stop by themselves."""
    if isinstance(schema, list):
        return [limit_schema(part, most) for part in schema]
    if not isinstance(schema, dict):
        return schema
    kind = schema.get("type")
    inner = {name: limit_schema(part, MOST_IN_LIST if kind == "array" else most) for name, part in schema.items()}
    bounds = {"string": {"maxLength": most}, "array": {"maxItems": MOST_ITEMS}}
    return {**bounds.get(kind, {}), **inner} if isinstance(kind, str) else inner


def serve(make_app: Callable[[dict[str, Any]], ASGIApp]) -> None:
    """Serve the app made from the first line of input, until the parent ends."""
    arguments = json.loads(sys.stdin.readline())
    threading.Thread(target=_end_with_parent, daemon=True).start()
    listening = socket.create_server(("127.0.0.1", 0))
    try:
        app = make_app(arguments)
    except Exception as problem:
        _report({"problem": str(problem)})
        return
    _report({"port": listening.getsockname()[1]})
    config = uvicorn.Config(OpenAIRequests(app, arguments["defaults"]), log_level="error", access_log=False)
    uvicorn.Server(config).run(sockets=[listening])


def llama(arguments: dict[str, Any]) -> ASGIApp:
    """llama.cpp's server with the model loaded."""
    from llama_cpp import llama_grammar
    from llama_cpp.server.app import create_app
    from llama_cpp.server.settings import ModelSettings, ServerSettings

    model = ModelSettings(
        model=arguments["path"],
        n_ctx=arguments["context"],
        n_threads=arguments["threads"],
        n_threads_batch=arguments["threads"],
        use_mlock=False,
        last_n_tokens_size=256,  # repetition within this many tokens is made less likely
        logits_all=False,  # they would take 1.6 GB for a context of 8,192 tokens
        verbose=False,
    )
    llama_grammar.PRIMITIVE_RULES["char"] = llama_grammar.BuiltinRule(CHARACTER, [])
    app: ASGIApp = create_app(server_settings=ServerSettings(api_key=arguments["key"]), model_settings=[model])
    return app


def _report(outcome: dict[str, Any]) -> None:
    sys.stdout.write(json.dumps(outcome) + "\n")
    sys.stdout.flush()
    sys.stdout = sys.stderr  # nobody reads further output


def _end_with_parent() -> None:
    """End with the parent, in whatever way it ends: then this process's input is closed."""
    sys.stdin.read()
    os._exit(0)


if __name__ == "__main__":
    serve(llama)
