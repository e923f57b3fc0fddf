"""The commands that serve a library: to people in a browser, and to other programs' agents."""

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from typer import Context, Option, Typer

from readgraph.cli.options.documents import LibraryFolder, MethodName
from readgraph.cli.options.output import find_typed_options, price_option
from readgraph.cli.options.settings import PROFILE, with_context
from readgraph.cli.process import end_start
from readgraph.state.settings import GROUPS

if TYPE_CHECKING:
    from readgraph.state.context import ReaderContext

serving_commands = Typer()
HttpOption = partial(Option, rich_help_panel="HTTP")


@serving_commands.command()
@with_context(GROUPS, PROFILE)
def mcp(
    run: Context,
    context: "ReaderContext",
    allow: list[Path] | None = Option(
        None,
        metavar="FOLDER",
        help="Let agents read files of this folder; repeat for others. Default: the current folder.",
    ),
    http: bool = Option(False, "--http", help="Serve over HTTP instead of standard input and output."),
    host: str = HttpOption("127.0.0.1", help="The address to listen on."),
    port: int = HttpOption(8421, min=0, max=65_535, help="The port; 0: a free one."),
    allow_host: list[str] | None = HttpOption(
        None, metavar="NAME", help="A host name by which clients reach this machine; repeat for others."
    ),
    library: LibraryFolder = None,
) -> None:
    """Serve the library to agents over the Model Context Protocol (MCP): they list, read, ask, search and remember.

    An agent's program starts this command itself: name it in the program's list of MCP servers. With --http it serves
    programs that connect by an address.

    Example: readgraph mcp --allow ~/papers --model openai:gpt-5.4-mini
    """
    from readgraph.cli.run.serving import serve

    end_start()
    of_http = [option for option in find_typed_options(run) if option in ("--host", "--port", "--allow-host")]
    serve(library, allow or [], context, address=(host, port) if http else None, names=allow_host or [], given=of_http)


@serving_commands.command()
@with_context(GROUPS, PROFILE)
def serve(
    run: Context,
    context: "ReaderContext",
    method: MethodName = None,
    host: str = Option("127.0.0.1", help="The address to listen on; one that other machines reach wants a password."),
    port: int = Option(8420, min=0, max=65_535, help="The port; 0: a free one."),
    allow_host: list[str] | None = Option(
        None, metavar="NAME", help="A host name by which browsers reach this machine; repeat for others."
    ),
    opens: bool = Option(True, "--open/--no-open", help="Open the page in the browser."),
    price: Annotated[str | None, price_option()] = None,
    library: LibraryFolder = None,
) -> None:
    """Open the library in the browser: read documents and watch how, ask about them, look at every page and note.

    The page is for one person on this machine: its address holds a token. Ctrl-C ends it; what was read is kept.

    Example: readgraph serve --model openai:gpt-5.4-mini
    """
    from readgraph.cli.run.serving import serve_library

    end_start()
    serve_library(library, context, method, price, address=(host, port), names=allow_host or [], opens=opens)


@serving_commands.command()
def skill(
    to: Path | None = Option(
        None, "--to", metavar="FOLDER", help="Put it into this folder of skills. Default: print it.", show_default=False
    ),
) -> None:
    """Tell coding agents how to use this command: a skill, as their programs read it (SKILL.md).

    The skill gets a folder of its own name in the one that you name. An earlier version of it is replaced.

    Example: readgraph skill --to ~/.claude/skills
    """
    from readgraph.cli.run.serving import put_skill

    end_start()
    put_skill(to)
