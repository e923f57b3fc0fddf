"""The commands that serve a library: to people in a browser, and to other programs' agents."""

from pathlib import Path

from typer import Option

from readgraph.cli.commands import run_lazily


@run_lazily("readgraph.cli.run.serving:put_skill")
def skill(
    to: Path | None = Option(
        None, "--to", metavar="FOLDER", help="Put it into this folder of skills. Default: print it.", show_default=False
    ),
) -> None:
    """Tell coding agents how to use this command: a skill, as their programs read it (SKILL.md).

    The skill gets a folder of its own name in the one that you name. An earlier version of it is replaced.

    Example: readgraph skill --to ~/.claude/skills
    """
