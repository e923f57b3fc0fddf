"""The text of events in the queue."""

from collections.abc import Sequence
from itertools import islice

from readgraph.models.prompt import unused_name
from readgraph.state.agents import Event
from readgraph.state.words import count_words, first_words

__all__ = ["queue_text"]

LONGEST_NAME = 60
"""Characters of a function's or an argument's name that are shown."""

MOST_SHOWN = 20
"""Arguments of a call that are shown."""

TAG_WORDS = 30
"""Most words of the tag before an event, and of the note that the event was cut."""


def most_event_words(window_words: int) -> int:
    """Most words of an incoming event, or of a function's result.

    No event takes more than twice as many in the queue, including its tag; a queue's room is never smaller.
    """
    return window_words // 8


def cut_to(text: str, words: int) -> str:
    """The first words of a text, with a note if there are more."""
    rest = count_words(text) - words
    return f"{first_words(text, words)} … ({rest} more words)" if rest > 0 else text


def call_line(event: Event, words: int = 12) -> str:
    """A call in one line: `name(argument="value")`, with names and values cut."""
    values = [
        f'{_name(name)}="{" ".join(cut_to(str(value), words).split())}"'
        for name, value in islice(event.arguments.items(), MOST_SHOWN)
    ]
    if (rest := len(event.arguments) - MOST_SHOWN) > 0:
        values.append(f"… ({rest} more)")
    return f"{_name(event.function)}({', '.join(values)})"


def queue_text(events: Sequence[Event], window_words: int, *, dated: bool = True) -> str:
    """The events as the model sees them, each after a tag with its number, sender and time."""
    most = most_event_words(window_words)
    bodies = [cut_to(_body(event, most), 2 * most - TAG_WORDS) for event in events]
    tag = unused_name("event", bodies)
    return "\n".join(
        f"<{tag} {event.number}: {_source(event)}{f', {day_and_time(event)}' if dated else ''}>\n{body}".rstrip()
        for event, body in zip(events, bodies, strict=True)
    )


def _body(event: Event, most: int) -> str:
    if event.kind != "call":
        return cut_to(event.text, most)
    call = call_line(event, most // 4 // max(1, len(event.arguments)))
    outcome = "" if event.result is None else f"\n{'error' if event.failed else 'result'}: {cut_to(event.result, most)}"
    return f"({cut_to(event.text, most // 4)})\n{call}{outcome}"


def _name(name: str) -> str:
    return name if len(name) <= LONGEST_NAME else f"{name[:LONGEST_NAME]}…"


def _source(event: Event) -> str:
    return "you" if event.kind == "call" else event.kind


def day_and_time(event: Event) -> str:
    """The time, to the minute; "" if it is unknown."""
    return event.at[:16].replace("T", " ")


def message_id(agent: str, event: int) -> str:
    """The id of the chat message that an agent says with this event, also while it is streamed."""
    return f"{agent}-{event}"
