"""Prompts that begin alike are sent so that the provider's cache can tell."""

from collections.abc import Iterator
from typing import Any

import pytest

from readgraph.models import client
from readgraph.models.asking import ask_reply
from readgraph.models.prompt import Prompt, fit_prompt
from readgraph.nodes.answering.in_view import FreeAnswer, answer_prompt
from readgraph.nodes.look_up import PagesToRead, look_up_pages_prompt
from readgraph.state.settings import ReplyForm
from tests.doubles.model_server import ModelServer
from tests.doubles.reader import reader
from tests.models.test_asking import make_runtime

pytestmark = pytest.mark.quick

GISTS = "\n\n".join(f"<page {number}>\nThe keeper of lamp {number} wrote that the oil was low." for number in range(90))
IN_FULL = f"{GISTS}\n\n<page 3 in full>\n{'It rained. ' * 400}"
LOOK_UP, ANSWER = look_up_pages_prompt(GISTS, "Who wrote?", {}, 2), answer_prompt(IN_FULL, "Who wrote?", {})


@pytest.fixture(autouse=True)
def openai(server: ModelServer, monkeypatch: pytest.MonkeyPatch) -> None:
    """The double stands for OpenAI's own servers."""
    monkeypatch.setattr(client, "FORM_FIRST", ("127.0.0.1",))
    server.respond = reader


def heads(*prompts: Prompt) -> list[str]:
    return [prompt.user[: prompt.head] for prompt in prompts]


def test_two_prompts_of_a_memory_begin_alike() -> None:
    looking, answering = heads(LOOK_UP, ANSWER)
    assert looking == answering == f"<memory>\n{GISTS}"
    assert LOOK_UP.system == ANSWER.system


def test_a_prompt_that_is_cut_has_a_head_too() -> None:
    cut, words, left_out = fit_prompt(ANSWER, 1500)
    assert words <= 1500 and left_out
    assert heads(cut) == heads(ANSWER), "the page in full is cut, and no gist"


async def test_the_form_of_a_reply_stands_behind_a_long_head(server: ModelServer) -> None:
    runtime = make_runtime()
    assert (await ask_reply(runtime, LOOK_UP, PagesToRead)).pages
    assert (await ask_reply(runtime, ANSWER, FreeAnswer)).answer
    looking, answering = server.requests
    assert not any("response_format" in each.body or each.tools for each in server.requests)
    head = f"{LOOK_UP.system}\n{LOOK_UP.user[: LOOK_UP.head]}"
    assert looking.text.startswith(head) and answering.text.startswith(head)


async def test_a_reply_that_can_not_be_used_is_asked_for_in_the_servers_own_form(server: ModelServer) -> None:
    replies: Iterator[Any] = iter(["I would read page 3.", {"reason": "the oil", "pages": [3]}])
    server.respond = lambda request: next(replies)
    assert (await ask_reply(make_runtime(), LOOK_UP, PagesToRead)).pages == [3]
    assert [each.schema is not None for each in server.requests] == [False, True]


@pytest.mark.parametrize(
    ("gists", "settings", "hosts"),
    [
        ("<page 0>\nThe oil was low.", {}, ("127.0.0.1",)),
        (GISTS, {"reply_form": "json_schema"}, ("127.0.0.1",)),
        (GISTS, {}, client.FORM_FIRST),
    ],
    ids=["a short head", "a form that was chosen", "a server whose cache sees the messages alone"],
)
async def test_elsewhere_the_best_form_stays(
    server: ModelServer, monkeypatch: pytest.MonkeyPatch, gists: str, settings: dict[str, ReplyForm], hosts: Any
) -> None:
    monkeypatch.setattr(client, "FORM_FIRST", hosts)
    await ask_reply(make_runtime(**settings), answer_prompt(gists, "Who?", {}), FreeAnswer)
    assert [each.schema is not None for each in server.requests] == [True]
