"""Episodes: the pages of an engine's memory, cut by a chunker of the caller's own or by size."""

import inspect
import re
from collections.abc import AsyncGenerator, Callable, Iterable
from itertools import pairwise
from typing import Any, cast

from langgraph.runtime import Runtime

from readgraph.nodes.building.interfaces import Paginate
from readgraph.nodes.extractive import pages_by_rule
from readgraph.state.context import ReaderContext
from readgraph.state.errors import BadInput
from readgraph.state.records import Page
from readgraph.state.words import count_words

METHODS = ("chunk", "split_text")
"""The methods of a chunker (compact-memory's, LangChain's) that give a text's episodes."""

FOUND_BY = 8
"""An episode is found in the text by this many of its first words, so its white space may differ."""


def paging_by(chunker: object) -> Paginate:
    """The paging of a chunker: None cuts by size, at headings and paragraphs.

    A chunker is an object with `chunk(text)` or `split_text(text)`, a function from a text to its episodes, or a part
    of readgraph's graphs such as `readgraph.nodes.building.pauses.pages_at_pauses`, with which the model chooses.
    Raises `BadInput` for anything else.
    """
    if chunker is None:
        return pages_by_rule
    if inspect.isasyncgenfunction(chunker):
        return cast(Paginate, chunker)
    return _pages_of(_function_of(chunker))


def name_of(chunker: object) -> str | None:
    """The name of a chunker in a recipe and a trace."""
    if chunker is None:
        return None
    named = chunker if hasattr(chunker, "__qualname__") else type(chunker)
    return f"{named.__module__}.{named.__qualname__}"


def _function_of(chunker: object) -> Callable[[str], Iterable[Any]]:
    method = next((getattr(chunker, name) for name in METHODS if callable(getattr(chunker, name, None))), chunker)
    if not callable(method):
        raise BadInput(f"chunker must be a function, or have chunk(text), not {type(chunker).__name__}.")
    return cast("Callable[[str], Iterable[Any]]", method)


def _pages_of(chunk: Callable[[str], Iterable[Any]]) -> Paginate:
    async def paged(text: str, last: Page | None, runtime: Runtime[ReaderContext]) -> AsyncGenerator[Page, None]:
        """Pages that begin where the chunker's episodes begin; what episodes share belongs to the second."""
        starts = _starts(text, _chunks(chunk, text))
        for number, (start, end) in enumerate(pairwise([*starts, len(text)])):
            if last is None or start >= last.end:
                yield Page(number, start, end, count_words(text[start:end]), "rest" if end == len(text) else "rule")

    return paged


def _chunks(chunk: Callable[[str], Iterable[Any]], text: str) -> list[str]:
    try:
        chunks = [getattr(episode, "text", episode) for episode in chunk(text)]
    except Exception as problem:
        raise BadInput(f"The chunker raised {type(problem).__name__}: it must take a text.") from problem
    if wrong := next((each for each in chunks if not isinstance(each, str)), None):
        raise BadInput(f"The chunker gave {type(wrong).__name__} instead of strings.")
    episodes = [episode for episode in chunks if episode.strip()]
    if not episodes:
        raise BadInput("The chunker gave no episodes.")
    return episodes


def _starts(text: str, episodes: Iterable[str]) -> list[int]:
    """The offset of each episode in the text; the first page begins with the text."""
    starts, after = [0], 0
    for number, episode in enumerate(episodes):
        begin = re.compile(r"\s+".join(map(re.escape, episode.split()[:FOUND_BY])))
        found = begin.search(text, after)
        if not found:
            raise BadInput(f"The chunker gave an episode that does not stand in the text: '{episode.strip()[:40]}'.")
        if number:
            starts.append(found.start())
        after = found.start() + 1
    return starts
