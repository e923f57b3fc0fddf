"""What workers are told, and what they tell."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from typing_extensions import TypedDict

from readgraph.models.names.prices import Price
from readgraph.state.context import ReaderContext
from readgraph.state.files.library_address import LibraryPlace
from readgraph.state.reading import NOTHING_USED, Usage

TRIES = 3
"""How often a document is begun again on other workers, after its worker ended, before it is read alone."""


@dataclass(frozen=True)
class Job:
    """How the documents are read; it holds no key of a model server.

    Keys are in each worker's environment. `library`: a folder, or an address, which may have a password: see
    `readgraph.corpus.on_ray`; None: the worker's own default.
    """

    library: LibraryPlace | None
    method: str
    context: ReaderContext = field(default_factory=ReaderContext)
    price: Price | None = None

    @property
    def at_once(self) -> int:
        """How many documents a worker reads at once: with fewer, short ones would leave calls in flight unused."""
        return self.context.concurrency


class Line(TypedDict):
    """What became of one file.

    `known`: its memory was complete before, and no call was needed. `problem`: why it was left out, or what of it could
    not be read; "" if nothing. `document` and `memory` are "" where it was left out.
    """

    file: str
    document: str
    title: str
    memory: str
    pages: int
    notes: int
    note_words: int
    words: int
    complete: bool
    known: bool
    problem: str
    usage: Usage
    fallbacks: dict[str, int]
    cost: float | None


class Told(TypedDict):
    """What a worker reports on a file. `stops`: what makes it useless to go on with any file, such as a full disk.

    `no_answer`: the model server can't be used, at least for this document.
    """

    line: Line
    stops: str
    no_answer: bool


class WorkerEnded(Exception):
    """The worker's process ended, each time that it was given this file."""


class Worker(Protocol):
    """A process that reads several files at once, wherever it runs.

    `process_id`: its number on its machine, 0 before it is ready.
    """

    @property
    def process_id(self) -> int:
        """The number of its process."""

    async def ready(self) -> None:
        """Wait until it runs; on a full cluster this may be never."""

    async def read(self, file: str, max_calls: int | None) -> Told:
        """Read a file with at most so many calls; raises `WorkerEnded`."""


def left_out(file: str, problem: str, *, stops: str = "", no_answer: bool = False) -> Told:
    """The report on a file that was not read."""
    line = Line(
        file=file,
        document="",
        title=Path(file).stem,
        memory="",
        pages=0,
        notes=0,
        note_words=0,
        words=0,
        complete=False,
        known=False,
        problem=problem,
        usage=Usage(**NOTHING_USED),
        fallbacks={},
        cost=None,
    )
    return Told(line=line, stops=stops, no_answer=no_answer)
