"""What a command says that serves a library until Ctrl-C."""

from readgraph.cli.terminal.safe_text import Console
from readgraph.library.library import ONLY_READ, Library


def copy_warning(library: Library) -> list[str]:
    """A line where the library can only be read, so that a copy of it is served."""
    return [f"{ONLY_READ}: what is read and answered is kept until the server ends."] if library.is_copy else []


def print_address(where: str, *warnings: str) -> None:
    """Print where the library is served, what should be known of it, and how it ends."""
    console = Console(stderr=True, whole_lines=True)
    console.print(where)
    for warning in warnings:
        console.print(warning, style="yellow")
    console.print("Press Ctrl-C to stop.")
