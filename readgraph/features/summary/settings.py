"""The settings of summaries."""

from typing import Annotated

from annotated_types import Ge

from readgraph.state.declaring import Help, Settings


class SummaryForm(Settings, panel="Summaries"):
    """How summaries are written."""

    summary_words: Annotated[int, Ge(20), Help("A summary has at most this many words.", option=False)] = 300
