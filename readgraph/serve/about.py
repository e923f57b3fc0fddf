"""What a run can be given: the methods, and the settings that each of them uses."""

from functools import cache
from types import UnionType
from typing import Any, Literal, Union, get_args, get_origin

from pydantic import BaseModel, Field

import readgraph
from readgraph.graphs.method_facts import settings_of
from readgraph.graphs.methods import METHODS
from readgraph.serve.room import OFFERED, Room
from readgraph.state.declaring import Declaration


class OfferedMethod(BaseModel):
    """A method, and the settings that it uses to answer, and to read alone."""

    name: str
    line: str
    note: str = Field(description="Its word for the note of a page.")
    steps: list[str] = Field(description="The names of its nodes.")
    settings: list[str]
    reading_settings: list[str]


class OfferedSetting(BaseModel):
    """A setting of a run."""

    name: str
    kind: Literal["text", "whole", "number", "switch", "choice", "list"]
    choices: list[str] | None
    default: Any
    value: Any = Field(description="What this server uses where a run doesn't say.")
    least: float | None
    most: float | None
    help: str
    panel: str


class About(BaseModel):
    """What a server offers."""

    version: str
    library: str = Field(description="The name of the library's folder or database.")
    model: str
    method: str = Field(description="The method that is set for all runs; empty: chosen for each document.")
    methods: list[OfferedMethod]
    settings: list[OfferedSetting]


def about(room: Room) -> About:
    """The methods and settings of a room."""
    return About(
        version=readgraph.__version__,
        library=room.library.shared.name,
        model=room.context.model,
        method=room.method,
        methods=[*_methods()],
        settings=[_offered(each, getattr(room.context, each.name)) for each in OFFERED],
    )


@cache
def _methods() -> tuple[OfferedMethod, ...]:
    return tuple(
        OfferedMethod(
            name=method.name,
            line=method.line,
            note=method.note,
            steps=[*method.build().nodes],
            settings=sorted(settings_of(method, asks=True)),
            reading_settings=sorted(settings_of(method, asks=False)),
        )
        for method in METHODS.values()
    )


def _offered(setting: Declaration, value: Any) -> OfferedSetting:
    kind, choices = _kind(setting.kind)
    return OfferedSetting(
        name=setting.name,
        kind=kind,
        choices=choices,
        default=setting.default,
        value=value,
        least=setting.least,
        most=setting.most,
        help=setting.help.text,
        panel=setting.panel,
    )


def _kind(declared: Any) -> tuple[Any, list[str] | None]:
    if get_origin(declared) in (Union, UnionType):
        declared = next(each for each in get_args(declared) if each is not type(None))
    if get_origin(declared) is Literal:
        return "choice", [str(each) for each in get_args(declared)]
    if get_origin(declared) is tuple:
        return "list", None
    return {bool: "switch", int: "whole", float: "number"}.get(declared, "text"), None
