"""The settings file: what a person wants every time. Flags come before the environment, and that before the file."""

import os
import tomllib
from dataclasses import fields
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from platformdirs import user_config_path

from readgraph.cli.method_settings import check_used, remember_typed
from readgraph.graphs.methods import Method, method_for, method_named
from readgraph.models.local.limits import local_settings
from readgraph.sources.given_files import read_bytes
from readgraph.state.context import PROFILES, ReaderContext
from readgraph.state.declaring import RENAMED, as_now_named
from readgraph.state.errors import BadInput
from readgraph.state.records import Document

OF_THE_COMMAND = ("method", "price")
"""Settings that are not the context's."""


def settings_file() -> Path:
    """Where the settings are: READGRAPH_SETTINGS, else settings.toml in the user's configuration folder."""
    named = os.environ.get("READGRAPH_SETTINGS")
    return Path(named).expanduser() if named else user_config_path("readgraph", appauthor=False) / "settings.toml"


def reader_context(profile: str | None = None, **given: Any) -> ReaderContext:
    """The context of the command's options; what was not given is the profile's, else the file's, else the default.

    For a model of this machine the defaults are those that fit its context.
    """
    if profile is not None and profile not in PROFILES:
        raise BadInput(f"There is no profile '{profile}': choose one of {', '.join(PROFILES)}.")
    chosen = as_now_named({name: value for name, value in given.items() if value is not None})
    remember_typed(chosen)
    kept = {name: value for name, value in _kept().items() if name not in OF_THE_COMMAND}
    wanted = {**kept, **PROFILES.get(profile or "", {}), **chosen}
    named = ReaderContext(**{name: wanted[name] for name in ("model", "reading_model") if name in wanted})
    return ReaderContext(**{**local_settings(named.model, named.reading_model), **wanted})


def chosen_method(given: str | None, document: Document | None = None, *, asks: bool = True) -> Method:
    """The method of the command's option, else the settings file's, else the one that such a document is made for.

    Raises `BadInput` where an option was typed that the method doesn't use, to read or, where it `asks`, to answer.
    """
    named = given or _kept().get("method")
    method = method_named(str(named)) if named else method_for(document)
    check_used([method], asks=asks)
    return method


def kept_price() -> str | None:
    """The price of the settings file, if it has one."""
    price = _kept().get("price")
    return None if price is None else str(price)


def _kept() -> dict[str, Any]:
    path = settings_file()
    try:
        if not path.exists():
            return {}
        kept = tomllib.loads(read_bytes(path, f"The settings file {path}").decode("utf-8"))
    except OSError as problem:
        raise BadInput(f"The settings file {path} can't be read: {problem.strerror}.") from None
    except (UnicodeDecodeError, tomllib.TOMLDecodeError) as problem:
        raise BadInput(f"The settings file {path} can't be read: {problem}.") from None
    known = [*OF_THE_COMMAND, *(field.name for field in fields(ReaderContext)), *RENAMED]
    for name in kept:
        if name not in known:
            near = get_close_matches(name.lower(), known, 1)
            hint = f": do you mean '{near[0]}'?" if near else ": each is named as its option is, with _ for -."
            raise BadInput(f"The settings file {path} has an unknown setting '{name}'{hint}")
    return as_now_named(kept)
