"""Why a model stopped, whichever provider says so: each has its own field and its own words."""

from collections.abc import Mapping
from typing import Any

FIELDS = ("finish_reason", "stop_reason", "stopReason", "done_reason")
"""The fields of OpenAI, Mistral and Google; Anthropic; Bedrock; Ollama."""

CUT = frozenset({"length", "max_tokens", "max_output_tokens", "model_length", "model_context_window_exceeded"})
"""The reply is cut off: it reached the most tokens of a reply, or the end of the model's window."""

BLOCKED = frozenset(
    {
        *("content_filter", "content_filtered", "guardrail_intervened", "refusal"),
        *("safety", "recitation", "blocklist", "prohibited_content", "spii"),
    }
)
"""The provider kept the reply back."""


def ending_of(metadata: Mapping[str, Any]) -> str:
    """Why the model stopped, in small letters; "" if the response does not say it."""
    said = next((metadata[field] for field in FIELDS if metadata.get(field)), None)
    if said is None:  # OpenAI's newer protocol names a reason only for what is not complete
        said = (metadata.get("incomplete_details") or {}).get("reason") or metadata.get("status")
    return str(getattr(said, "value", said) or "").lower()
