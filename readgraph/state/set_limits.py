"""Limits that a variable of the environment sets: what is stored, and what is read of a file."""

import os

from readgraph.state.errors import BadInput

TEXT_WORDS, MOST_WORDS = "READGRAPH_MAX_TEXT_WORDS", 20_000_000
"""The most words of one text, and the variable that sets another number."""


def limit_set(variable: str, usual: int, unit: str) -> int:
    """The number in a variable of the environment, else the usual one; raises `BadInput` for what is none."""
    setting = os.environ.get(variable) or str(usual)
    try:
        most = int(setting)
    except ValueError:
        most = 0
    if most < 1:
        raise BadInput(f"{variable} can't be '{setting}': it must be a number of {unit}, such as {usual}.")
    return most


def check_words(words: int, name: str) -> None:
    """Raise `BadInput` for a text with more words than may be stored."""
    if words > (most := limit_set(TEXT_WORDS, MOST_WORDS, "words")):
        raise BadInput(
            f"{name} has {words:,} words, more than {most:,}: split it, or set {TEXT_WORDS} to a larger number."
        )
