"""The commands for other programs: LangGraph Studio, and a skill for coding agents."""

from pathlib import Path
from typing import TYPE_CHECKING

from typer import Option

from readgraph.cli.options.documents import LibraryFolder
from readgraph.cli.options.settings import PROFILE, with_context
from readgraph.state.settings import Model

if TYPE_CHECKING:
    from readgraph.state.context import ReaderContext


@with_context((Model,), PROFILE)
def studio(
    context: "ReaderContext",
    port: int = Option(2024, min=1, max=65_535, help="The port on this machine."),
    open_page: bool = Option(False, "--open", help="Open the Studio page in your browser."),
    library: LibraryFolder = None,
) -> None:
    """Serve the graphs to LangGraph Studio.

    Each graph's assistant starts with your settings; you can change them there. The server runs on this machine. The
    Studio page comes from LangChain's server, which is not contacted until you open the page.
    """
    from readgraph.cli.run.studio import serve_studio

    serve_studio(library, port, context, open_page=open_page)


def skill(
    to: Path | None = Option(
        None, "--to", metavar="FOLDER", help="Put it into this folder of skills. Default: print it.", show_default=False
    ),
) -> None:
    """Print the skill, or put it into a folder.

    The skill gets a folder of its own name in the one that you name. An earlier version of it is replaced.

    Example: readgraph skill --to ~/.claude/skills
    """
    from readgraph.cli.run.studio import put_skill

    put_skill(to)
