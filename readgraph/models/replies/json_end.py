"""Whether the JSON of a reply came whole, or its text ends before its end, however its strings are written."""

import json
import re
from contextlib import suppress

MOST_TRIES = 32  # objects of a text that are tried as valid JSON
_TOKEN = re.compile(
    r"""
      "(?: [^"\\] | \\. | "(?!\s*(?:[,:}\]]|\Z)) )*+ (?P<shut>"?)
    | (?P<before>[{\[,:])\s*'(?: [^'\\] | \\. | '(?!\s*(?:[,:}\]]|\Z)) )*+ (?P<shut_too>'?)
    | (?P<open>[{\[]) | (?P<close>[}\]])
    """,
    re.VERBOSE | re.DOTALL,
)
_VALUE_END = re.compile(r"(?:[\"'”’}\]]|\b(?:true|false|null|none))\s*\Z", re.IGNORECASE)


def is_unclosed(text: str) -> bool:
    """Whether a text begins a JSON object and ends before its end."""
    return _depth_at_end(text) > 0


def ends_within_value(text: str) -> bool:
    """Whether a text ends within a value of its JSON, or before one: what is lacking is more than the last bracket."""
    text = text.rstrip(" \t\r\n`")
    depth = _depth_at_end(text)
    return depth > 1 or (depth == 1 and not _VALUE_END.search(text))


def _depth_at_end(text: str) -> int:
    """How many brackets are open at a text's end, and one more within a string; 0 where its JSON is whole."""
    start, tries = text.find("{"), 0
    while start >= 0:
        tries += 1
        if tries <= MOST_TRIES:  # an error takes time that grows with the length
            with suppress(ValueError, RecursionError):
                start = text.find("{", json.JSONDecoder(strict=False).raw_decode(text, start)[1])
                continue
        depth, end = _scan(text, start)
        if depth:
            return depth
        start = text.find("{", end)
    return 0


def _scan(text: str, start: int) -> tuple[int, int]:
    """The depth at the end of the object that begins at `start`, or of the text, and where that is."""
    depth = 0
    for token in _TOKEN.finditer(text, start):
        depth += (token["open"] or token["before"] or "") in ("{", "[") and bool(token["open"] or token["before"])
        if token["shut"] == "" or token["shut_too"] == "":
            whole = text.endswith("}") and text.count("{", start) <= text.count("}", start)  # quotes were not escaped
            return (0 if whole else depth + 1), len(text)
        depth -= token["close"] is not None
        if depth <= 0:
            return 0, token.end()
    return depth, len(text)
