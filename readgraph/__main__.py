"""`python -m readgraph` is the command."""

from readgraph.cli.main import run

run()
