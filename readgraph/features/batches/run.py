"""`library batches`: the batches that are under way, listed or cancelled."""

import asyncio
from datetime import UTC, datetime
from typing import Any

from readgraph.cli.run.in_library import run_in_library
from readgraph.cli.terminal.rendering import print_json
from readgraph.cli.terminal.safe_text import Console
from readgraph.features.batches.calls import BatchedCalls
from readgraph.library.address import LibraryPlace, default_place
from readgraph.library.opening import Library
from readgraph.library.sent_batches import SentBatch
from readgraph.models.client import model_client
from readgraph.state.context import ReaderContext
from readgraph.state.errors import BadInput
from readgraph.state.words import format_count


def show_batches(library: LibraryPlace | None, *, cancel: bool, as_json: bool) -> None:
    """Print the batches whose replies are not recorded yet, or cancel them and print what they gave."""

    async def load_or_cancel(opened: Library) -> list[dict[str, Any]]:
        sent = await opened.pages.batch_records().all()
        batches: list[dict[str, Any]] = [
            {
                "batch": record.batch,
                "model": record.model,
                "server": record.server,
                "requests": len(record.lines),
                "sent": datetime.fromtimestamp(record.sent, UTC).isoformat(timespec="seconds"),
            }
            for record in sent
        ]
        if not cancel:
            return batches
        replies = await asyncio.gather(*(_cancel(opened, record) for record in sent))
        return [batch | {"replies": count} for batch, count in zip(batches, replies, strict=True)]

    batches = run_in_library(library, load_or_cancel)
    if as_json:
        print_json(batches)
        return
    for each in batches:
        line = f"{each['batch'] or 'not confirmed'}: {format_count(each['requests'], 'request')} to {each['model']}"
        line += f" at {each['server']}, sent at {each['sent']}"
        if "replies" in each:
            line += f"; cancelled, {format_count(each['replies'], 'reply')} recorded"
        Console().print(line)
    if not batches:
        nothing = "Nothing to cancel: no" if cancel else "No"
        Console().print(f"{nothing} batch is under way in {library or default_place()}.")


async def _cancel(library: Library, record: SentBatch) -> int:
    client = await model_client(ReaderContext(model=record.model, batch=True))
    sender = client.sender
    if client.server != record.server or not isinstance(sender, BatchedCalls):
        raise BadInput(
            f"The batch of '{record.model}' is at {record.server}, and the model now at {client.server}: "
            "set the address as it was."
        )
    return await sender.cancel(library.pages, record)
