"""`read`, `remember` and `corpus`: build memories of files, histories, and folders with many workers."""

import os
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from readgraph.api.documents import find_kept_document
from readgraph.api.functions import memorise, read
from readgraph.api.running import RunThread
from readgraph.cli.log import log_document
from readgraph.cli.options.reading import CorpusOptions, ReadOptions, RememberOptions
from readgraph.cli.run.documents import (
    check_glob,
    conversion_seconds,
    estimate,
    load_sources,
    report_left_out,
    resolve_document,
)
from readgraph.cli.run.in_library import run_in_library
from readgraph.cli.run.reports import with_cost
from readgraph.cli.settings import choose_method
from readgraph.cli.terminal.progress import EvaluationProgress, watch_run
from readgraph.cli.terminal.rendering import footer, format_usage, print_json, print_memory, print_reminder, write_json
from readgraph.cli.terminal.safe_text import Console, SafeText, one_line
from readgraph.cli.terminal.screen import OutputOptions, run_until_stopped
from readgraph.corpus.on_ray import on_ray
from readgraph.corpus.processes import processes
from readgraph.corpus.reading import CorpusTotals, read_corpus
from readgraph.corpus.worker import CorpusJob, CorpusLine
from readgraph.library.histories import SessionText, append_sessions
from readgraph.library.opening import Library, default_place
from readgraph.library.page_store import PageStore
from readgraph.library.versions import set_version
from readgraph.sources.loading import select_files
from readgraph.sources.sessions import load_sessions
from readgraph.state.context import ReaderContext
from readgraph.state.errors import BadInput
from readgraph.state.records import Document, check_date
from readgraph.state.words import format_count


def read_documents(options: ReadOptions, context: ReaderContext, screen: OutputOptions) -> None:
    """Build the memories of files and folders and print them; JSON is an array but for one file."""
    if options.date:
        check_date(options.date)
    if options.estimate:
        estimate(options, context, screen, options.method)
        return
    sources = load_sources(options, screen, other_names=False)
    if options.supersedes and len(sources) > 1:
        raise BadInput("--supersedes is for one document: read the others by themselves.")
    method = choose_method(options.method, asks=False)

    async def read_each(library: Library) -> list[dict[str, Any]]:
        built = []
        while sources:
            seconds = conversion_seconds(sources[:1])
            document = await resolve_document(library, [sources.pop(0)])  # popped, so that its text can be freed
            if options.date or options.supersedes:
                named = options.supersedes
                earlier = (await find_kept_document(library.pages, named)).id if named else ""
                document = await set_version(library.pages, document, options.date, earlier)
                if not screen.as_json and not screen.quiet:
                    instead = f", in place of '{named}'" if named else ""
                    Console().print(SafeText(f"{document.title} is of {document.date or 'no date'}{instead}."))
            with watch_run(screen) as listen:
                kept = RunThread(saver=library.checkpointer)
                reading = await read(library, document, method=method, context=context, listen=listen, thread=kept)
            found = with_cost(reading.output, context, screen, seconds)
            if screen.as_json:
                version = {"date": document.date, "supersedes": document.supersedes}
                built.append(found | reading.model_dump(include=SIZES) | version)
            else:
                labels = [name for _, name in await library.pages.places(document)]
                await _print_memory(library.pages, document, found, screen, labels)
        return built

    built = run_in_library(options.library, read_each)
    print_reminder(context, screen)
    if screen.as_json:
        print_json(built[0] if len(options.paths) == 1 and not options.paths[0].is_dir() else built)


SIZES = {"pages", "notes", "note_words", "complete"}  # what a run's output doesn't say: how large the memory is now


async def _print_memory(
    pages: PageStore, document: Document, found: dict[str, Any], screen: OutputOptions, labels: Sequence[str] = ()
) -> None:
    memory = await pages.memory(document.id, found["memory"])
    print_memory(document, memory, await pages.notes(memory.id, range(memory.pages)), found, screen, labels)


def remember_sessions(options: RememberOptions, context: ReaderContext, screen: OutputOptions) -> None:
    """Append the sessions of files and folders to the history, memorise what is new, and print the result."""
    check_glob(options.paths, options.glob)
    loaded = load_sessions(options.paths, options.glob, options.sessions_at, options.gap, report_left_out)
    sessions = [SessionText(*session) for session in loaded]

    async def remember(library: Library) -> None:
        appended = await append_sessions(library.pages, options.history, sessions, go_on=True)
        if not screen.as_json:
            known = f" ({appended.known:,} known already)" if appended.known else ""
            has = f"'{appended.document.title}' has {format_count(appended.document.sessions, 'session')}"
            Console().print(f"Added {format_count(len(appended.added), 'session')}{known}; {has}.")
        with watch_run(screen) as listen:
            done = await memorise(library, appended, context, listen, RunThread(saver=library.checkpointer))
        found = with_cost(done.output, context, screen)
        if screen.as_json:
            counts = {"added": done.added, "known": done.known, "sessions": done.sessions}
            print_json(found | counts | done.model_dump(include=SIZES))
        else:
            await _print_memory(library.pages, appended.document, found, screen)

    run_in_library(options.library, remember)
    print_reminder(context, screen)


class CorpusProgress(EvaluationProgress):
    """The bar of an evaluation, over documents; what can't be read is printed above it."""

    def __init__(self, documents: int, screen: OutputOptions) -> None:
        super().__init__("Reading", documents, screen, counts="tokens")
        self.problems = self.console if not screen.quiet else Console(stderr=True)

    def take(self, line: CorpusLine) -> None:
        """Show what became of one more document."""
        usage = line["usage"]
        self.count_item(usage["calls"], usage["input_tokens"] + usage["output_tokens"], line["cost"])
        if line["problem"]:
            self.problems.print(f"readgraph: Left out: {one_line(line['problem'])}", soft_wrap=True)
        elif self.screen.verbose:
            ended = "" if line["complete"] else ", not complete"
            sizes = f"{format_count(line['words'], 'word')}, {format_count(line['pages'], 'part')}{ended}"
            said = f"{line['title']}: {'read before' if line['known'] else sizes}"
            self.problems.print(SafeText(f"{said} ({format_usage(usage, line['cost'])})", style="dim"))


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
    if options.estimate:
        estimate(options, context, screen, options.method)
        return
    if others := [path for path in options.paths if not os.path.isdir(path)]:
        raise BadInput(f"{others[0]} is no folder: 'readgraph read' reads single files.")
    named = choose_method(options.method, asks=False)
    files = select_files(options.paths, options.glob)
    files = sorted(files, key=lambda file: -file.stat().st_size)  # long ones take longest
    library = options.library or default_place()
    library = library.absolute() if isinstance(library, Path) else library  # workers may stand elsewhere
    job = CorpusJob(library, options.method or named.name, context, screen.price)
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


async def _read_files(
    job: CorpusJob, files: Sequence[str], screen: OutputOptions, options: CorpusOptions
) -> tuple[CorpusTotals, str]:
    problems = list[str]()
    with CorpusProgress(len(files), screen) as progress:

        def tell(line: CorpusLine) -> None:
            progress.take(line)
            log_document(line)
            if line["problem"]:
                problems.append(line["problem"])
            if screen.as_json:
                write_json(line)

        if options.cluster == "ray":
            workers = on_ray(job, options.workers, options.address)
        else:
            workers = processes(job, min(options.workers or os.cpu_count() or 1, len(files)))
        total = await read_corpus(job, files, workers, tell, calls_in_all=options.max_calls_in_all)
    return total, next(iter(problems), "")
