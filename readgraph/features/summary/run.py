"""`summarise`: a summary of documents on the terminal, or as a report."""

from dataclasses import replace
from functools import partial
from typing import Any

from readgraph.api.answer_text import EXTRACTED
from readgraph.cli.run.documents import conversion_seconds, estimate_making, load_sources, resolve_document
from readgraph.cli.run.in_library import run_in_library
from readgraph.cli.run.reports import check_report, make_report, show_output, with_cost, with_places
from readgraph.cli.terminal import rendering
from readgraph.cli.terminal.progress import watch_run
from readgraph.cli.terminal.safe_text import Console, SafeText
from readgraph.cli.terminal.screen import OutputOptions
from readgraph.features.summary.functions import as_input, summarise
from readgraph.features.summary.options import SummariseOptions
from readgraph.graphs.methods import ROWS
from readgraph.library.opening import Library
from readgraph.nodes.answering.citations import with_marks
from readgraph.state.context import ReaderContext
from readgraph.state.reading import Question
from readgraph.state.words import count_words, format_count

UNUSABLE = "The model gave no summary that could be used, and no sentence of the text shares a word with this."


def _print_summary(output: dict[str, Any], screen: OutputOptions) -> None:
    console = Console()
    text = f"{EXTRACTED if output['by_rule'] else ''}{output['marked_answer']}"
    if output["status"] == "budget":
        spent = "The budget ran out before anything was found."
        text = f"The budget ran out first. {text}" if output["marked_answer"] else spent
    elif not output["marked_answer"]:
        text = UNUSABLE if output["fallbacks"].get("summary") else "The text says nothing of this."
    console.print(SafeText(text, style="bold"))
    rendering.print_citations(output["citations"], extracted=output["by_rule"])
    number = format_count(len(output["sentences"]), "sentence")
    own = 0 if output["by_rule"] else sum(sentence["extracted"] for sentence in output["sentences"])
    wrong = f"{output['unsupported']} of {number} not supported by the places named" if output["unsupported"] else ""
    left = f"{output['unchecked']} of {number} not checked against the text" if output["unchecked"] else ""
    extracted = f"{own} of {number} extracted, since the model gave no usable reply" if own else ""
    if problem := "; ".join(filter(None, [wrong, left, extracted])):
        console.print(SafeText(problem, style="yellow"))
    if screen.quiet:
        return
    about = ", ".join(part["name"] for part in output["parts"])
    size = f"{format_count(count_words(output['answer'] or ''), 'word')}{f' of {about}' if about else ''}"
    read = f"read{rendering.format_read_again(output)}" if output["pages_read"] else ""
    console.print(rendering.footer(output, size, read))


def summarise_documents(options: SummariseOptions, context: ReaderContext, screen: OutputOptions) -> None:
    """Summarise the documents and print the summary; write the report where one is wanted."""
    context, screen = _settings_of(options, context), replace(screen, steps=options.show_steps)
    check_report(options.report)
    sources = load_sources(options, screen)

    async def run(library: Library) -> tuple[dict[str, Any], bytes]:
        document = await resolve_document(library, sources, options.as_of, options.up_to)
        with watch_run(screen) as listen:
            summary = await summarise(
                library, documents=[document], part=options.part, about=options.about, context=context, listen=listen
            )
        priced = with_cost(summary.output, context, screen, conversion_seconds(sources))
        output = await with_places(library.pages, with_marks(priced))
        parts = ", ".join(part["name"] for part in output["parts"])
        heading = f"Summary of {parts or output['title'] or 'the text'}"
        headed = Question(question=f"{heading}: {options.about}" if options.about else heading)
        return output, await make_report(options.report, library.pages, document, headed, output, "note")

    output, page = run_in_library(options.library, run, answers=True)
    show_output(output, page, options, context, screen, _print_summary)


def estimate_summaries(options: SummariseOptions, context: ReaderContext, screen: OutputOptions) -> None:
    """Print what the summary will use, without making a call."""
    context = _settings_of(options, context)
    sources = load_sources(options, screen)
    choose = partial(resolve_document, sources=sources, as_of=options.as_of, up_to=options.up_to)
    estimate_making(options, context, screen, ROWS["summary"], choose, as_input(options.part, options.about))


def _settings_of(options: SummariseOptions, context: ReaderContext) -> ReaderContext:
    """The context with the settings that are options of this command alone."""
    changed: dict[str, Any] = {"summary_words": options.words, "check_sentences": options.check}
    return replace(context, **{name: value for name, value in changed.items() if value is not None})
