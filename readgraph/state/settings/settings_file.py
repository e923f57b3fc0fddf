"""The settings file: settings for every run, and tables of models by their names."""

import os
from functools import lru_cache
from pathlib import Path
from typing import Any

from platformdirs import user_config_path

from readgraph.state.errors import BadInput
from readgraph.state.files import check_regular, read_toml

MOST_BYTES = 1_000_000


def settings_file() -> Path:
    """The path of the settings file: READGRAPH_SETTINGS, else settings.toml in the user's configuration folder."""
    named = os.environ.get("READGRAPH_SETTINGS")
    return Path(named).expanduser() if named else user_config_path("readgraph", appauthor=False) / "settings.toml"


def file_settings() -> dict[str, Any]:
    """What stands in the settings file, unchecked; empty where there is none. Raises `BadInput` if it can't be read."""
    path = settings_file()
    try:
        status = path.stat()
    except (FileNotFoundError, NotADirectoryError):
        return {}
    except (OSError, ValueError) as problem:
        raise BadInput(f"The settings file {path} can't be read: {problem}.") from None
    check_regular(path, f"The settings file {path}")
    if status.st_size > MOST_BYTES:
        raise BadInput(f"The settings file {path} can't be read: it is larger than 1 MB.")
    return _parse_settings_file(path, status.st_mtime_ns, status.st_size)


@lru_cache(8)
def _parse_settings_file(path: Path, *_: int) -> dict[str, Any]:
    """The file's content, read once as long as the file stays as it is."""
    return read_toml(path, f"The settings file {path}", MOST_BYTES)
