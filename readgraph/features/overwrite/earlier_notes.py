"""What a reading noted after each page, so that what was overwritten can be found again.

Stored are, under each page's number, the lines that were new in the notes after it. So a page that is read again writes
the same item, and who goes on from an earlier checkpoint never sees what lies ahead of it.
"""

from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

from readgraph.library.library import Library
from readgraph.library.stored_items import EVERY, ROOT, StoredItems, number_key, search_until_empty
from readgraph.library.upkeep.own_records import OwnRecords
from readgraph.state.records import Document, Time, load_valid, utc_now

KEPT_READINGS = 50
"""Of how many ended readings of a document the earlier notes are kept, so that a thread can go back to them."""

READINGS, LINES = "note-readings", "earlier-notes"
STOPPED_AFTER = timedelta(days=7)  # a reading that began so long ago and has not ended counts as stopped


@dataclass(frozen=True, slots=True)
class _PageLines:
    lines: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class _ReadingRecord:
    """The record of a reading; `ended` is when (UTC), "" until then, and `began` "" in records of earlier versions."""

    ended: Time = ""
    began: Time = ""


class EarlierNotes(StoredItems):
    """The earlier notes of the readings in a store."""

    async def begin(self, document: str, reading: str) -> None:
        """Record that a reading of a document has begun."""
        await self.put([((ROOT, READINGS, document), reading, {"began": utc_now(), "ended": ""})])

    async def put_lines(self, reading: str, page: int, lines: list[str]) -> None:
        """Store the lines that were new in the notes after a page."""
        await self.put([((ROOT, LINES, reading), number_key(page), {"lines": lines})])

    async def lines(self, reading: str, before: int) -> list[str]:
        """All lines that were new after the pages before this one, in order; damaged items are left out."""
        values = await self.get((ROOT, LINES, reading), [number_key(page) for page in range(before)])
        return [line for stored in load_valid(_PageLines, filter(None, values)) for line in stored.lines]

    async def end(self, document: str, reading: str) -> None:
        """Record that a reading has ended; only the newest `KEPT_READINGS` of its document are kept."""
        await self.put([((ROOT, READINGS, document), reading, {"ended": utc_now()})])
        items = await self.search((ROOT, READINGS, document), EVERY)
        ended = {
            item.key: record.ended
            for item in items
            for record in load_valid(_ReadingRecord, [item.value])
            if record.ended
        }
        for old in sorted(ended, key=lambda name: ended[name])[:-KEPT_READINGS]:
            await self._forget(document, old)

    async def forget(self, document: str) -> None:
        """Delete the earlier notes of all readings of a document."""
        async for items in search_until_empty(lambda: self.search((ROOT, READINGS, document), EVERY)):
            for item in items:
                await self._forget(document, item.key)

    async def drop_stopped(self) -> None:
        """Delete those of readings that were stopped long ago, and those that no record names."""
        records = await self.search((ROOT, READINGS), EVERY)
        before = (datetime.now(UTC) - STOPPED_AFTER).isoformat()
        for item in records:
            if any(not record.ended and record.began < before for record in load_valid(_ReadingRecord, [item.value])):
                await self._forget(item.namespace[-1], item.key)
        named = {item.key for item in records}
        for namespace in await self.store.alist_namespaces(prefix=(ROOT, LINES), limit=EVERY):
            if namespace[-1] not in named:
                await self.clear(namespace)

    async def _forget(self, document: str, reading: str) -> None:
        """Delete those of one reading; its record goes last, since the rest can only be found through it."""
        await self.clear((ROOT, LINES, reading))
        await self.delete((ROOT, READINGS, document), [reading])


async def forget_notes(library: Library, document: Document) -> None:
    """Delete the earlier notes of a document."""
    await EarlierNotes(library.store).forget(document.id)


async def drop_stopped(library: Library) -> None:
    """Delete the earlier notes of readings that were stopped long ago."""
    await EarlierNotes(library.store).drop_stopped()


RECORDS = OwnRecords(forget=forget_notes, tidy=drop_stopped)
