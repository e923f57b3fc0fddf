"""How the evaluation plugs in: its commands, and the prompts of its judges."""

from readgraph.cli.declaring import Command
from readgraph.plugins import give

commands = give(
    Command(
        "readgraph_evaluation.command:evaluate",
        "Measure methods on questions with known answers, and write a table, results.json, results.csv and a report.",
        panel="Research",
        order=1,
    ),
    Command(
        "readgraph_evaluation.command:reproduce",
        "Repeat a table or figure of a paper on its dataset.",
        panel="Research",
        order=2,
    ),
    Command(
        "readgraph_evaluation.command:board",
        "Make a long history with known facts, and measure methods and other systems on it without a judge.",
        panel="Research",
        order=3,
    ),
    Command(
        "readgraph_evaluation.command:trajectories",
        "Export an evaluation's prompts and replies, with their outcome, as training examples.",
        panel="Research",
        order=4,
    ),
)

prompts = give("readgraph_evaluation.judges.prompts", "readgraph_evaluation.who_questions")
