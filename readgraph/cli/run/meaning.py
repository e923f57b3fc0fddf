"""What is made for search by meaning after an answer is shown: the vectors that its documents lack."""

from collections.abc import Sequence

from readgraph.api.meaning import find_missing_vectors, make_vectors
from readgraph.cli.run.in_library import run_in_library
from readgraph.cli.terminal.progress import ItemsProgress, notices
from readgraph.cli.terminal.safe_text import Console, SafeText
from readgraph.cli.terminal.screen import OutputOptions
from readgraph.library.address import LibraryPlace
from readgraph.library.opening import Library
from readgraph.nodes.meaning import MOST_WORDS, by_meaning, meaning_model
from readgraph.state.context import ReaderContext
from readgraph.state.errors import Forgotten
from readgraph.state.words import count_words

WORDS_A_SECOND = 2500  # that one core takes in


def prepare_meaning(
    folder: LibraryPlace | None,
    documents: Sequence[str],
    context: ReaderContext,
    screen: OutputOptions,
    *,
    reading: bool = False,
) -> None:
    """Make the vectors that documents lack, with a bar; Ctrl-C stops it, and what is made stays.

    After an answer that nobody waits for at a terminal (a pipe, `--json`), only `reading` makes them: else a line says
    how to.
    """
    if not by_meaning(context) or meaning_model() is None:
        return
    console = Console(stderr=True, quiet=screen.quiet)
    waits = reading or (console.is_terminal and not screen.as_json and not screen.quiet)

    def tell(line: str) -> None:
        if not (screen.quiet or screen.as_json):
            console.print(SafeText(line, style="dim"), soft_wrap=True)

    async def prepare(library: Library) -> None:
        held = []
        for identity in documents:
            try:
                held.append(await library.pages.document(identity))
            except Forgotten:
                continue
        large = [each for each in held if each.words > MOST_WORDS and context.meaning == "auto"]
        for each in large:
            tell(f"{each.title} is searched by words: for its {each.words:,} words add --meaning always.")
        missing = await find_missing_vectors(library.pages, held, context)
        seconds = sum(count_words(text) for _, texts in missing for text in texts) / WORDS_A_SECOND
        if not missing:
            return
        if not waits:
            tell(f"Searched by words: 'readgraph read' makes search by meaning ready in about {seconds:.0f} s.")
            return
        total = sum(len(texts) for _, texts in missing)
        with (
            ItemsProgress("Making search by meaning ready (Ctrl-C: later)", total, screen) as bar,
            notices(tell, screen),
        ):
            await make_vectors(library.pages, held, context, on_progress=bar.show)

    try:
        run_in_library(folder, prepare)
    except KeyboardInterrupt:
        tell("What is made for search by meaning stays: the next reading goes on from there.")
