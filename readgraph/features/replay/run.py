"""Repeat an answer from its file, and print its steps, the answer, and whether all is alike."""

from collections.abc import Sequence
from pathlib import Path

from rich.style import StyleType
from typer import Exit

from readgraph.cli.options.documents import LibraryFolder
from readgraph.cli.run.ask import print_rounds
from readgraph.cli.run.in_library import run_in_library
from readgraph.cli.terminal import rendering
from readgraph.cli.terminal.safe_text import Console, SafeText
from readgraph.cli.terminal.screen import run_until_stopped
from readgraph.features.replay.functions import Replayed, replay_answer
from readgraph.graphs.methods import method_typed
from readgraph.library.opening import Library, holds_library
from readgraph.nodes.answering.citations import with_marks
from readgraph.state.words import first_words, format_count

MOST_SHOWN, NOTE_WORDS = 10, 12  # differences, and words of a note


def repeat_answer(
    file: Path, documents: Sequence[Path], method: str | None, library: LibraryFolder, *, as_json: bool, quiet: bool
) -> None:
    """Repeat the answer and print what came of it; raises `Exit` with 1 where something differs."""
    used = method_typed(method) if method else None

    async def repeat(opened: Library | None = None) -> Replayed:
        return await replay_answer(file, documents, library=opened, method=used)

    is_kept = not documents and holds_library(library)
    replayed = run_in_library(library, repeat, only_shows=True) if is_kept else run_until_stopped(repeat())
    if as_json:
        _print_json(replayed)
    else:
        if replayed.output and not quiet:
            _print_steps(replayed)
        _print_result(replayed)
    raise Exit(bool(replayed.differences))


def _print_json(replayed: Replayed) -> None:
    output, counts = replayed.output, {"replies": replayed.replies, "notes_as_kept": replayed.notes_as_kept}
    counts |= {"steps": len(output.get("steps", ())), "quotes": len(output.get("citations", ()))}
    about = {"alike": not replayed.differences, "differences": replayed.differences}
    rendering.print_json({**about, **counts, "output": output})


def _print_steps(replayed: Replayed) -> None:
    output = replayed.output
    for number, note in enumerate(filter(None, replayed.notes)):
        _say(f"part {number}: {first_words(note, NOTE_WORDS)} …", "dim")
    for step in output["steps"]:
        _say(f"{step['node']}: {' '.join(step['summary'].split())}")
    rendering.print_walk(output.get("hops", ()))
    print_rounds(output.get("rounds", ()))


def _print_result(replayed: Replayed) -> None:
    if output := replayed.output:
        rendering.print_answer_or_table(with_marks(output))
        rendering.print_citations(output["citations"], extracted=output["status"] == "extracted")
    for line in replayed.differences[:MOST_SHOWN]:
        _say(f"not alike: {line}", "red")
    if (unshown := len(replayed.differences) - MOST_SHOWN) > 0:
        _say(f"not alike: {unshown:,} more, which --json lists", "red")
    if count := replayed.notes_as_kept:
        _say(f"The file holds {format_count(count, 'note')} as kept, without their replies: these weren't repeated.")
    if not replayed.differences:
        model = f" of {output['model']}" if replayed.replies else " without a model"
        counts = [format_count(replayed.replies, "reply"), format_count(len(output["steps"]), "step")]
        counts.append(format_count(len(output["citations"]), "quote"))
        _say(f"All is alike: {', '.join(counts)}, the answer{model}. No model was asked.", "green")


def _say(line: str, style: StyleType = "") -> None:
    Console().print(SafeText(line, style=style))
