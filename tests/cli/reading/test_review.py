"""`readgraph ask --review`: the person at the terminal decides which parts are read, what is searched, what stands."""

import json
from collections.abc import Callable, Iterator

import pytest

from tests.doubles.model_server import ModelServer
from tests.support.command import ASK, DOUBLE, Command, assert_refused

Types = Callable[..., None]


@pytest.fixture
def types(monkeypatch: pytest.MonkeyPatch) -> Iterator[Types]:
    """Lets a person type these lines, all of which are asked for."""
    left = list[str]()
    monkeypatch.setattr("readgraph.cli.run.review.can_ask_user", lambda: True)
    monkeypatch.setattr("builtins.input", lambda: left.pop(0))
    yield lambda *lines: left.extend(lines)
    assert left == []


def test_parts_and_answer_are_what_the_person_says(readgraph: Command, types: Types) -> None:
    types("1, 999", "1 2", "")
    found = readgraph(*ASK, "--review", "--json")
    assert "there is no page 999" in found.err and found.json["pages_read"] == [1, 2]
    kept = found.json["answer"]
    types("", "Dora took it.")
    own = readgraph(*ASK, "--review", "--json")
    assert (own.json["answer"], own.json["citations"], own.json["status"]) == ("Dora took it.", [], "answered")
    assert "Enter, or another answer" in own.err and (not kept or kept in own.err or own.json["pages_read"] != [1, 2])
    types("-", "-")
    none = readgraph(*ASK, "--review", "--json").json
    assert (none["answer"], none["pages_read"], none["status"]) == (None, [], "no_answer")


def test_a_plan_is_changed_and_nothing_is_paid_twice(readgraph: Command, types: Types, server: ModelServer) -> None:
    types("log book; Vaughan", "")
    found = readgraph(*ASK, *DOUBLE, "--method", "gam", "--rounds", 2, "--review", "--json")
    assert found.json["rounds"][0]["plan"]["keyword"] == ["log book", "Vaughan"]
    asked = [json.dumps(request.key) for request in server.requests]
    assert len(asked) == len({*asked})


def test_who_can_not_be_asked_is_told(readgraph: Command, types: Types) -> None:
    assert_refused(readgraph(*ASK, "--review", "--method", "examples.collapsed_tree:build"), "a method of your own")


def test_without_a_terminal_it_is_refused(readgraph: Command) -> None:
    assert_refused(readgraph(*ASK, "--review"), "--review asks you at a terminal")
