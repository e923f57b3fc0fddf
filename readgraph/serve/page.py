"""The page: its script and style are the report's own parts and the room's, each joined into one file."""

from functools import cache
from importlib.resources import files

from readgraph.report.page import SCRIPTS, STYLES

OWN_STYLES: tuple[str, ...] = ()
OWN_SCRIPTS: tuple[str, ...] = ()
"""The room's files, in the order in which they are joined behind the report's."""

NOT_OF_THE_ROOM = ("report", "print")
"""Parts of the report that only a report's own page needs."""


@cache
def index() -> str:
    """The page itself."""
    return _own("index.html")


@cache
def style() -> str:
    """The style of the page."""
    return "\n".join([*map(_of_report, _of_room(STYLES, "css")), *(_own(f"{name}.css") for name in OWN_STYLES)])


@cache
def script() -> str:
    """The script of the page."""
    parts = [*map(_of_report, _of_room(SCRIPTS, "js")), *(_own(f"{name}.js") for name in OWN_SCRIPTS)]
    return "(() => {\n" + "\n".join(parts) + "})();\n"


def _of_room(names: tuple[str, ...], ending: str) -> list[str]:
    return [f"{name}.{ending}" for name in names if name not in NOT_OF_THE_ROOM]


def _of_report(name: str) -> str:
    return files("readgraph.report").joinpath("assets", name).read_text(encoding="utf-8")


def _own(name: str) -> str:
    return files("readgraph.serve").joinpath("assets", name).read_text(encoding="utf-8")
