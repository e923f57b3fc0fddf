"""The command that repeats an answer from its file."""

from pathlib import Path
from typing import Annotated

from typer import Argument, Option

from readgraph.cli.options.documents import LibraryFolder
from readgraph.cli.options.output import Json, Quiet


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
    from readgraph.features.replay.run import repeat_answer

    repeat_answer(file, documents or (), method, library, as_json=as_json, quiet=quiet)
