"""The setting that chooses batches."""

from typing import Annotated

from readgraph.state.declaring import Help, Settings


class Batching(Settings, panel="Budget", calls=True):
    """Whether model calls are made in batches."""

    batch: Annotated[
        bool,
        Help(
            "Send calls that don't depend on each other in batches, at half the price: replies take minutes to hours. "
            "For models of openai, and servers with its batch endpoint."
        ),
    ] = False
