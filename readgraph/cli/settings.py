"""The settings file: settings for every run. Options override environment variables, and both override the file."""

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
"""Settings of the command that are no fields of the context."""


def settings_file() -> Path:
    """The path of the settings file: READGRAPH_SETTINGS, else settings.toml in the user's configuration folder."""
    named = os.environ.get("READGRAPH_SETTINGS")
    return Path(named).expanduser() if named else user_config_path("readgraph", appauthor=False) / "settings.toml"


def reader_context(profile: str | None = None, **given: Any) -> ReaderContext:
    """The context from the command's options; one left out comes from the profile, else the file, else the default.

    For a model that runs on this machine, the defaults fit its context length.
    """
    if profile is not None and profile not in PROFILES:
        raise BadInput(f"There is no profile '{profile}': choose one of {', '.join(PROFILES)}.")
    chosen = as_now_named({name: value for name, value in given.items() if value is not None})
    remember_typed(chosen)
    from_file = {name: value for name, value in _settings_of_file().items() if name not in OF_THE_COMMAND}
    settings = {**from_file, **PROFILES.get(profile or "", {}), **chosen}
    models = ReaderContext(**{name: settings[name] for name in ("model", "reading_model") if name in settings})
    return ReaderContext(**{**local_settings(models.model, models.reading_model), **settings})


def chosen_method(option: str | None, document: Document | None = None, *, asks: bool = True) -> Method:
    """The method from the command's option, else from the settings file, else the one for this kind of document.

    Raises `BadInput` where an option was typed that the method does not use for reading (nor, with `asks`, for
    answering).
    """
    name = option or _settings_of_file().get("method")
    method = method_named(str(name)) if name else method_for(document)
    check_used([method], asks=asks)
    return method


def kept_price() -> str | None:
    """The price from the settings file, if it has one."""
    price = _settings_of_file().get("price")
    return None if price is None else str(price)


def _settings_of_file() -> dict[str, Any]:
    path = settings_file()
    try:
        if not path.exists():
            return {}
        settings = tomllib.loads(read_bytes(path, f"The settings file {path}").decode("utf-8"))
    except OSError as problem:
        raise BadInput(f"The settings file {path} can't be read: {problem.strerror}.") from None
    except (UnicodeDecodeError, tomllib.TOMLDecodeError) as problem:
        raise BadInput(f"The settings file {path} can't be read: {problem}.") from None
    known = [*OF_THE_COMMAND, *(field.name for field in fields(ReaderContext)), *RENAMED]
    for name in settings:
        if name not in known:
            near = get_close_matches(name.lower(), known, 1)
            hint = f": do you mean '{near[0]}'?" if near else ": a setting has the name of its option, with _ for -."
            raise BadInput(f"The settings file {path} has an unknown setting '{name}'{hint}")
    return as_now_named(settings)
