"""Reading of chats' JSON, of which any part may be missing or of another type."""

import json
from datetime import UTC, datetime
from typing import Any

from readgraph.sources.encodings import decode
from readgraph.state.errors import BadInput


def parsed(data: bytes, name: str) -> Any:
    """The value in a JSON file; raises `BadInput` if it isn't JSON."""
    try:
        return json.loads(decode(data, name))
    except (ValueError, RecursionError):
        raise BadInput(f"{name} is not valid JSON: export the chat again.") from None


def dicts(values: Any) -> list[dict[str, Any]]:
    """The objects in a list; an empty list for anything else."""
    return [value for value in values if isinstance(value, dict)] if isinstance(values, list) else []


def words(value: Any) -> str:
    """A string as it is, without lone surrogates; "" for anything else."""
    return value.encode("utf-8", "replace").decode() if isinstance(value, str) else ""


def time_of(value: Any) -> tuple[datetime | None, float]:
    """A time in UTC from seconds or from "2024-03-12T19:40:00Z", and its seconds; None and 0 for anything else."""
    try:
        if isinstance(value, str) and "T" in value:
            time = datetime.fromisoformat(value)
        else:
            time = datetime.fromtimestamp(float(value), UTC)
        aware = time if time.tzinfo else time.replace(tzinfo=UTC)
        return aware.astimezone(UTC).replace(tzinfo=None), aware.timestamp()
    except (TypeError, ValueError, OverflowError, OSError):
        return None, 0.0
