"""Converts files to texts, and records where each part of a text is in its source: page, chapter, heading, time, line.

Plain text, Markdown and reStructuredText stay unchanged, so that offsets are the file's; the other kinds are converted
to plain text. Of our other rooms it imports only `state`; libraries are imported when a file needs them.
"""

from readgraph.sources.converting import SourceText
from readgraph.sources.inputs import Address
from readgraph.sources.kinds import SUFFIXES
from readgraph.sources.loading import load, load_all
from readgraph.sources.places import Place, place_at

__all__ = ["SUFFIXES", "Address", "Place", "SourceText", "load", "load_all", "place_at"]
