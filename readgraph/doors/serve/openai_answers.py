"""The answer of a run in OpenAI's forms: whole, and as the pieces of a stream."""

import json
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple
from urllib.parse import quote

from readgraph.api.answer_text import place_or_part, plain_answer, quote_in_words
from readgraph.doors.serve.room import Run
from readgraph.nodes.answering.citations import mark_spans

PIECE = 400  # characters of an answer that are sent at once


class WrittenAnswer(NamedTuple):
    """A text, the places of the library that its marks cite, and the tokens: in, out, and of those in, cached."""

    text: str
    citations: list[dict[str, Any]]
    sent: int
    received: int
    cached: int
    is_whole: bool = True  # False: the budget ended first


NO_ANSWER = "The model gave no answer that could be used, in all of its tries. What was read is kept: ask again."


def has_no_answer(result: Mapping[str, Any]) -> bool:
    """Whether a run's `result` stands in place of an answer that its model was asked for and did not give."""
    output = result["report"]["found"]
    substituted = output["by_rule"] and output["status"] in ("nearest", "no_answer") and not output.get("table")
    return bool(substituted and output["steps"][-1]["model"])


def said_in(result: Mapping[str, Any], base: str) -> WrittenAnswer:
    """What a run's `result` says; its citations lead to the page of the reading room at `base`."""
    output = result["report"]["found"]
    text, marked, spans = plain_answer(output), output["marked_answer"] or "", mark_spans(output)
    if marked not in text and output["status"] == "nearest":  # which stands above the quotes
        marked, spans = "", []
        for citation in output["citations"]:
            mark = f"[{citation['number']}]"
            marked += ("\n\n" if marked else "") + f"{quote_in_words(citation)} {mark}"
            spans.append((citation["number"], len(marked) - len(mark), len(marked)))
        text += f"\n\n{marked}" if len(spans) > 1 else f" {marked}"
    usage, at = output["usage"], text.find(marked)
    text = "\n\n".join([text, *output.get("notices", ())])
    cited = {citation["number"]: citation for citation in output["citations"]}
    citations = [
        {"start_index": at + start, "end_index": at + end, **_place(cited[number], result, base)}
        for number, start, end in (spans if at >= 0 else ())
    ]
    sizes = usage["input_tokens"], usage["output_tokens"], usage.get("cache_read_tokens", 0)
    return WrittenAnswer(text, citations, *sizes, is_whole=output["status"] != "budget")


def _place(citation: Mapping[str, Any], result: Mapping[str, Any], base: str) -> dict[str, str]:
    output, elsewhere = result["report"]["found"], citation.get("document")
    held = [document for document in output["documents"] if document["start"] <= citation["start"] < document["end"]]
    title = output["title"] if elsewhere or not held else held[0]["title"]
    where = place_or_part(citation["place"], citation["page"])
    ways = [result["document"], result["memory"], "part", str(citation["page"])]
    place = "/".join(quote(each, safe="") for each in ([elsewhere] if elsewhere else ways))
    has_title = elsewhere or (held and where.startswith(title))  # as places of several documents have it
    named = f"{title}, {where}" if title and not has_title else where
    return {"title": named, "url": f"{base}#/document/{place}"}


@dataclass
class _Answer:
    run: Run
    model: str
    base: str
    include_usage: bool = False
    created: int = field(default_factory=lambda: int(time.time()), init=False)

    @property
    def problem(self) -> str:
        """Why there is no answer, in one line."""
        if self.run.result:
            return NO_ANSWER
        return self.run.problem or "The run was stopped before it had an answer. What was read is kept: ask again."


class ChatAnswer(_Answer):
    """A chat completion."""

    def _object(self, kind: str, **rest: Any) -> dict[str, Any]:
        identity = f"chatcmpl-{self.run.id}"
        return {"id": identity, "object": kind, "created": self.created, "model": self.model, **rest}

    def _chunk(self, delta: Mapping[str, Any], finish: str | None = None) -> bytes:
        choice = {"index": 0, "delta": delta, "logprobs": None, "finish_reason": finish}
        usage = {"usage": None} if self.include_usage else {}
        return _event(self._object("chat.completion.chunk", choices=[choice], **usage))

    def whole(self, answer: WrittenAnswer) -> dict[str, Any]:
        """The answer as one object."""
        message = {"role": "assistant", "content": answer.text, "refusal": None, "annotations": _of_chat(answer)}
        choice = {"index": 0, "message": message, "logprobs": None, "finish_reason": _end_of(answer)}
        return self._object("chat.completion", choices=[choice], usage=_usage(answer, "prompt", "completion"))

    def beginning(self) -> Iterator[bytes]:
        """The role of who answers."""
        yield self._chunk({"role": "assistant", "content": ""})

    def pieces(self, answer: WrittenAnswer) -> Iterator[bytes]:
        """The text, its citations, the usage where it is wanted."""
        for piece in _pieces(answer.text):
            yield self._chunk({"content": piece})
        yield self._chunk({"annotations": _of_chat(answer)} if answer.citations else {}, _end_of(answer))
        if self.include_usage:
            usage = _usage(answer, "prompt", "completion")
            yield _event(self._object("chat.completion.chunk", choices=[], usage=usage))
        yield b"data: [DONE]\n\n"

    def failing(self) -> Iterator[bytes]:
        """The error."""
        error = {"message": self.problem, "type": "server_error", "param": None, "code": "run_failed"}
        yield _event({"error": error})


