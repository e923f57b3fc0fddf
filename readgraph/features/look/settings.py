"""The setting of pictures."""

from typing import Annotated, Literal

from readgraph.state.declaring import Help, Settings

Look = Literal["auto", "always", "never"]
"""Of which pages pictures are shown; `auto`: of those that hold a figure, a chart, a scan or a ruled table."""


class Looking(Settings, panel="Looking up"):
    """Whether the model is shown pictures of the pages that were looked up."""

    look: Annotated[
        Look | None,
        Help(
            "Show the model pictures of the PDF pages that were looked up: auto (of those with a figure, chart, scan "
            "or table), always or never; without it, auto where the model is known to take pictures."
        ),
    ] = None
