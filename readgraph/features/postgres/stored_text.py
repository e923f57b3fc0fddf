"""Texts and JSON as the server can hold them, without loss.

`jsonb` and `text` can't hold the character NUL. It is written as two characters, of which the first is the last one of
Unicode's private ones; so is that one itself. Keys of objects come back in another order, and whole numbers that were
written as 1e22 come back as integers.
"""

import re
from collections.abc import Callable
from typing import Any

import orjson

MARK = "\U0010fffd"

_WRITTEN = {"\0": f"{MARK}0", MARK: f"{MARK}1"}

_READ = {written: read for read, written in _WRITTEN.items()}

_TO_WRITE = re.compile(f"[\0{MARK}]")

_TO_READ = re.compile(f"{MARK}[01]")


def escape_text(text: str) -> str:
    """A text as the server can hold it."""
    if "\0" not in text and MARK not in text:
        return text
    return _TO_WRITE.sub(lambda found: _WRITTEN[found[0]], text)


def read_text(text: str) -> str:
    """The text that was written so."""
    return _TO_READ.sub(lambda found: _READ[found[0]], text) if MARK in text else text


def dumps(value: Any) -> str:
    """A value as JSON; raises `TypeError` for what it can't hold, such as a lone surrogate, as SQLite's store does."""
    text = orjson.dumps(value, option=orjson.OPT_NON_STR_KEYS).decode()
    if "\\u0000" in text or MARK in text:
        return orjson.dumps(_each(value, escape_text), option=orjson.OPT_NON_STR_KEYS).decode()
    return text


def loads(data: str | bytes) -> Any:
    """The value in JSON that the server holds."""
    text = data if isinstance(data, str) else bytes(data).decode()
    value = orjson.loads(text)
    return _each(value, read_text) if MARK in text else value


def _each(value: Any, change: Callable[[str], str]) -> Any:
    if isinstance(value, str):
        return change(value)
    if isinstance(value, dict):
        return {change(key) if isinstance(key, str) else key: _each(part, change) for key, part in value.items()}
    if isinstance(value, list | tuple):
        return [_each(part, change) for part in value]
    return value
