"""The package's version."""

from importlib.metadata import version

__version__ = version("readgraph")
"""The version of readgraph that is installed."""
