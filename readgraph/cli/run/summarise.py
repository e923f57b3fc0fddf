"""`summarise`: a summary of documents, which are read as one, or of a part of them."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from readgraph.api.functions import summarise
from readgraph.cli.options.reading import SummariseOptions
from readgraph.cli.run.documents import conversion_seconds, load_sources_or_names, resolve_document
from readgraph.cli.run.estimate import show_estimate
from readgraph.cli.run.reports import check_report, make_report, with_cost, with_places, write_report
from readgraph.cli.terminal.progress import watch_run
from readgraph.cli.terminal.rendering import (
    footer,
    format_read_again,
    format_usage,
    print_citations,
    print_json,
    print_reminder,
    print_steps,
)
from readgraph.cli.terminal.safe_text import Console, SafeText
from readgraph.cli.terminal.screen import OutputOptions, run_until_stopped
from readgraph.graphs.estimates.arithmetic import Estimate
from readgraph.graphs.summary import estimate_summary
from readgraph.library.opening import open_library
from readgraph.nodes.answering.citations import with_marks
from readgraph.sources import SourceText
from readgraph.state.context import ReaderContext
from readgraph.state.errors import BadInput
from readgraph.state.reading import Question
from readgraph.state.words import count_words, format_count

EXTRACTED = "Extracted, the text's own sentences: "
"""What stands before a summary that no model wrote."""

UNUSABLE = "The model gave no summary that could be used, and no sentence of the text shares a word with this."
"""What stands in place of a summary about a subject, where none could be extracted either."""


def print_summary(found: dict[str, Any], screen: OutputOptions) -> None:
    """Print the summary, the quotes that show its sentences, what is not supported, and what it used."""
    console = Console()
    text = f"{EXTRACTED if found['by_rule'] else ''}{found['marked_answer']}"
    if found["status"] == "budget":
        spent = "The budget ran out before anything was found."
        text = f"The budget ran out first. {text}" if found["marked_answer"] else spent
    elif not found["marked_answer"]:
        text = UNUSABLE if found["fallbacks"].get("summary") else "The text says nothing of this."
    console.print(SafeText(text, style="bold"))
    print_citations(found["citations"])
    if problem := doubts(found):
        console.print(SafeText(problem, style="yellow"))
    if screen.quiet:
        return
    about = ", ".join(part["name"] for part in found["parts"])
    size = f"{format_count(count_words(found['answer'] or ''), 'word')}{f' of {about}' if about else ''}"
    line = f"{size} · in full{format_read_again(found)} · {format_usage(found['usage'], found['cost'])}"
    console.print(footer(line, found["fallbacks"], found["usage"]))


def doubts(found: dict[str, Any]) -> str:
    """How many sentences their pages don't support, were not checked, or no model wrote; "" where there are none.

    Of a summary that is extracted as a whole, which says so before, the last are not counted.
    """
    number = format_count(len(found["sentences"]), "sentence")
    own = 0 if found["by_rule"] else sum(each["extracted"] for each in found["sentences"])
    wrong = f"{found['unsupported']} of {number} not supported by the places named" if found["unsupported"] else ""
    left = f"{found['unchecked']} of {number} not checked against the text" if found["unchecked"] else ""
    extracted = f"{own} of {number} extracted, since the model gave no usable reply" if own else ""
    return "; ".join(filter(None, [wrong, left, extracted]))


def summarise_documents(options: SummariseOptions, context: ReaderContext, screen: OutputOptions) -> None:
    """Summarise the documents and print the summary; write the report where one is wanted."""
    _check(options)
    context, screen = _with_settings(options, context), replace(screen, steps=options.show_steps)
    if options.report:
        check_report(options.report)
    sources = load_sources_or_names(options.paths, options.glob, options.library, screen)

    async def run() -> tuple[dict[str, Any], bytes]:
        async with open_library(options.library) as library:
            document = await resolve_document(library, sources)
            with watch_run(screen) as listen:
                made = await summarise(
                    library, [document], part=options.part, about=options.about, context=context, listen=listen
                )
            marked = with_marks(with_cost(made.output, context, screen, conversion_seconds(sources)))
            found = await with_places(library.pages, marked)
            headed = Question(question=_heading(options, found))
            return found, await make_report(options.report, library.pages, document, headed, found, "note")

    found, page = run_until_stopped(run())
    if screen.as_json:
        print_json(found)
    else:
        if screen.steps:
            print_steps(found["steps"])
        print_summary(found, screen)
        print_reminder(context, screen)
    if options.report:
        write_report(options.report, page, quiet=screen.quiet, in_browser=options.opened)


def estimate_summaries(options: SummariseOptions, context: ReaderContext, screen: OutputOptions) -> None:
    """Print what the summary will use, without making a call."""
    _check(options)
    context = _with_settings(options, context)
    sources = load_sources_or_names(options.paths, options.glob, options.library, screen)

    async def run() -> tuple[Estimate, int]:
        async with open_library(options.library) as library:
            document, about = await resolve_document(library, sources), options.about or ""
            return await estimate_summary(library.pages, document, context, about, part=options.part), document.words

    show_estimate(*run_until_stopped(run()), context, screen)


def _check(options: SummariseOptions) -> None:
    """Raise `BadInput` for a part, or what it is to be about, that is empty."""
    for option, value in (("--part", options.part), ("--about", options.about)):
        if value is not None and not value.strip():
            raise BadInput(f"{option} is empty: write something, or leave it out.")


def _with_settings(options: SummariseOptions, context: ReaderContext) -> ReaderContext:
    """The context with the settings that are options of this command alone."""
    given: dict[str, Any] = {"summary_words": options.words, "check_sentences": options.check}
    return replace(context, **{name: value for name, value in given.items() if value is not None})


def _heading(options: SummariseOptions, found: dict[str, Any]) -> str:
    """What stands above the summary in a report."""
    parts = ", ".join(part["name"] for part in found["parts"])
    said = f"Summary of {parts or found['title'] or 'the text'}"
    return f"{said}: {options.about}" if options.about else said


async def _estimate_for_summary(
    sources: Sequence[SourceText | str], options: SummariseOptions, context: ReaderContext
) -> tuple[Estimate, int]:
    async with open_library(options.library) as library:
        document = await resolve_document(library, sources)
        estimate = await estimate_summary(library.pages, document, context, options.about or "", part=options.part)
        return estimate, document.words
