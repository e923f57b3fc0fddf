"""Replies from a run that somebody has published, in the place of a model's: no server is asked, no key is needed.

A reply is found by a digest of what was asked, so that a run can be published without its prompts, which hold texts.
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field

from readgraph.models.prompt import Messages
from readgraph.models.replies.message import ModelReply
from readgraph.state.errors import ModelUnavailable
from readgraph.state.records import digest

KEY_LENGTH = 40


def prompt_key(model: str, asked: str, messages: Messages, sample: int) -> str:
    """The digest of a prompt's messages, its name, the model and the number of the sample."""
    return digest([model, asked, [list(message) for message in messages], sample], length=KEY_LENGTH)


@dataclass
class Published:
    """Published replies by their prompts' digests; several of one prompt are given one after the other."""

    replies: Mapping[str, Sequence[ModelReply]]
    given: dict[str, int] = field(default_factory=dict)

    def reply(self, key: str, asked: str) -> ModelReply:
        """The next reply to this prompt, the last one again and again.

        Raises `ModelUnavailable` where there is none.
        """
        replies = self.replies.get(key)
        if not replies:
            raise ModelUnavailable(f"The published run holds no reply to this prompt ('{asked}').")
        number = self.given.get(key, 0)
        self.given[key] = number + 1
        return replies[min(number, len(replies) - 1)]


class PublishedByPrompt(Published):
    """Published replies by their prompts' names, where these tell which of them answers what."""

    def reply(self, key: str, asked: str) -> ModelReply:
        """The next reply to a prompt of this name; see `Published.reply`."""
        return super().reply(asked, asked)


_published: ContextVar[Published | None] = ContextVar("readgraph_published_replies", default=None)


@contextmanager
def replaying(published: Published) -> Iterator[None]:
    """Within, every model's replies come from the published ones."""
    before = _published.set(published)
    try:
        yield
    finally:
        _published.reset(before)


def published_replies() -> Published | None:
    """The replies that are to be replayed, or None where models are asked."""
    return _published.get()
