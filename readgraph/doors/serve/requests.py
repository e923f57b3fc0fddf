"""What requests bring and get: bodies, refused as soon as they are too large, JSON that can be kept, reports."""

from collections.abc import Mapping
from typing import Annotated, Any

from fastapi import HTTPException, Query, Request
from fastapi.responses import JSONResponse, Response
from pydantic import BaseModel, ConfigDict, model_validator
from starlette.datastructures import Headers
from starlette.requests import ClientDisconnect
from starlette.types import ASGIApp, Receive, Scope, Send

from readgraph.api.servers import MOST_MB, json_fault, read_body
from readgraph.doors.report.page import ReportData, render
from readgraph.library.stored_items import replace_surrogates
from readgraph.sources.inputs import most_bytes, too_large_error
from readgraph.state.apart import compute
from readgraph.state.errors import BadInput

MOST_LISTED = 200
LARGEST = 2**63 - 1  # no number of a page, event or question is larger: the library's files hold none
Offset = Annotated[int, Query(ge=0, le=LARGEST)]
Limit = Annotated[int, Query(ge=1, le=MOST_LISTED)]


class RequestBody(BaseModel):
    """The JSON body of a request. Lone surrogates, which UTF-8 can't encode, become question marks."""

    model_config = ConfigDict(extra="forbid")

    @model_validator(mode="before")
    @classmethod
    def _clean(cls, given: Any) -> Any:
        return _encodable(given)


class NoteBody(RequestBody):
    """A person's note in place of a method's."""

    text: str


OPENAI = "/v1/"  # where requests and problems have OpenAI's form
KINDS = {401: "authentication_error", 403: "permission_error", 429: "rate_limit_error"}
CODES = {401: "invalid_api_key", 404: "not_found", 413: "request_too_large"}


class Refused(HTTPException):
    """What can't be done, with the parameter that is wrong, and the code that programs know."""

    def __init__(self, status: int, line: str, param: str | None = None, code: str | None = None) -> None:
        super().__init__(status, line)
        self.about: dict[str, Any] = {"param": param, **({"code": code} if code else {})}


def problem_response(path: str, line: str, status: int, about: Mapping[str, Any] | None = None) -> JSONResponse:
    """A problem in the form of the programs that ask at this path."""
    if not path.startswith(OPENAI):
        return JSONResponse({"problem": line}, status)
    kind = KINDS.get(status, "server_error" if status >= 500 else "invalid_request_error")
    error = {"message": line, "type": kind, "param": None, "code": CODES.get(status), **(about or {})}
    return JSONResponse({"error": error}, status, {"x-should-retry": "false"})  # or the SDK begins a run once more


async def report_file(report: ReportData) -> Response:
    """A report as a file that the browser saves."""
    page = await compute(render, report)
    headers = {"content-disposition": 'attachment; filename="report.html"'}
    return Response(page, media_type="text/html", headers=headers)


def _encodable(value: Any) -> Any:
    if isinstance(value, dict):
        return {replace_surrogates(name): _encodable(part) for name, part in value.items()}
    return replace_surrogates(value)


MOST_JSON_MB = MOST_MB
FILES = "/api/files/"  # where bodies are files
OWN_BODIES = (FILES, "/api/login")  # what reads its body itself, up to a limit of its own


class BodyLimit:
    """An application that gets no more of a body than it may hold as JSON."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Hand on to the application, or say what is too much."""
        if scope["type"] != "http" or scope["path"].startswith(OWN_BODIES) or scope["method"] in ("GET", "HEAD"):
            await self.app(scope, receive, send)
            return
        most, data = int(MOST_JSON_MB * 1_000_000), b""
        if not (is_long := says_more(Headers(scope=scope), most)):
            data, receive = await read_body(receive, most)
            is_long = len(data) > most
        if is_long:
            line = f"The request has more than {MOST_JSON_MB} MB: send a long text as a file, by PUT {FILES}NAME.txt."
            await problem_response(scope["path"], line, 413)(scope, receive, send)
        elif too_much := json_fault(data):
            await problem_response(scope["path"], f"The request has {too_much}.", 400)(scope, receive, send)
        else:
            await self.app(scope, receive, send)


def says_more(headers: Headers, most: int) -> bool:
    """Whether a request says that its body is larger."""
    said = headers.get("content-length", "")
    return said.isdecimal() and (len(said) > 18 or int(said) > most)


async def file_in(request: Request, name: str) -> bytes:
    """The file that is the body of a request; raises `BadInput` as soon as it is too large."""
    data, most = bytearray(), most_bytes()
    if says_more(request.headers, most):
        raise too_large_error(name)
    try:
        async for piece in request.stream():
            data += piece
            if len(data) > most:
                raise too_large_error(name)
    except ClientDisconnect:
        raise BadInput(f"{name} did not come whole.") from None
    return bytes(data)
