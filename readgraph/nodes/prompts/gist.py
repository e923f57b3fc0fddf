"""Memory gisting: a shorter version of one page (ReadAgent, section 3.1)."""

from readgraph.models.prompt import DATA_RULE, Prompt, fenced
from readgraph.models.wording import wording
from readgraph.nodes.prompts.purpose import purpose_line

NAME, VERSION = "gist", 1

_SYSTEM = (
    "You shorten passages of a longer text so that somebody who reads only your versions, one after the other, "
    "can follow it. Keep who does what, full names, numbers, times and places, and the order of events. " + DATA_RULE
)


_WORDS = wording(
    "gist",
    NAME,
    VERSION,
    _SYSTEM,
    "{known}Shorten the passage above{limit}{keep}. Reply with the shortened version only.",
    limit=" to at most {most_words} words",
    keep=", and keep above all what serves that",
)


def gist_prompt(page: str, most_words: int | None = None, purpose: str = "") -> Prompt:
    """Ask for the page, shortened. "Shorten", since "summarise" breaks the narrative flow (section 3.1).

    `purpose` says what gists are for, where that is known before (appendices G.1 and G.2).
    """
    known = purpose_line("shortened text", purpose)
    values = {"known": known, "keep": known, "limit": most_words, "most_words": most_words}
    return _WORDS.ask(fenced("passage", page), **values)
