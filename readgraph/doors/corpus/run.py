"""`corpus`: folders read with many workers, watched, and the list of the files of those that were watched."""

import os
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import asdict, dataclass, field
from functools import partial
from pathlib import Path

from rich.table import Table

from readgraph.cli.run.documents import estimate
from readgraph.cli.settings import choose_method
from readgraph.cli.terminal.progress import ItemsProgress
from readgraph.cli.terminal.rendering import footer, format_usage, print_json, print_reminder, write_json
from readgraph.cli.terminal.safe_text import PLAIN, Console, SafeText, one_line, tell
from readgraph.cli.terminal.screen import OutputOptions, notice_line, run_until_stopped
from readgraph.doors.corpus.on_ray import on_ray
from readgraph.doors.corpus.options import CorpusOptions
from readgraph.doors.corpus.processes import processes
from readgraph.doors.corpus.reading import CorpusTotals, Workers, read_corpus
from readgraph.doors.corpus.watching import Watching, watch_folders
from readgraph.doors.corpus.worker import CorpusJob, CorpusLine
from readgraph.library.address import default_place
from readgraph.library.opening import open_library
from readgraph.library.watched import STATES, WatchedFile
from readgraph.sources.loading import raise_problem, select_files
from readgraph.state.context import ReaderContext
from readgraph.state.errors import BadInput
from readgraph.state.logs import current_run, log
from readgraph.state.words import format_count


class CorpusProgress(ItemsProgress):
    """The bar over the documents; what can't be read is printed above it."""

    def __init__(self, documents: int, screen: OutputOptions) -> None:
        super().__init__("Reading", documents, screen, counts="tokens")
        self.problems = self.console if not screen.quiet else Console(stderr=True)

    def take(self, line: CorpusLine, *, shows: bool = False) -> None:
        """Show what became of one more document; `shows` it also where all went well."""
        usage = line["usage"]
        self.count_item(usage["calls"], usage["input_tokens"] + usage["output_tokens"], line["cost"])
        if line["problem"]:
            self.problems.print(
                notice_line(line["problem"], is_left_out=not line["document"]), soft_wrap=not self.problems.is_terminal
            )
        elif shows or self.screen.verbose:
            ended = "" if line["complete"] else ", not complete"
            sizes = f"{format_count(line['words'], 'word')}, {format_count(line['pages'], 'part')}{ended}"
            said = f"{line['title']}: {'read before' if line['known'] else sizes}"
            self.problems.print(SafeText(f"{said} ({format_usage(usage, line['cost'])})", style="dim"))


def _log_document(line: CorpusLine) -> None:
    """Tell of a document that a worker has read, and count what it used: workers tell only their own calls."""
    used = line["usage"]
    sums = {
        "calls": used["calls"],
        "recorded": used["cached_calls"],
        "refused": used["refused"],
        "tokens_in": used["input_tokens"],
        "tokens_out": used["output_tokens"],
    }
    if run := current_run():
        run.count(**sums, cost=line["cost"])
    state = "left_out" if not line["document"] else "done" if line["complete"] else "incomplete"
    log("document", document=line["document"], state=state, seconds=used["seconds"], cost=line["cost"], **sums)


def _print_sum(total: CorpusTotals, screen: OutputOptions) -> None:
    """Print what became of all."""
    console = Console()
    states = {"read": total.read, "read before": total.known, "not complete": total.incomplete}
    states |= {"left out": total.left_out, "not begun": total.not_begun}
    shown = ", ".join(f"{number:,} {state}" for state, number in states.items() if number) or "none read"
    console.print(SafeText(f"{format_count(total.documents + total.not_begun, 'document')}: {shown}", style="bold"))
    if total.words:
        share = 100 * total.note_words / total.words
        notes = f"notes of {format_count(total.note_words, 'word')}"
        sizes = f"{format_count(total.words, 'word')}, {format_count(total.pages, 'part')}"
        console.print(f"  {sizes}, {notes} ({share:.0f} % of the text)")
    if total.incomplete or total.not_begun:
        console.print("  Not complete: the budget ran out. Run the same command again to continue.")
    if total.ended:
        times = format_count(total.ended, "document")
        console.print(f"  {times} lost a worker at every try; what these had paid for is not in the figures below.")
    if not screen.quiet:
        usage = {**total.usage, "seconds": total.seconds}
        workers = f" with {format_count(total.workers, 'worker')}" if total.workers else ""
        console.print(footer({"usage": usage, "cost": total.cost, "fallbacks": total.fallbacks}, by=workers))


def read_folders(options: CorpusOptions, context: ReaderContext, screen: OutputOptions) -> None:
    """Read every document below the folders; print a line for each that can't be read, and the sum at the end."""
    if options.address and not options.cluster:
        raise BadInput("--address is of a Ray cluster: add --on ray, or leave it out.")
    if options.watch and options.cluster:
        raise BadInput("--watch reads with processes of this machine: leave --on out.")
    if options.estimate:
        estimate(options, context, screen, options.method)
        return
    if options.listed:
        _list_watched(options, screen)
        return
    if others := [path for path in options.paths if not os.path.isdir(path)]:
        raise BadInput(f"{others[0]} is no folder: 'readgraph read' reads single files.")
    named = choose_method(options.method, asks=False)
    library = options.library or default_place()
    library = library.absolute() if isinstance(library, Path) else library  # workers may stand elsewhere
    folders = tuple(str(path.absolute()) for path in options.paths)
    job = CorpusJob(
        library, options.method or named.name, context, screen.price, folders, follow_links=options.follow_links
    )
    if options.watch:
        _watch(job, options, screen)
        return
    files = select_files(options.paths, options.glob, left_out=_report_link, follow_links=options.follow_links)
    files = sorted(files, key=lambda file: -file.stat().st_size)  # long ones take longest
    named_files = [str(file.absolute()) for file in files]
    total, first_problem = run_until_stopped(_read_files(job, named_files, screen, options))
    nothing_read = total.documents > 0 and total.left_out == total.documents
    if screen.as_json:
        write_json({"sum": asdict(total)})
    elif not nothing_read:
        _print_sum(total, screen)
    if nothing_read:
        raise BadInput(first_problem)
    print_reminder(context, screen)


