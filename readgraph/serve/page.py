"""The page: its script and style are the report's own parts and the room's, each joined into one file."""

from collections.abc import Sequence
from functools import cache
from importlib.resources import files

from readgraph.report.page import PARTS, STYLES

OWN_STYLES = ("room", "fields", "library", "live", "beside")
OWN_SCRIPTS = (
    "api",
    "stream",
    "forms",
    "router",
    "shown",
    "notes",
    "library",
    "adding",
    "live_pages",
    "live_steps",
    "live_head",
    "run",
    "settings_panel",
    "estimating",
    "document",
    "picking",
    "ask",
    "answers",
    "questions",
    "compare",
    "agents",
    "room",
)
"""The room's files, in the order in which they are joined behind the report's."""


@cache
def index() -> str:
    """The page itself."""
    return _own("index.html")


@cache
def style() -> str:
    """The style of the page."""
    return "\n".join(_read_assets(STYLES, OWN_STYLES, "css"))


@cache
def script() -> str:
    """The script of the page."""
    return "(() => {\n" + "\n".join(_read_assets(PARTS, OWN_SCRIPTS, "js")) + "})();\n"


def _read_assets(of_report: Sequence[str], own: Sequence[str], ending: str) -> list[str]:
    report = files("readgraph.report").joinpath("assets")
    return [
        *(report.joinpath(f"{name}.{ending}").read_text(encoding="utf-8") for name in of_report),
        *(_own(f"{name}.{ending}") for name in own),
    ]


def _own(name: str) -> str:
    return files("readgraph.serve").joinpath("assets", name).read_text(encoding="utf-8")
