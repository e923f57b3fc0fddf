"""Memory gisting: a shorter version of one page (ReadAgent, section 3.1)."""

from readgraph.nodes.prompting import DATA_RULE, Prompt, fenced

NAME, VERSION = "gist", 1

_SYSTEM = (
    "You shorten passages of a longer text so that somebody who reads only your versions, one after the other, "
    "can follow it. Keep who does what, full names, numbers, times and places, and the order of events. " + DATA_RULE
)


def gist_prompt(page: str, most_words: int | None = None) -> Prompt:
    """Ask for the page, shortened. "Shorten", since "summarise" breaks the narrative flow (section 3.1)."""
    limit = f" to at most {most_words} words" if most_words else ""
    task = f"Shorten the passage above{limit}. Reply with the shortened version only."
    return Prompt(NAME, VERSION, _SYSTEM, f"{fenced('passage', page)}\n\n{task}")
