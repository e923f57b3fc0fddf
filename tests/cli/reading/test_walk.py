"""The command with MemWalker, as a user meets it."""

from typing import Any

import pytest

from tests.doubles.model_server import ModelServer
from tests.doubles.walker import REVERT, Walker, down, says
from tests.support.command import DOUBLE, NAMES, PROMISED, STORY, Command, assert_cited, assert_refused, plain
from tests.support.examples import WHOLE_STORY

WALK = ("--method", "mem-walker", "--segment-words", 200, "--children", 5)
ASK = ("ask", "What of the goat on the gallery?", STORY, *WALK)
ASK_WHOLE = ("ask", "What of the goat on the gallery?", WHOLE_STORY, *WALK)


def test_json_holds_the_walk(readgraph: Command, server: ModelServer, story: str) -> None:
    for model in ((), DOUBLE):
        found = readgraph(*ASK, *model, "--json").json
        assert set(found) == (PROMISED | NAMES | {"hops"}) - ({"searched_by"} if model else set())
        assert found["status"] == ("answered" if model else "nearest") and found["hops"][-1]["action"] == "answer"
        assert len(found["findings"]) == len(found["pages_read"]) == 1
        assert_cited(found, story)
    assert found["usage"]["calls"] == server.calls


def test_the_walk_is_printed_and_drawn(readgraph: Command, server: ModelServer) -> None:
    server.respond = Walker(down(1), down(0), down(2), REVERT, down(1), says("answer", "A goat stood there."))
    shown = readgraph(*ASK_WHOLE, *DOUBLE, "--show-steps")
    assert "walked 6 steps, 1 of them back · looked at: " in shown.text and " % of the text)" in shown.text
    assert "A goat stood there." in shown.text
    lines = shown.out.splitlines()
    (root,) = [number for number, line in enumerate(lines) if line.strip() == "3.0"]
    drawing = [line.strip("│├└─ ").split()[:2] for line in lines[root : root + 5]]
    assert drawing == [["3.0"], ["2.1", "it"], ["1.5", "it"], ["0.27", "it"], ["✓", "0.26"]]


@pytest.mark.parametrize("switch", [(), ("--show-steps",)])
@pytest.mark.slow
def test_on_a_terminal_the_tree_is_drawn_as_it_is_walked(
    readgraph: Command, server: ModelServer, monkeypatch: pytest.MonkeyPatch, switch: tuple[str, ...]
) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")
    server.respond = Walker(down(1), down(0), down(2), REVERT, down(1), says("answer", "A goat stood there."))
    shown = readgraph(*ASK_WHOLE, *DOUBLE, *switch)
    live = plain(shown.err)
    assert ("0.27 it looks near → back: it isn't here" in live) is bool(switch)
    assert ("✓ 0.26 it looks near → answer: it says so" in live) is bool(switch)


def test_what_was_learned_is_printed_where_there_is_no_answer(readgraph: Command, server: ModelServer) -> None:
    nothing: dict[str, Any] = {"reason": "", "pages": [], "answer": None}
    server.respond = Walker(down(0), down(0), says("keep", "A station was sold."), nothing)
    printed = readgraph(*ASK, *DOUBLE, "--max-hops", 3).text
    assert "The text doesn't say." in printed and "Learned from line 1: A station was sold." in printed


def test_what_no_model_said_is_not_printed_as_the_texts_silence(readgraph: Command, server: ModelServer) -> None:
    server.respond = Walker()
    printed = readgraph(*ASK, *DOUBLE).text
    assert "The model gave no answer that could be used." in printed and "The text doesn't say." not in printed


def test_the_tree_is_reported(readgraph: Command, server: ModelServer) -> None:
    built = readgraph("read", STORY, *WALK, *DOUBLE)
    (record,) = readgraph("show", "--json").json
    (memory,) = record["memories"]
    sizes = " + ".join(map(str, [memory["pages"], *memory["levels"]]))
    assert f"in a tree: {sizes}" in built.text and "summaries" in built.text
    assert memory["recipe"]["method"] == "mem-walker"


def test_switches_reach_the_walk(readgraph: Command, server: ModelServer) -> None:
    switches = ("--no-reasoning", "--working-memory", "off", "--walks", 2, "--max-hops", 9, "--node-words", 50)
    found = readgraph(*ASK, *DOUBLE, *switches, "--json").json
    assert {hop["reasoning"] for hop in found["hops"]} == {""}
    assert {hop["memory_words"] for hop in found["hops"]} == {0}
    assert {hop["walk"] for hop in found["hops"]} == {0, 1}
    (record,) = readgraph("show", "--json").json
    parameters = record["memories"][0]["recipe"]["parameters"]
    assert (parameters["node_words"], parameters["segment_words"], parameters["children"]) == (50, 200, 5)
    assert plain(readgraph("ask", "--help").out).count("MemWalker") == 1


@pytest.mark.parametrize("option", [("--children", 1), ("--walks", 0), ("--max-hops", 0), ("--working-memory", "all")])
def test_settings_out_of_range_are_refused(readgraph: Command, option: tuple[str, object]) -> None:
    ran = readgraph(*ASK, *option)
    assert (ran.code, ran.out) == (2, "") and option[0] in ran.err


def test_profiles_set_segments_and_children(readgraph: Command) -> None:
    readgraph("read", STORY, "--method", "mem-walker", "--profile", "screenplay")
    (record,) = readgraph("show", "--json").json
    parameters = record["memories"][0]["recipe"]["parameters"]
    assert (parameters["segment_words"], parameters["children"]) == (750, 5)
    assert_refused(readgraph("read", STORY, "--method", "mem-walk"), "Do you mean 'mem-walker'?")
