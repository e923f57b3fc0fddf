"""How the evaluation plugs in: its commands, and the prompts of its judges."""

from readgraph.cli.declaring import Command
from readgraph.plugins import give

COMMANDS = {
    "evaluate": "Measure methods on questions with known answers, and write a table, results.json, results.csv and a "
    "report.",
    "reproduce": "Repeat a table or figure of a paper on its dataset.",
    "board": "Make a long history with known facts, and measure methods and other systems on it without a judge.",
    "trajectories": "Export an evaluation's prompts and replies, with their outcome, as training examples.",
}
commands = give(
    *(
        Command(f"readgraph_evaluation.command:{name}", line, panel="Research", order=order)
        for order, (name, line) in enumerate(COMMANDS.items(), 1)
    )
)

prompts = give("readgraph_evaluation.judges.prompts", "readgraph_evaluation.who_questions")
