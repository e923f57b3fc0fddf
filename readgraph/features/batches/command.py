"""The command `readgraph library batches`."""

from typer import Option

from readgraph.cli.options.documents import LibraryFolder
from readgraph.cli.options.output import Json


def show_batches(
    cancel: bool = Option(
        False, "--cancel", help="Cancel them, and keep the replies that they have; what is done is paid."
    ),
    library: LibraryFolder = None,
    as_json: Json = False,
) -> None:
    """List the batches of calls that model servers still work on (`--batch`), or cancel them."""
    from readgraph.features.batches.run import show_batches

    show_batches(cancel=cancel, library=library, as_json=as_json)
