"""What plugs in: see `readgraph.plugins`."""

from readgraph.cli.declaring import Command
from readgraph.plugins import hookimpl


@hookimpl
def commands() -> list[Command]:
    line = "Repeat an answer from its file (ask --save), without a model, and say whether every step comes out alike."
    return [Command("readgraph.features.replay.command:replay", line, panel="More with texts", order=6)]


@hookimpl
def functions() -> dict[str, str]:
    return {name: f"readgraph.features.replay.functions:{name}" for name in ("save_answer", "replay_answer")}
