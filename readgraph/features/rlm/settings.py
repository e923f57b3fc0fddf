"""The settings of programs."""

from typing import Annotated

from annotated_types import Ge

from readgraph.state.declaring import Help, Settings


class Programs(Settings, panel="rlm"):
    """How many programs `rlm` may run, and how often they may ask a model."""

    max_programs: Annotated[int, Ge(1), Help("The model writes at most this many programs for a question.")] = 8
    max_sub_calls: Annotated[
        int, Ge(0), Help("All programs of a question together ask a model about pieces at most this many times.")
    ] = 50
