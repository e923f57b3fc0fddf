"""The command that serves: serve."""

from typing import TYPE_CHECKING, Annotated

from typer import Context, Option

from readgraph.cli.options.documents import LibraryFolder, MethodName
from readgraph.cli.options.output import price_option
from readgraph.cli.options.settings import PROFILE, with_context
from readgraph.state.settings import GROUPS

if TYPE_CHECKING:
    from readgraph.state.context import ReaderContext


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
    """Serve the library to a browser.

    The page is for one person on this machine: its address holds a token. Ctrl-C ends it; what was read is kept.

    Example: readgraph serve --model openai:gpt-5.4-mini
    """
    from readgraph.doors.serve.run import serve_library

    names = allow_host or []
    serve_library(library, context, method, price, address=(host, port), names=names, opens=opens)
