"""Where gists of gists are kept, and which pages they stand for (iterative gisting: ReadAgent, appendix G.3)."""

import re

FAN = 4
"""Gists of one level that a gist of the next level stands for."""

_ID = re.compile(r"gists-\d+-(?P<level>\d+)-(?P<number>\d+)")


def older_id(most_words: int, level: int, number: int) -> str:
    """The id under which the page store keeps a gist of gists of at most this many words."""
    return f"gists-{most_words}-{level}-{number}"


def stands_for(identity: str, page: int) -> bool:
    """Whether this is the id of a gist of gists that stands for the page."""
    found = _ID.fullmatch(identity)
    return found is not None and page // FAN ** int(found["level"]) == int(found["number"])
