"""The batches that a model server works on: a command that was killed takes their replies the next time."""

from dataclasses import asdict, dataclass, replace

from readgraph.library.stored_items import ROOT, StoredItems
from readgraph.state.records import load_valid

BATCHES = (ROOT, "batches")  # namespace of these records; its keys are the ids of the uploaded files


@dataclass(frozen=True, slots=True)
class BatchLine:
    """One request of a batch: its prompt's name, the document it is for, and whether it asks for a function call."""

    asked: str
    document: str
    function: bool = False


@dataclass(frozen=True, slots=True)
class SentBatch:
    """A batch that was sent: the id of its uploaded file and its own, which is "" until the server has told it.

    `sent` is in seconds since 1970. `lines` are its requests, by the keys under which replies are recorded.
    """

    file: str
    batch: str
    server: str
    model: str
    sent: float
    lines: dict[str, BatchLine]


class SentBatches(StoredItems):
    """The records of a store's batches; damaged ones count as missing."""

    async def of(self, server: str, model: str) -> list[SentBatch]:
        """The batches that this server has of this model, the oldest first."""
        return [record for record in await self.all() if (record.server, record.model) == (server, model)]

    async def all(self) -> list[SentBatch]:
        """The batches of all servers and models, the oldest first."""
        found = [value async for _, value in self.each(BATCHES)]
        return sorted(load_valid(SentBatch, found), key=lambda record: record.sent)

    async def find_batch(self, file: str) -> SentBatch | None:
        """The record of the batch of this file; None where there is none any more."""
        return next(load_valid(SentBatch, await self.get(BATCHES, [file])), None)

    async def keep(self, record: SentBatch) -> None:
        """Store a record; when this returns, it is committed."""
        await self.put([(BATCHES, record.file, asdict(record))])

    async def drop(self, file: str) -> None:
        """Delete the record of the batch of this file."""
        await self.delete(BATCHES, [file])

    async def forget(self, document: str) -> None:
        """Let no reply be recorded any more that a batch brings for this document."""
        for record in await self.all():
            left = {key: line for key, line in record.lines.items() if line.document != document}
            if len(left) < len(record.lines):
                await self.keep(replace(record, lines=left))
