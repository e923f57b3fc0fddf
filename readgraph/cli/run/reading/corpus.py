"""`corpus`: read every document of folders with many workers."""

import os
from collections.abc import Sequence
from pathlib import Path

from readgraph.cli.options.reading import CorpusOptions
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
from readgraph.state.library import default_place


def read_folders(options: CorpusOptions, context: ReaderContext, screen: Screen) -> None:
    """Read every document below the folders; print a line for each that can't be read, and the sum at the end."""
    if others := [path for path in options.paths if not os.path.isdir(path)]:
        raise BadInput(f"{others[0]} is no folder: 'readgraph read' reads single files.")
    named = chosen_method(options.method, asks=False)
    files = chosen_files(options.paths, options.glob)
    files = sorted(files, key=lambda file: -file.stat().st_size)  # long ones take longest
    library = options.library or default_place()
    library = library.absolute() if isinstance(library, Path) else library  # workers may stand elsewhere
    job = Job(library, options.method or named.name, context, screen.price)
    total, first_problem = run_until_stopped(_read(job, [str(file.absolute()) for file in files], screen, options))
    nothing_read = total.documents > 0 and total.left_out == total.documents
    if screen.as_json or not nothing_read:
        print_sum(total, named.note, screen)
    if nothing_read:
        raise BadInput(first_problem)
    print_reminder(context, screen)


async def _read(job: Job, files: Sequence[str], screen: Screen, options: CorpusOptions) -> tuple[Sum, str]:
    """Read the files; returns the sum, and why the first one that was left out can't be read."""
    problems = list[str]()
    with CorpusProgress(len(files), screen) as progress:

        def tell(line: Line) -> None:
            progress.take(line)
            log_document(line)
            if line["problem"]:
                problems.append(line["problem"])
            if screen.as_json:
                print_line(line)

        total = await read_corpus(
            job, files, _workers(job, len(files), options), tell, calls_in_all=options.max_calls_in_all
        )
    return total, next(iter(problems), "")


def _workers(job: Job, files: int, options: CorpusOptions) -> Workers:
    if options.cluster == "ray":
        return on_ray(job, options.workers, options.address)
    return processes(job, min(options.workers or os.cpu_count() or 1, files))
