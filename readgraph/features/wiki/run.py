"""The command `wiki`: a folder of Markdown pages made of documents, and what is wrong in one."""

import os
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from functools import partial
from pathlib import Path

import typer

from readgraph.api.documents import all_documents, documents_as_one
from readgraph.api.up_to import check_named
from readgraph.cli.mistakes import is_file_name, say_taken_as
from readgraph.cli.run.documents import are_documents, estimate_making, load_sources, resolve_document
from readgraph.cli.run.in_library import run_in_library
from readgraph.cli.run.reports import with_cost
from readgraph.cli.terminal import rendering
from readgraph.cli.terminal.progress import watch_run
from readgraph.cli.terminal.safe_text import Console, SafeText
from readgraph.cli.terminal.screen import WRONG, OutputOptions
from readgraph.features.wiki.functions import Wiki, wiki
from readgraph.features.wiki.options import WikiOptions
from readgraph.features.wiki.vault import INDEX, is_of_wiki, write_vault
from readgraph.features.wiki.vault_check import VaultProblem, check_vault
from readgraph.graphs.methods import PARTS
from readgraph.library.collections import documents_of
from readgraph.library.library import Library
from readgraph.sources.converting import SourceText
from readgraph.sources.inputs import file_or_address
from readgraph.state.context import ReaderContext
from readgraph.state.errors import BadInput
from readgraph.state.records import Document
from readgraph.state.words import format_count, on_one_line

CHECK = "check"


def make_wiki(options: WikiOptions, context: ReaderContext, screen: OutputOptions) -> None:
    """Make the wiki's pages, write those that changed, and print what was done."""
    if str(options.folder) == CHECK:
        _check(options, screen)
        return
    options = _arranged(options)
    if options.folder.exists() and not options.folder.is_dir():
        raise BadInput(f"{options.folder} is a file: name a folder for the wiki.")
    sources, shown = _load(options, screen), replace(screen, steps=options.show_steps)

    async def make(library: Library) -> Wiki:
        document = await _documents(library, sources, options)
        with watch_run(shown) as listen:
            return await wiki(library, documents=[document], context=context, listen=listen)

    made = run_in_library(options.library, make, answers=True)
    changes = write_vault(options.folder, made.output["pages"], datetime.now())
    output = with_cost(made.output, context, screen)
    if screen.as_json:
        rendering.print_json({**output, **changes._asdict()}, screen)
        return
    console = Console()
    if shown.steps:
        rendering.print_steps(output["steps"])
    for conflict in output["conflicts"]:
        quotes = (f"{sentence['title']}: “{on_one_line(sentence['quote'])}”" for sentence in conflict["sentences"])
        console.print(SafeText(f"✗ {' — '.join(quotes)}", style="yellow"))
    if screen.quiet:
        return
    done = [f"{len(names)} {what}" for what, names in changes._asdict().items() if names] or ["nothing changed"]
    console.print(rendering.footer(output, f"{options.folder}: {format_count(len(made.pages), 'page')}", *done))
    rendering.print_reminder(context, screen)


def estimate(options: WikiOptions, context: ReaderContext, screen: OutputOptions) -> None:
    """Print what the wiki will use, without making a call."""
    if str(options.folder) == CHECK:
        raise BadInput("A check makes no call: leave --estimate out.")
    options = _arranged(options)
    sources = _load(options, screen)
    choose = partial(_documents, sources=sources, options=options)
    estimate_making(options, context, screen, PARTS["wiki"], choose, {})


def _arranged(options: WikiOptions) -> WikiOptions:
    """The options with the wiki's folder and the documents in their order, where they were typed turned round."""
    first, *names = str(options.folder), *map(str, options.paths)
    if not names or _can_be_wiki(first) or not _can_be_wiki(names[-1]):
        return options
    if os.path.isdir(first) and are_documents(options.library, names):
        return options  # a folder with files of the user's own, and documents of the library
    documents = [first.replace("https:/", "https://") if first.startswith("https:") else first, *names[:-1]]
    say_taken_as("wiki", names[-1], *documents)
    return replace(options, folder=Path(names[-1]), paths=[*map(file_or_address, documents)])


def _can_be_wiki(name: str) -> bool:
    """Whether this is the folder of a wiki, or may become one: an empty folder, or nothing yet."""
    if os.path.isdir(name):
        return os.path.exists(os.path.join(name, INDEX)) or not os.listdir(name)
    return not (is_file_name(name) or name.startswith(("https:", "http:")))


def _load(options: WikiOptions, screen: OutputOptions) -> list[SourceText | str]:
    check_named("", options.paths, options.collection)
    sources = load_sources(options, screen) if options.paths else []
    folder = options.folder
    others = [
        source for source in sources if isinstance(source, str) or not is_of_wiki(folder, source.source, source.text)
    ]
    if sources and not others:
        raise BadInput(f"All files are pages of the wiki in {folder}: name the documents that it is of.")
    return others


async def _documents(library: Library, sources: Sequence[SourceText | str], options: WikiOptions) -> Document:
    if sources:
        return await resolve_document(library, sources, options.as_of)
    documents = await all_documents(library.pages, options.collection, options.as_of)
    return await documents_as_one(library.pages, documents, options.as_of)


def _check(options: WikiOptions, screen: OutputOptions) -> None:
    if not options.paths:
        raise BadInput(
            f"Name the folder of the wiki that is to be checked. A folder '{CHECK}' is named by its whole path."
        )
    folder, *paths = options.paths
    sources = _load(replace(options, paths=paths), screen)

    async def check(library: Library) -> list[VaultProblem]:
        named = await documents_of(library.pages, await _documents(library, sources, options))
        names = {document.id for document in named} | {document.source for document in named if document.source}
        others = await all_documents(library.pages, options.collection, options.as_of)  # those of the other pages
        rest = [document for document in others if not names & {document.id, document.source}]
        return await check_vault(library.pages, Path(folder), [*named, *rest])

    problems = run_in_library(options.library, check, answers=True)
    if screen.as_json:
        rendering.print_json({"problems": [problem._asdict() for problem in problems]})
    else:
        console = Console()
        for problem in problems:
            other = f" ({problem.other})" if problem.other else ""
            console.print(SafeText(f"{problem.file}:{problem.line}: {problem.kind}: {problem.text}{other}"))
        if not screen.quiet:
            console.print(f"{folder}: {format_count(len(problems), 'problem') if problems else 'nothing is wrong'}")
    if problems:
        raise typer.Exit(WRONG)
