"""Begin a question for programs."""

from readgraph.features.rlm.state import FreshPrograms
from readgraph.nodes.contracts import ReaderRuntime
from readgraph.nodes.opening import OpenState, OpenUpdate, open_document
from readgraph.nodes.step import node
from readgraph.state.channels import empty_channels


class ProgramsOpenUpdate(OpenUpdate, FreshPrograms):
    """What opening writes where programs look at the text."""


@node(starts_question=True)
async def open_for_programs(state: OpenState, runtime: ReaderRuntime) -> ProgramsOpenUpdate:
    """Open a question for programs, and reset those of earlier questions."""
    return {**await open_document(state, runtime), **empty_channels(FreshPrograms, kept="{}")}
