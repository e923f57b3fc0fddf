"""`read` and `ask` as a user meets them."""

import io
import json
import re
import socket
from pathlib import Path

import pytest
from pytest import MonkeyPatch

from tests.doubles.model_server import Fault, ModelServer
from tests.doubles.reader import asked_for, reader
from tests.support.command import (
    ASK,
    DOUBLE,
    NAMES,
    NODES,
    PROMISED,
    STORY,
    Command,
    assert_cited,
    assert_refused,
    finished,
    kinds,
    plain,
    process,
)

pytestmark = pytest.mark.quick


def test_an_answer_without_model_key_or_network(
    readgraph: Command, monkeypatch: MonkeyPatch, story: str, tmp_path: Path
) -> None:
    monkeypatch.setattr(socket.socket, "connect", lambda *_: pytest.fail("something is called over the network"))
    ran = readgraph(*ASK)
    quotes = re.findall(r"(\[\d\]) [^“]+ “(.+?)”", ran.text)
    assert quotes and all(quote in plain(story) for _, quote in quotes)
    assert ran.text.startswith("Nearest sentences: [1] "), "no model said that they answer"
    assert "without a model" in plain(ran.err) and "--model" in ran.err and "openai:" in ran.err
    for library in ("library", "another"):
        again = readgraph(*ASK, "--library", tmp_path / library)
        assert ran.out.partition("looked at")[0] == again.out.partition("looked at")[0]


def test_what_shares_no_word_is_not_said_to_be_missing_from_the_text(readgraph: Command) -> None:
    ran = readgraph("ask", "Xylophones?", STORY)
    assert ran.text.startswith("No sentence that was looked at is near your question. looked at: nothing")


def test_the_last_line_names_the_places_of_the_citations(readgraph: Command, tmp_path: Path) -> None:
    things = "Glocke Laterne Trompete Kanne Harfe Mütze Geige Flasche".split()
    days = [
        f"## Tag {day}\n\nDer Wärter fand die {thing} unter der Bank. {'Regen. ' * 40}"
        for day, thing in enumerate(things)
    ]
    (tmp_path / "tage.md").write_text("\n\n".join(["# Buch", *days]), encoding="utf-8")
    asked = ("ask", "Wo lag die Trompete?", tmp_path / "tage.md", "--max-page-words", 90, "--min-page-words", 60)
    (cited,) = {each["place"] for each in readgraph(*asked, "--json").json["citations"]}
    assert readgraph(*asked).out.splitlines()[-1].partition(" (")[0].endswith(cited)


def test_json_holds_what_is_promised(readgraph: Command, story: str, tmp_path: Path) -> None:
    text = "\U0001f56f Élise, naïve\r\n\r\n" + story.replace("\n", "\r\n")
    (tmp_path / "windows.md").write_bytes(text.encode("utf-8-sig"))
    found = readgraph("ask", ASK[1], tmp_path / "windows.md", "--json").json
    assert found.keys() >= PROMISED | NAMES
    assert_cited(found, text)
    assert [each["number"] for each in found["citations"]] == [*range(1, len(found["citations"]) + 1)]
    assert re.sub(r" (\[\d\])+", "", found["marked_answer"]) == found["answer"]
    assert found["status"] == "nearest" and found["choice"] is None and found["fallbacks"] == {}
    assert set(found["usage"]) == {
        "calls",
        "cached_calls",
        "cache_read_tokens",
        "cache_write_tokens",
        "refused",
        "input_words",
        "output_words",
        "input_tokens",
        "output_tokens",
        "seconds",
    }
    assert [step["node"] for step in found["steps"]] == NODES
    assert found["pages_read"] and 0 < found["compression_rate"] < 100
    shown = readgraph(*ASK, "--show-steps").out.splitlines()
    assert [line.split()[0] for line in shown[1 : 1 + len(NODES)]] == NODES


def test_json_holds_nothing_else(readgraph: Command) -> None:
    assert set(readgraph(*ASK, "--json").json) == PROMISED | NAMES


@pytest.mark.parametrize("model", [(), DOUBLE])
def test_options_are_answered_with_a_letter(readgraph: Command, server: ModelServer, model: tuple[str, ...]) -> None:
    options = {"A": "Desmond", "B": "Iolo, for his grandmother", "C": "Femi Lloyd"}
    given = [part for option in options.values() for part in ("--option", option)]
    found = readgraph(*ASK, *given, *model, "--json").json
    assert options[found["choice"]] == found["answer"]
    told = readgraph(*ASK, *given, *model).text
    assert f"{found['choice']}. {found['marked_answer']}" in told
    assert found["by_rule"] == (not model) == ("A guess by shared words, no better than chance: " in told)


