"""Calls that are made in batches: what waits is sent together; a later command finds what goes on (see `flight`)."""

import asyncio
from collections.abc import Callable, Coroutine
from typing import TYPE_CHECKING, Any

from readgraph.features.batches.endpoint import BatchEndpoint, line_of
from readgraph.features.batches.flight import Flight, WaitingCall
from readgraph.features.batches.under_way import MOST_REQUESTS
from readgraph.library.page_store import PageStore
from readgraph.library.sent_batches import BatchLine, SentBatch
from readgraph.models.metering import current_meter
from readgraph.models.names import find_model_entry
from readgraph.models.reply import ModelReply, reply_of
from readgraph.models.tries import identified_call
from readgraph.models.waiting import clock
from readgraph.state.context import ReaderContext
from readgraph.state.errors import BadInput

if TYPE_CHECKING:
    from readgraph.models.openai.chat import InLoopChatOpenAI

MOST_BYTES = 200_000_000  # of a batch's file, by the endpoint's limit
TRIES = 4  # in how many batches a request is sent before its failure counts: a batch takes up to a day
PROVIDER = "openai"  # whose servers may have the endpoint, as may any at a `base_url` with its protocol
TOO_LARGE = "token limit exceeded"  # in why a batch failed: it is more than an account may have under way
QUIET = 2.0  # seconds without a new request after which those that wait are sent
QUIETLY = "quiet"  # stands for the task that sends what waits; others are known by their batches


def check_models(context: ReaderContext) -> None:
    """Raise `BadInput` where a model of the context can't be asked in batches."""
    for name in filter(None, (context.model, context.reading_model)):
        named = find_model_entry(name)
        provider = (named.table.provider if named.table else "") if named else name.partition(":")[0]
        if provider != PROVIDER:
            raise BadInput(
                f"'{name}' can't be asked in batches: --batch is for models of openai, or of a server with OpenAI's "
                'batch endpoint (a table [models.NAME] with provider = "openai"). Leave it out.'
            )


class BatchedCalls:
    """The calls of one model client, which are made in batches: one after the other for each store."""

    tries, again = TRIES, "its batch brought no reply"

    def __init__(self, context: ReaderContext, server: str, chat: "InLoopChatOpenAI") -> None:
        self.endpoint = BatchEndpoint(chat.root_async_client, server, context.timeout)
        self.name, self.chat, self.retry_seconds = context.model, chat, context.retry_seconds
        self._stores = dict[Any, _StoreBatches]()
        chat.send_by(self.send, "--batch")

    def explain(self, cause: str, times: str) -> str:
        """Why a request brought no reply, and what to do."""
        then = "Reduce the batch, with --max-calls" if TOO_LARGE in cause else "Go on later"
        return f"left a request of a batch without a reply {times}: {cause}. {then}."

    async def send(self, body: dict[str, Any]) -> Any:
        """The response to a request, as the server would have sent it to an ordinary call."""
        identity = identified_call()
        line = BatchLine(identity.prompt, identity.document, bool(body.get("tools")))
        call = WaitingCall(
            identity.key, line, line_of(identity.key, body), current_meter(), asyncio.get_running_loop().create_future()
        )
        place = identity.store.batch_records().store
        return await self._stores.setdefault(place, _StoreBatches(identity.store, self._flight)).reply(call)

    async def cancel(self, store: PageStore, record: SentBatch) -> int:
        """Cancel a batch and record the replies that it has; returns how many, raises what `Flight.cancel` does."""
        return await self._flight(store, {}, record).cancel()

    def _flight(self, store: PageStore, waiting: dict[str, WaitingCall], record: SentBatch | None) -> Flight:
        return Flight(self.endpoint, store, self.name, self._read, self.retry_seconds, waiting, record)

    def _read(self, body: Any, function: bool) -> ModelReply:
        generation = self.chat.result_of(body).generations[0]
        message: Any = generation.message
        message.response_metadata = {**(generation.generation_info or {}), **message.response_metadata}
        return reply_of(message, "function" if function else "text")

    async def close(self) -> None:
        """Leave the batches to the server."""
        for batches in self._stores.values():
            batches.stop()
        await self.endpoint.close()


class _StoreBatches:
    """The batches whose replies are recorded in one store: requests that wait to be sent, and batches in flight."""

    def __init__(
        self, store: PageStore, flight: Callable[[PageStore, dict[str, WaitingCall], SentBatch | None], Flight]
    ) -> None:
        self.store, self._new_flight = store, flight
        self._loading = asyncio.Lock()
        self._loaded = False
        self._pending = dict[str, WaitingCall]()
        self._bytes = self._arrived = 0
        self._flights = dict[str, Flight]()
        self._tasks = dict[Any, "asyncio.Task[None]"]()

    async def reply(self, call: WaitingCall) -> Any:
        """The response to a call: from the batch that has its request already, or from the next one."""
        async with self._loading:
            if not self._loaded:
                await self._load()
                self._loaded = True
        flight = self._flights.get(call.key)
        if flight and not flight.over:
            flight.waiting[call.key] = call
            self._start(flight, flight.run)
        else:
            if len(self._pending) >= MOST_REQUESTS or self._bytes + len(call.request) > MOST_BYTES:
                self._send()
            self._pending[call.key] = call
            self._bytes += len(call.request)
            self._arrived += 1
            self._start(QUIETLY, self._send_when_quiet)
        try:
            return await call.reply
        finally:
            if self._pending.get(call.key) is call:  # nobody waits any more, and it is not paid for
                self._bytes -= len(self._pending.pop(call.key).request)

    async def _load(self) -> None:
        """Go on with the batches that other processes have sent; calls that wait to be sent take their replies."""
        empty = self._new_flight(self.store, {}, None)
        for record in await self.store.batch_records().of(empty.endpoint.server, empty.model):
            if record.file in {flight.file for flight in self._flights.values()}:
                continue
            taken = {key: call for key, call in self._pending.items() if key in record.lines}
            for key in taken:
                self._bytes -= len(self._pending.pop(key).request)
            self._begin(self._new_flight(self.store, taken, record))

    async def _send_when_quiet(self) -> None:
        seen = 0
        while seen != self._arrived:
            seen = self._arrived
            await clock().sleep(QUIET)
        await self._load()  # another process may have sent the same meanwhile
        self._send()

    def _send(self) -> None:
        waiting, self._pending, self._bytes = self._pending, {}, 0
        if waiting:
            self._begin(self._new_flight(self.store, waiting, None))

    def _begin(self, flight: Flight) -> None:
        self._flights |= dict.fromkeys(flight.keys, flight)
        self._start(flight, flight.run)

    def _start(self, what: Any, run: Callable[[], Coroutine[Any, Any, None]]) -> None:
        if (running := self._tasks.get(what)) and not running.done():
            return

        def finish(task: "asyncio.Task[None]") -> None:
            if self._tasks.get(what) is task:
                del self._tasks[what]
            if what == QUIETLY or task.cancelled():
                return
            if what.over:
                self._flights = {key: flight for key, flight in self._flights.items() if flight is not what}
            elif any(not call.reply.done() for call in what.waiting.values()):  # it came in the last moment
                self._start(what, what.run)

        task = self._tasks[what] = asyncio.create_task(run())
        task.add_done_callback(finish)

    def stop(self) -> None:
        """End all waiting; what was sent goes on at the server."""
        for task in self._tasks.values():
            task.cancel()
