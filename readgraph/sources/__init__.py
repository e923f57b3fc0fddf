"""Converts files to texts, and records where each part of a text is in its source: page, chapter, heading, time, line.

Plain text, Markdown and reStructuredText stay unchanged, so that offsets are the file's; the other kinds are converted
to plain text. Of our other rooms it imports only `state`; libraries are imported when a file needs them.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from readgraph.sources.inputs import Address
    from readgraph.sources.loading import load, load_all
    from readgraph.sources.places import Place
else:
    from readgraph.state.lazy_names import lazy_names

    # Imported when first used: help texts list the kinds of files, and must not wait for what reads them.
    __getattr__, __dir__ = lazy_names(
        __name__, {"inputs": ["Address"], "loading": ["load", "load_all"], "places": ["Place"]}
    )

__all__ = ["Address", "Place", "load", "load_all"]
