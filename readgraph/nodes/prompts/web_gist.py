"""Gisting a part of a web page (ReadAgent, appendix E.1)."""

from readgraph.models.prompt import DATA_RULE, Prompt, fenced
from readgraph.models.wording import wording
from readgraph.nodes.prompts.purpose import purpose_line

NAME, VERSION = "web_gist", 1

_SYSTEM = (
    "You keep short notes on the parts of a web page for somebody who will act on it and sees only your notes at "
    "first. A part is given as its elements, one a line, each indented within the one that holds it; an element that "
    "can be acted on has an id. " + DATA_RULE
)


_WORDS = wording(
    "web_gist",
    NAME,
    VERSION,
    _SYSTEM,
    "{known}Say{limit}{short} what this part of the page holds, and what can be done in it: name the links, fields and "
    "buttons that matter, with their ids, and what is filled in or selected already. Of a long list say what is "
    "listed, from what to what. Reply with the note only.",
    limit=" in at most {most_words} words",
    short=" in one to three sentences",
)


def web_gist_prompt(part: str, most_words: int | None = None, purpose: str = "") -> Prompt:
    """Ask for a note on a part of a page; `purpose` is what notes are for, where that is known."""
    values = {"known": purpose_line("note", purpose), "limit": most_words, "most_words": most_words}
    return _WORDS.ask(fenced("passage", part), short=not most_words, **values)
