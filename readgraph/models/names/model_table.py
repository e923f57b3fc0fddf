"""A model in a table `[models.NAME]` of the settings file: its server, what changes its text, its price and limits."""

import os
import re
from collections.abc import Mapping
from functools import cached_property
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from readgraph.models.names.limits import REPLY_TOKENS, Limits
from readgraph.state.errors import BadInput, ModelUnavailable
from readgraph.state.settings.settings_file import file_settings, settings_file

Minute = Annotated[int | None, Field(ge=1)]


class ModelTable(BaseModel):
    """A model by a name of the user's own."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)

    model: Annotated[str, Field(min_length=1, description="The model's own name, without its provider.")]
    provider: Annotated[str, Field(pattern=r"^\w+$", description="As in PROVIDER:NAME.")] = "openai"
    base_url: Annotated[str, Field(pattern=r"^(https?://.+)?$", description="The address of the server.")] = ""
    api_key_env: Annotated[
        str, Field(pattern=r"^\w*$", description="The environment variable that holds the key; the key itself nowhere.")
    ] = ""
    headers: Annotated[
        dict[str, str],
        Field(description='Headers sent with each call; "$NAME" stands for the environment variable NAME.'),
    ] = {}
    temperature: Annotated[float | None, Field(ge=0, le=2, strict=False, description="How much replies vary.")] = None
    reasoning_effort: Annotated[str | None, Field(min_length=1, description="As the model takes it, such as low.")] = (
        None
    )
    max_output_tokens: Annotated[int | None, Field(ge=1, description="The most tokens of a reply.")] = None
    window_words: Annotated[
        int | None, Field(ge=1000, description="Words that a prompt may hold; bounds the setting of this name.")
    ] = None
    price: Annotated[
        str,
        Field(pattern=r"^(\d+(\.\d+)?/\d+(\.\d+)?)?$", description="Dollars per million tokens, IN/OUT."),
    ] = ""
    requests_per_minute: Annotated[Minute, Field(description="Requests a minute, by all processes of a library.")] = (
        None
    )
    tokens_per_minute: Annotated[Minute, Field(description="Tokens a minute, in and out, in the same way.")] = None

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

    def sent_headers(self, name: str) -> dict[str, str]:
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
    if ":" in name or not name:
        return None
    tables = file_settings().get("models", {})
    return checked_table(name, tables[name]) if isinstance(tables, Mapping) and name in tables else None


def model_tables() -> dict[str, ModelTable]:
    """All tables of the settings file by their names; raises `BadInput` for a wrong one."""
    tables = file_settings().get("models", {})
    if not isinstance(tables, Mapping):
        raise BadInput(f"The settings file {settings_file()} has 'models' that is no table: write [models.NAME].")
    return {name: checked_table(name, table) for name, table in tables.items()}


def checked_table(name: str, table: Any) -> ModelTable:
    """The table with its values checked; raises `BadInput`, in one line."""
    if not re.fullmatch(r"[\w.-]+", name) or name == "local":
        raise BadInput(f"[models.{name}] can't be a model's name: use letters, digits, _, - and . (but not 'local').")
    try:
        return ModelTable.model_validate(table)
    except ValidationError as problem:
        fault = problem.errors()[0]
        key = ".".join(map(str, fault["loc"]))
        what = "is not known" if fault["type"] == "extra_forbidden" else f"can't be used: {fault['msg']}"
        raise BadInput(f"[models.{name}] in {settings_file()}: '{key}' {what}.") from None
