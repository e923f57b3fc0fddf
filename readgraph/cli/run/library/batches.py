"""`library batches`: the batches that model servers work on for this library, and how to cancel them."""

import asyncio
from datetime import UTC, datetime
from typing import Any

from readgraph.cli.run.stopping import run_until_stopped
from readgraph.cli.terminal.rendering import print_json
from readgraph.cli.terminal.safe_text import Console, Text
from readgraph.models.clients.model_client import model_client
from readgraph.state.context import ReaderContext
from readgraph.state.errors import BadInput
from readgraph.state.files.library_address import LibraryPlace
from readgraph.state.files.library_folder import default_place
from readgraph.state.library import Library, open_library
from readgraph.state.store.batches import SentBatch
from readgraph.state.words import counted


def list_batches(folder: LibraryPlace | None, *, as_json: bool) -> None:
    """Print the batches that were sent and whose replies are not recorded yet, the oldest first."""
    found = [_shown(record) for record in run_until_stopped(_sent(folder))]
    _print(found, f"No batch is under way in {folder or default_place()}.", as_json=as_json)


def cancel_batches(folder: LibraryPlace | None, *, as_json: bool) -> None:
    """Cancel all these batches, and print how many replies each has brought; raises `BadInput` for other servers."""
    found = run_until_stopped(_cancelled(folder))
    _print(found, f"Nothing to cancel: no batch is under way in {folder or default_place()}.", as_json=as_json)


async def _sent(folder: LibraryPlace | None) -> list[SentBatch]:
    async with open_library(folder) as library:
        return await library.pages.sent_batches().all()


async def _cancelled(folder: LibraryPlace | None) -> list[dict[str, Any]]:
    async with open_library(folder) as library:
        sent = await library.pages.sent_batches().all()
        replies = await asyncio.gather(*(_cancel(library, record) for record in sent))
        return [_shown(record) | {"replies": count} for record, count in zip(sent, replies, strict=True)]


async def _cancel(library: Library, record: SentBatch) -> int:
    """Cancel one batch; returns how many replies it has brought."""
    client = await model_client(ReaderContext(model=record.model, batch=True))
    if client.server != record.server or not client.batches:
        raise BadInput(
            f"The batch of '{record.model}' is at {record.server}, and the model now at {client.server}: "
            "set the address as it was."
        )
    return await client.batches.cancel(library.pages, record)


def _shown(record: SentBatch) -> dict[str, Any]:
    return {
        "batch": record.batch,
        "model": record.model,
        "server": record.server,
        "requests": len(record.lines),
        "sent": datetime.fromtimestamp(record.sent, UTC).isoformat(timespec="seconds"),
    }


def _print(batches: list[dict[str, Any]], without: str, *, as_json: bool) -> None:
    if as_json:
        print_json(batches)
        return
    for each in batches:
        line = f"{each['batch'] or 'not confirmed'}: {counted(each['requests'], 'request')} to {each['model']}"
        line += f" at {each['server']}, sent at {each['sent']}"
        if "replies" in each:
            line += f"; cancelled, {counted(each['replies'], 'reply')} recorded"
        Console().print(Text(line))
    if not batches:
        Console().print(Text(without))
