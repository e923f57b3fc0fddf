"""What goes wrong in a turn goes back to the model, and the turn goes on."""

import re

import pytest
from langchain_core.tools import tool

from readgraph.library.opening import Library
from tests.doubles.agent import Living, Script, Step, call, queue, say
from tests.doubles.model_server import Fault, ModelServer


@pytest.fixture
def ada(library: Library, server: ModelServer) -> Living:
    return Living(library)


@pytest.mark.parametrize(
    ("step", "error"),
    [
        (call("fly"), r"There is no function 'fly': call one of send_message, memory_append.*"),
        (call("memory_append", block="human"), r"memory_append takes block, text\. text: Field required\."),
        (call("memory_append", blok="human", text="x"), r"memory_append takes block, text; .* no argument 'blok'\."),
        (call("recall_search", words="x", page="two"), r"recall_search takes words, page\. page: .*integer.*"),
        (call("recall_search", words="x", page=0), r"There is no page 0 of these results.*"),
        (call("memory_replace", block="human", old="", new="x"), r"The old text is empty: .*"),
        (call("memory_replace", block="human", old="cats", new="x"), r"Block 'human' does not hold exactly that.*"),
        (call("memory_append", block="pets", text="x"), r"There is no block 'pets': choose one of persona, human\."),
        (call("memory_rewrite", block="human", text=" "), r"A rewrite with no text would empty the block.*"),
        (
            call("memory_append", block="human", text="x " * 301),
            r"Block 'human' would hold 301 words, .* 300: shorten.*",
        ),
        (call("send_message", message=" "), r"The message is empty.*"),
        (call("send_message", message="x " * 501), r"The message has more than 500 words.*"),
        (call("archival_insert", text="x " * 600), r"The passage has more than 480 words: insert it in several.*"),
        (call("document_open", document=1, page=0), r"There is no document 1: there are 0; .*"),
    ],
)
async def test_an_error_goes_back_to_the_model_and_the_turn_goes_on(
    ada: Living, server: ModelServer, step: Step, error: str
) -> None:
    server.respond = script = Script(step, say("I see."))
    found = await ada.turn("Hello.")
    assert found["said"] == ["I see."] and len(script.requests) == 2
    assert re.fullmatch(error, (await ada.results())[0])
    assert "error: " in queue(script.requests[1])
    assert await ada.block("human") == ""


async def test_half_a_character_in_arguments_inside_a_string_is_replaced(ada: Living, server: ModelServer) -> None:
    half: Step = {**call("memory_append"), "arguments": '{"block": "human", "text": "goat \\ud83d"}'}
    server.respond = Script(half, say("I see."))
    assert (await ada.turn("Hello."))["said"] == ["I see."]
    assert await ada.block("human") == "goat \ufffd"


async def test_a_functions_own_failure_goes_back_too(library: Library, server: ModelServer) -> None:
    @tool
    def weather(town: str) -> str:
        """The weather in a town."""
        raise ConnectionError(f"no station in {town}")

    server.respond = script = Script(call("weather", town="Sarn"), say("I can't tell."))
    ada = Living(library, tools=[weather])
    assert (await ada.turn("How is the weather?"))["said"] == ["I can't tell."]
    assert (await ada.results())[0] == "weather failed: ConnectionError: no station in Sarn"
    assert "- weather(town: text): The weather in a town." in script.requests[0].text


async def test_replies_that_are_no_step(ada: Living, server: ModelServer) -> None:
    server.respond = Script()
    server.faults.extend([Fault.not_json(), Fault.wrong_schema(), Fault.empty()])
    found = await ada.turn("Hello?")
    assert (found["status"], found["fallbacks"]) == ("no_answer", {"step": 1})
    assert (await ada.events())[-1].kind == "system"
    assert (await ada.turn("Hello?"))["said"] == ["Done."]


@pytest.mark.parametrize(
    "said",
    [
        '{"function": "send_message", "arguments": {"message": "Hi."}}',
        'Let me see.\n```json\n{"inner_thoughts": "x", "function": "send_message", "arguments": '
        '"{\\"message\\": \\"Hi.\\"}", "request_heartbeat": false}\n```',
        '{"inner_thoughts": "x", "function": "send_message", "arguments": [{"name": "message", "value": "Hi."}],}',
    ],
)
async def test_a_model_without_function_calling(library: Library, server: ModelServer, said: str) -> None:
    server.supports = frozenset()
    server.respond = lambda request: said
    assert (await Living(library).turn("Hello?"))["said"] == ["Hi."]
