"""`readgraph ask --review`: the person at the terminal decides which parts are read, what is searched, what stands."""

import json
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from readgraph import open_library
from readgraph.api import RunThread, ask
from readgraph.state.errors import BadInput
from tests.doubles.model_server import ModelServer
from tests.support.command import ASK, DOUBLE, STORY, Command, assert_refused

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
    types("the first", "3-1", "1-2", "")
    assert readgraph(*ASK, "--review", "--json").json["pages_read"] == [1, 2]
    types("", "Dora took it.")
    own = readgraph(*ASK, "--review", "--json")
    assert (own.json["answer"], own.json["citations"], own.json["status"]) == ("Dora took it.", [], "answered")
    assert "Enter, or another answer" in own.err and (not kept or kept in own.err or own.json["pages_read"] != [1, 2])
    types("-", "-")
    none = readgraph(*ASK, "--review", "--json").json
    assert (none["answer"], none["pages_read"], none["status"]) == (None, [], "no_answer")
    types("-", "-")
    assert "A person refused the answer" in readgraph(*ASK, "--review").out


def test_input_that_ends_accepts_nothing(readgraph: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    def end() -> str:
        raise EOFError

    monkeypatch.setattr("readgraph.cli.run.review.can_ask_user", lambda: True)
    monkeypatch.setattr("builtins.input", end)
    ran = readgraph(*ASK, "--review")
    assert ran.code == 2 and ran.err.splitlines()[-1].startswith("readgraph: The input ended before your reply")


def test_a_plan_is_changed_and_nothing_is_paid_twice(readgraph: Command, types: Types, server: ModelServer) -> None:
    types("log book; Vaughan", "")
    found = readgraph(*ASK, *DOUBLE, "--method", "gam", "--rounds", 2, "--review", "--json")
    assert found.json["rounds"][0]["plan"]["keyword"] == ["log book", "Vaughan"]
    asked = [json.dumps(request.key) for request in server.requests]
    assert len(asked) == len({*asked})


def test_who_can_not_be_asked_is_told(readgraph: Command, types: Types) -> None:
    assert_refused(readgraph(*ASK, "--review", "--method", "examples.collapsed_tree:build"), "a method of your own")


async def test_a_program_asks_in_its_own_way(tmp_path: Path) -> None:
    asked = list[str]()

    async def person(question: Mapping[str, Any]) -> Mapping[str, Any]:
        asked.append(question["kind"])
        return {"pages": [1]} if question["kind"] == "choose_pages" else {"accept": True}

    async with open_library(tmp_path) as library:
        document = await library.pages.add_document(Path(STORY).read_text(encoding="utf-8"))
        thread = RunThread(saver=library.checkpointer, ask_person=person)
        found = await ask(library, "Who took the log book?", documents=[document], thread=thread)
        assert asked == ["choose_pages", "review_answer"] and found.output["pages_read"] == [1]
        with pytest.raises(BadInput, match="give RunThread a saver"):
            await ask(library, "Who?", documents=[document], thread=RunThread(saver=None, ask_person=person))
        nobody = RunThread(saver=library.checkpointer, ask_person=lambda asked: None)  # type: ignore[arg-type,return-value]
        with pytest.raises(BadInput, match="must give a reply"):
            await ask(library, "Who?", documents=[document], thread=nobody)


def test_without_a_terminal_it_is_refused(readgraph: Command) -> None:
    assert_refused(readgraph(*ASK, "--review"), "--review asks you at a terminal")
