"""`verify`: a draft is checked against documents, and printed with what was found."""

from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import typer
from rich.padding import Padding

from readgraph.api.answer_text import place_or_part
from readgraph.api.documents import documents_as_one, documents_near
from readgraph.api.up_to import check_named
from readgraph.cli.run.documents import estimate_making, load_sources, report_notice, resolve_document
from readgraph.cli.run.in_library import check_output, run_in_library, write_output
from readgraph.cli.run.reports import check_report, make_report, show_output, with_cost
from readgraph.cli.terminal import rendering
from readgraph.cli.terminal.progress import watch_run
from readgraph.cli.terminal.safe_text import Console, SafeText
from readgraph.cli.terminal.screen import WRONG, OutputOptions
from readgraph.features.verify.decide import describe_claim
from readgraph.features.verify.functions import Verified, verify
from readgraph.features.verify.options import VerifyOptions
from readgraph.graphs.methods import PARTS
from readgraph.library.library import Library
from readgraph.nodes.answering.citations import with_marks
from readgraph.sources import load
from readgraph.sources.converting import SourceText
from readgraph.sources.loading import STANDARD_INPUT, names_file, printable_path
from readgraph.state.context import ReaderContext
from readgraph.state.errors import BadInput
from readgraph.state.reading import Question
from readgraph.state.records import Document
from readgraph.state.words import format_count

MARKS = {"supported": "✓", "contradicted": "✗", "not found": "○", "not decided": "?"}
STYLES = {"supported": "green", "contradicted": "bold red", "not found": "yellow", "not decided": "yellow"}
ENDING = b"<!-- checked by readgraph -->\n"  # of the Markdown that is written: no other file is overwritten


def verify_draft(options: VerifyOptions, context: ReaderContext, screen: OutputOptions) -> None:
    """Check the draft and print its claims; exit code 1 where one is contradicted, or with `--strict` not supported."""
    check_report(options.report)
    if options.out:
        check_output(options.out, "checked draft", _is_checked, "is no checked draft: name another file for it")
    draft, sources = _load(options, screen)
    shown = replace(screen, steps=options.show_steps)

    async def check(library: Library) -> tuple[Verified, dict[str, Any], bytes]:
        document = await _documents(library, sources, draft, options)
        with watch_run(shown) as listen:
            made = await verify(library, draft, documents=[document], context=context, listen=listen)
        output = with_marks(with_cost(made.output, context, screen))
        name = "standard input" if str(options.draft) == STANDARD_INPUT else options.draft.name
        headed = Question(question=f"Check of {name}")
        return made, output, await make_report(options.report, library.pages, document, headed, output, "note")

    verified, output, page = run_in_library(options.library, check, answers=True)
    if options.out:
        write_output(options.out, write_footnotes(draft, output).encode(errors="replace") + ENDING, "checked draft")
    show_output(output, page, options, context, screen, partial(_print_claims, verified))
    if verified.contradicted or (options.strict and (verified.not_found or verified.not_decided)):
        raise typer.Exit(WRONG)


def _is_checked(file: Path) -> bool:
    """Whether a file is a draft that was checked, or empty."""
    data = file.read_bytes()
    return not data or data.endswith(ENDING)


def _load(options: VerifyOptions, screen: OutputOptions) -> tuple[str, list[SourceText | str]]:
    check_named(options.up_to, options.paths, options.collection)
    if not names_file(options.draft):
        raise BadInput(f"There is no file {printable_path(options.draft)}: the first argument is the text to check.")
    if str(options.draft) == STANDARD_INPUT and options.draft in options.paths:
        raise BadInput("Standard input holds the text to check: name files for the documents.")
    draft = load(options.draft)
    for problem in draft.problems:
        report_notice(problem)
    return draft.text, load_sources(options, screen) if options.paths else []


async def _documents(library: Library, sources: list[SourceText | str], draft: str, options: VerifyOptions) -> Document:
    if sources:
        return await resolve_document(library, sources, options.as_of, options.up_to)
    near = await documents_near(library.pages, draft, options.collection, options.as_of)
    return await documents_as_one(library.pages, near, options.as_of)


def estimate_check(options: VerifyOptions, context: ReaderContext, screen: OutputOptions) -> None:
    """Print what the check will use, without making a call."""
    draft, sources = _load(options, screen)
    choose = partial(_documents, sources=sources, draft=draft, options=options)
    estimate_making(options, context, screen, PARTS["verify"], choose, {"draft": draft})


def _print_claims(verified: Verified, output: dict[str, Any], screen: OutputOptions) -> None:
    console, titles = Console(), _titles(output)
    for claim in output["claims"]:
        verdict = claim["verdict"]
        console.print(SafeText(f"{MARKS[verdict]} {claim['text']}", style=STYLES[verdict]))
        if verdict != "supported":
            console.print(Padding(SafeText(describe_claim(claim)), (0, 0, 0, 4), expand=False))
        for citation in claim["evidence"] if verdict != "supported" or not screen.quiet else ():
            line = f"{_where(citation, titles)}  “{' '.join(citation['quote'].split())}”"
            console.print(Padding(SafeText(line, style="italic dim"), (0, 0, 0, 4), expand=False))
    if not output["claims"]:
        console.print("The text claims nothing that could be checked: it has no sentence.")
    if screen.quiet:
        return
    lost = [claim.get("absence") for claim in output["claims"] if claim["verdict"] == "not found"]
    nowhere = "in no part" if all(each and each["proven"] for each in lost) else "with no sentence near"
    counts = {verdict: getattr(verified, verdict.replace(" ", "_")) for verdict in MARKS}
    listed = ", ".join(f"{count} {verdict.replace('not found', nowhere)}" for verdict, count in counts.items() if count)
    console.print(rendering.footer(output, format_count(len(verified.claims), "claim"), listed))


def _titles(output: dict[str, Any]) -> list[tuple[int, str]]:
    """Where the documents of a collection begin, and their titles; none of a single document."""
    return [(document["start"], document["title"]) for document in output["documents"]]


def _where(citation: dict[str, Any], titles: list[tuple[int, str]]) -> str:
    place = place_or_part(citation["place"], citation["page"])
    title = next((title for start, title in reversed(titles) if start <= citation["start"]), "")
    return place if not title or place.startswith(title) else f"{title}, {place}"


def write_footnotes(draft: str, output: dict[str, Any]) -> str:
    """The draft in Markdown, each claim with a footnote: its verdict, what differs, and the quote with its place."""
    text, notes, at, titles = "", list[str](), 0, _titles(output)
    for number, claim in enumerate(output["claims"], 1):
        text += f"{draft[at : claim['end']]}[^rg{number}]"
        at = claim["end"]
        shown = [
            f"{_where(citation, titles)}: “{' '.join(citation['quote'].split())}”" for citation in claim["evidence"]
        ]
        notes.append(f"[^rg{number}]: {MARKS[claim['verdict']]} {' — '.join([describe_claim(claim), *shown])}")
    return f"{text}{draft[at:].rstrip()}\n\n" + "\n".join(notes) + "\n"