class ResponseAnswer(_Answer):
    """A response."""

    sent = 0

    def _object(self, status: str, **rest: Any) -> dict[str, Any]:
        about = {"id": f"resp_{self.run.id}", "object": "response", "created_at": self.created, "status": status}
        empty = dict.fromkeys(("error", "incomplete_details", "instructions", "temperature", "top_p", "usage"))
        tools: dict[str, Any] = {"tools": [], "tool_choice": "none", "parallel_tool_calls": False}
        return {**about, "model": self.model, "output": [], "metadata": {}, **empty, **tools, **rest}

    def _message(self, status: str, parts: list[dict[str, Any]]) -> dict[str, Any]:
        identity = f"msg_{self.run.id}"
        return {"id": identity, "type": "message", "role": "assistant", "status": status, "content": parts}

    def _tell(self, kind: str, **rest: Any) -> bytes:
        event = {"type": f"response.{kind}", "sequence_number": self.sent, **rest}
        self.sent += 1
        return _event(event, event["type"])

    def whole(self, answer: WrittenAnswer) -> dict[str, Any]:
        """The answer as one object."""
        details = {
            "input_tokens_details": {"cached_tokens": answer.cached},
            "output_tokens_details": {"reasoning_tokens": 0},
        }
        usage = {**_usage(answer, "input", "output"), **details}
        status = self._status(answer)
        why = {} if answer.is_whole else {"incomplete_details": {"reason": "max_output_tokens"}}
        return self._object(status, output=[self._message(status, [_part(answer)])], usage=usage, **why)

    def _status(self, answer: WrittenAnswer) -> str:
        return "completed" if answer.is_whole else "incomplete"

    def beginning(self) -> Iterator[bytes]:
        """That it works."""
        for kind in ("created", "in_progress"):
            yield self._tell(kind, response=self._object("in_progress"))

    def pieces(self, answer: WrittenAnswer) -> Iterator[bytes]:
        """The message and its text, piece by piece, then whole."""
        yield self._tell("output_item.added", output_index=0, item=self._message("in_progress", []))
        item = {"item_id": f"msg_{self.run.id}", "output_index": 0}
        where = {**item, "content_index": 0}
        yield self._tell("content_part.added", **where, part=_part(WrittenAnswer("", [], 0, 0, 0)))
        for piece in _pieces(answer.text):
            yield self._tell("output_text.delta", **where, delta=piece, logprobs=[])
        whole = _part(answer)
        for number, cited in enumerate(whole["annotations"]):
            yield self._tell("output_text.annotation.added", **where, annotation_index=number, annotation=cited)
        yield self._tell("output_text.done", **where, text=answer.text, logprobs=[])
        yield self._tell("content_part.done", **where, part=whole)
        status = self._status(answer)
        yield self._tell("output_item.done", output_index=0, item=self._message(status, [whole]))
        yield self._tell(status, response=self.whole(answer))

    def failing(self) -> Iterator[bytes]:
        """That it failed, and why."""
        error = {"code": "server_error", "message": self.problem}
        yield self._tell("failed", response=self._object("failed", error=error))


def _end_of(answer: WrittenAnswer) -> str:
    return "stop" if answer.is_whole else "length"


def _event(value: Mapping[str, Any], name: str = "") -> bytes:
    data = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    head = f"event: {name}\n" if name else ""
    return f"{head}data: {data}\n\n".encode(errors="replace")  # of a lone surrogate there is no form


def _pieces(text: str) -> list[str]:
    return [text[start : start + PIECE] for start in range(0, len(text), PIECE)]


def _usage(answer: WrittenAnswer, sent: str, received: str) -> dict[str, Any]:
    total = answer.sent + answer.received
    return {f"{sent}_tokens": answer.sent, f"{received}_tokens": answer.received, "total_tokens": total}


def _of_chat(answer: WrittenAnswer) -> list[dict[str, Any]]:
    return [{"type": "url_citation", "url_citation": cited} for cited in answer.citations]


def _part(answer: WrittenAnswer) -> dict[str, Any]:
    cited = [{"type": "url_citation", **citation} for citation in answer.citations]
    return {"type": "output_text", "text": answer.text, "annotations": cited, "logprobs": []}


OpenAIAnswer = ChatAnswer | ResponseAnswer
