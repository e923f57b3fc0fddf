"""`corpus`: read every document of folders with many workers."""

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from readgraph.cli.run.stopping import run_until_stopped
from readgraph.cli.settings import chosen_method
from readgraph.cli.terminal.command_log import log_document
from readgraph.cli.terminal.output_options import Screen
from readgraph.cli.terminal.progress.corpus import CorpusProgress, print_line, print_sum
from readgraph.cli.terminal.rendering import print_reminder
from readgraph.corpus.job import Job, Line
from readgraph.corpus.on_ray import on_ray
from readgraph.corpus.processes import processes
from readgraph.corpus.reading import Sum, Workers, read_corpus
from readgraph.sources.folders import chosen_files
from readgraph.state.context import ReaderContext
from readgraph.state.errors import BadInput
from readgraph.state.files.library_address import LibraryPlace
from readgraph.state.library import default_place, open_library


@dataclass(frozen=True)
class By:
    """Who reads: so many workers, on a kind of cluster or here, with so many calls together."""

    workers: int | None = None
    cluster: str | None = None
    address: str | None = None
    max_calls: int | None = None


def read_folders(
    folders: Sequence[Path],
    glob: str | None,
    method: str | None,
    context: ReaderContext,
    folder: LibraryPlace | None,
    screen: Screen,
    by: By,
) -> None:
    """Read every document below the folders; print a line for each that can't be read, and the sum at the end."""
    if others := [path for path in folders if not os.path.isdir(path)]:
        raise BadInput(f"{others[0]} is no folder: 'readgraph read' reads single files.")
    named = chosen_method(method, asks=False)
    files = sorted(chosen_files(folders, glob), key=lambda file: -file.stat().st_size)  # long ones take longest
    library = folder or default_place()
    library = library.absolute() if isinstance(library, Path) else library  # workers may stand elsewhere
    job = Job(library, method or named.name, context, screen.price)
    total, first_problem = run_until_stopped(_read(job, [str(file.absolute()) for file in files], screen, by))
    nothing_read = total.documents > 0 and total.left_out == total.documents
    if screen.as_json or not nothing_read:
        print_sum(total, named.note, screen)
    if nothing_read:
        raise BadInput(first_problem)
    print_reminder(context, screen)


async def _read(job: Job, files: Sequence[str], screen: Screen, by: By) -> tuple[Sum, str]:
    """Read the files; returns the sum, and why the first one that was left out can't be read."""
    async with open_library(job.library):
        pass  # a library that can't be used is told of here, once
    problems = list[str]()
    with CorpusProgress(len(files), screen) as progress:

        def tell(line: Line) -> None:
            progress.take(line)
            log_document(line)
            if line["problem"]:
                problems.append(line["problem"])
            if screen.as_json:
                print_line(line)

        total = await read_corpus(job, files, _workers(job, len(files), by), tell, calls_in_all=by.max_calls)
    return total, next(iter(problems), "")


def _workers(job: Job, files: int, by: By) -> Workers:
    if by.cluster == "ray":
        return on_ray(job, by.workers, by.address)
    return processes(job, min(by.workers or os.cpu_count() or 1, files))
