"""One batch on its way: sent, looked at until it ends, its replies recorded and given to the calls that wait."""

import asyncio
from collections.abc import Awaitable, Callable, Iterable
from contextlib import suppress
from copy import copy
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, TypeVar

from langchain_core import exceptions as kinds

from readgraph.features.batches.endpoint import BatchEndpoint, BatchStatus, Unfinished, body_of
from readgraph.features.batches.under_way import forget_batch, remember_batch
from readgraph.library.page_store import PageStore
from readgraph.library.sent_batches import BatchLine, SentBatch
from readgraph.models.failures.failure import headers_of, retry_after_seconds
from readgraph.models.metering import Meter
from readgraph.models.reply import ModelReply
from readgraph.models.waiting import RetryPauses, clock
from readgraph.state.errors import ModelUnavailable
from readgraph.state.records import RecordedReply

FIRST_PAUSE, SLOWER, LONGEST_PAUSE = 2.0, 1.5, 60.0  # seconds before a look, and by how much each next is longer
UNSURE = 300.0  # seconds after which a batch that nobody confirmed, and that the server doesn't list, is lost
UNKNOWN_OUTCOME = (kinds.ModelAPIError, kinds.ModelConnectionError, kinds.ModelTimeoutError)  # it may be carried out
LOST = "the server does not know the batch"
AT_ONCE = 200  # responses that are read at once
T = TypeVar("T")


@dataclass(eq=False)
class WaitingCall:
    """A call that waits for its reply: its line in a batch, and the meter of its step."""

    key: str
    line: BatchLine
    request: bytes
    meter: Meter
    reply: "asyncio.Future[Any]"


