"""A corpus of many small documents and some large ones, read by workers of which one is killed.

Every document must be read once, and no answered call be paid for twice; else it ends with an error.

python -m benchmarks.corpus [--small 10000] [--large 50] [--workers 2] [--on ray] [--whole] [--postgres]
"""

import argparse
import asyncio
import os
import random
import signal
import sys
import tempfile
import time
from collections import Counter
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from readgraph import ReaderContext, open_library
from readgraph.doors.corpus.on_ray import on_ray
from readgraph.doors.corpus.processes import processes
from readgraph.doors.corpus.reading import CorpusTotals, Workers, read_corpus
from readgraph.doors.corpus.worker import CorpusJob, CorpusLine, Worker, WorkerReport
from readgraph.library.address import LibraryPlace, library_place
from tests.doubles.model_server import ChatRequest, ModelServer
from tests.doubles.reader import reader
from tests.support.postgres_server import PostgresServer

WORDS = "the a of and keeper goat gallery storm boat harbour letter night morning log book wrote saw rope lamp".split()
SMALL_WORDS, LARGE_WORDS = 150, 10_000


def made_corpus(folder: Path, small: int, large: int) -> list[str]:
    """Make this many small and large documents, no two alike; returns their files, the large ones first."""
    rng, files = random.Random(7), []
    for kind, many, words in (("large", large, LARGE_WORDS), ("small", small, SMALL_WORDS)):
        for number in range(many):
            paragraphs = [
                f"{kind.capitalize()}-{number}, paragraph {start}. {' '.join(rng.choices(WORDS, k=96))}."
                for start in range(0, words, 100)
            ]
            file = folder / f"{kind}-{number}.txt"
            file.write_text("\n\n".join(paragraphs), encoding="utf-8")
            files.append(str(file))
    return files


def processor_seconds(process_id: int) -> float:
    """The processor time that a process took (Linux); 0 where that can't be told."""
    try:
        times = Path(f"/proc/{process_id}/stat").read_text().rpartition(")")[2].split()[11:13]
    except OSError:
        return 0.0
    return sum(map(int, times)) / os.sysconf("SC_CLK_TCK")


@dataclass
class Watched:
    """A worker, and the names of the files that it reads now."""

    worker: Worker
    reading: set[str] = field(default_factory=set)

    @property
    def process_id(self) -> int:
        return self.worker.process_id

    async def ready(self) -> None:
        await self.worker.ready()

    async def read(self, file: str, max_calls: int | None) -> WorkerReport:
        name = f"{Path(file).stem.capitalize()},"  # as the document's own text says it
        self.reading.add(name)
        try:
            return await self.worker.read(file, max_calls)
        finally:
            self.reading.discard(name)


@dataclass
class Killing:
    """A double that replies as the reader does, and kills a worker while its call with this number is in flight."""

    at: int
    asked: Counter[str] = field(default_factory=Counter)
    workers: Sequence[Watched] = ()
    killed: int = 0
    processor_seconds: float = 0.0

    def __call__(self, request: ChatRequest) -> str | dict[str, object]:
        self.asked[request.key] += 1
        if not self.killed and self.at and self.asked.total() >= self.at:
            asking = [worker for worker in self.workers if any(name in request.text for name in worker.reading)]
            self.killed = asking[0].process_id
            os.kill(self.killed, signal.SIGKILL)
        return reader(request)

    @asynccontextmanager
    async def seen(self, workers: Workers) -> AsyncIterator[Sequence[Worker]]:
        """The same workers, watched; one of them is killed."""
        async with workers as started:
            self.workers = [Watched(worker) for worker in started]
            yield self.workers
            self.processor_seconds = sum(processor_seconds(each.process_id) for each in started)
            self.processor_seconds = sum(processor_seconds(each.process_id) for each in started)

    @property
    def paid_twice(self) -> int:
        """How many calls were made again."""
        return self.asked.total() - len(self.asked)


@dataclass
class Read:
    """A corpus that was read: the sum, lines by file, seconds in all, and by how many bytes the library grew."""

    sum: CorpusTotals
    lines: list[CorpusLine]
    seconds: float
    stored: int


async def read_once(job: CorpusJob, files: list[str], workers: Workers) -> Read:
    """Read the files, from the start of the workers to their end."""
    lines = list[CorpusLine]()
    async with open_library(job.library):
        pass
    empty, began = stored_bytes(job.library), time.monotonic()
    total = await read_corpus(job, files, workers, lines.append)
    seconds = time.monotonic() - began
    async with open_library(job.library):
        pass  # what is in the log goes into the file
    return Read(total, lines, seconds, stored_bytes(job.library) - empty)


