"""`python -m readgraph` is the command."""

from typing import NoReturn

from readgraph.cli.process import begin_command
from readgraph.cli.terminal.doing import doing


def run() -> NoReturn:
    """Run the command; what it needs is imported once it can be stopped in order."""
    begin_command()
    with doing("Starting"):
        from readgraph.cli.main import run as run_command

        run_command()


if __name__ == "__main__":
    run()
