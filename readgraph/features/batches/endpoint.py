"""OpenAI's batch endpoint: a file of requests goes up, and up to 24 hours later files of responses come down."""

import asyncio
import json
import re
from collections.abc import Awaitable
from typing import Any, NamedTuple

from langchain_core import exceptions as kinds
from openai import AsyncOpenAI

from readgraph.models.failures.failure import error_of_refusal
from readgraph.models.failures.refusals import read_refusal
from readgraph.models.openai.completions import with_model_errors
from readgraph.models.openai.transport import make_http_client
from readgraph.state.errors import ModelUnavailable

MOST_OF_FILE = 1_000_000_000  # bytes of a file of responses that are read: 50,000 replies of 20,000 bytes
ENDS = ("completed", "failed", "expired", "cancelled")  # of a batch; it may have others that a server works on
LISTED = 100  # the newest batches among which one is looked for whose id is not known


class Unfinished(kinds.ModelAPIError):
    """A request of a batch that brought no response; `cause` says why, in words that hold nothing secret."""

    def __init__(self, cause: str) -> None:
        super().__init__(cause)
        self.cause = cause


class BatchStatus(NamedTuple):
    """How far a batch is: its id, its status, the requests done, the ids of its files, and why it failed."""

    batch: str
    status: str
    done: int
    files: tuple[str, ...]
    cause: str

    @property
    def is_at_end(self) -> bool:
        """Whether nothing more will come."""
        return self.status in ENDS


class BatchEndpoint:
    """The batch endpoint of one server. Methods raise LangChain's errors of models, without the server's text."""

    def __init__(self, sdk: AsyncOpenAI, server: str, timeout: float) -> None:
        self.server, self.http = server, make_http_client(timeout, MOST_OF_FILE)
        self.sdk = sdk.copy(http_client=self.http)

    async def upload(self, lines: bytes) -> str:
        """Upload a file of requests; returns its id."""
        file = ("batch.jsonl", lines, "application/jsonl")
        return await self._request_creation(self.sdk.files.create(file=file, purpose="batch"))

    async def create(self, file: str) -> str:
        """Let the server begin the batch of an uploaded file; returns the batch's id."""
        window: Any = {"endpoint": "/v1/chat/completions", "completion_window": "24h"}
        return await self._request_creation(self.sdk.batches.create(input_file_id=file, **window))

    async def find_batch(self, file: str) -> str:
        """The id of the batch that was begun of this file; "" if the server knows none, or doesn't list batches."""
        newest: Any = {"params": {"limit": LISTED}, "security": {"bearer_auth": True}}
        try:
            listed = await with_model_errors(self.sdk.get("/batches", cast_to=object, options=newest))
        except (kinds.ModelNotFoundError, kinds.ModelInvalidRequestError):
            return ""
        batches = listed.get("data") if isinstance(listed, dict) else None
        for batch in batches if isinstance(batches, list) else ():
            if isinstance(batch, dict) and batch.get("input_file_id") == file:
                return str(batch.get("id") or "")
        return ""

    async def status(self, batch: str) -> BatchStatus:
        """How far a batch is."""
        found: Any = await with_model_errors(self.sdk.batches.retrieve(batch))
        counts = getattr(found, "request_counts", None)
        done = sum(count for name in ("completed", "failed") if type(count := getattr(counts, name, 0)) is int)
        files = (getattr(found, "output_file_id", None), getattr(found, "error_file_id", None))
        status = getattr(found, "status", None)
        if not isinstance(status, str):
            raise kinds.ModelAPIError("no status")
        status = status.lower()
        errors = getattr(getattr(found, "errors", None), "data", None) or []
        codes = dict.fromkeys(filter(None, (_code({"code": getattr(error, "code", "")}) for error in errors)))
        reasons = f" ({', '.join(codes).replace('_', ' ')})" if codes else ""
        cause = "" if status == "completed" else f"the batch {'was ' * (status == 'cancelled')}{status}{reasons}"
        return BatchStatus(batch, status, done, tuple(filter(None, files)), cause)

    async def cancel(self, batch: str) -> None:
        """Let the server end a batch early, if it has not ended yet; what it has done until then is paid for."""
        try:
            await with_model_errors(self.sdk.batches.cancel(batch))
        except kinds.ModelError as caught:
            if getattr(caught, "status_code", 0) not in (400, 409):  # it has ended, or is cancelled already
                raise

    async def responses(self, files: tuple[str, ...]) -> dict[str, Any]:
        """The lines of these files by the ids of their requests; a file that is gone has none."""
        lines = dict[str, Any]()
        for file in files:
            try:
                content = await with_model_errors(self.sdk.files.content(file))
            except kinds.ModelNotFoundError:
                continue
            lines |= await asyncio.to_thread(_lines, content.content)
        return lines

    async def close(self) -> None:
        """Close the connections."""
        await self.http.aclose()

    async def _request_creation(self, sent: Awaitable[Any]) -> str:
        """The id of what a request makes; raises `ModelUnavailable` where the server refuses batches as such."""
        try:
            made = await with_model_errors(sent)
            if isinstance(identity := getattr(made, "id", None), str) and identity:
                return identity
            raise kinds.ModelAPIError("no id")
        except kinds.ModelError as caught:
            problem = caught
        status = getattr(problem, "status_code", 0)
        if status in (404, 405, 501):
            raise ModelUnavailable(f"The model server at {self.server} has no batch endpoint: leave --batch out.")
        if isinstance(problem, kinds.ModelInvalidRequestError):
            raise ModelUnavailable(
                f"The model server at {self.server} refused a batch ({status}): look there for the reason."
            )
        raise problem


def line_of(key: str, body: dict[str, Any]) -> bytes:
    """A request as a line of the file that is uploaded; what some servers would take for a line's end is escaped."""
    request = {"custom_id": key, "method": "POST", "url": "/v1/chat/completions", "body": body}
    line = json.dumps(request, ensure_ascii=False)
    return re.sub("[\x85\u2028\u2029]", lambda found: f"\\u{ord(found[0]):04x}", line).encode() + b"\n"


def body_of(line: Any, ended: BatchStatus) -> Any:
    """The response in a line; raises the error that the line stands for, or that the missing line does."""
    response = line.get("response") if isinstance(line, dict) else None
    if not isinstance(response, dict):
        error = _code(line.get("error")) if isinstance(line, dict) else ""
        raise Unfinished(error.replace("_", " ") or ended.cause or f"a batch that is {ended.status} lacks the reply")
    status, body = response.get("status_code"), response.get("body")
    if status == 200:
        return body
    code = _code(body.get("error")) if isinstance(body, dict) else ""
    if type(status) is not int or status < 400:
        raise Unfinished(code.replace("_", " ") or "a response without a status")
    refusal = read_refusal(status, body.get("error") if isinstance(body, dict) else body)
    raise error_of_refusal(status, refusal, code=code)


def _code(error: Any) -> str:
    """The code of an error; a longer text, which may hold a part of the key, is not shown."""
    code = error.get("code") if isinstance(error, dict) else None
    return code if isinstance(code, str) and re.fullmatch(r"[a-z_]{1,40}", code) else ""


def _lines(content: bytes) -> dict[str, Any]:
    lines = dict[str, Any]()
    for line in content.splitlines():
        try:
            value = json.loads(line)
        except (ValueError, RecursionError):
            continue
        if isinstance(value, dict) and isinstance(value.get("custom_id"), str):
            lines[value["custom_id"]] = value
    return lines
