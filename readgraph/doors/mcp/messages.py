"""What clients send, looked at before the SDK gets it: it drops what is no message, and its client waits for ever."""

import asyncio
import json
import re
from contextlib import suppress
from typing import Any, BinaryIO, NamedTuple

from mcp.shared.message import SessionMessage
from mcp_types import INVALID_REQUEST, PARSE_ERROR, ErrorData, JSONRPCError, jsonrpc_message_adapter
from pydantic import ValidationError
from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send

from readgraph.api.servers import MOST_MB, json_fault, read_body

MOST_BYTES = MOST_MB * 1_000_000
TOLD = "notifications/"  # with which the names of what wants no reply begin


class Fault(NamedTuple):
    """Why a message is none; `id`: of the request, where that can be told."""

    id: str | int | None
    code: int
    line: str

    @property
    def reply(self) -> JSONRPCError:
        """The error that its sender gets."""
        return JSONRPCError(jsonrpc="2.0", id=self.id, error=ErrorData(code=self.code, message=self.line))


def find_fault(data: bytes) -> Fault | None:
    """What is wrong with a message."""
    if too_much := f"more than {MOST_MB} MB" if len(data) > MOST_BYTES else json_fault(data):
        line = f"The message has {too_much}. The tool read takes a large text as a file."
        return Fault(_find_id(data), INVALID_REQUEST, line)
    try:
        data.decode()
        message: Any = jsonrpc_message_adapter.validate_json(data, by_name=False)
    except UnicodeDecodeError:
        return Fault(_find_id(data), PARSE_ERROR, "The message is no valid UTF-8.")
    except ValidationError as problem:
        first = problem.errors(include_input=False, include_url=False)[0]
        if first["type"] == "json_invalid":
            why = str(first["ctx"]["error"])
            why = "it holds half a character (a lone surrogate)" if "hex escape" in why else why
            return Fault(_find_id(data), PARSE_ERROR, f"The message is no valid JSON: {why}.")
        return Fault(
            _find_id(data), INVALID_REQUEST, "The message is no request of JSON-RPC 2.0, of which one is sent."
        )
    method = getattr(message, "method", TOLD)
    if not hasattr(message, "id") and not method.startswith(TOLD):
        return Fault(None, INVALID_REQUEST, "The request has no id that is a text or a whole number: give one.")
    return None


_SHORT = rb'"(?:jsonrpc|method)"\s*:\s*"[^"\\]*"\s*'  # members beside which an id may stand
_ID = rb'"id"\s*:\s*(-?\d{1,18}|"[^"\\]{1,200}")\s*'
_FIRST = re.compile(rb"\s*\{\s*(?:%b,\s*)*%b[,}]" % (_SHORT, _ID))
_LAST = re.compile(rb"%b(?:,\s*%b)*\}\s*\Z" % (_ID, _SHORT))
END = 1000  # characters at a message's end in which its id is looked for


def _find_id(data: bytes) -> str | int | None:
    """The id of a message that is no JSON, or too much of it: most programs write it first or last."""
    with suppress(ValueError, RecursionError, TypeError, KeyError):
        match = _FIRST.match(data) or _LAST.search(data, max(0, len(data) - END))
        identity = json.loads(match[1] if match else data.decode(errors="replace"))
        identity = identity if match else identity["id"]
        if isinstance(identity, str) or (type(identity) is int and abs(identity) < 2**63):
            str(identity).encode()  # half a character can't come back
            return identity
    return None


class CheckedLines:
    """The lines of a stream that are messages; what is none is answered by `replies`, once that is known."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream
        self.replies: Any = None

    def __aiter__(self) -> "CheckedLines":
        return self

    async def __anext__(self) -> str:
        while data := await asyncio.to_thread(self._read_line):
            if not data.strip():
                continue
            if (fault := find_fault(data)) is None:
                return data.decode()
            await self.replies.send(SessionMessage(fault.reply))
        raise StopAsyncIteration

    def _read_line(self) -> bytes:
        """The next line; of one that is too long so much that this, and its id, can be told."""
        line = piece = self._stream.readline(MOST_BYTES + 1)
        while len(piece) > MOST_BYTES and not piece.endswith(b"\n"):
            piece = self._stream.readline(MOST_BYTES + 1)
            line = line[: MOST_BYTES + 1] + piece[-END:]
        return line


class CheckedApp:
    """An application that gets only requests whose body is a message."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Hand on to the application, or answer with what is wrong."""
        if scope["type"] != "http" or scope["method"] != "POST":
            await self.app(scope, receive, send)
            return
        data, receive_again = await read_body(receive, MOST_BYTES)
        if fault := find_fault(data):
            status = 413 if len(data) > MOST_BYTES else 400
            reply = fault.reply.model_dump_json(by_alias=True)
            await Response(reply, status, media_type="application/json")(scope, receive, send)
            return
        await self.app(scope, receive_again, send)