def _report_link(problem: BadInput) -> None:
    raise_problem(problem)
    tell(notice_line(problem, is_left_out=True))


async def _read_files(
    job: CorpusJob, files: Sequence[str], screen: OutputOptions, options: CorpusOptions
) -> tuple[CorpusTotals, str]:
    problems = list[str]()
    with CorpusProgress(len(files), screen) as progress:

        def tell(line: CorpusLine) -> None:
            progress.take(line)
            _log_document(line)
            if line["problem"]:
                problems.append(line["problem"])
            if screen.as_json:
                write_json(line)

        workers = _workers(job, options, len(files))
        total = await read_corpus(job, files, workers, tell, calls_in_all=options.max_calls_in_all)
    return total, next(iter(problems), "")


def _workers(job: CorpusJob, options: CorpusOptions, files: int) -> Workers:
    if options.cluster == "ray":
        return on_ray(job, options.workers, options.address)
    return processes(job, min(options.workers or os.cpu_count() or 1, files))


def _watch(job: CorpusJob, options: CorpusOptions, screen: OutputOptions) -> None:
    """Watch the folders until Ctrl-C, and tell of each file whose state changes."""
    named = {path.absolute() for path in options.paths}
    folders = sorted(folder for folder in named if named.isdisjoint(folder.parents))
    watch_screen = _WatchScreen(screen)
    watching = Watching(
        job, folders, options.glob, partial(_workers, job, options), watch_screen, calls_in_all=options.max_calls_in_all
    )

    async def watch() -> None:
        async with open_library(job.library) as library:
            await watch_folders(library, watching)

    with watch_screen.bar:
        run_until_stopped(watch())


@dataclass
class _WatchScreen:
    """Tells of a watch: a bar while files are read, a line for each that changed, and how many there are then."""

    screen: OutputOptions
    bar: ExitStack = field(default_factory=ExitStack)
    progress: CorpusProgress | None = None

    def begin(self, files: int) -> None:
        """So many files are read now."""
        self.bar.close()
        self.progress = self.bar.enter_context(CorpusProgress(files, self.screen))

    def tell(self, file: WatchedFile, line: CorpusLine | None) -> None:
        """A file has another state; `line` says how it was read."""
        if line:
            _log_document(line)
        if self.screen.as_json:
            write_json({**(line or {}), "file": file.file, **_state_of(file)})
        elif line and self.progress:
            self.progress.take(line, shows=not line["known"])
        elif self.screen.verbose or (file.state == "gone" and not self.screen.quiet):
            did = "Left out" if file.state == "skipped" else "Gone" if file.reason else "Forgotten"
            Console().print(SafeText(f"{did}: {file.file}{f' ({file.reason})' if file.reason else ''}", style="dim"))

    def idle(self, counts: Mapping[str, int]) -> None:
        """Nothing is read now; so many files are in each state."""
        self.bar.close()
        if not self.screen.as_json and not self.screen.quiet:
            Console().print(f"{_describe_counts(counts)}. Waiting for changes; Ctrl-C ends.")

    def trouble(self, problem: str) -> None:
        """What stopped a look or a reading."""
        tell(f"readgraph: {one_line(problem)}")


def _state_of(file: WatchedFile) -> dict[str, str]:
    return {"state": file.state, "reason": file.reason, "document": file.document}


def _describe_counts(counts: Mapping[str, int]) -> str:
    states = ", ".join(f"{counts[state]:,} {state}" for state in STATES if counts.get(state))
    return f"{format_count(sum(counts.values()), 'file')}{f': {states}' if states else ''}"


def _list_watched(options: CorpusOptions, screen: OutputOptions) -> None:
    """Print the files of the folders with their states; those that need a look come first."""

    async def listed() -> list[WatchedFile]:
        async with open_library(options.library) as library:
            files = [
                watched_file
                for path in options.paths
                for watched_file in await library.watched.of(str(path.absolute()))
            ]
        return sorted(files, key=lambda each: STATES.index(each.state))

    files = run_until_stopped(listed())
    known = {file.folder for file in files}
    if away := [path for path in options.paths if not os.path.isdir(path) and str(path.absolute()) not in known]:
        raise BadInput(f"There is no folder {away[0]}, and none was watched there.")
    if screen.as_json:
        print_json([{"file": file.file, **_state_of(file), "since": file.since} for file in files])
        return
    if not files:
        raise BadInput("None of these folders was watched: 'readgraph corpus FOLDER --watch' does that.")
    table = Table("state", "file", "reason", **PLAIN)
    for file in files:
        table.add_row(file.state, SafeText(file.file), SafeText(file.reason))
    console = Console()
    console.print(table)
    console.print(f"{_describe_counts(Counter(file.state for file in files))}.")
