"""What plugs in: see `readgraph.plugins`."""

from readgraph.cli.declaring import Command
from readgraph.plugins import give, give_names

commands = give(
    Command(
        "readgraph.features.replay.command:replay",
        "Repeat an answer from its file (ask --save), without a model, and say whether every step comes out alike.",
        panel="More with texts",
        order=6,
    )
)
functions = give_names(
    "readgraph.features.replay.functions:save_answer", "readgraph.features.replay.functions:replay_answer"
)
