"""The command that carries out an instruction on a web site."""

from typing import TYPE_CHECKING, Annotated

import typer

from readgraph.cli.options.documents import LibraryFolder, Sure
from readgraph.cli.options.screen import with_screen
from readgraph.cli.options.settings import with_context
from readgraph.state.settings import (
    Budget,
    Calls,
    Concurrency,
    Gists,
    Language,
    Model,
    PagesRead,
    Purpose,
    ReadingModel,
    Rebuilding,
    Subtrees,
    Window,
)

if TYPE_CHECKING:
    from readgraph.cli.terminal.output_options import Screen
    from readgraph.state.context import ReaderContext

browsing_commands = typer.Typer()

OF_PAGES = (Subtrees, Gists, Purpose, Language, Rebuilding, PagesRead)

BROWSING = (Model, ReadingModel, Window, *OF_PAGES, Concurrency, Calls, Budget)
"""The settings that reading a page and choosing an action use."""


@browsing_commands.command()
@with_context(BROWSING)
@with_screen
def browse(
    url: Annotated[str, typer.Argument(metavar="URL", help="The page to begin with.", show_default=False)],
    instruction: Annotated[
        str, typer.Argument(metavar="INSTRUCTION", help="What is to be done on the site.", show_default=False)
    ],
    context: "ReaderContext",
    screen: "Screen",
    driver: Annotated[
        str, typer.Option(metavar="NAME", help="The browser: chromium, chrome, edge, or a Chromium's path.")
    ] = "chromium",
    yes: Sure = False,
    max_steps: Annotated[int, typer.Option(min=1, metavar="N", help="End after this many steps.")] = 20,
    library: LibraryFolder = None,
) -> None:
    """Carry out an instruction on a web site, in a browser of this machine. You confirm each action before it happens.

    Nothing but the site that you name is visited: all other requests are blocked, and counted.

    Passwords are typed by you, and the model never sees them; where nobody can be asked, by READGRAPH_PASSWORD.

    Example: readgraph browse https://shop.example "Put a storm lantern into the basket" --model openai:gpt-4.1-mini
    """
    from readgraph.cli.run.reading.browse import browse_site

    browse_site(url, instruction, driver, max_steps, context, library, screen, sure=yes)
