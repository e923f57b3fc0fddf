"""Converts files to texts, and records where each part of a text is in its source: page, chapter, heading, time, line.

Plain text, Markdown and reStructuredText stay unchanged, so that offsets are the file's; the other kinds are converted
to plain text. Of our other rooms it imports only `state`; libraries are imported when a file needs them.
"""

from readgraph.sources.addresses import Address
from readgraph.sources.folders import load_all
from readgraph.sources.loading import SUFFIXES, load
from readgraph.sources.places import Place, place_at
from readgraph.sources.source_text import SourceText

__all__ = ["SUFFIXES", "Address", "Place", "SourceText", "load", "load_all", "place_at"]
