"""Files become texts here, and what is found in a text can be traced to its page, chapter, heading, time or line.

Plain text and Markdown are kept as they are, so that offsets are the file's; HTML, PDF, EPUB and Word are converted
to plain text. Imports nothing of ours but the errors; libraries are imported when a file needs them.
"""

from readgraph.sources.folders import load_all
from readgraph.sources.loading import SUFFIXES, load
from readgraph.sources.places import Place, place_at
from readgraph.sources.source_text import SourceText

__all__ = ["SUFFIXES", "Place", "SourceText", "load", "load_all", "place_at"]
