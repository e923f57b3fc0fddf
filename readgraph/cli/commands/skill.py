"""The command for coding agents: skill."""

from pathlib import Path

from typer import Option


def skill(
    to: Path | None = Option(
        None, "--to", metavar="FOLDER", help="Put it into this folder of skills. Default: print it.", show_default=False
    ),
) -> None:
    """Print the skill, or put it into a folder.

    The skill gets a folder of its own name in the one that you name. An earlier version of it is replaced.

    Example: readgraph skill --to ~/.claude/skills
    """
    from readgraph.cli.run.skill import put_skill

    put_skill(to)
