"""Models by names of the user's own: the tables `[models.NAME]` of the settings file, checked."""

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from readgraph.models.openai.address import read_address
from readgraph.state.errors import BadInput, ModelUnavailable
from readgraph.state.providers import providers
from readgraph.state.settings.settings_file import file_settings, settings_file

NAME = re.compile(r"[\w.-]+")
REPLY_TOKENS = 300  # tokens that a reply is taken to have, where nothing bounds it


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """Requests and tokens a minute, in and out together; None: no limit. Raises `BadInput` for less than one."""

    requests_per_minute: int | None = None
    tokens_per_minute: int | None = None
    reply_tokens: int = REPLY_TOKENS  # that a reply is taken to have before it has come

    def __post_init__(self) -> None:
        for name in ("requests_per_minute", "tokens_per_minute"):
            value = getattr(self, name)
            if value is not None and (type(value) is not int or value < 1):
                raise BadInput(f"{name} must be a whole number of at least 1, not {value!r:.40}.")

    def __bool__(self) -> bool:
        return self.requests_per_minute is not None or self.tokens_per_minute is not None


class ModelTable(BaseModel):
    """A model by a name of the user's own."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)

    model: str = Field(min_length=1, description="The model's own name, without its provider.")
    provider: str = Field("openai", pattern=r"^\w+$", description="As in PROVIDER:NAME.")
    base_url: str = Field("", description="The address of the server.")
    api_key_env: str = Field(
        "", pattern=r"^\w*$", description="The environment variable that holds the key; the key itself nowhere."
    )
    headers: dict[str, str] = Field(
        {}, description='Headers sent with each call; "$NAME" stands for the environment variable NAME.'
    )
    temperature: float | None = Field(None, ge=0, le=2, strict=False, description="How much replies vary.")
    reasoning_effort: str | None = Field(None, min_length=1, description="As the model takes it, such as low.")
    max_output_tokens: int | None = Field(None, ge=1, description="The most tokens of a reply.")
    window_words: int | None = Field(
        None, ge=1000, description="Words that a prompt may hold; bounds the setting of this name."
    )
    price: str = Field("", pattern=r"^(\d+(\.\d+)?/\d+(\.\d+)?)?$", description="Dollars per million tokens, IN/OUT.")
    requests_per_minute: int | None = Field(None, ge=1, description="Requests a minute, by all processes of a library.")
    tokens_per_minute: int | None = Field(None, ge=1, description="Tokens a minute, in and out, in the same way.")

    def __hash__(self) -> int:
        return hash(self.model_dump_json())

    @cached_property
    def limits(self) -> Limits:
        """What it may be asked in a minute."""
        return Limits(
            requests_per_minute=self.requests_per_minute,
            tokens_per_minute=self.tokens_per_minute,
            reply_tokens=self.max_output_tokens or REPLY_TOKENS,
        )

    @cached_property
    def full_name(self) -> str:
        """PROVIDER:NAME."""
        return f"{self.provider}:{self.model}"

    @cached_property
    def text_settings(self) -> dict[str, Any]:
        """The settings that change the text of replies, but for the model and its server."""
        fields = ("temperature", "reasoning_effort", "max_output_tokens")
        return {name: value for name in fields if (value := getattr(self, name)) is not None}

    @property
    def variables(self) -> tuple[str, ...]:
        """The environment variables that it reads."""
        named = (value[1:] for value in self.headers.values() if value.startswith("$"))
        return tuple(filter(None, [self.api_key_env, *named]))

    def key(self, name: str) -> str:
        """The key in the environment; "" if no variable is named."""
        return _variable(self.api_key_env, name) if self.api_key_env else ""

    def headers_to_send(self, name: str) -> dict[str, str]:
        """The headers with the values of their variables."""
        items = self.headers.items()
        return {header: _variable(value[1:], name) if value.startswith("$") else value for header, value in items}


def _variable(variable: str, name: str) -> str:
    value = os.environ.get(variable, "")
    if not value:
        raise ModelUnavailable(f"The model '{name}' needs {variable}: set it in the environment.")
    if not value.isascii():
        raise BadInput(f"{variable} holds characters that no key or header has: copy it again.")
    return value


def model_table(name: str) -> ModelTable | None:
    """The table of this name in the settings file; None if there is none. Raises `BadInput` for a wrong one."""
    tables = _tables_of_file()
    return validate_table(name, tables[name]) if name in tables else None


def model_tables() -> dict[str, ModelTable]:
    """All tables of the settings file by their names; raises `BadInput` for a wrong one."""
    return {name: validate_table(name, table) for name, table in _tables_of_file().items()}


def _tables_of_file() -> Mapping[str, Any]:
    tables = file_settings().get("models", {})
    if not isinstance(tables, Mapping):
        raise BadInput(f"The settings file {settings_file()} has 'models' that is no table: write [models.NAME].")
    return tables


def validate_table(name: str, table: Any) -> ModelTable:
    """The table with its values checked; raises `BadInput`, in one line."""
    if not NAME.fullmatch(name) or name in providers():
        raise BadInput(f"[models.{name}] can't be a model's name: {how_to_name()}.")
    try:
        made = ModelTable.model_validate(table)
    except ValidationError as problem:
        fault = problem.errors()[0]
        key = ".".join(map(str, fault["loc"]))
        what = "is not known" if fault["type"] == "extra_forbidden" else f"can't be used: {fault['msg']}"
        raise BadInput(f"[models.{name}] in {settings_file()}: '{key}' {what}.") from None
    if made.base_url:
        read_address(made.base_url, f"[models.{name}] in {settings_file()}: 'base_url'")
    return made


def how_to_name() -> str:
    """How a name of the user's own is written, for the middle of a line."""
    taken = " or ".join(map(repr, providers()))
    return "use letters, digits, _, - and ." + (f" (but not {taken})" if taken else "")
