"""Pictures in the forms of other protocols than OpenAI's chat completions."""

from base64 import b64decode
from dataclasses import replace
from typing import Any

import pytest
from langchain_openai import ChatOpenAI

from readgraph.models.asking import ask_text
from readgraph.models.prompt import PromptPicture
from tests.doubles.model_faults import JsonObject
from tests.models.test_asking import PROMPT, make_runtime
from tests.models.transport.test_provider_protocols import serving, speak_anthropic

pytestmark = pytest.mark.quick
PNG = b"\x89PNG of a page"


async def draw() -> bytes:
    return PNG


SEEN = replace(PROMPT, pictures=(PromptPicture("PDF page 2", (0, 1), "digest", draw),))


def speak_responses(body: JsonObject) -> JsonObject:
    """A reply in the form of OpenAI's Responses."""
    text = {"type": "output_text", "text": "Ninety.", "annotations": []}
    message = {"type": "message", "id": "m", "role": "assistant", "status": "completed", "content": [text]}
    head = {"id": "r", "object": "response", "created_at": 0, "model": body["model"], "status": "completed"}
    return {**head, "output": [message], "parallel_tool_calls": False, "tool_choice": "auto", "tools": []}


async def test_responses() -> None:
    with serving(speak_responses) as (address, arrived):
        model: Any = ChatOpenAI(model="double", base_url=address, api_key="none", use_responses_api=True)  # type: ignore[arg-type]
        assert await ask_text(make_runtime(model=model), SEEN) == "Ninety."
    _, user = arrived[0]["input"]
    *_, label, shown = user["content"]
    assert label["text"] == "PDF page 2, whose text stands on page 0, 1:"
    assert shown["type"] == "input_image" and b64decode(shown["image_url"].partition("base64,")[2]) == PNG


async def test_anthropic(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("langchain_anthropic")
    with serving(speak_anthropic) as (address, arrived):
        monkeypatch.setenv("ANTHROPIC_BASE_URL", address)
        monkeypatch.setenv("ANTHROPIC_API_KEY", "none")
        await ask_text(make_runtime(model="anthropic:claude-double"), SEEN)
    shown = arrived[0]["messages"][0]["content"][-1]
    assert shown["type"] == "image" and b64decode(shown["source"]["data"]) == PNG
