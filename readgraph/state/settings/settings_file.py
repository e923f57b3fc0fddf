"""The settings file: settings for every run, and tables of models by their names."""

import json
import os
import re
import tomllib
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

from platformdirs import user_config_path

from readgraph.state.errors import BadInput
from readgraph.state.files import check_regular, read_toml, replace_file

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


def keep_in_file(name: str, value: str | None, tables: Mapping[str, Mapping[str, str]] | None = None) -> Path:
    """Keep a setting of one line in the settings file, or take it out; and add tables by their names, in their form.

    All else in the file stays as it is. Raises `BadInput` where the file can't be changed, which is then left alone.
    """
    path, before = settings_file(), file_settings()
    try:
        text = path.read_text(encoding="utf-8-sig") if before or path.exists() else ""
        changed = _with_setting(text, name, value)
        for table, entries in (tables or {}).items():
            lines = (f"{key} = {_as_toml(entry)}" for key, entry in entries.items())
            changed = "\n".join([changed.rstrip("\n"), *([""] if changed.strip() else []), f"[{table}]", *lines, ""])
        wanted = {key: entry for key, entry in before.items() if key != name} | ({name: value} if value else {})
        made = tomllib.loads(changed)
        kept = made.get("models", {}).items() >= before.get("models", {}).items()
        if not kept or {**made, "models": 0} != {**wanted, "models": 0}:
            raise tomllib.TOMLDecodeError
        if changed == text:
            return path
        if path.exists() and not path.stat().st_mode & 0o222:
            raise PermissionError(0, "it is read-only")
        path.parent.mkdir(parents=True, exist_ok=True)
        with replace_file(path) as file:
            file.write(changed)
    except tomllib.TOMLDecodeError:
        raise BadInput(
            f"The settings file {path} is written in a way of its own: set '{name}' there yourself."
        ) from None
    except OSError as problem:
        other = f" Or set READGRAPH_SETTINGS to another file, or READGRAPH_{name.upper()} each time."
        raise BadInput(f"The settings file {path} can't be written: {problem.strerror}.{other}") from None
    return path


def _as_toml(text: str) -> str:
    """A text as a value of TOML, which is JSON's but for the one control character that JSON leaves as it is."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


def _with_setting(text: str, name: str, value: str | None) -> str:
    """The text with the line of a setting, in its old place, or else before the first table."""
    table = re.search(r"^[ \t]*\[", text, re.MULTILINE)
    end = table.start() if table else len(text)
    head, rest = text[:end], text[end:]
    own = re.search(rf"^[ \t]*[\"']?{name}[\"']?[ \t]*=.*\n?", head, re.MULTILINE)
    line = f"{name} = {_as_toml(value)}\n" if value else ""
    if own:
        return head[: own.start()] + line + head[own.end() :] + rest
    if not line:
        return text
    head = head if head.endswith("\n") or not head else f"{head}\n"
    body = head.rstrip("\n")
    gap = head[len(body) :] if body else ""
    return f"{body}\n{line}{gap[1:]}{rest}" if body else f"{line}{chr(10) if rest else ''}{rest}"
