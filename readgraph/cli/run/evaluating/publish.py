"""`--publish`: an evaluation for others, who repeat it without its model."""

from pathlib import Path
from typing import Any

from readgraph.cli.terminal.output_options import Screen
from readgraph.cli.terminal.safe_text import Console, Text
from readgraph.evaluation.folder.evaluation_folder import EvaluationFolder
from readgraph.evaluation.publishing.licences import on_sharing
from readgraph.evaluation.publishing.published_run import PROMPTS, published
from readgraph.sources.loading import shown
from readgraph.state.context import ReaderContext

EMBEDS = "Rows that rank by embeddings are replayed with the embedding model: its vectors are not published."


def publish(
    to: Path,
    folder: EvaluationFolder,
    results: dict[str, Any],
    asked: dict[str, Any],
    context: ReaderContext,
    screen: Screen,
) -> None:
    """Write the evaluation to a new folder, and say what its licence asks for; `asked`: how questions were chosen."""
    run = published(folder, results, asked, context, to)
    notes = [f"Published in {shown(to)}: replay it with --replay {shown(to)}."]
    notes += filter(None, [on_sharing(run["dataset"], run.get("licence", ""))])
    if own := run.get("own_prompts"):
        notes.append(f"The folder {PROMPTS} in it has your own words of {', '.join(own)}.")
    notes += [EMBEDS] if context.embeddings else []
    for line in notes:
        Console(stderr=True, quiet=screen.quiet).print(Text(line), soft_wrap=True)
