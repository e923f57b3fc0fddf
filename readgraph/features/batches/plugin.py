"""What plugs in: see `readgraph.plugins`."""

from typing import TYPE_CHECKING, Any

from readgraph.cli.declaring import Command
from readgraph.features.batches.under_way import MOST_REQUESTS, progress_line
from readgraph.plugins import give, give_from
from readgraph.state.transports import Transport

if TYPE_CHECKING:
    from readgraph.features.batches.calls import BatchedCalls
    from readgraph.state.context import ReaderContext


def _check(context: "ReaderContext") -> None:
    from readgraph.features.batches.calls import check_models

    check_models(context)


def _open(context: "ReaderContext", server: str, chat: Any) -> "BatchedCalls":
    from readgraph.features.batches.calls import BatchedCalls

    return BatchedCalls(context, server, chat)


settings = give_from("readgraph.features.batches.settings:Batching")
transports = give(
    Transport(
        setting="batch",
        at_once=MOST_REQUESTS,
        share=0.5,
        check=_check,
        open=_open,
        progress=progress_line,
        goes_on="The batch goes on: run the same command again to take its replies, "
        "or `readgraph library batches --cancel` to cancel it.",
    )
)
commands = give(Command(run="readgraph.features.batches.command:show_batches", name="batches", within="library"))
