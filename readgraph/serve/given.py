"""The JSON that requests bring, in a form that can be kept and shown again."""

from typing import Any

from pydantic import BaseModel, ConfigDict, model_validator

from readgraph.state.stored_items import storable


class Given(BaseModel):
    """The JSON body of a request. Lone surrogates, which UTF-8 can't encode, become question marks."""

    model_config = ConfigDict(extra="forbid")

    @model_validator(mode="before")
    @classmethod
    def _clean(cls, given: Any) -> Any:
        return _encodable(given)


def _encodable(value: Any) -> Any:
    if isinstance(value, dict):
        return {storable(name): _encodable(part) for name, part in value.items()}
    return storable(value)
