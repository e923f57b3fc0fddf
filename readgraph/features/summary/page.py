"""A summary, as the page in the browser makes it."""

from readgraph.doors.serve.making import Making, Page
from readgraph.features.summary.functions import as_input, summarise
from readgraph.graphs.methods import ROWS


def _heading(wanted: Making, title: str) -> str:
    return f"Summary of {wanted.part or title}{f': {wanted.text}' if wanted.text else ''}"


SUMMARY = Making(
    task="summary",
    method=ROWS["summary"],
    function=summarise,
    heading=_heading,
    arguments=lambda wanted: {"part": wanted.part or None, "about": wanted.text or None},
    given=lambda wanted: as_input(wanted.part or None, wanted.text or None),
)
PAGE = Page(makings=(SUMMARY,))
