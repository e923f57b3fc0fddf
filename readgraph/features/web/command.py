"""The command that carries out an instruction on a web site."""

from typing import TYPE_CHECKING, Annotated

from typer import Argument, Option

from readgraph.cli.options.documents import LibraryFolder, Sure
from readgraph.cli.options.output import with_screen
from readgraph.cli.options.settings import with_context
from readgraph.features.web.settings import Subtrees
from readgraph.state import settings as group
from readgraph.state.declaring import Groups

if TYPE_CHECKING:
    from readgraph.cli.terminal.screen import OutputOptions
    from readgraph.state.context import ReaderContext

SETTINGS: Groups = (
    *(group.Model, group.ReadingModel, group.Window, Subtrees, group.Gists, group.Purpose, group.Language),
    *(group.Rebuilding, group.PagesRead, group.Concurrency, group.Calls, group.Budget),
)


@with_context(SETTINGS)
@with_screen
def browse(
    url: Annotated[str, Argument(metavar="URL", help="The page to begin with.")],
    instruction: Annotated[str, Argument(metavar="INSTRUCTION", help="What is to be done on the site.")],
    context: "ReaderContext",
    screen: "OutputOptions",
    driver: Annotated[
        str, Option(metavar="NAME", help="The browser: chromium, chrome, edge, or a Chromium's path.")
    ] = "chromium",
    sure: Sure = False,
    max_steps: Annotated[int, Option(min=1, metavar="N", help="End after this many steps.")] = 20,
    library: LibraryFolder = None,
) -> None:
    """Carry out an instruction on a site.

    Nothing but the site that you name is visited: all other requests are blocked, and counted.

    Passwords are typed by you, and the model never sees them; where nobody can be asked, by READGRAPH_PASSWORD.

    Example: readgraph browse https://shop.example "Put a storm lantern into the basket" --model openai:gpt-5.4-mini
    """
    from readgraph.features.web.run import browse_site

    browse_site(
        url=url,
        instruction=instruction,
        context=context,
        screen=screen,
        driver=driver,
        sure=sure,
        max_steps=max_steps,
        library=library,
    )
