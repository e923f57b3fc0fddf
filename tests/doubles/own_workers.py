"""Workers of a corpus that read in this process: no process is started for them."""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass

from readgraph.doors.corpus.worker import CorpusJob, Worker, WorkerReport, read_document
from readgraph.library.library import Library
from readgraph.library.opening import open_library
from readgraph.state.errors import BadInput


@dataclass
class OwnWorker:
    """A worker in this process."""

    library: Library
    job: CorpusJob
    process_id: int = 0

    async def ready(self) -> None:
        """It is ready."""

    async def read(self, file: str, max_calls: int | None) -> WorkerReport:
        return await read_document(self.library, self.job, file, max_calls)


@asynccontextmanager
async def own_workers(job: CorpusJob, workers: int) -> AsyncIterator[Sequence[Worker]]:
    """So many workers; all use one library."""
    async with open_library(job.library) as library:
        yield [OwnWorker(library, job) for _ in range(workers)]


@asynccontextmanager
async def no_cluster(job: CorpusJob, workers: int | None, address: str | None) -> AsyncIterator[Sequence[Worker]]:
    """Stands for Ray where none is to be started."""
    raise BadInput(f"No Ray cluster can be used at {address}.")
    yield []
