"""`library compact`: give the disk back what the library no longer needs."""

from rich.filesize import decimal

from readgraph.cli.run.stopping import run_until_stopped
from readgraph.cli.terminal.rendering import print_json
from readgraph.cli.terminal.safe_text import Console, Text
from readgraph.state.files.library_address import LibraryPlace
from readgraph.state.library import open_library
from readgraph.state.upkeep.compacting import Compacted, compact
from readgraph.state.words import counted


def compact_library(folder: LibraryPlace | None, *, as_json: bool) -> None:
    """Compact a library, and print how large its files were and are."""
    done = run_until_stopped(_compact(folder))
    if as_json:
        print_json({"bytes_before": done.before, "bytes_after": done.after, "checkpoints": done.checkpoints})
        return
    deleted = f"; {counted(done.checkpoints, 'checkpoint')} deleted" if done.checkpoints else ""
    Console().print(Text(f"The library took {decimal(done.before)} and takes {decimal(done.after)}{deleted}."))


async def _compact(folder: LibraryPlace | None) -> Compacted:
    async with open_library(folder) as library:
        return await compact(library)
