"""How many frames lie between a step and its model's client: what is asked is handed on few times."""

import sys
from collections.abc import Callable
from typing import Any

import pytest
from langchain_core.language_models import GenericFakeChatModel
from langchain_core.messages import AIMessage

from readgraph import register_model
from readgraph.models.asking import ask_reply, ask_text
from tests.models.test_asking import PROMPT, Count, make_runtime

pytestmark = pytest.mark.quick

MOST = 4


def frames_of_models() -> list[str]:
    """The functions of `readgraph.models` on the stack, the innermost first."""
    names, frame = list[str](), sys._getframe(1)
    while frame := frame.f_back:  # type: ignore[assignment]
        if frame.f_globals["__name__"].startswith("readgraph.models."):
            names.append(frame.f_code.co_name)
    return names


class FrameCounter(GenericFakeChatModel):
    """A client that tells what is on the stack as it is called."""

    tell: Callable[[list[str]], None]

    async def ainvoke(self, *args: Any, **options: Any) -> AIMessage:
        self.tell(frames_of_models())
        return await super().ainvoke(*args, **options)


@pytest.mark.parametrize("again", [False, True])
@pytest.mark.parametrize("form", ["text", "json_schema"])
async def test_between_a_step_and_the_client_are_few_frames(form: Any, again: bool) -> None:
    seen = list[list[str]]()
    replies = iter([AIMessage("no number"), AIMessage('{"count": 7}'), AIMessage("There are seven.")])
    register_model("frames", lambda: FrameCounter(messages=replies, tell=seen.append))
    runtime = make_runtime(model="frames", reply_form=form, again=again)
    assert await ask_reply(runtime, PROMPT, Count) == Count(count=7)
    assert await ask_text(runtime, PROMPT) == "There are seven."
    assert len(seen) == 3
    assert all(0 < len(frames) <= MOST for frames in seen), seen
