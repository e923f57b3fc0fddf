"""OpenAI's form of asking: its chat completions and responses, whose models are methods over texts of the library."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from difflib import get_close_matches
from typing import Any

from fastapi import FastAPI, Request
from fastapi.responses import JSONResponse, Response
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage
from pydantic import ConfigDict, Field
from starlette.responses import StreamingResponse

from readgraph.api.documents import document_named
from readgraph.doors.serve.openai_answers import ChatAnswer, OpenAIAnswer, ResponseAnswer, has_no_answer, said_in
from readgraph.doors.serve.requests import Refused, RequestBody
from readgraph.doors.serve.room import ENDED, Room, Run
from readgraph.doors.serve.runs import ALIVE, RunRequest, Runs
from readgraph.doors.serve.wording import page_error_line
from readgraph.graphs.methods import every_method, method_named
from readgraph.library.collections import NamedCollections
from readgraph.state.channels import MOST_QUESTION_TURNS
from readgraph.state.errors import BadInput
from readgraph.state.reading import QuestionTurn, exchanges_in, last_question

MODEL = "readgraph"  # the method that the server chooses, over the whole library
LONGEST_NAME = 500  # characters of a model's name
MOST_MODELS = 200  # that are listed; whatever the library holds can be named
NOT_TAKEN = (
    "tools functions logprobs top_logprobs modalities audio prediction web_search_options "
    "previous_response_id conversation prompt background"
).split()
"""Parameters that would change what comes back: they are refused. Those of sampling and length change nothing."""
MESSAGES: dict[str, type[BaseMessage]] = {"user": HumanMessage, "assistant": AIMessage}


class ChatMessage(RequestBody):
    """A message of a conversation; those of other roles than the user's and the assistant's are passed over.

    So are items of a response without a role, such as a call of a tool.
    """

    model_config = ConfigDict(extra="ignore")

    role: str = ""
    content: str | list[dict[str, Any]] | None = None


class OpenAIRequest(RequestBody):
    """What both forms of asking share."""

    model_config = ConfigDict(extra="allow")

    model: str = Field(
        max_length=LONGEST_NAME,
        description="Such as readgraph, readgraph/gam, readgraph/gam:TITLE; /v1/models lists them.",
    )
    stream: bool | None = None
    response_format: dict[str, Any] | None = None
    text: dict[str, Any] | None = None

    def check(self) -> None:
        """Raise `Refused` for what no answer here could have."""
        given = self.model_extra or {}
        if wrong := next((name for name in NOT_TAKEN if given.get(name) and given[name] != ["text"]), None):
            raise Refused(400, f"'{wrong}' is not supported: leave it out.", wrong, "unsupported_parameter")
        if given.get("n") not in (None, 1):
            raise Refused(400, "There is one answer to a question: leave 'n' out.", "n", "unsupported_value")
        forms = {"response_format": self.response_format, "text": (self.text or {}).get("format")}
        if wrong := next((name for name, form in forms.items() if form and form != {"type": "text"}), None):
            raise Refused(400, f"Answers are text: leave '{wrong}' out.", wrong, "unsupported_value")


class ChatRequest(OpenAIRequest):
    """A chat completion that is wanted: its last message is the question."""

    messages: list[ChatMessage] = Field(min_length=1)
    stream_options: dict[str, Any] | None = None


class ResponseRequest(OpenAIRequest):
    """A response that is wanted: its input, or the last message of it, is the question."""

    input: str | list[ChatMessage]


class OpenAIForm:
    """The library as a server of OpenAI's protocol; each request is a run of the room."""

    def __init__(self, room: Room, runs: Runs) -> None:
        self.room, self.runs = room, runs

    def add_routes(self, app: FastAPI) -> None:
        """Serve it."""
        app.get("/v1/models")(self.list_models)
        app.get("/v1/models/{model:path}")(self.one_model)
        app.post("/v1/chat/completions")(self.complete)
        app.post("/v1/responses")(self.respond)

    async def list_models(self) -> dict[str, Any]:
        """The models in OpenAI's form: the methods over the whole library, then the collections."""
        collections = await NamedCollections(self.room.pages).list_collections()
        names = [MODEL, *(f"{MODEL}/{method.name}" for method in every_method())]
        names += [f"{MODEL}:{collection.name}" for collection in collections]
        return {"object": "list", "data": [_model(name) for name in names[:MOST_MODELS]]}

    async def one_model(self, model: str) -> dict[str, Any]:
        """A model in OpenAI's form, also one that is not listed since a document is named."""
        await self._request_for(model)
        return _model(model)

    async def complete(self, asked: ChatRequest, request: Request) -> Response:
        """Answer the last message of a conversation, as OpenAI's chat completions."""
        run = await self._begin(asked, asked.messages, "messages")
        usage = bool((asked.stream_options or {}).get("include_usage"))
        return await self._answer(asked, ChatAnswer(run, asked.model, str(request.base_url), usage), request)

    async def respond(self, asked: ResponseRequest, request: Request) -> Response:
        """Answer the last message of an input, as OpenAI's responses."""
        chat_messages = [ChatMessage(role="user", content=asked.input)] if isinstance(asked.input, str) else asked.input
        run = await self._begin(asked, chat_messages, "input")
        return await self._answer(asked, ResponseAnswer(run, asked.model, str(request.base_url)), request)

    async def _begin(self, asked: OpenAIRequest, messages: Sequence[ChatMessage], param: str) -> Run:
        asked.check()
        said = [MESSAGES[message.role](_text_of(message, param)) for message in messages if message.role in MESSAGES]
        if not (question := last_question(said)):
            raise Refused(400, "The last message must be the user's, with a text: it is the question.", param)
        wanted = await self._request_for(asked.model)
        turns = [
            QuestionTurn(question=before, answer=answer) for before, answer in exchanges_in(said)[-MOST_QUESTION_TURNS:]
        ]
        if self.room.closed:
            raise Refused(503, "The server is ending: start it anew, and ask once more.")
        begun = await self.runs.begin(RunRequest.model_validate({**wanted, "question": question, "turns": turns}))
        return self.room.runs[begun.id]

    async def _request_for(self, model: str) -> dict[str, Any]:
        """What a model's name says of a run; raises `Refused` where there is no such model."""
        named, _, text = model.partition(":")
        prefix, _, method = named.partition("/")
        collections, near = dict[str, str](), list[str]()
        try:
            if prefix != MODEL:
                alike = get_close_matches(model, [MODEL, *(f"{MODEL}/{method.name}" for method in every_method())], 1)
                told = f"Do you mean '{alike[0]}'?" if alike else f"Their names begin with '{MODEL}'."
                raise BadInput(f"There is no model '{model}'. {told}")
            if method:
                method_named(method)
            if not text:
                return {"method": method}
            named_collections = await NamedCollections(self.room.pages).list_collections()
            collections = {
                named_collection.name.casefold(): named_collection.name for named_collection in named_collections
            }
            if name := collections.get(text.casefold()):
                return {"method": method, "collection": name}
            near = get_close_matches(text.casefold(), collections, 1)
            return {"method": method, "documents": [(await document_named(self.room.pages, text)).id]}
        except BadInput as problem:
            meant = f" There is a collection '{collections[near[0]]}'." if near else ""
            raise Refused(404, page_error_line(problem) + meant, "model", "model_not_found") from None

    async def _answer(self, asked: OpenAIRequest, answer: OpenAIAnswer, request: Request) -> Response:
        if asked.stream:
            return StreamingResponse(self._stream(answer), 200, {"x-accel-buffering": "no"}, "text/event-stream")
        leaving = asyncio.ensure_future(_disconnected(request))
        ending = asyncio.ensure_future(_end_of(answer.run))
        try:
            await asyncio.wait([leaving, ending], return_when=asyncio.FIRST_COMPLETED)
        finally:
            leaving.cancel()
            ending.cancel()
            self._stop(answer.run)
        if answer.run.result is None or has_no_answer(answer.run.result):
            status = 503 if answer.run.state != "failed" else 400 if answer.run.refused else 500
            status = 502 if answer.run.result else status
            raise Refused(status, answer.problem, code="run_failed")
        return JSONResponse(answer.whole(said_in(answer.run.result, answer.base)))

    async def _stream(self, answer: OpenAIAnswer) -> AsyncIterator[bytes]:
        """The answer once it is there; comments until then, so that nothing between takes the connection for dead."""
        ending = asyncio.ensure_future(_end_of(answer.run))
        try:
            for piece in answer.beginning():
                yield piece
            while not (await asyncio.wait([ending], timeout=ALIVE))[0]:
                yield b": keep-alive\n\n"
        finally:
            ending.cancel()
            self._stop(answer.run)
        result = answer.run.result
        failed = result is None or has_no_answer(result)
        for piece in answer.failing() if failed or result is None else answer.pieces(said_in(result, answer.base)):
            yield piece

    def _stop(self, run: Run) -> None:
        """Stop a run for whose answer nobody waits any more; what it read is kept."""
        if run.state not in ENDED:
            self.room.stop(run)


def _model(name: str) -> dict[str, Any]:
    return {"id": name, "object": "model", "created": 0, "owned_by": MODEL}


def _text_of(message: ChatMessage, param: str) -> str:
    """The text of a message; raises `Refused` for a part that is none."""
    if not isinstance(message.content, list):
        return message.content or ""
    for part in message.content:
        if part.get("type") not in ("text", "input_text", "output_text") or not isinstance(part.get("text"), str):
            kind = str(part.get("type"))[:40]
            raise Refused(400, f"A part of the type '{kind}' can't be read: send text.", param, "unsupported_content")
    return "\n".join(part["text"] for part in message.content)


async def _end_of(run: Run) -> None:
    async for _ in run.events():
        pass


async def _disconnected(request: Request) -> None:
    while (await request.receive())["type"] != "http.disconnect":
        pass
