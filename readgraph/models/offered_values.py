"""What is offered in a prompt stands in the reply's schema too: a small model chooses better than it obeys."""

from collections.abc import Iterable
from copy import copy
from functools import lru_cache
from typing import Any, TypeVar

from pydantic import BaseModel, create_model
from pydantic.fields import FieldInfo

Reply = TypeVar("Reply", bound=BaseModel)

MOST_OFFERED = 50
"""A schema with more values takes servers long to prepare."""


def offering(reply: type[Reply], **offered: Iterable[int | str]) -> type[Reply]:
    """The reply's type, with a schema that says which values its fields may take; a list's, what it may hold.

    Servers that hold a model to the schema let it give nothing else. What is taken from a reply is as wide as before,
    since others mean well with "3" or "page 3"; so the asker's complaint stays needed.
    """
    listed = {name: tuple(values) for name, values in sorted(offered.items())}
    told = tuple((name, values) for name, values in listed.items() if 0 < len(values) <= MOST_OFFERED)
    return _offering(reply, told) if told else reply


@lru_cache(512)
def _offering(reply: type[Reply], offered: tuple[tuple[str, tuple[int | str, ...]], ...]) -> type[Reply]:
    told = {name: _told(reply.model_fields[name], values) for name, values in offered}
    made: type[Reply] = create_model(reply.__name__, __base__=reply, __doc__=reply.__doc__, **told)
    return made


def _told(field: FieldInfo, values: tuple[int | str, ...]) -> Any:
    def tell(schema: dict[str, Any]) -> None:
        for option in schema.get("anyOf", [schema]):
            if (value := option.get("items", option)).get("type") != "null":
                value["enum"] = [*values]

    told = copy(field)
    told.json_schema_extra = tell
    return field.annotation, told
