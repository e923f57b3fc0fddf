"""What a question's words show of how much of a text it asks for: all of it, a thing of every part, or one place."""

import re
import tomllib
from functools import cache
from importlib.resources import files
from typing import Literal

from readgraph.library.search.terms import content_words
from readgraph.nodes.extractive.asked import find_kinds

Extent = Literal["summary", "every", "place"]
"""`summary`: what the text tells as a whole, or on a subject; `every`: all things of a kind, or how often; `place`:
what stands at one place, or at few."""


@cache
def _listed() -> dict[str, dict[str, str]]:
    return tomllib.loads(files(__package__).joinpath("whole_text_words.toml").read_text(encoding="utf-8"))


@cache
def _pattern(group: str) -> re.Pattern[str]:
    """The words of a group in all languages."""
    return re.compile("|".join(_listed()[group].values()), re.IGNORECASE)


@cache
def _generic_words() -> re.Pattern[str]:
    listed = _listed()["text"]
    return re.compile(rf"(?<!\w)(?:{listed['all']})(?!\w)|{listed['unspaced']}", re.IGNORECASE)


def find_extent(question: str) -> Extent | None:
    """How much of a text a question asks for, as its words show; None where they don't."""
    if _pattern("every").search(question):
        return "every"
    if _pattern("summary").search(question):
        return "summary"
    return "place" if find_kinds(question) & {"who", "when", "where", "why"} else None


def subject_of(question: str) -> str:
    """What a summary is asked about; "" where that is the text itself, and the question where it asks for none."""
    if not _pattern("summary").search(question):
        return question
    rest = _generic_words().sub(" ", _pattern("summary").sub(" ", question))
    return " ".join(rest.split()) if content_words(rest) else ""
