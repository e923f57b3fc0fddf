"""A corpus is read by many workers: each document once, whatever becomes of a worker or of another document."""

import asyncio
import pickle
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest

from readgraph import ReaderContext
from readgraph.doors.corpus.reading import UNANSWERED, CorpusTotals, Workers, read_corpus
from readgraph.doors.corpus.worker import CorpusJob, CorpusLine, Worker, WorkerEnded, WorkerReport, failure_report
from readgraph.state.errors import LibraryError, ModelUnavailable
from tests.doubles.model_server import Fault, ModelServer
from tests.doubles.own_workers import OwnWorker, own_workers
from tests.support.command import SECRET

pytestmark = pytest.mark.quick


@pytest.fixture
def files(tmp_path: Path) -> list[str]:
    """Three short texts, and two files that can't be read."""
    folder = tmp_path / "corpus"
    folder.mkdir()
    for name in ("lamp", "goat", "gander"):
        (folder / f"{name}.txt").write_text(f"The {name} stood on the gallery. Nobody saw it.\n\nThe keeper slept.")
    (folder / "nothing.txt").write_text(" \n")
    (folder / "broken.pdf").write_bytes(b"%PDF-1.4 and no more")
    return sorted(map(str, folder.iterdir()))


@pytest.fixture
def job(tmp_path: Path) -> CorpusJob:
    return CorpusJob(tmp_path / "library", "read-agent", ReaderContext(concurrency=2))


def with_model(job: CorpusJob) -> CorpusJob:
    return CorpusJob(job.library, job.method, ReaderContext(model="openai:double", concurrency=2, retry_seconds=0))


@dataclass
class Failing:
    """A worker whose process ends `ends` times when it reads a file; `placed`: whether it ever begins."""

    worker: OwnWorker
    ends: dict[str, int] = field(default_factory=dict)
    placed: bool = True
    read_at_once: int = 0
    alone: list[str] = field(default_factory=list)
    process_id: int = 0

    async def ready(self) -> None:
        if not self.placed:
            await asyncio.Event().wait()

    async def read(self, file: str, max_calls: int | None) -> WorkerReport:
        self.read_at_once += 1
        try:
            await asyncio.sleep(0)
            if self.read_at_once == 1:
                self.alone.append(Path(file).stem)
            if self.ends.get(Path(file).stem, 0) > 0:
                self.ends[Path(file).stem] -= 1
                raise WorkerEnded
            return await self.worker.read(file, max_calls)
        finally:
            self.read_at_once -= 1


@asynccontextmanager
async def failing(job: CorpusJob, *each: dict[str, int] | None) -> AsyncIterator[Sequence[Worker]]:
    """Workers that end so often for these files; one of None is never placed."""
    async with own_workers(job, len(each)) as workers:
        yield [
            Failing(worker, ends or {}, ends is not None)
            for worker, ends in zip(workers, each, strict=True)
            if isinstance(worker, OwnWorker)
        ]


async def read(
    job: CorpusJob, files: list[str], workers: Workers, most: int | None = None
) -> tuple[CorpusTotals, dict[str, CorpusLine]]:
    lines: list[CorpusLine] = []
    total = await read_corpus(job, files, workers, lines.append, calls_in_all=most)
    assert len({line["file"] for line in lines}) == len(lines) == total.documents, "each is told of once"
    return total, {Path(line["file"]).stem: line for line in lines}


async def test_each_document_is_read_once_and_what_cannot_be_read_holds_up_no_other(
    job: CorpusJob, files: list[str]
) -> None:
    total, lines = await read(job, files, own_workers(job, 2))
    assert (total.read, total.known, total.left_out, total.workers) == (3, 0, 2, 2)
    assert "is empty" in lines["nothing"]["problem"] and "no PDF" in lines["broken"]["problem"]
    assert lines["goat"]["complete"] and lines["goat"]["words"] == 12 and total.words == 36
    again, lines = await read(job, files, own_workers(job, 2))
    assert (again.read, again.known, again.left_out) == (0, 3, 2) and lines["goat"]["known"]


@asynccontextmanager
async def none_started() -> AsyncIterator[Sequence[Worker]]:
    """Workers that are not to be started."""
    raise AssertionError("a worker is started")
    yield []


