"""What of a reply is streamed while the model writes it: the text for a person, not the JSON around it."""

import re
from typing import Any, Protocol, runtime_checkable

from langchain_core.callbacks import BaseCallbackHandler
from langchain_core.messages import AIMessageChunk, BaseMessage
from langchain_core.outputs import ChatGenerationChunk
from langchain_core.runnables import RunnableConfig
from langchain_core.runnables.config import merge_configs, var_child_runnable_config
from langgraph.constants import TAG_NOSTREAM
from langgraph.graph.message import push_message
from pydantic import BaseModel
from pydantic_core import from_json

from readgraph.models.metering import Meter, current_meter
from readgraph.models.replies.thinking import Material, ThinkingFilter

LONGEST = 32_768  # most characters of a reply that are parsed again for each piece; the rest is not streamed
THOUGHTS = "reasoning_content"  # where a streamed message holds the model's thoughts, in `additional_kwargs`
_STRING = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*', re.DOTALL)
_BEGINS = re.compile(r"\s*(?:```\w*\s*)?\{")  # a reply from its JSON on
_ESCAPED = {control: f"\\u{control:04x}" for control in range(32)}


@runtime_checkable
class SpokenReply(Protocol):
    """A type of reply that holds text for a person."""

    @classmethod
    def thoughts_and_text(cls, begun: dict[str, Any]) -> tuple[Any, Any]:
        """The thoughts and the text for a person in a reply that may be incomplete; other values count as none."""


class StreamedReply:
    """The thoughts and the text of a reply, as far as they have been streamed."""

    def __init__(self, reply: type[SpokenReply], source: str = "") -> None:
        self.reply, self.material = reply, Material(source)
        self.whole = ThinkingFilter(self.material, typed=True)
        self.spoken = [ThinkingFilter(self.material, field=True) for _ in range(2)]  # of the thoughts, and the text
        self.json_text = self.thoughts = self.text = ""
        self.read: tuple[str, ...] = ("", "")  # the thoughts and the text with their marks

    def grow(self, piece: BaseMessage) -> tuple[str, str]:
        """What a piece of this reply adds to the thoughts, and to the text."""
        if len(self.json_text) > LONGEST:
            return "", ""
        calls: list[Any] = getattr(piece, "tool_call_chunks", [])
        said = "".join(call["args"] or "" for call in calls) or str(piece.text)
        if not _BEGINS.match(self.json_text):  # what comes before the JSON may turn out to be thinking
            self.whole.feed(said)
            self.json_text = self.whole.visible + self.whole.text[self.whole.at :]
            if not _BEGINS.match(self.whole.visible) and self.whole.left_out | bool(self.whole.thoughts):
                self.json_text = self.whole.visible
        else:
            self.json_text += said
        if not _BEGINS.match(self.json_text):
            return "", ""
        return self._grow(*partial_thoughts_and_text(self.reply, self.json_text))

    def end(self) -> tuple[str, str]:
        """What the end of this reply adds to the thoughts, and to the text."""
        return self._grow(self.read[0], self.read[1], last=True)

    def _grow(self, *read: str, last: bool = False) -> tuple[str, str]:
        if not all(now.startswith(before) for now, before in zip(read, self.read, strict=True)):
            return "", ""
        for spoken, now, before in zip(self.spoken, read, self.read, strict=True):
            spoken.feed(now[len(before) :], last=last)
        self.read = read
        thoughts, text = (spoken.visible for spoken in self.spoken)
        if not (thoughts.startswith(self.thoughts) and text.startswith(self.text)):
            return "", ""  # what has been sent can't be taken back
        grown = thoughts[len(self.thoughts) :], text[len(self.text) :]
        self.thoughts, self.text = thoughts, text
        return grown


def partial_thoughts_and_text(reply: type[SpokenReply], json_start: str) -> tuple[str, str]:
    """The thoughts and the text in the first part of a reply's JSON."""
    begun = _text(json_start[max(0, json_start.find("{")) :])

    def escape_line_breaks(string: re.Match[str]) -> str:  # a model may have left them unescaped
        return string[0] if string[0].isprintable() else string[0].translate(_ESCAPED)

    try:
        value = from_json(_STRING.sub(escape_line_breaks, begun), allow_partial="trailing-strings")
    except ValueError:
        return "", ""
    thoughts, text = reply.thoughts_and_text(value) if isinstance(value, dict) else ("", "")
    return _text(thoughts), _text(text)


def _text(value: Any) -> str:
    """The text without half a character at its end: its other half comes with the next piece."""
    return value.encode("utf-16", "surrogatepass").decode("utf-16", "ignore") if isinstance(value, str) else ""


class ReplyStreamer(BaseCallbackHandler):
    """Sends the spoken part of one call's reply to whoever streams the graph's messages."""

    run_inline = True

    def __init__(self, reply: type[SpokenReply], meter: Meter, source: str = "") -> None:
        self.streamed, self.meter, self.source = StreamedReply(reply, source), meter, source

    def on_chat_model_start(self, serialized: Any, messages: Any, **kwargs: Any) -> None:
        """Begin anew: a call that broke off is made again."""
        if self.streamed.thoughts or self.streamed.text:
            self.meter.message.begin_another()
        self.streamed = StreamedReply(self.streamed.reply, self.source)

    def on_llm_new_token(self, token: Any, *, chunk: Any = None, **kwargs: Any) -> None:
        """Send what this piece adds."""
        if not isinstance(chunk, ChatGenerationChunk):
            return
        stream_piece(self.meter, *self.streamed.grow(chunk.message))

    def on_llm_end(self, response: Any, **kwargs: Any) -> None:
        """Send what waited for the end, since it might have become a mark."""
        stream_piece(self.meter, *self.streamed.end())


def stream_piece(meter: Meter, thoughts: str, text: str) -> None:
    """Send a piece of the step's message to whoever streams the graph's messages."""
    if thoughts or text:
        beside = {THOUGHTS: thoughts} if thoughts else {}
        stream_message(meter, AIMessageChunk(content=text, additional_kwargs=beside, id=meter.message.id))


def stream_message(meter: Meter, message: BaseMessage) -> None:
    """Send the step's message, or a piece of it, to whoever streams the graph's messages."""
    callbacks: Any = (var_child_runnable_config.get() or {}).get("callbacks")
    if meter.message.aloud and getattr(callbacks, "handlers", callbacks):
        push_message(message, state_key=None)
        meter.message.streamed = meter.message.id


def stream_whole_reply(meter: Meter, reply: BaseModel) -> None:
    """Send what a reply says, if nothing of it was streamed: it was recorded, or its server streams none."""
    if isinstance(reply, SpokenReply) and not meter.message.has_begun:
        stream_piece(meter, *map(_text, reply.thoughts_and_text(reply.model_dump())))


def call_config(name: str, reply: type[BaseModel] | None, source: str = "") -> RunnableConfig:
    """The configuration of a call: its name in traces, and what of its reply is streamed as a message."""
    # LangGraph would stream the reply as it is, which may be JSON.
    config = RunnableConfig(tags=[TAG_NOSTREAM], run_name=name)
    if reply is None or not issubclass(reply, SpokenReply):
        return config
    streaming: RunnableConfig = {"callbacks": [ReplyStreamer(reply, current_meter(), source)]}
    return merge_configs(var_child_runnable_config.get(), config, streaming)
