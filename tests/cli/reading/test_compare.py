"""`compare` and `methods` as a user meets them."""

import re
from typing import Any

import pytest
from pytest import MonkeyPatch

from readgraph.graphs.method_facts import PAPERS
from readgraph.graphs.methods import METHODS
from tests.doubles.model_server import ChatRequest, Fault, ModelServer
from tests.doubles.reader import asked_for, reader
from tests.support.command import DOUBLE, NAMES, PROMISED, STORY, Command, assert_cited, assert_refused
from tests.support.some_methods import OF_THE_PAPERS, mostly_slow

COMPARE = ("compare", "What did the keeper's Remarks for 19 January say about a goat?", STORY)
PLAIN = [name for name in METHODS if name not in ("auto", "dense", "fused")]
"""The methods that need no embedding model, and choose no other."""


def test_every_method_is_listed_with_its_line(readgraph: Command) -> None:
    printed, listed = readgraph("methods").text, readgraph("methods", "--json").json
    assert [method["name"] for method in listed] == [*METHODS]
    assert all(method["name"] in printed and method["line"] in printed for method in listed)


def test_the_nodes_that_methods_share_are_listed(readgraph: Command) -> None:
    printed, listed = readgraph("methods", "--shared").text, readgraph("methods", "--shared", "--json").json
    (cite,) = (node for node in listed if node["name"] == "cite")
    assert cite["nodes"] == {name: ["cite"] for name in METHODS if name != "auto"} and all(
        node["name"] in printed for node in listed
    )
    several = sum(len(node["nodes"].keys() & {*PAPERS}) > 1 for node in listed)
    assert f"{several} of them serve two or more of the papers' methods" in " ".join(printed.split())
    assert_refused(readgraph("methods", "gam", "--shared"), "leave gam out")


@pytest.mark.parametrize("name", mostly_slow(METHODS, [*OF_THE_PAPERS, "auto"]))
def test_a_method_is_drawn(readgraph: Command, name: str) -> None:
    told = readgraph("methods", name, "--json").json
    assert "graph TD" in told["mermaid"] and "--> __end__" in told["mermaid"]
    assert name == "auto" or "memory" in {key for node in told["nodes"] for key in node["reads"]}
    if name == "gam":
        assert told["mermaid"].strip() == readgraph("methods", name, "--mermaid").out.strip()
        printed = readgraph("methods", name).text
        assert all(node["name"] in printed for node in told["nodes"])


def test_methods_are_compared_side_by_side(readgraph: Command, server: ModelServer, story: str) -> None:
    told = readgraph(*COMPARE, *DOUBLE, "--methods", "read-agent, bm25,full-text,bm25", "--price", "1/2", "--json").json
    assert [found["method"] for found in told["methods"]] == ["read-agent", "bm25", "full-text"]
    for found in told["methods"]:
        assert found.keys() >= (PROMISED | NAMES) - {"searched_by"} and found["document"] == told["document"]
        assert found["cost"] > 0
        assert_cited(found, story)
    assert sum(found["usage"]["calls"] for found in told["methods"]) == server.calls
    again = readgraph(*COMPARE, *DOUBLE, "--methods", "read-agent,bm25,full-text").text
    assert "bm25: 1 saved reply used" in again


@pytest.mark.slow
def test_the_table_fits_a_terminal(readgraph: Command, monkeypatch: MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    ran = readgraph(*COMPARE, "--methods", ",".join(PLAIN), "--price", "1/2")
    (header,) = re.findall(r"^method .*$", ran.out, re.MULTILINE)
    assert all(name in header for name in ("calls", "words", "seconds", "looked at", "parts", "quotes"))
    rows = [line for line in ran.out.split("method ", 1)[1].splitlines() if line.split()[:1] and "%" in line]
    assert [row.split()[0] for row in rows] == PLAIN and all(len(row) <= 80 for row in rows)
    assert "Goat on gallery" in ran.text
    assert "retrieved-pages, gists-only, gist-research, escalate: they share notes" in ran.text
    assert "without a model" in ran.err
    quiet = readgraph(*COMPARE, "--methods", ",".join(PLAIN), "-q")
    assert "share notes" not in quiet.text and quiet.err == ""


def test_each_method_has_its_own_budget(readgraph: Command, server: ModelServer) -> None:
    told = readgraph(*COMPARE, *DOUBLE, "--methods", "recurrent,bm25,gists-only", "--max-calls", 2, "--json").json
    assert {found["method"]: found["status"] for found in told["methods"]} == {
        "recurrent": "budget",
        "bm25": "answered",
        "gists-only": "budget",
    }
    assert all(found["usage"]["calls"] <= 2 for found in told["methods"])


def test_a_method_that_fails_does_not_stop_the_others(readgraph: Command, server: ModelServer) -> None:
    def fails_at_notes(request: ChatRequest) -> str | dict[str, object]:
        if not asked_for(request):
            raise ConnectionError("a server that breaks")
        return reader(request)

    server.respond = fails_at_notes
    ran = readgraph(*COMPARE, *DOUBLE, "--methods", "recurrent,bm25", "--json")
    failed, done = ran.json["methods"]
    assert (failed["status"], done["status"], ran.json["failed"]) == ("failed", "answered", 1)
    assert "in a row (500)" in failed["problem"]
    printed = readgraph(*COMPARE, *DOUBLE, "--methods", "recurrent,bm25").text
    assert "failed: The model server" in printed and "1 of 2 methods failed" in printed


def test_what_a_reader_must_know_is_printed_with_its_method_or_once_for_all(
    readgraph: Command, server: ModelServer
) -> None:
    alike = readgraph("compare", "Wer sah die Ziege auf der Galerie?", STORY, "--methods", "bm25,read-agent").text
    assert alike.count("The question is in German") == 1 < alike.count("No sentence")
    assert alike.index("The question is in German") > alike.rindex("No sentence")
    no_answer: dict[str | None, Any] = {"PartHolds": {"holds": False}, "FreeAnswer": {"quotes": [], "answer": None}}
    server.respond = lambda request: no_answer.get(asked_for(request)) or reader(request)
    command = ("compare", "Who baked the submarine?", STORY, *DOUBLE, "--methods", "bm25,gists-only", "--prove-absence")
    every_part_read, none_read = readgraph(*command, "-q").text.split("gists-only")[:2]
    assert "read, 0 judged)" in every_part_read and "(0 read," in none_read


@pytest.mark.slow
def test_what_methods_share_is_asked_again_once(readgraph: Command, server: ModelServer) -> None:
    command = (*COMPARE, *DOUBLE, "--methods", "read-agent,gists-only,retrieved-pages")
    server.fault_for = lambda request, call: Fault.empty()
    readgraph(*command)
    server.reset()
    server.fault_for = lambda request, call: Fault.empty()
    assert readgraph(*command, "--again").code == 0
    assert 0 < len(server.requests) == len({request.key for request in server.requests})


@pytest.mark.parametrize(
    ("more", "reason"),
    [
        (("--methods", "bm25,none"), "no method 'none'"),
        (("--methods", " , "), "no method to compare"),
        (("--option", "one"), "at least two options"),
        (("--model", "nonsense:x"), "'nonsense'"),
    ],
)
def test_what_can_not_be_compared_is_one_line(readgraph: Command, more: tuple[str, ...], reason: str) -> None:
    assert_refused(readgraph(*COMPARE, *more), reason)


def test_a_drawing_needs_a_name(readgraph: Command) -> None:
    assert_refused(readgraph("methods", "--mermaid"), "no method to draw")
    assert_refused(readgraph("methods", "none"), "no method 'none'")
