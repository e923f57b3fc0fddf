"""What of a chat model changes the text that it writes: recorded replies are known by this, and by nothing else."""

import json
from typing import Any

from langchain_core.language_models import BaseChatModel

MODEL = ("model_name", "model", "model_id", "deployment_name", "azure_deployment", "repo_id", "endpoint_name")
"""The fields in which LangChain's packages keep the model's own name."""

TEXT = (
    *("temperature", "top_p", "top_k", "seed", "stop", "stop_sequences", "n"),
    *("max_tokens", "max_completion_tokens", "max_output_tokens", "num_predict", "num_ctx"),
    *("reasoning", "reasoning_effort", "effort", "thinking", "thinking_budget", "thinking_level", "include_thoughts"),
    *("presence_penalty", "frequency_penalty", "repeat_penalty", "logit_bias", "verbosity"),
    *("model_kwargs", "extra_body", "additional_model_request_fields"),
)
"""Further fields that change what is written; headers, keys, callbacks, times and limiters are not among them."""


def text_settings(name: str, chat: BaseChatModel) -> list[Any]:
    """The object's type, its model, and its fields that change the text, as plain JSON.

    An object that names no model of its own, such as one of the caller's classes, is known by the `name` that stands
    for it.
    """
    kind = type(chat)
    own = [_plain(value) for field in MODEL if (value := getattr(chat, field, None))]
    fields = {field: _plain(value) for field in TEXT if (value := getattr(chat, field, None)) not in (None, {}, [])}
    return [f"{kind.__module__}.{kind.__qualname__}", own or [name], fields]


def _plain(value: Any) -> Any:
    return json.loads(json.dumps(value, default=lambda other: type(other).__qualname__))
