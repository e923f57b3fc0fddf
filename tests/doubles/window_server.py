"""A model double with a small window: it cuts longer prompts without a word, and may tell its window as servers do."""

import json
import re
from collections.abc import Callable
from typing import Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route, Router

from tests.doubles.model_faults import Fault, json_response
from tests.doubles.model_server import ChatRequest, ModelServer, Responder, echo

__all__ = ["WindowServer", "count_tokens"]

_TOKEN = re.compile(r"\w{1,6}|[^\w\s]")
_USAGE = re.compile(r'"prompt_tokens": ?\d+')


def count_tokens(text: str) -> int:
    """The tokens of a text, about as a tokenizer counts them."""
    return sum(1 for _ in _TOKEN.finditer(text))


class WindowServer(ModelServer):
    """The double; it counts what is left of a prompt (its answers are those to the whole one).

    `window` is in tokens; `count` makes the count that it reports of the whole prompt's tokens and of those it read
    (None: no usage); `tells` are answers to GET and POST by path, text or JSON; `asked` lists the paths that came,
    `counted` the tokens of each prompt that was sent.
    """

    def __init__(
        self,
        respond: Responder = echo,
        *,
        window: int = 10**9,
        count: Callable[[int, int], int | None] = lambda whole, read: read,
        tells: dict[str, Any] | None = None,
        **more: Any,
    ) -> None:
        """Prepare a server."""
        super().__init__(respond, **more)
        self.window, self.count, self.tells = window, count, tells or {}
        self.asked: list[str] = []
        self.counted: list[int] = []

    def _router(self) -> Router:
        told = Route("/{path:path}", self._tell, methods=["GET", "POST"])
        own = [route for route in super()._router().routes if getattr(route, "path", "") != "/v1/models"]
        return Router([*own, told])

    async def _tell(self, http: Request) -> Response:
        self.asked.append(http.url.path)
        told = self.tells.get(http.url.path)
        if callable(told):
            told = told(http)
        if isinstance(told, Response):
            return told
        if isinstance(told, bytes):
            return Response(told, media_type="application/json")
        return json_response(told) if told is not None else Response("404 page not found", 404)

    async def _answer(self, request: ChatRequest, fault: Fault, http: Request | None) -> Response:
        whole = count_tokens(request.text)
        self.counted.append(whole)
        read = min(whole, self.window)
        response = await super()._answer(request, fault, http)
        counted = self.count(whole, read)
        told = _USAGE.sub(f'"prompt_tokens": {json.dumps(counted)}', bytes(response.body).decode())
        if counted is None:
            told = re.sub(r'"usage": ?\{[^}]*\}', '"usage": null', told)
        if response.status_code != 200:
            return response
        return Response(told, media_type=response.media_type)
