"""A model's reply in the message of its server, and why it ended: each provider has its own field and its own words."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, get_args

from langchain_core.messages import AIMessage

from readgraph.state.settings import ReplyForm

LONGEST_REPLY = 200_000
"""Characters of a reply that are used; a longer one counts as cut off there."""

ENDINGS = ("finish_reason", "stop_reason", "stopReason", "done_reason")
"""The fields that say why a model stopped: OpenAI, Mistral and Google; Anthropic; Bedrock; Ollama."""

CUT = frozenset({"length", "max_tokens", "max_output_tokens", "model_length", "model_context_window_exceeded"})
"""The reply is cut off: it reached the most tokens of a reply, or the end of the model's window."""

BLOCKED = frozenset(
    {
        *("content_filter", "content_filtered", "guardrail_intervened", "refusal"),
        *("safety", "recitation", "blocklist", "prohibited_content", "spii"),
    }
)
"""The provider kept the reply back."""


Flaw = Literal["", "withheld by its server", "damaged on its way"]
"""What a server did to a reply; the same prompt may well bring a better one."""

NO_FLAW, WITHHELD, DAMAGED = FLAWS = get_args(Flaw)

FLAWED = "the reply was {}"
"""Why a reply with a flaw is refused."""


def flaw_named(text: str) -> Flaw:
    """The flaw that a record names, or none."""
    return next((flaw for flaw in FLAWS if flaw == text), NO_FLAW)


@dataclass(frozen=True, slots=True)
class ModelReply:
    """A model's reply; `tokens` (in, out) are as its server counts them.

    `cut`: the server stopped the model before it was done. `flaw`: what the server did to it; a damaged reply has no
    text, or what could be saved of it. `recorded`: it is not new.
    """

    text: str
    cut: bool
    tokens: tuple[int, int] = (0, 0)
    flaw: Flaw = ""
    recorded: bool = False


def reply_of(message: AIMessage, form: ReplyForm | None = None) -> ModelReply:
    """The reply in a message. `form` is the form of a typed reply.

    Raises `TypeError` if it holds no text, unless the server counted tokens: then it is a damaged one that is paid for.
    """
    ended, used = ending_of(message.response_metadata), message.usage_metadata
    tokens = (used["input_tokens"], used["output_tokens"]) if used else (0, 0)
    if ended in BLOCKED:
        return ModelReply("", False, tokens, WITHHELD)
    text = _text(message)
    if not text and not isinstance(message.content, str):
        if any(tokens):
            return ModelReply("", False, tokens, DAMAGED)
        raise TypeError
    whole = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")  # a lone surrogate can't be stored
    cut = ended in CUT or len(text) > LONGEST_REPLY
    damaged = whole != text or not (text or ended) or _is_damaged(whole, form)  # a broken stream has no end
    return ModelReply(whole[:LONGEST_REPLY], cut, tokens, DAMAGED if damaged else "")


def ending_of(metadata: Mapping[str, Any]) -> str:
    """Why the model stopped, in small letters; "" if the response does not say it."""
    said = next((metadata[field] for field in ENDINGS if metadata.get(field)), None)
    if said is None:  # OpenAI's newer protocol names a reason only for what is not complete
        said = (metadata.get("incomplete_details") or {}).get("reason") or metadata.get("status")
    return str(getattr(said, "value", said) or "").lower()


def _text(message: AIMessage) -> str:
    """The arguments of the function call, or else the text."""
    raw_calls = message.additional_kwargs.get("tool_calls")
    if raw_calls:
        return str(raw_calls[0]["function"]["arguments"])
    if message.tool_calls:
        return json.dumps(message.tool_calls[0]["args"])
    if message.invalid_tool_calls:
        return message.invalid_tool_calls[0]["args"] or ""
    return str(message.text)


def _is_damaged(text: str, form: ReplyForm | None) -> bool:
    """Whether a typed reply is JSON with a lone surrogate in it, or function arguments that are not an object."""
    if form is None or not (form == "function" or "\\u" in text):
        return False
    try:
        value = json.loads(text)
        json.dumps(value, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        return True
    except (ValueError, RecursionError):
        return False
    return form == "function" and "{" not in text