@pytest.mark.parametrize("strategy", ["parallel", "sequential"])
def test_a_model_reads(
    readgraph: Command, server: ModelServer, monkeypatch: MonkeyPatch, story: str, strategy: str
) -> None:
    monkeypatch.setenv("READGRAPH_MODEL", "openai:double")
    asked = (*ASK, "--method", "read-agent", "--strategy", strategy)
    found = readgraph(*asked, "--json").json
    assert (found["answer"], found["status"], found["model"]) == ("It says so.", "answered", "openai:double")
    assert len(found["pages_read"]) == 2 and found["usage"]["calls"] == server.calls > 20
    assert ("NextPage" if strategy == "sequential" else "PagesToRead") in kinds(server.requests)
    assert_cited(found, story)
    assert "without a model" not in readgraph(*asked).err
    one = readgraph(*asked, "--max-pages", 1, "--json").json
    assert len(one["pages_read"]) == 1 and one["status"] == "answered"


def test_a_memory_is_built_once(readgraph: Command, server: ModelServer) -> None:
    method = ("--method", "read-agent")
    first = readgraph(*ASK, *method, *DOUBLE, "--json").json
    server.reset()
    for more in ((), ("--rebuild",)):
        again = readgraph(*ASK, *method, *DOUBLE, *more, "--json").json
        assert (again["answer"], again["citations"]) == (first["answer"], first["citations"])
        assert server.calls == again["usage"]["calls"] == 0 and again["usage"]["cached_calls"] == 2
    other = readgraph("ask", "How deep is the well?", STORY, *method, *DOUBLE, "--json").json
    assert kinds(server.requests) == ["PagesToRead", "FreeAnswer"]
    assert (other["usage"]["calls"], other["usage"]["cached_calls"]) == (2, 0)


def test_a_budget_ends_the_reading_and_what_was_paid_for_is_kept(readgraph: Command, server: ModelServer) -> None:
    asked = (*ASK, "--method", "read-agent", *DOUBLE)
    found = readgraph(*asked, "--max-calls", 5, "--json").json
    assert found["status"] == "budget" and found["usage"]["calls"] == server.calls == 5
    assert "budget ran out" in readgraph(*asked, "--max-calls", 0).text
    assert "Not complete" in readgraph("read", STORY, *DOUBLE, "--max-calls", 0).text
    assert server.calls == 5
    assert readgraph(*asked, "--json").json["status"] == "answered"
    assert len({request.key for request in server.requests}) == server.calls > 20


def test_another_server_is_asked(readgraph: Command, server: ModelServer, monkeypatch: MonkeyPatch) -> None:
    readgraph(*ASK, *DOUBLE)
    with ModelServer(reader) as other:
        monkeypatch.setenv("OPENAI_BASE_URL", other.url)
        assert readgraph(*ASK, *DOUBLE).code == 0
    assert "FreeAnswer" in kinds(other.requests)


def test_help_and_version(readgraph: Command) -> None:
    assert re.fullmatch(r"readgraph \d+\.\d+\.\d+\S*", readgraph("--version").text)
    assert all(command in readgraph("--help").text for command in ("read", "ask", "show"))
    assert 'readgraph ask "' in readgraph("ask", "--help").text
    timed = finished(process("--help", options=("-X", "importtime")))
    assert timed.code == 0 and "typer" in timed.err and "langgraph.graph" not in timed.err


def test_a_model_is_checked(readgraph: Command, server: ModelServer) -> None:
    server.respond = lambda request: {"count": 3}
    assert "typed replies by a JSON schema" in readgraph("models", "openai:double").out
    server.supports = frozenset({"tools"})
    assert "by a function call" in readgraph("models", "openai:double").out
    server.fault_for = lambda request, call: Fault.not_json()
    ran = readgraph("models", "openai:double", "--json")
    assert (ran.code, json.loads(ran.out)["usable"]) == (0, False)
    assert "set another reply_form" in readgraph("models", "openai:double").out


