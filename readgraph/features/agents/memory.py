"""What an agent sees and works on: its events and blocks as texts, a copy of its state (MemGPT, section 2.1)."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import islice

from readgraph.features.agents.state import AgentState, Block
from readgraph.features.agents.store import Agent, AgentStore, Event
from readgraph.models.prompt import find_unused_name
from readgraph.state.context import ReaderContext
from readgraph.state.errors import BadInput
from readgraph.state.reading import Finding
from readgraph.state.words import count_words, first_words

__all__ = ["MemGptMemory", "append_to_block", "blocks_text", "queue_text", "replace_in_block"]

LONGEST_NAME = 60  # characters of a function's or an argument's name that are shown
MOST_SHOWN = 20  # arguments of a call that are shown
TAG_WORDS = 30  # most words of the tag before an event, and of the note that the event was cut


def most_event_words(window_words: int) -> int:
    """Most words of an incoming event, or of a function's result; with its tag an event has at most twice as many."""
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
    tag = find_unused_name("event", bodies)
    return "\n".join(
        f"<{tag} {event.number}: {'you' if event.kind == 'call' else event.kind}"
        f"{f', {day_and_time(event)}' if dated else ''}>\n{body}".rstrip()
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


def day_and_time(event: Event) -> str:
    """The time, to the minute; "" if it is unknown."""
    return event.at[:16].replace("T", " ")


PER_PAGE = 5  # results per page (MemGPT, section 2.3, and figure 5)


@dataclass
class MemGptMemory:
    """What the functions of an agent work on; outside a turn, the first four fields are enough.

    `began_at`: the turn's first event; it and later ones are in the queue and are not recalled. `recalled`: the numbers
    of the events that were found. `choices`, `pages_read` and `given` are for readings of a document.
    """

    agent: Agent
    store: AgentStore
    context: ReaderContext
    life: AgentState
    began_at: int | None = None
    choices: dict[str, str] = field(default_factory=dict)
    said: list[str] = field(default_factory=list)
    recalled: list[int] = field(default_factory=list)
    pages_read: list[int] = field(default_factory=list)
    given: Finding | None = None

    @property
    def id(self) -> str:
        """The agent's id, under which its storages are kept."""
        return self.agent.id

    @property
    def recallable(self) -> int:
        """The number of events that can be recalled."""
        return self.life["events"] if self.began_at is None else self.began_at

    @property
    def room(self) -> int:
        """Most words of a result."""
        return most_event_words(self.context.window_words) - 20  # minus the line that counts the results


def append_to_block(blocks: Sequence[Block], label: str, text: str) -> list[Block]:
    """The blocks, with a line added to one of them."""
    if not text.strip():
        raise BadInput("There is nothing to append: give the text.")
    block = block_named(blocks, label)
    return with_block(blocks, label, f"{block['text']}\n{text.strip()}")


def replace_in_block(blocks: Sequence[Block], label: str, old: str, new: str) -> list[Block]:
    """The blocks, with the first occurrence of an exact text in one of them replaced."""
    block = block_named(blocks, label)
    if not old.strip():
        raise BadInput("The old text is empty: give the exact text to replace, or append the new one.")
    if old not in block["text"]:
        raise BadInput(f"Block '{label}' does not hold exactly that text: copy it from the block as it stands.")
    return with_block(blocks, label, block["text"].replace(old, new, 1))


def rewrite_block(blocks: Sequence[Block], label: str, text: str) -> list[Block]:
    """The blocks, with the whole text of one of them replaced; an empty text is refused, as a likely mistake."""
    if not text.strip():
        raise BadInput("A rewrite with no text would empty the block: replace the parts that should go.")
    return with_block(blocks, label, text)


def with_block(blocks: Sequence[Block], label: str, text: str) -> list[Block]:
    """The blocks, with this text, which may be empty, in one of them."""
    changed, text = block_named(blocks, label), text.strip()
    words = count_words(text)
    if words > changed["limit"]:
        raise BadInput(
            f"Block '{changed['label']}' would hold {words} words, and its limit is {changed['limit']}: shorten what "
            "it holds first, or insert the details into archival storage. Nothing was changed."
        )
    return [Block(**{**block, "text": text}) if block is changed else block for block in blocks]


def block_named(blocks: Sequence[Block], label: str) -> Block:
    """The block with this label."""
    for block in blocks:
        if block["label"].casefold() == label.strip().casefold():
            return block
    raise BadInput(f"There is no block '{label}': choose one of {', '.join(block['label'] for block in blocks)}.")


def blocks_text(blocks: Sequence[Block]) -> str:
    """The blocks as the model sees them, each after its label and size, "n/limit" words."""
    tag = find_unused_name("block", [block["text"] for block in blocks])
    return "\n".join(
        f"<{tag} {block['label']}: {size_of(block)} words, {block['about']}>\n{block['text']}".rstrip()
        for block in blocks
    )


def size_of(block: Block) -> str:
    """How full a block is."""
    return f"{count_words(block['text'])}/{block['limit']}"
