"""Hebrew that old programs stored from left to right, as it is drawn: put into the order in which it is read."""

import re

_FINAL = "םןץףך"  # forms that end words
_AT_START, _AT_END = re.compile(rf"(?<![א-ת])[{_FINAL}](?=[א-ת])"), re.compile(rf"(?<=[א-ת])[{_FINAL}](?![א-ת])")
_LEFT_TO_RIGHT = re.compile(r"[0-9A-Za-z](?:[^א-ת\n]*[0-9A-Za-z%])?")
_MIRRORED = str.maketrans("()[]{}<>«»", ")(][}{><»«")
FEWEST, MORE = 3, 3  # final letters at the beginning of words, and how many times more than at their end


def read_in_order(text: str) -> str:
    """The text, with each line turned round where its final letters begin words; numbers and Latin words stay."""
    if not any(letter in text for letter in _FINAL):
        return text
    at_start = len(_AT_START.findall(text))
    if at_start < FEWEST or at_start < MORE * len(_AT_END.findall(text)):
        return text
    return "\n".join(turn_round(line) if re.search("[א-ת]", line) else line for line in text.split("\n"))


def turn_round(line: str) -> str:
    """A line from its end to its beginning, but for numbers and Latin words in it."""
    end = "\r" if line.endswith("\r") else ""
    turned = line.removesuffix("\r")[::-1].translate(_MIRRORED)
    return _LEFT_TO_RIGHT.sub(lambda run: run[0][::-1].translate(_MIRRORED), turned) + end
