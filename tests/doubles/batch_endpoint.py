"""The batch endpoint of the model double: files of requests, batches that end after some looks, files of responses."""

import json
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from tests.doubles.model_faults import JsonObject, error_response, json_response

Answer = Callable[[JsonObject], Awaitable[Response]]
"""Answers the body of one request as the server would answer an ordinary call."""


@dataclass
class Batch:
    """One batch: its requests, the times that it was looked at, and what came of it."""

    file: str
    lines: list[JsonObject]
    looks: int = 0
    status: str = "in_progress"
    out: list[JsonObject] = field(default_factory=list)
    errors: list[JsonObject] = field(default_factory=list)


class BatchEndpoint:
    """The endpoint; a test may change all attributes while the server runs.

    `looks`: how often a batch is looked at before it ends. `ends`: the status with which the next batches end, one
    after the other; then "completed". An "expired" or "cancelled" batch has done its first half, a "failed" one
    nothing. `loses`: so many of the next creations succeed without an answer. `refuses`: a status for all of it.
    `lists`: whether batches can be listed. `held`: no batch ends. `working`: the status of those that go on.
    `when_created` is called with each creation.
    """

    def __init__(self, answer: Answer) -> None:
        self._answer = answer
        self.clear()

    def clear(self) -> None:
        """Forget everything."""
        self.files: dict[str, bytes] = {}
        self.batches: dict[str, Batch] = {}
        self.looks, self.loses, self.refuses = 1, 0, 0
        self.ends: list[str] = []
        self.lists, self.held, self.working = True, False, "in_progress"
        self.when_created: Callable[[], None] = lambda: None

    @property
    def lines(self) -> list[JsonObject]:
        """The lines of all batches."""
        return [line for batch in self.batches.values() for line in batch.lines]

    def routes(self) -> list[Route]:
        """Where it is served."""
        return [
            Route("/v1/files", self._upload, methods=["POST"]),
            Route("/v1/files/{file}/content", self._content),
            Route("/v1/batches", self._create, methods=["POST"]),
            Route("/v1/batches", self._list),
            Route("/v1/batches/{batch}", self._look),
            Route("/v1/batches/{batch}/cancel", self._cancel, methods=["POST"]),
        ]

    async def _upload(self, http: Request) -> Response:
        if self.refuses:
            return error_response(self.refuses, "refused")
        whole = await http.body()
        boundary = b"--" + http.headers["content-type"].partition("boundary=")[2].strip('"').encode()
        parts = [part.partition(b"\r\n\r\n") for part in whole.split(boundary)]
        fields = {head.split(b'name="')[1].split(b'"')[0]: body[:-2] for head, _, body in parts if b'name="' in head}
        assert fields[b"purpose"] == b"batch"
        name = f"file-{len(self.files)}"
        self.files[name] = fields[b"file"]
        return json_response({"id": name, "object": "file", "purpose": "batch"})

    async def _create(self, http: Request) -> Response:
        asked = json.loads(await http.body())
        assert (asked["endpoint"], asked["completion_window"]) == ("/v1/chat/completions", "24h")
        lines = [json.loads(line) for line in self.files[asked["input_file_id"]].splitlines()]
        assert len({line["custom_id"] for line in lines}) == len(lines) <= 50_000
        assert all((line["method"], line["url"]) == ("POST", "/v1/chat/completions") for line in lines)
        name = f"batch-{len(self.batches)}"
        self.batches[name] = Batch(asked["input_file_id"], lines)
        self.when_created()
        if self.loses:
            self.loses -= 1
            return error_response(500, "lost")
        return self._shown(name)

    async def _list(self, http: Request) -> Response:
        if not self.lists:
            return error_response(404, "no such page")
        data = [json.loads(bytes(self._shown(name).body)) for name in reversed(self.batches)]
        return json_response({"object": "list", "data": data, "has_more": False})

    async def _look(self, http: Request) -> Response:
        name = http.path_params["batch"]
        if name not in self.batches:
            return error_response(404, "no such batch")
        batch = self.batches[name]
        batch.looks += 1
        if batch.status == "in_progress" and batch.looks > self.looks and not self.held:
            await self._end(batch, self.ends.pop(0) if self.ends else "completed")
        return self._shown(name)

    async def _cancel(self, http: Request) -> Response:
        await self._end(self.batches[http.path_params["batch"]], "cancelled")
        return self._shown(http.path_params["batch"])

    async def _end(self, batch: Batch, status: str) -> None:
        """Do the requests that are done when a batch ends so."""
        done = {"completed": len(batch.lines), "failed": 0}.get(status, len(batch.lines) // 2)
        for line in batch.lines[:done]:
            response = await self._answer(line["body"])
            body = json.loads(bytes(response.body))
            shown = {"status_code": response.status_code, "request_id": "", "body": body}
            kept = batch.out if response.status_code == 200 else batch.errors
            kept.append({"id": "", "custom_id": line["custom_id"], "response": shown, "error": None})
        if status == "expired":
            expired = {"code": "batch_expired", "message": "This request was not done in time."}
            for line in batch.lines[done:]:
                batch.errors.append({"id": "", "custom_id": line["custom_id"], "response": None, "error": expired})
        batch.status = status

    def _shown(self, name: str) -> Response:
        batch = self.batches[name]
        failed = [{"code": "token_limit_exceeded", "message": "sk-not-a-real-key has too many tokens in queue."}]
        counts = {"total": len(batch.lines), "completed": len(batch.out), "failed": len(batch.errors)}
        shown = {
            "id": name,
            "object": "batch",
            "status": self.working if batch.status == "in_progress" else batch.status,
            "input_file_id": batch.file,
            "output_file_id": f"{name}-out" if batch.out else None,
            "error_file_id": f"{name}-errors" if batch.errors else None,
            "errors": {"object": "list", "data": failed} if batch.status == "failed" else None,
            "request_counts": counts,
        }
        return json_response(shown)

    async def _content(self, http: Request) -> Response:
        name, _, kind = http.path_params["file"].rpartition("-")
        batch = self.batches[name]
        lines = batch.out if kind == "out" else batch.errors
        content = "".join(json.dumps(line) + "\n" for line in reversed(lines))  # in any order
        return Response(content, media_type="application/octet-stream")