def stored_bytes(library: LibraryPlace | None) -> int:
    """The bytes of a library's documents, memories and replies; on a server, of its database."""
    if isinstance(library, Path):
        return (library / "library.sqlite").stat().st_size
    import psycopg

    assert library
    with psycopg.connect(library.full) as connection:
        found = connection.execute("SELECT pg_database_size(current_database())").fetchone()
    return int(found[0]) if found else 0


def check(read: Read, files: list[str], double: Killing, concurrency: int) -> None:
    """Raise an error where a document was not read once, or an answered call was paid for twice."""
    whole = sorted(line["file"] for line in read.lines if line["complete"])
    assert whole == sorted(files), f"{len(whole)} of {len(files)} documents are read to their end, each once"
    in_flight = range(1, concurrency + 1) if double.killed else range(1)
    assert double.paid_twice in in_flight, f"{double.paid_twice} calls were made again"


def main() -> None:
    """Run the benchmark and print its figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--small", type=int, default=10_000)
    parser.add_argument("--large", type=int, default=50)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--on", choices=["ray"])
    parser.add_argument("--latency", type=float, default=0.05)
    parser.add_argument("--concurrency", type=int, default=16)
    parser.add_argument("--whole", action="store_true", help="kill no worker")
    parser.add_argument("--postgres", action="store_true", help="into a library on a PostgreSQL server")
    options = parser.parse_args()
    with library_for(options) as library:
        measure(options, library)


@contextmanager
def library_for(options: argparse.Namespace) -> Iterator[LibraryPlace]:
    """An empty library: a folder, or a database of a server that is started for it."""
    if options.postgres:
        with PostgresServer.started() as server, server.database() as address:
            yield library_place(address)
    else:
        with tempfile.TemporaryDirectory() as folder:
            yield Path(folder, "library")


def measure(options: argparse.Namespace, library: LibraryPlace) -> None:
    """Read a corpus, and once again, and print the figures."""
    with tempfile.TemporaryDirectory() as temporary, ModelServer(latency=options.latency) as server:
        files = made_corpus(Path(temporary), options.small, options.large)
        double = server.respond = Killing(0 if options.whole else (options.small + options.large) // 2)
        os.environ |= {"OPENAI_BASE_URL": server.url, "OPENAI_API_KEY": "none"}
        context = ReaderContext(model="openai:double", concurrency=options.concurrency)
        job = CorpusJob(library, "read-agent", context)
        engine = on_ray(job, options.workers, None) if options.on else processes(job, options.workers)
        read = asyncio.run(read_once(job, files, double.seen(engine)))
        check(read, files, double, options.concurrency)
        report(read, options, double)
        began = time.monotonic()
        engine = on_ray(job, options.workers, None) if options.on else processes(job, options.workers)
        again = asyncio.run(read_once(job, files, engine))
        assert again.sum.known == len(files) and not again.sum.usage["calls"], "all was read before"
        print(f"again: {len(files):,} read before, no call, {time.monotonic() - began:.1f} s")


def report(read: Read, options: argparse.Namespace, double: Killing) -> None:
    """Print the figures."""
    documents, calls = read.sum.documents, double.asked.total()
    engine = "Ray's workers" if options.on else "processes"
    print(f"{documents:,} documents ({options.large} of {LARGE_WORDS:,} words), {options.workers} {engine}")
    killed = "none was killed" if options.whole else "one was killed"
    print(f"{killed}; every document is read once; {double.paid_twice} calls in flight were made again")
    print(
        f"{calls:,} calls, {read.sum.words:,} words, {read.sum.pages:,} pages in {read.seconds:.1f} s from the start "
        f"of the workers to their end: {documents / read.seconds:.1f} documents and {calls / read.seconds:.1f} calls/s"
    )
    if options.whole and double.processor_seconds:
        each, call = double.processor_seconds / documents, double.processor_seconds / calls
        print(f"processor time of the workers: {1000 * each:.1f} ms a document, {1000 * call:.1f} ms a call")
    print(
        f"library: {read.stored / 1e6:.1f} MB, {read.stored / documents:,.0f} bytes a document, "
        f"{read.stored / read.sum.pages:,.0f} a page, {read.stored / read.sum.words:.1f} a word of text"
    )
    sys.stdout.flush()


if __name__ == "__main__":
    main()