async def test_no_worker_is_started_where_all_was_read_before(
    job: CorpusJob, files: list[str], server: ModelServer, tmp_path: Path
) -> None:
    whole = [file for file in files if "broken" not in file and "nothing" not in file]
    page = tmp_path / "Wärter.html"
    page.write_text("<h1>Der Wärter</h1><p>Die Ziege stand auf der Galerie. Niemand sah sie.</p>", encoding="utf-8")
    job, whole = with_model(job), [*whole, str(page)]
    first, before = await read(job, whole, own_workers(job, 2))
    calls = server.calls
    total, lines = await read(job, whole, none_started())
    assert (first.read, total.known, total.workers, server.calls) == (4, 4, 0, calls)
    assert all(line["known"] and line["words"] == before[name]["words"] for name, line in lines.items())
    assert (total.pages, total.notes, total.note_words) == (first.pages, first.notes, first.note_words)
    for more in ({"gist_words": 30}, {"model": "openai:other"}):
        with pytest.raises(AssertionError, match="a worker is started"):
            await read(replace(job, context=replace(job.context, **more)), whole, none_started())
    with pytest.raises(AssertionError, match="a worker is started"):
        await read(job, [*whole, *files], none_started())


@pytest.mark.parametrize("method", ["gam", "mem-walker", "survey"])
async def test_no_worker_is_started_for_what_a_method_read_before(
    job: CorpusJob, files: list[str], method: str
) -> None:
    job, whole = replace(job, method=method), [file for file in files if "broken" not in file and "nothing" not in file]
    first, _ = await read(job, whole, own_workers(job, 1))
    again, _ = await read(job, whole, none_started())
    assert (first.read, again.known, again.note_words) == (3, 3, first.note_words)


async def test_a_document_that_loses_its_workers_is_read_last_and_alone(job: CorpusJob, files: list[str]) -> None:
    total, lines = await read(job, files, failing(job, {"goat": 1, "lamp": 9}))
    assert (total.read, total.left_out, total.ended) == (2, 3, 3)
    assert lines["goat"]["complete"] and "its worker ended each time" in lines["lamp"]["problem"]
    assert {*list(lines)[-2:]} == {"goat", "lamp"}, "after all others"


async def test_a_worker_that_is_never_placed_is_not_waited_for(job: CorpusJob, files: list[str]) -> None:
    total, _ = await read(job, files, failing(job, None, {}))
    assert total.read == 3


async def test_the_calls_of_all_workers_together_are_bounded(
    job: CorpusJob, files: list[str], server: ModelServer
) -> None:
    job, whole = with_model(job), [file for file in files if "broken" not in file and "nothing" not in file]
    first, _ = await read(job, whole, own_workers(job, 2), 2)
    assert server.calls == first.usage["calls"] == 2 and first.read + first.incomplete + first.not_begun == 3
    assert first.read < 3
    rest, _ = await read(job, whole, own_workers(job, 2), 50)
    assert rest.read + rest.known == 3 and len({*server.answered}) == len(server.answered), "none was paid twice"
    nothing, _ = await read(job, whole, own_workers(job, 2), 0)
    assert (nothing.documents, nothing.not_begun) == (0, 3)


async def test_a_library_that_cannot_be_used_ends_it(job: CorpusJob, files: list[str]) -> None:
    class Full:
        process_id = 0

        async def ready(self) -> None: ...

        async def read(self, file: str, max_calls: int | None) -> WorkerReport:
            return failure_report(file, "The disk is full.", stops="The disk is full.")

    @asynccontextmanager
    async def workers() -> AsyncIterator[Sequence[Worker]]:
        yield [Full()]

    with pytest.raises(LibraryError, match="The disk is full"):
        await read(job, files, workers())


async def test_a_refused_document_is_left_out_and_a_server_that_answers_none_ends_it(
    job: CorpusJob, files: list[str], server: ModelServer, tmp_path: Path
) -> None:
    job = with_model(job)
    server.fault_for = lambda request, call: Fault("no", status=400) if "goat" in request.text else None
    total, lines = await read(job, files, own_workers(job, 1))
    assert (total.read, total.left_out) == (2, 3) and "refused" in lines["goat"]["problem"]
    server.fault_for = lambda request, call: Fault("no", status=401)
    many = [tmp_path / f"{number}.txt" for number in range(UNANSWERED + 1)]
    for file in many:
        file.write_text(f"The keeper wrote letter {file.stem}.")
    with pytest.raises(ModelUnavailable):
        await read(job, [*map(str, many)], own_workers(job, 1))


def test_what_is_sent_to_workers_holds_no_key(job: CorpusJob, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", SECRET)
    sent = pickle.dumps(with_model(job))
    assert SECRET.encode() not in sent and pickle.loads(sent) == with_model(job)
