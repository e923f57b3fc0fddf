"""Names of one thing: which of a survey's names, each with a quote, mean the same."""

from collections.abc import Mapping

from pydantic import Field

from readgraph.models.lenient_replies import LenientReply, Numbers, numbers_in
from readgraph.models.prompt import DATA_RULE, Prompt, fenced
from readgraph.models.wording import wording

NAME, VERSION = "survey-same", 1

_SYSTEM = (
    "Records were taken from all pages of a long text. The same person or thing may be named in several ways in it: in "
    "full, by a part of the name, by a title, with another spelling. You see the names, each with a quote. " + DATA_RULE
)

_WORDS = wording(
    "survey_same",
    NAME,
    VERSION,
    _SYSTEM,
    "Each record is {record}. Which of these names mean the same one? Give a group of numbers for each that has "
    "several names, the fullest name first. Two that only share a part of their name, such as relatives, are not the "
    "same. "
    "Where the quotes don't show it, leave names apart.",
)


def _groups(value: object) -> list[list[int]]:
    """Groups of numbers, however they are written."""
    parts = value if isinstance(value, list) else [value]
    return [numbers_in(part.get("numbers") if isinstance(part, dict) else part) for part in parts]


class SameGroup(LenientReply):
    """Names that mean one thing."""

    numbers: Numbers = Field(description="The numbers of the names, the fullest name first.")


class SameNames(LenientReply):
    """Which names mean the same."""

    groups: list[SameGroup] = Field(description="May be empty.")


def survey_same_prompt(names: Mapping[int, tuple[str, str]], record: str) -> Prompt:
    """Ask which names mean one thing; `names`: by their numbers, each with a quote."""
    listed = "\n".join(f"{number}. {name}: “{quote}”" for number, (name, quote) in names.items())
    return _WORDS.ask(fenced("names", listed), record=record)
