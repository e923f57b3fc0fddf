"""`python -m readgraph` is the command."""

from readgraph.cli.entry import run

run()
