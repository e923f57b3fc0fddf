"""Long tool results become documents of a library, with gists in their places."""

import json
from dataclasses import dataclass
from typing import Any

from langchain_core.messages import ToolMessage
from langgraph.types import Command

from readgraph.compression.engine import CompressionEngine
from readgraph.compression.tokens import tokens_in
from readgraph.middleware.transcript import OURS
from readgraph.models.prompt import fenced
from readgraph.sources.places import on_one_line
from readgraph.state.errors import BadInput, BudgetSpent, ModelUnavailable, NoUsableReply
from readgraph.state.records import Document
from readgraph.state.words import count_words, first_words

LOOK_UP = "look_up"
"""The tool that looks into a kept result."""


@dataclass(frozen=True)
class KeptResults:
    """Keeps results of more than `most` words, and leaves gists of at most `gist_words`, made by the engine."""

    engine: CompressionEngine
    most: int
    gist_words: int

    async def shortened(self, result: ToolMessage | Command[Any], call: dict[str, Any]) -> ToolMessage | Command[Any]:
        """The result of a tool call, where long texts have become documents with gists in their places."""
        if isinstance(result, ToolMessage):
            return await self._kept(result, call)
        if isinstance(result.update, dict) and isinstance(messages := result.update.get("messages"), list):
            kept = [await self._kept(each, call) if isinstance(each, ToolMessage) else each for each in messages]
            result.update["messages"] = kept
        return result

    async def _kept(self, message: ToolMessage, call: dict[str, Any]) -> ToolMessage:
        text = _plain_text(message)
        if text is None or count_words(text) <= self.most:
            return message
        arguments = json.dumps(call.get("args", {}), ensure_ascii=False, default=str)
        title = on_one_line(f"{call.get('name')}({arguments})")
        document = await self.engine.pages.add_document(text, title=title, source=f"tool {title}")
        gist, made = await self._gist(document, text)
        about = {"document": document.id, "words": document.words, "gist": made}
        return message.model_copy(
            update={
                "content": _told(document, gist, made),
                "additional_kwargs": {**message.additional_kwargs, OURS: about},
            }
        )

    async def _gist(self, document: Document, text: str) -> tuple[str, str]:
        """A gist and "gist"; where none can be made, as of a table without sentences, the beginning and "beginning"."""
        try:
            compressed, _ = await self.engine.compress_document(document, tokens_in(self.gist_words))
        except (BadInput, BudgetSpent, ModelUnavailable, NoUsableReply):
            return first_words(text, self.gist_words), "beginning"
        return compressed.text, "gist"


def _told(document: Document, gist: str, made: str) -> str:
    what = "Its gist" if made == "gist" else "Its beginning"
    return (
        f"The result has {document.words:,} words, and is kept as document {document.id}. {what} follows. "
        f"{LOOK_UP} looks into the document.\n{fenced('gist', gist)}"
    )


def _plain_text(message: ToolMessage) -> str | None:
    """The text of a result; None where it holds something else too, such as a picture."""
    if isinstance(message.content, str):
        return message.content
    plain = all(isinstance(block, str) or block.get("type") == "text" for block in message.content)
    return str(message.text) if plain else None
