"""The check of a draft, as the page in the browser makes it."""

from readgraph.doors.serve.making import Making, Page
from readgraph.features.verify.functions import verify
from readgraph.graphs.methods import PARTS

CHECK = Making(
    task="check",
    method=PARTS["verify"],
    function=verify,
    heading=lambda wanted, title: f"Check against {title}",
    arguments=lambda wanted: {"draft": wanted.text},
    given=lambda wanted: {"draft": wanted.text},
    lacks="There is nothing to check: give the text as the question.",
    verbatim=True,
)
PAGE = Page(makings=(CHECK,))