def test_an_html_page_is_cited_by_its_headings(readgraph: Command, tmp_path: Path) -> None:
    page = "<h1>The log</h1><p>The lamp was lit at nine.</p><h2>The well</h2><p>The well is thirty-one feet deep.</p>"
    (tmp_path / "log.html").write_text(f"<html><body>{page}</body></html>")
    found = readgraph("ask", "How deep is the well?", tmp_path / "log.html", "--json").json
    assert any("The well" in citation["place"] for citation in found["citations"])


def test_standard_input_is_read(readgraph: Command, monkeypatch: MonkeyPatch) -> None:
    text = "The well is thirty-one feet deep. The lamp was lit at nine."
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(text.encode())))
    assert "thirty-one feet" in readgraph("ask", "How deep is the well?", "-").out


def test_a_folder_is_read(readgraph: Command, tmp_path: Path) -> None:
    (tmp_path / "letters").mkdir()
    for name in ("1.md", "2.md", "3.txt"):
        (tmp_path / "letters" / name).write_text(f"The lamp of letter {name} was lit at nine.")
    built = json.loads(readgraph("read", tmp_path / "letters", "--glob", "*.md", "--json").out)
    assert [document["title"] for document in built] == ["1", "2"]
    assert all(document["complete"] for document in built)
    assert readgraph("read", tmp_path / "letters").out.count("notes for 1 part: ") == 3
    assert_refused(readgraph("read", tmp_path / "letters", "--glob", "*.pdf"), "holds no file")
    (tmp_path / "letters" / "4.pdf").write_text("no PDF")
    one, damaged = (tmp_path / "letters" / name for name in ("1.md", "4.pdf"))
    assert [each["title"] for each in json.loads(readgraph("read", one, damaged, "--json").out.strip())] == ["1"]
    assert readgraph("read", one, "--json").json["title"] == "1"
    for command in (("read",), ("ask", "When was the lamp lit?")):
        ran = readgraph(*command, tmp_path / "letters", "--quiet")
        assert ran.code == 0 and ran.err.startswith("readgraph: Left out: ") and "4.pdf is no PDF" in ran.err


@pytest.mark.parametrize(
    "line",
    [
        "read {good} {bad} {empty} {missing}",
        "ask Lampe {bad} {good} {empty}",
        "compare Lampe {bad} {good} --methods gam",
        "summarise {bad} {good}",
        "table {good} {bad} years",
        "compress {good} {bad} --budget 50",
        "read {good} {bad} --estimate",
        "ask Lampe {good} {bad} --estimate",
        "remember diary {bad} {good}",
        "search Lampe {bad} {good}",
        "collection add letters {bad} {good}",
    ],
)
@pytest.mark.usefixtures("pdfium_here")
def test_an_unreadable_file_among_several_is_left_out(readgraph: Command, tmp_path: Path, line: str) -> None:
    files = {name: tmp_path / f"{name}.{end}" for name, end in (("good", "md"), ("bad", "pdf"), ("missing", "txt"))}
    files["good"].write_text("Die Lampe wurde 1921 um neun angezündet.")
    files["bad"].write_text("kein PDF")
    (tmp_path / "empty").mkdir()
    assert readgraph("read", files["good"], "--quiet").code == 0
    words = [word.format(**files, empty=tmp_path / "empty") for word in line.split()]
    ran = readgraph(*words)
    assert ran.code == 0 and ran.out, ran.err
    left_out = [each for each in ran.err.splitlines() if each.startswith("readgraph: Left out: ")]
    assert len(left_out) == sum(f"{{{name}}}" in line for name in ("bad", "empty", "missing"))
    assert any("bad.pdf is no PDF" in each for each in left_out)
    if not line.startswith("search"):  # its JSON is a list of hits
        shown = json.loads(readgraph(*words, "--json").out)
        told = (shown[0] if isinstance(shown, list) else shown)["left_out"]
        assert [f"readgraph: Left out: {each}" for each in told] == left_out
    if line.startswith(("ask Lampe {bad}", "summarise", "table")):
        readgraph(*words, "--report", tmp_path / "report.html")
        assert "bad.pdf is no PDF" in (tmp_path / "report.html").read_text()
    alone = readgraph(*(word for word in words if not word.endswith(("good.md", "empty", "missing.txt"))))
    assert_refused(alone, "bad.pdf is no PDF")


