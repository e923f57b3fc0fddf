"""What each graph, prompt and option says about itself: the server's file, schemas, drawings, recipes, help."""

import json
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from readgraph import ReaderContext
from readgraph.graphs.method_facts import recipes_of, settings_of
from readgraph.graphs.methods import METHODS, WEB_METHODS
from tests.recording.conftest import Compare
from tests.support.command import Command
from tests.support.every_command import every_command
from tests.support.options import COMMAND

pytestmark = [pytest.mark.slow, pytest.mark.recording]

ROOT = Path(__file__).parents[2]
SERVED = json.loads((ROOT / "langgraph.json").read_text(encoding="utf-8"))["graphs"]
PURPOSES: dict[str, dict[str, Any]] = {"": {}, "purpose": {"purpose": "to find the goat"}, "preset": {"preset": "code"}}


@pytest.mark.parametrize("name", SERVED)
def test_graph(record: Compare, name: str) -> None:
    place = SERVED[name]["path"].partition(":")
    graph: Any = getattr(import_module(place[0]), place[2])
    record("line", SERVED[name]["description"])
    record("context", graph.get_context_jsonschema())
    record("input", graph.get_input_jsonschema())
    record("output", graph.get_output_jsonschema())
    record("drawing", graph.get_graph(xray=True).draw_mermaid())
    record("channels", {key: type(channel).__name__ for key, channel in graph.builder.channels.items()})


def test_methods(record: Compare) -> None:
    for name, method in {**METHODS, **WEB_METHODS}.items():
        record(name, [method.line, method.note])
        record(f"{name}: settings", [sorted(settings_of(method, asks=asks)) for asks in (False, True)])
        for model in ("openai:double", ""):
            for label, purpose in PURPOSES.items():
                context = replace(ReaderContext(model=model, embeddings="openai:embeds"), **purpose)
                record(f"{name}: recipe{bool(model) * ' with a model'} {label}", list(recipes_of(method, context)))


def test_help(record: Compare, readgraph: Command) -> None:
    record("readgraph", shown(readgraph("--help").out))
    for name in every_command():
        record(f"{name} --help", shown(readgraph(*name.split(), "--help").out))
        if any("--help-all" in option.opts for option in _command(COMMAND, name).params):
            record(f"{name} --help-all", shown(readgraph(*name.split(), "--help-all").out))


def shown(help: str) -> str:
    """The help with the names of its own option in one order, which Click takes from a set."""
    return help.replace("--help, -h", "-h, --help")


def _command(command: Any, name: str) -> Any:
    for word in name.split():
        command = command.commands[word]
    return command
