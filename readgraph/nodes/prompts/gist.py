"""Memory gisting: a shorter version of one page (ReadAgent, section 3.1)."""

from readgraph.models.prompt import DATA_RULE, Prompt, fenced

NAME, VERSION = "gist", 1

_SYSTEM = (
    "You shorten passages of a longer text so that somebody who reads only your versions, one after the other, "
    "can follow it. Keep who does what, full names, numbers, times and places, and the order of events. " + DATA_RULE
)


def gist_prompt(page: str, most_words: int | None = None, purpose: str = "") -> Prompt:
    """Ask for the page, shortened. "Shorten", since "summarise" breaks the narrative flow (section 3.1).

    `purpose` says what gists are for, where that is known before (appendices G.1 and G.2).
    """
    limit = f" to at most {most_words} words" if most_words else ""
    known = f"What the shortened text is for: {purpose.strip()}\n" if purpose.strip() else ""
    keep = ", and keep above all what serves that" if known else ""
    task = f"{known}Shorten the passage above{limit}{keep}. Reply with the shortened version only."
    return Prompt(NAME, VERSION, _SYSTEM, f"{fenced('passage', page)}\n\n{task}")
