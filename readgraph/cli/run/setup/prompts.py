"""`prompts export`: the words of all prompts as files."""

from pathlib import Path

from readgraph.cli.terminal.safe_text import Console, Text
from readgraph.models.replaced_words import export_words
from readgraph.nodes.prompts.every import every_wording
from readgraph.state.errors import BadInput


def export_prompts(folder: Path) -> None:
    """Write a file for each prompt; none that exists is overwritten."""
    words = every_wording()
    files = {each.name: folder.expanduser() / f"{each.name}.toml" for each in words}
    if there := next((file for file in files.values() if file.exists()), None):
        raise BadInput(f"{there} exists already: name another folder.")
    try:
        folder.expanduser().mkdir(parents=True, exist_ok=True)
        for each in words:
            export_words(each, files[each.name])
    except OSError as problem:
        raise BadInput(f"{folder} can't be written: {problem.strerror}.") from None
    Console().print(Text(f"Exported {len(words)} prompts to {folder}."))
