"""One bound for every prompt: it fits the model's window as a whole, and what was left out for that is counted.

Methods choose what they show so that it fits (`nodes.bounds.content_room`). Where that can't be enough, as with a
very long question or one long page, the longest texts of the prompt are cut here. Instructions are never cut.
"""

import re
from collections.abc import Sequence
from dataclasses import replace

from readgraph.models.prompt import Prompt
from readgraph.state.errors import BadInput
from readgraph.state.words import count_words, first_words

_FENCED = re.compile(r"<(?P<tag>[\w-]+)>\n(?P<text>.*?)\n</(?P=tag)>$", re.DOTALL | re.MULTILINE)
_ITEM = re.compile(r"^(?=<|[A-Z]\. |Page \d+: )", re.MULTILINE)
"""Where an item of a text begins: a page or a label after its tag, an option after its letter, a memo."""


def fitted(prompt: Prompt, most: int) -> tuple[Prompt, int, int]:
    """The prompt with at most this many words, how many it has, and how many of its words were left out.

    Its longest fenced texts are cut to one length, and in each of them the ends of the longest pages, options or memos,
    so that none of these is missing. A prompt that fits is returned as it is. Raises `BadInput` if the instructions
    alone don't fit.
    """
    if (words := prompt.words) <= most:
        return prompt, words, 0
    found = list(_FENCED.finditer(prompt.user))
    texts = [each["text"] for each in found]
    sizes = [count_words(text) for text in texts]
    room = most - (words - sum(sizes))
    if room < len(texts):
        raise BadInput(
            f"The window is too small for the prompt '{prompt.name}': {words - sum(sizes):,} words are instructions, "
            f"and {max(most, 0):,} are left for the whole. Give a larger window_words, if the model can hold more."
        )
    kept = [_cut(text, share) for text, share in zip(texts, _shares(sizes, room), strict=True)]
    user, end = "", 0
    for each, text in zip(found, kept, strict=True):
        user += prompt.user[end : each.start("text")] + text
        end = each.end("text")
    short = replace(prompt, user=user + prompt.user[end:])
    left = short.words
    return short, left, words - left


def _cut(text: str, most: int) -> str:
    """The text with at most this many words: its longest items are cut, and then its end."""
    items = _ITEM.split(text)
    sizes = [count_words(item) for item in items]
    if sum(sizes) <= most:
        return text
    shares = _shares(sizes, most)
    cut = [
        item if share == size else f"{first_words(item, share)}\n"
        for item, share, size in zip(items, shares, sizes, strict=True)
    ]
    return first_words("".join(cut), most).rstrip()


def _shares(sizes: Sequence[int], room: int) -> list[int]:
    """How much of the room each of these gets: small ones all they need, the others one and the same share."""
    left, waiting, share = room, len(sizes), 0
    for size in sorted(sizes):
        share = left // waiting
        if size > share:
            break
        left, waiting, share = left - size, waiting - 1, size
    return [min(size, max(share, 1)) for size in sizes]
