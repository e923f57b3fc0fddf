"""The command that repeats an answer from its file."""

from pathlib import Path
from typing import Annotated

from typer import Argument, Exit, Option

from readgraph.cli.options.documents import LibraryFolder
from readgraph.cli.options.output import Json, Quiet

MOST_SHOWN, NOTE_WORDS = 10, 12  # differences, and words of a note


def replay(
    file: Annotated[Path, Argument(metavar="FILE", help="The file of an answer.")],
    documents: Annotated[
        list[Path] | None,
        Argument(metavar="DOCUMENT", help="The files of its texts; without any, those of the library or beside FILE."),
    ] = None,
    method: Annotated[str | None, Option(metavar="NAME", help="The method, if it is your own: module:build.")] = None,
    library: LibraryFolder = None,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Repeat an answer.

    All steps are done again, and each prompt gets the reply that the file holds: no model is asked, no key is needed.

    The exit code is 1 where something was edited or comes out otherwise, 2 where nothing can be repeated.

    Example: readgraph replay answer.readgraph.json book.epub
    """
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

    used, console = method_typed(method) if method else None, Console()

    async def repeat(opened: Library | None = None) -> Replayed:
        return await replay_answer(file, documents or (), library=opened, method=used)

    is_kept = not documents and holds_library(library)
    replayed = run_in_library(library, repeat, only_shows=True) if is_kept else run_until_stopped(repeat())
    differences, replies, output, notes = replayed
    counts = {"replies": replies, "steps": len(output.get("steps", ())), "quotes": len(output.get("citations", ()))}
    if as_json:
        rendering.print_json({"alike": not differences, "differences": differences, **counts, "output": output})
        raise Exit(bool(differences))
    if output and not quiet:
        for number, note in enumerate(filter(None, notes)):
            console.print(SafeText(f"part {number}: {first_words(note, NOTE_WORDS)} …", style="dim"))
        for step in output["steps"]:
            console.print(SafeText(f"{step['node']}: {' '.join(step['summary'].split())}"))
        rendering.print_walk(output.get("hops", ()))
        print_rounds(output.get("rounds", ()))
    if output:
        rendering.print_answer_or_table(with_marks(output))
        rendering.print_citations(output["citations"])
    for line in differences[:MOST_SHOWN]:
        console.print(SafeText(f"not alike: {line}", style="red"))
    if not differences:
        model = f" of {output['model']}" if replies else " without a model"
        said = ", ".join(
            format_count(count, {"replies": "reply"}.get(name, name[:-1])) for name, count in counts.items()
        )
        console.print(SafeText(f"All is alike: {said}, the answer{model}. No model was asked.", style="green"))
    raise Exit(bool(differences))