def test_several_files_are_asked_as_one(readgraph: Command, tmp_path: Path) -> None:
    for name, text in (("a.md", "# Lamps\n\nThe lamp was lit at nine."), ("b.txt", "The well is thirty feet deep.")):
        (tmp_path / name).write_text(text)
    found = readgraph("ask", "How deep is the well?", tmp_path, "--json").json
    assert [document["title"] for document in found["documents"]] == ["a", "b"]
    assert found["citations"][0]["place"].startswith("b, ")
    start = found["documents"][1]["start"]
    (citation,) = (c for c in found["citations"] if "thirty" in c["quote"])
    assert citation["start"] - start == "The well is thirty feet deep.".index(citation["quote"])
    assert "thirty feet" in readgraph("ask", "How deep is the well?", tmp_path / "a.md", tmp_path / "b.txt").out
    assert "thirty feet" in readgraph("ask", "How deep is the well?", "b").out, "by its title in the library"


def test_a_follow_up_goes_on_from_the_last_question(readgraph: Command, server: ModelServer) -> None:
    readgraph(*ASK, *DOUBLE)
    found = readgraph("ask", "--continue", "And for whom?", *DOUBLE, "--json").json
    assert found["title"] == STORY.stem and found["status"] == "answered"
    assert ASK[1] in server.requests[-1].text and "And for whom?" in server.requests[-1].text
    assert "question before was asked with read-agent" not in readgraph("ask", "--continue", "Why?", STORY, *DOUBLE).err


def test_a_follow_up_of_a_question_whose_way_was_chosen_goes_its_own_way(
    readgraph: Command, server: ModelServer
) -> None:
    small = (*DOUBLE, "--window-words", "2500")
    assert readgraph(*ASK, *small, "--json").json["method"] == "read-agent"
    found = readgraph("ask", "--continue", "How often is the log book named?", *small, "--json").json
    assert (found["method"], found["why"]) == ("survey", "the question asks for something of every part")
    readgraph(*ASK, *small, "--method", "read-agent")
    assert readgraph("ask", "--continue", "How often did they?", *small, "--json").json["method"] == "read-agent"


def test_quiet_prints_the_answer_and_verbose_every_step(readgraph: Command, server: ModelServer) -> None:
    quiet = readgraph(*ASK, "--quiet")
    assert quiet.err == "" and "looked at" not in quiet.out and "[1] " in quiet.out
    server.respond = lambda request: "no label" if asked_for(request) == "PausePoint" else reader(request)
    told = readgraph(*ASK, "--method", "read-agent", *DOUBLE, "--verbose").err
    assert all(f"{node}: " in told for node in NODES) and "refused a reply to 'pause'" in told


def test_what_it_cost_is_reported_where_the_price_is_known(
    readgraph: Command, server: ModelServer, monkeypatch: MonkeyPatch
) -> None:
    found = readgraph(*ASK, *DOUBLE, "--price", "2/10", "--json").json
    used = found["usage"]
    assert found["cost"] == pytest.approx((2 * used["input_tokens"] + 10 * used["output_tokens"]) / 1e6, abs=1e-5)
    assert readgraph(*ASK, *DOUBLE, "--rebuild", "--json").json["cost"] == 0, "recorded replies cost nothing"
    other = ("ask", "Who took the lamp?", STORY, *DOUBLE)
    assert readgraph(*other, "--json").json["cost"] is None
    assert "$" in readgraph("ask", "Who took the gander?", STORY, *DOUBLE, "--price", "2/10").text


def test_notes_that_a_substitute_wrote_are_told_also_when_they_were_kept(
    readgraph: Command, server: ModelServer
) -> None:
    server.respond = lambda request: ""
    command, told = ("read", STORY, "--method", "recurrent", *DOUBLE), "replies were unusable; --again asks"
    assert all(told in readgraph(*command).text for _ in range(2))
    server.respond = reader
    assert told not in readgraph(*command, "--again").text


def test_what_the_model_did_not_answer_is_not_paid_for_again_unless_asked_for(
    readgraph: Command, server: ModelServer
) -> None:
    server.respond = lambda request: "nein" if asked_for(request) == "SearchPlan" else reader(request)
    command = ("ask", "Wer hat das Logbuch genommen?", STORY, "--method", "gam", *DOUBLE)
    first = readgraph(*command)
    paid = server.calls
    second = readgraph(*command)
    assert server.calls == paid and "no usable reply for plan" in second.text
    assert "--again asks the model again" in first.text
    server.respond = reader
    third = readgraph(*command, "--again")
    assert server.calls > paid and "no usable reply" not in third.text
