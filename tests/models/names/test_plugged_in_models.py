"""A package of others runs models on this machine, and sends calls in its own way, as ours do."""

import os
from pathlib import Path

import pytest

from tests.doubles.model_server import ModelServer
from tests.support.command import STORY, Ran, assert_refused, finished, plain, process
from tests.support.development_server import REPOSITORY
from tests.support.packages import install

PLUGIN = '''
import os
from dataclasses import dataclass
from typing import Annotated

from readgraph.cli.declaring import Command
from readgraph.plugins import hookimpl
from readgraph.state.declaring import Help, Settings
from readgraph.state.errors import BadInput
from readgraph.state.providers import ModelProvider
from readgraph.state.transports import Transport


@dataclass(frozen=True)
class Server:
    url: str = os.environ.get("OPENAI_BASE_URL", "")
    key: str = "its key"

    def how_it_ended(self):
        return ""


class ByNight(Settings, panel="Budget", calls=True):
    """When calls are sent."""

    by_night: Annotated[bool, Help("Send calls by night.")] = False


class Sender:
    tries, again = 2, "nobody was awake"

    def __init__(self, chat):
        self.post = chat._post
        chat.send_by(self.send, "--by-night")

    async def send(self, body):
        return await self.post({**body, "user": "the night watch"})

    def explain(self, cause, times):
        return f"slept {times}: {cause}."

    async def close(self):
        pass


def refuse(context):
    if context.model.startswith("lamps:"):
        raise BadInput("A lamp is not asked by night.")


def count() -> None:
    """Count the lamps of a library."""
    print("7 lamps")


@hookimpl
def models():
    fitting = {"window_words": 2000, "max_page_words": 300, "min_page_words": 100, "segment_words": 300}
    lamps = ModelProvider(name="lamps", chat_model="lamps:small", serve=lambda _: Server(), settings=lambda *_: fitting)
    return [lamps, ModelProvider(name="local", chat_model="local:mine", serve=lamps.serve, settings=lamps.settings)]


@hookimpl
def settings():
    return [ByNight]


@hookimpl
def transports():
    return [
        Transport(
            setting="by_night", at_once=100, share=0.7, check=refuse, goes_on="It goes on by night.",
            open=lambda context, server, chat: Sender(chat), progress=lambda: "",
        )
    ]


@hookimpl
def commands():
    return [Command(run=count, name="lamps", within="library"), Command(run=count, name="lost", within="nowhere")]
'''


@pytest.fixture
def plugged_in(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    install(tmp_path / "installed", "night", night_plugin=PLUGIN)
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(tmp_path / "installed"), str(REPOSITORY)]))
    monkeypatch.setenv("COLUMNS", "200")


def run(*arguments: object) -> Ran:
    return finished(process(*arguments))


@pytest.mark.slow
@pytest.mark.usefixtures("plugged_in")
def test_its_models_and_its_way_of_calls_are_used(server: ModelServer) -> None:
    ask = ("ask", "Who took the log book?", STORY, "--json", "--quiet")
    assert run(*ask, "--model", "lamps").code == 0
    assert {request.headers["authorization"] for request in server.requests} == {"Bearer its key"}
    assert {request.body["model"] for request in server.requests} == {"lamps:small"}
    server.requests.clear()
    assert run(*ask, "--model", "openai:double", "--by-night").code == 0
    assert {request.body.get("user") for request in server.requests} == {"the night watch"}
    assert_refused(run(*ask, "--model", "lamps", "--by-night"), "A lamp is not asked by night")
    for name, line in (("lamps", "not the name of an embedding model"), ("lamps:small", "not a known provider of emb")):
        assert_refused(run(*ask, "--method", "gam", "--model", "openai:double", "--embeddings", name), line)


@pytest.mark.slow
@pytest.mark.usefixtures("plugged_in")
def test_its_command_stands_among_those_of_a_group() -> None:
    assert "lamps Count the lamps of a library." in run("library", "--help").text
    assert run("library", "lamps").out == "7 lamps\n"
    told = plain(run("doctor").out)
    assert "there is no group of commands 'nowhere'" in told and "there are models of 'local' already" in told
