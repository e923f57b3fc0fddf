"""How a model on this machine is held to the form of a reply: by a grammar made from the JSON schema."""

import json
from typing import Any

MOST_CHARACTERS, MOST_IN_LIST, MOST_ITEMS = 500, 150, 3  # of a reply's texts, of those in a list, of a list
NO_PICTURES = "^[^\u200b-\u200f\u2600-\u27bf\ufe00-\ufe0f\U00010000-\U0010ffff]*$"
"""What a text may hold: with an emoji, a small model would go on with emoji."""

ONE_LINE = {"whitespace_flexible": False, "item_separator": ", ", "key_separator": ": "}
"""How the JSON is written: a small model fills it with lines and tabs where it may."""

NO_REPETITION = {
    **{"repeat_penalty": 1.1, "repeat_last_n": 64},
    **{"dry_multiplier": 0.8, "dry_allowed_length": 6, "dry_penalty_last_n": 2048},
}
"""A small model's note would go on for ever with the same words. A typed reply is to repeat what the prompt offers."""


def fields_for_form(schema: dict[str, Any] | None) -> dict[str, Any]:
    """The fields of a request whose reply keeps to a JSON schema, in the form of LLGuidance; or is a note (None)."""
    if schema is None:
        return NO_REPETITION
    return {"grammar": "%llguidance {}\nstart: %json " + json.dumps({**limit_schema(schema), "x-guidance": ONE_LINE})}


def limit_schema(schema: Any, most: int = MOST_CHARACTERS) -> Any:
    """The schema with a bound for each text and list that has none: small models don't stop by themselves."""
    if isinstance(schema, list):
        return [limit_schema(part, most) for part in schema]
    if not isinstance(schema, dict):
        return schema
    kind = schema.get("type")
    inner = {name: limit_schema(part, MOST_IN_LIST if kind == "array" else most) for name, part in schema.items()}
    if kind == "string" and "enum" not in schema:
        return {"maxLength": most, "pattern": NO_PICTURES, **inner}
    return {"maxItems": MOST_ITEMS, **inner} if kind == "array" else inner
