"""The command that serves a library to other programs' agents."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from readgraph.cli.commands.options import PROFILE, LibraryFolder, with_context
from readgraph.state.settings import GROUPS

if TYPE_CHECKING:
    from readgraph.state.context import ReaderContext

serving_commands = typer.Typer()

HTTP = "HTTP"
"""The panel of the options that need --http."""


@serving_commands.command()
@with_context(GROUPS, PROFILE)
def mcp(
    run: typer.Context,
    context: "ReaderContext",
    allow: Annotated[
        list[Path] | None,
        typer.Option(
            metavar="FOLDER",
            help="Let agents read files of this folder; repeat for others. Default: the current folder.",
            show_default=False,
        ),
    ] = None,
    http: Annotated[bool, typer.Option("--http", help="Serve over HTTP instead of standard input and output.")] = False,
    host: Annotated[str, typer.Option(help="The address to listen on.", rich_help_panel=HTTP)] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65_535, help="The port; 0: a free one.", rich_help_panel=HTTP)] = 8421,
    allow_host: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME",
            help="A host name by which clients reach this machine; repeat for others.",
            show_default=False,
            rich_help_panel=HTTP,
        ),
    ] = None,
    library: LibraryFolder = None,
) -> None:
    """Serve the library to agents over the Model Context Protocol (MCP): they list, read, ask, search and remember.

    An agent's program starts this command itself: name it in the program's list of MCP servers. With --http it serves
    programs that connect by an address.

    Example: readgraph mcp --allow ~/papers --model openai:gpt-4.1-mini
    """
    from readgraph.cli.commands.options import typed
    from readgraph.cli.run.mcp import serve

    of_http = [option for option in typed(run) if option in ("--host", "--port", "--allow-host")]
    serve(library, allow or [], context, address=(host, port) if http else None, names=allow_host or [], given=of_http)
