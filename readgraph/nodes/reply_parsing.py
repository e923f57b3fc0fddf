"""Tolerant parsing of typed replies: what a model meant, or one line on why it can't be used."""

import re
from typing import Any, TypeVar

from json_repair import repair_json
from pydantic import BaseModel, ValidationError

Reply = TypeVar("Reply", bound=BaseModel)

_THINKING = re.compile(r"<think(?:ing)?>.*?(?:</think(?:ing)?>|\Z)", re.DOTALL | re.IGNORECASE)
_FENCE = re.compile(r"```[\w-]*\s*\n(.*?)(?:```|\Z)", re.DOTALL)


class Refused(Exception):
    """Why a reply can't be used; the text goes back to the model."""


def plain_text(said: str) -> str:
    """The reply without its thinking part; refuses an empty one."""
    text = _THINKING.sub("", said).strip()
    if not text:
        raise Refused("the reply is empty")
    return text


def parse_reply(said: str, reply: type[Reply]) -> Reply:
    """The typed reply in a text: bare JSON, JSON in a fence or in prose, with the usual slips mended."""
    text = plain_text(said)
    try:
        return reply.model_validate_json(text)
    except ValidationError:
        pass
    return _validated(_object_in(text), reply)


def _object_in(text: str) -> dict[str, Any]:
    for candidate in [*reversed(_FENCE.findall(text)), text]:
        if "{" not in candidate:
            continue
        repaired = repair_json(candidate[candidate.index("{") :], return_objects=True)
        options = repaired if isinstance(repaired, list) else [repaired]
        objects = [value for value in options if isinstance(value, dict) and value]
        if objects:
            return objects[-1]
    raise Refused("the reply holds no JSON object")


def _validated(value: dict[str, Any], reply: type[Reply]) -> Reply:
    try:
        return reply.model_validate(value)
    except ValidationError as problem:
        faults = [f"{'.'.join(map(str, fault['loc'])) or 'reply'}: {fault['msg']}" for fault in problem.errors()[:3]]
        raise Refused("; ".join(faults)) from None


def reply_instructions(reply: type[BaseModel]) -> str:
    """How a reply of this type looks, for models that are not told by their server."""
    schema = reply.model_json_schema()
    lines = [f"- {name}: {_described(field, schema)}" for name, field in schema["properties"].items()]
    return "Reply with one JSON object and nothing else. Its fields:\n" + "\n".join(lines)


def _described(field: dict[str, Any], schema: dict[str, Any]) -> str:
    kind = _kind(field, schema)
    return f"{kind}. {field['description']}" if "description" in field else kind


def _kind(field: dict[str, Any], schema: dict[str, Any]) -> str:
    if "$ref" in field:
        target = schema["$defs"][field["$ref"].rsplit("/", 1)[-1]]
        inner = ", ".join(f'"{name}": {_kind(part, schema)}' for name, part in target.get("properties", {}).items())
        return "{" + inner + "}"
    if "anyOf" in field:
        return " or ".join(_kind(option, schema) for option in field["anyOf"])
    if field.get("type") == "array":
        return f"list of {_kind(field.get('items', {}), schema)}"
    if "enum" in field:
        return "one of " + ", ".join(map(str, field["enum"]))
    return str(field.get("type", "value"))
