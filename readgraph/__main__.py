"""`python -m readgraph.cli` is the command."""

from readgraph.cli.main import run

run()
