"""Gists without a model that serve a purpose: its words decide between sentences, and of code signatures are kept."""

import asyncio
import re
from collections.abc import Iterator

from langgraph.runtime import Runtime

from readgraph.nodes.extractive.gists import extract_gist, gist_size
from readgraph.nodes.purpose import purpose_words
from readgraph.state.context import ReaderContext
from readgraph.state.records import Note, Page
from readgraph.state.words import count_words

_SIGNATURE = re.compile(
    r"^[ \t]*(?:(?:export|default|public|private|protected|static|abstract|final|async|pub|const)[ \t]{1,9}){0,4}"
    r"(?:def|class|function|func|fn|interface|struct|enum|trait|impl|type|module|package)[ \t]{1,9}[\w.$<>:]{1,99}"
    r"(?:[ \t]{0,9}\((?:[^()]|\([^()]{0,200}\)){0,600}\))?[^\n{;]{0,200}",
    re.MULTILINE,
)
"""A declaration as programming languages write it, up to its body; its parameters may take several lines."""


def extract_for(context: ReaderContext, text: str, most_words: int | None = None) -> str:
    """The text's gist for the context's purpose (see `extract_gist`), or the signatures of code where these are it."""
    signatures = _within(text, most_words or gist_size(text)) if context.preset == "code" else ""
    return signatures or extract_gist(text, most_words, purpose_words(context))


def _within(text: str, most_words: int) -> str:
    """The signatures, in their order, that fit; "" where a text has none."""
    kept = list[str]()
    for signature in _signatures(text):
        words = count_words(signature)
        if words <= most_words:
            kept.append(signature)
            most_words -= words
    return "\n".join(kept)


def _signatures(text: str) -> Iterator[str]:
    for found in _SIGNATURE.finditer(text):
        name = found.group().strip()
        if name.endswith((":", ")", ">")) or text[found.end() : found.end() + 1] in ("{", ";"):
            yield " ".join(name.split())


async def extract_note(text: str, page: Page, runtime: Runtime[ReaderContext]) -> Note:
    """A gist that consists of the page's own sentences."""
    gist = extract_for(runtime.context, text)
    await asyncio.sleep(0)  # so that the page can be stored meanwhile
    return Note(page.number, gist, count_words(gist))
