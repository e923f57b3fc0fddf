"""The recursive summary of the events that leave the queue (MemGPT, section 2.1)."""

from readgraph.models.prompt import DATA_RULE, Prompt, fenced
from readgraph.models.wording import wording

_SYSTEM = (
    "You keep the memory of an agent that talks with people. The oldest events are about to leave its view, and what "
    "you write takes their place. Write as the agent, of yourself as I. Keep who said what, names, dates, numbers, "
    "wishes, promises, and what is still open; leave out small talk and how things were looked up. " + DATA_RULE
)

QUEUE_SUMMARY = wording(
    "queue_summary",
    "queue_summary",
    1,
    _SYSTEM,
    "Sum up {both}{first} in at most {most_words} words. Reply with the summary only.",
    both="the summary so far and the events",
    first="the events",
)


def queue_summary_prompt(before: str, events: str, most_words: int) -> Prompt:
    """Ask for one summary of what was summarised before and of the events that leave now."""
    parts = [fenced("summary-so-far", before) if before else "", fenced("events", events)]
    return QUEUE_SUMMARY.ask(*parts, both=before, first=not before, most_words=most_words)
