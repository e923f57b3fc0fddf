"""The values that a prompt offers also go into the reply's schema: small models choose better than they obey."""

from collections.abc import Iterable
from copy import copy
from functools import lru_cache
from typing import Any, TypeVar

from pydantic import BaseModel, create_model
from pydantic.fields import FieldInfo

Reply = TypeVar("Reply", bound=BaseModel)

MOST_OFFERED = 50
"""The most values in a schema: servers take long to prepare a schema with more."""


def offering(reply: type[Reply], **offered: Iterable[int | str]) -> type[Reply]:
    """The reply's type with a schema that lists the allowed values of these fields (for a list, of its members).

    Servers that enforce schemas allow the model nothing else. Validation of the reply is as tolerant as before, since
    other models may answer "3" or "page 3", so callers still have to check the value.
    """
    by_name = {name: tuple(values) for name, values in sorted(offered.items())}
    listed = tuple((name, values) for name, values in by_name.items() if 0 < len(values) <= MOST_OFFERED)
    return _offering(reply, listed) if listed else reply


@lru_cache(512)
def _offering(reply: type[Reply], offered: tuple[tuple[str, tuple[int | str, ...]], ...]) -> type[Reply]:
    fields = {name: _with_enum(reply.model_fields[name], values) for name, values in offered}
    narrowed: type[Reply] = create_model(reply.__name__, __base__=reply, __doc__=reply.__doc__, **fields)
    return narrowed


def _with_enum(field: FieldInfo, values: tuple[int | str, ...]) -> Any:
    def add_enum(schema: dict[str, Any]) -> None:
        for option in schema.get("anyOf", [schema]):
            if (value := option.get("items", option)).get("type") != "null":
                value["enum"] = [*values]

    narrowed = copy(field)
    narrowed.json_schema_extra = add_enum
    return field.annotation, narrowed
