"""The page: its script and style are the report's own parts and the room's, each joined into one file."""

from collections.abc import Sequence
from functools import cache
from importlib.resources import files

from readgraph.report.page import PARTS, STYLES

OWN_STYLES = tuple("room fields library live beside".split())
OWN_SCRIPTS = tuple(
    "api stream forms router shown notes library adding live_pages live_steps live_head run settings_panel estimating "
    "document picking ask answers questions compare agents room".split()
)
"""The room's files, in the order in which they are joined behind the report's."""


@cache
def index() -> str:
    """The page itself."""
    return files("readgraph.serve").joinpath("assets", "index.html").read_text(encoding="utf-8")


@cache
def style() -> str:
    """The style of the page."""
    return _join_assets(STYLES, OWN_STYLES, "css")


@cache
def script() -> str:
    """The script of the page."""
    return "(() => {\n" + _join_assets(PARTS, OWN_SCRIPTS, "js") + "})();\n"


def _join_assets(of_report: Sequence[str], own: Sequence[str], ending: str) -> str:
    of_rooms = (("readgraph.report", of_report), ("readgraph.serve", own))
    assets = [files(room).joinpath("assets", f"{name}.{ending}") for room, names in of_rooms for name in names]
    return "\n".join(file.read_text(encoding="utf-8") for file in assets)
