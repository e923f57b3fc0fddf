"""Gisting a part of a web page (ReadAgent, appendix E.1)."""

from readgraph.models.prompt import DATA_RULE, Prompt, fenced
from readgraph.nodes.prompts.purpose import purpose_line

NAME, VERSION = "web_gist", 1

_SYSTEM = (
    "You keep short notes on the parts of a web page for somebody who will act on it and sees only your notes at "
    "first. A part is given as its elements, one a line, each indented within the one that holds it; an element that "
    "can be acted on has an id. " + DATA_RULE
)


def web_gist_prompt(part: str, most_words: int | None = None, purpose: str = "") -> Prompt:
    """Ask for a note on a part of a page; `purpose` is what notes are for, where that is known."""
    limit = f" in at most {most_words} words" if most_words else " in one to three sentences"
    known = purpose_line("note", purpose)
    task = (
        f"{known}Say{limit} what this part of the page holds, and what can be done in it: name the links, fields and "
        "buttons that matter, with their ids, and what is filled in or selected already. Of a long list say what is "
        "listed, from what to what. Reply with the note only."
    )
    return Prompt(NAME, VERSION, _SYSTEM, f"{fenced('passage', part)}\n\n{task}")