@dataclass(eq=False)
class Flight:
    """A batch, and the calls that wait for it, by their keys."""

    endpoint: BatchEndpoint
    store: PageStore
    model: str
    read: Callable[[Any, bool], ModelReply]  # makes a reply of a response
    retry_seconds: float
    waiting: dict[str, WaitingCall] = field(default_factory=dict)
    record: SentBatch | None = None  # there from when it was sent
    file: str = ""  # its uploaded file
    recorded: int = 0  # how many replies it has brought
    over: bool = False  # nothing will come of this batch any more

    def __post_init__(self) -> None:
        self.file = self.record.file if self.record else ""

    @property
    def keys(self) -> Iterable[str]:
        """The keys of its requests."""
        return self.record.lines if self.record else self.waiting

    async def run(self) -> None:
        """Send the batch, if it was not sent, and wait for its end; whatever goes wrong is told to those who wait."""
        try:
            record = self.record = self.record or await self._send()
            await self._follow(record)
        except Exception as problem:
            self.over = self.over or not self.record
            exception = problem
            if self.record and isinstance(problem, kinds.ModelError) and not isinstance(problem, Unfinished):
                exception = self._not_asked(problem)
            for call in self.waiting.values():
                if not call.reply.done():
                    call.reply.set_exception(copy(exception))

    async def cancel(self) -> int:
        """Cancel the batch, and record the replies that it has; returns how many. Raises `ModelUnavailable`."""
        record = self.record
        if not record:
            return 0
        try:
            if batch := record.batch or await self._retry(partial(self.endpoint.find_batch, record.file)):
                record = self.record = await self._confirm_batch(record, batch)
                await self._retry(partial(self.endpoint.cancel, batch))
                await self._follow(record)
            else:
                await self._drop(record)
        except (Unfinished, kinds.ModelNotFoundError):  # the server does not know it
            await self._drop(record)
        except kinds.ModelError as problem:
            raise self._not_asked(problem) from None
        return self.recorded

    def _not_asked(self, problem: kinds.ModelError) -> ModelUnavailable:
        status = f" ({number})" if (number := getattr(problem, "status_code", 0)) else ""
        return ModelUnavailable(
            f"The model server at {self.endpoint.server} can't be asked for its batch{status}: "
            "the batch goes on, run the same command again to take its replies."
        )

    async def _send(self) -> SentBatch:
        requests = b"".join(call.request for call in self.waiting.values())
        for call in self.waiting.values():
            call.request = b""  # together they may be large, and a batch takes long
        file = self.file = await self._retry(partial(self.endpoint.upload, requests))
        lines = {key: call.line for key, call in self.waiting.items()}
        record = SentBatch(file, "", self.endpoint.server, self.model, clock().time(), lines)
        await self.store.batch_records().keep(record)
        remember_batch(file, len(lines))
        try:
            batch = await self._retry(partial(self.endpoint.create, file), UNKNOWN_OUTCOME)
        except UNKNOWN_OUTCOME:
            return record  # it may have begun: it is looked for among the server's batches
        except (kinds.ModelError, ModelUnavailable):
            await self._drop(record)
            raise
        return await self._confirm_batch(record, batch)

    async def _confirm_batch(self, record: SentBatch, batch: str) -> SentBatch:
        record = replace(record, batch=batch)
        if await self.store.batch_records().find_batch(record.file):
            await self.store.batch_records().keep(record)
        return record

    async def _follow(self, record: SentBatch) -> None:
        remember_batch(record.file, len(record.lines))
        pause = FIRST_PAUSE
        while True:
            if not record.batch:
                batch = await self._retry(partial(self.endpoint.find_batch, record.file))
                if batch:
                    record = self.record = await self._confirm_batch(record, batch)
                elif clock().time() - record.sent > UNSURE:
                    await self._drop(record)
                    raise Unfinished(LOST)
                else:
                    for meter in self._meters():
                        meter.wait(pause, "the model server has not confirmed the batch")
            if record.batch:
                try:
                    status = await self._retry(partial(self.endpoint.status, record.batch))
                except kinds.ModelNotFoundError:
                    await self._drop(record)
                    raise Unfinished(LOST) from None
                remember_batch(record.file, len(record.lines), status.done)
                for meter in self._meters():
                    counts = {"requests": len(record.lines), "done": status.done, "ended": status.is_at_end}
                    meter.stream({"batch": {"node": meter.node, **counts}})
                if status.is_at_end:
                    return await self._land(record, status)
            await clock().sleep(pause)
            pause = min(pause * SLOWER, LONGEST_PAUSE)

    async def _land(self, record: SentBatch, status: BatchStatus) -> None:
        """Record the replies, whether anybody waits for them or not, and give them to those who do."""
        responses = await self._retry(partial(self.endpoint.responses, status.files))
        batch = await self.store.batch_records().find_batch(record.file)  # without what has been forgotten meanwhile
        replies = dict[str, RecordedReply]()
        for number, (key, line) in enumerate(batch.lines.items() if batch else ()):
            if number % AT_ONCE == 0:
                await asyncio.sleep(0)  # others go on meanwhile
            with suppress(Exception):  # whoever waits gets it
                reply = self.read(body_of(responses.get(key), status), line.function)
                replies[key] = reply.to_record(line.asked, line.document)
        await self.store.put_replies(replies)
        self.recorded = len(replies)
        await self._drop(record)
        for key, call in self.waiting.items():
            if call.reply.done():
                continue
            try:
                call.reply.set_result(body_of(responses.get(key), status))
            except Exception as problem:
                call.reply.set_exception(problem)

    async def _drop(self, record: SentBatch) -> None:
        await self.store.batch_records().drop(record.file)
        forget_batch(record.file)
        self.over = True

    async def _retry(self, call: Callable[[], Awaitable[T]], final: tuple[type[kinds.ModelError], ...] = ()) -> T:
        """What a call to the endpoint gives, made again for a time after temporary failures other than the `final`."""
        pauses = RetryPauses(self.retry_seconds)
        while True:
            try:
                return await call()
            except kinds.ModelError as caught:
                problem = caught
            pause, late = pauses.next(retry_after_seconds(headers_of(problem)))
            passing = type(problem).is_retryable and not isinstance(problem, final)
            passing = passing and getattr(problem, "code", None) != "insufficient_quota"
            if not passing or late:
                vars(problem).update(final=True, tries=pauses.failures)
                raise problem
            for meter in self._meters():
                meter.wait(pause, "the model server can't be asked for its batch")
            await clock().sleep(pause)

    def _meters(self) -> list[Meter]:
        return list({id(call.meter): call.meter for call in self.waiting.values() if not call.reply.done()}.values())
