"""The pages of a small web site: an appointment booked in three steps, and a shop of two pages."""

from pathlib import Path

from readgraph.features.web.page import WebPage, web_page

SITE = Path(__file__).parent / "web"


def html(name: str) -> str:
    """The HTML of a page, such as "shop"."""
    return (SITE / f"{name}.html").read_text(encoding="utf-8")


def page(name: str) -> WebPage:
    """A page as text, with running numbers."""
    return web_page(html(name))
