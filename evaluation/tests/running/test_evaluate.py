"""`evaluate` as a user meets it: what is run and kept, and that it goes on where it was stopped."""

import json
import random
import signal
import zlib
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from evaluation.tests.folder.test_foreign_folders import WHAT
from evaluation.tests.support.datasets import chat, lines
from evaluation.tests.support.evaluations import by_method
from readgraph.graphs.methods import METHODS, builder_of
from readgraph_evaluation.folder import EvaluationFolder
from tests.doubles.model_server import ChatRequest, Fault, ModelServer
from tests.doubles.reader import asked_for, reader
from tests.support.command import DOUBLE, Command, assert_refused, finished, process
from tests.support.questions import CHOICE, GOAT, WELL, story_file


@pytest.mark.quick
@pytest.mark.usefixtures("plots")
def test_methods_answer_questions_and_are_scored(
    readgraph: Command, server: ModelServer, tmp_path: Path, out: Path
) -> None:
    server.respond = reader
    file = story_file(tmp_path, GOAT, WELL)
    told = readgraph(
        "evaluate", file, *DOUBLE, "--methods", "read-agent,bm25", "--out", out, "--price", "1/2", "--json"
    )
    results = by_method(told.json)
    assert list(results) == ["read-agent", "bm25", "full-text"], "the full text is there where it fits"
    assert json.loads((out / "results.json").read_text(encoding="utf-8")) == told.json
    for found in results.values():
        assert found["metrics"]["f1"]["mean"] == 50 and found["metrics"]["f1"]["questions"] == 2
        assert found["metrics"]["f1"]["categories"]["fact"]["mean"] == 100
        assert found["metrics"]["evidence_recall"]["questions"] == 1
        assert found["statuses"] == {"answered": 2} and found["failures"] == []
        assert found["cost"] > 0 and found["figures"]["calls"] >= 1 and found["valid_replies"] == 100
    assert results["full-text"]["metrics"]["evidence_recall"]["mean"] == 100
    assert results["read-agent"]["building"]["calls"] > 0 == results["bm25"]["building"]["calls"]
    assert "<svg" in (out / "report.html").read_text(encoding="utf-8"), "the page has its plots"


def test_every_reply_is_kept_with_what_made_it(
    readgraph: Command, server: ModelServer, tmp_path: Path, out: Path
) -> None:
    server.respond = reader
    readgraph("evaluate", story_file(tmp_path, GOAT), *DOUBLE, "--methods", "gam", "--out", out, "-q")
    folder = EvaluationFolder(out)
    exchanges = list(folder.lines("exchanges"))
    assert len(exchanges) == server.calls
    assert {exchange["asked"] for exchange in exchanges} >= {"memorize", "plan", "integrate", "answer_from_notes"}
    assert all(exchange["reply"] and exchange["messages"][0][0] == "system" for exchange in exchanges)
    what = folder.what()
    assert what["packages"]["langgraph"] and what["prompts"]["plan"] >= 1
    assert what["file"]["name"] == "questions.jsonl" and str(tmp_path) not in (out / "evaluation.json").read_text()
    assert all(memory["fingerprint"] for memory in folder.memories())


def test_each_run_asks_anew_and_their_spread_is_given(
    readgraph: Command, server: ModelServer, tmp_path: Path, out: Path
) -> None:
    answers = iter(["It says so.", "Nothing at all."])

    def varying(request: ChatRequest) -> Any:
        return {"answer": next(answers), "quotes": []} if asked_for(request) == "FreeAnswer" else reader(request)

    server.respond = varying
    arguments = ("evaluate", story_file(tmp_path, GOAT), *DOUBLE, "--methods", "bm25", "--window-words", 1000)
    found = by_method(readgraph(*arguments, "--runs", 2, "--out", out, "--json").json)["bm25"]
    assert (found["runs"], found["outcomes"]) == (2, 2)
    assert found["metrics"]["f1"]["mean"] == 50 and found["metrics"]["f1"]["deviation"] == pytest.approx(70.71, abs=0.1)


def test_the_same_command_pays_nothing_again_and_more_may_be_asked(
    readgraph: Command, server: ModelServer, tmp_path: Path, out: Path
) -> None:
    server.respond = reader
    arguments = ("evaluate", story_file(tmp_path, GOAT, CHOICE, texts=2), *DOUBLE, "--out", out, "--json")
    first = readgraph(*arguments, "--methods", "read-agent", "--limit", 1).json
    paid = server.calls
    assert readgraph(*arguments, "--methods", "read-agent", "--limit", 1).json["methods"] == first["methods"]
    assert server.calls == paid
    more = by_method(readgraph(*arguments, "--methods", "read-agent,gists-only").json)
    assert more["gists-only"]["outcomes"] == 4 and more["read-agent"]["outcomes"] == 4
    assert more["gists-only"]["metrics"]["accuracy"]["mean"] == 100
    built = [more[name]["building"] for name in ("read-agent", "gists-only")]
    assert built[0] == built[1] and built[0]["memories"] == 2, "one memory, whoever built it"


@pytest.mark.slow
def test_refused_replies_of_another_evaluation_are_asked_again_once_for_all_questions(
    readgraph: Command, server: ModelServer, tmp_path: Path, out: Path
) -> None:
    server.fault_for = lambda request, call: Fault.empty()
    command = ("evaluate", story_file(tmp_path, GOAT, WELL, CHOICE), *DOUBLE, "--methods", "read-agent", "--json")
    assert readgraph(*command, "--no-full-text", "--out", out).code == 0
    server.reset()
    server.fault_for = lambda request, call: Fault.empty()
    more = (*command, "--no-full-text", "--replies", out, "--again", "--out", tmp_path / "other")
    assert readgraph(*more).code == 0
    assert 0 < len(server.requests) == len({request.key for request in server.requests})


@pytest.mark.slow
def test_the_replies_of_another_evaluation_cost_nothing(
    readgraph: Command, server: ModelServer, tmp_path: Path, out: Path
) -> None:
    server.respond = reader
    file = story_file(tmp_path, GOAT)
    command = ("evaluate", file, *DOUBLE, "--methods", "read-agent", "--no-full-text", "--price", "1/2", "--json")
    first = by_method(readgraph(*command, "--out", out).json)["read-agent"]
    paid = server.calls
    more = (*command, "--max-pages", 1, "--out", tmp_path / "other", "--replies", out)
    second = by_method(readgraph(*more).json)["read-agent"]
    assert server.calls - paid <= 2, "only what the setting changes is asked"
    same = [{**of["building"], "seconds": 0} for of in (first, second)]
    assert same[0] == same[1] and same[0]["cost"] > 0, "the figures are the method's, whoever paid"
    again = readgraph(*command, "--out", tmp_path / "third", "--replies", out / "library")
    assert again.code == 0 and server.calls - paid <= 2
    nothing = readgraph(*command, "--out", tmp_path / "fourth", "--replies", tmp_path)
    assert_refused(nothing, "holds no recorded replies")
    assert not (tmp_path / "fourth").exists()


@pytest.mark.slow
def test_settings_in_folders_of_their_own_pay_for_nothing_twice(
    readgraph: Command, server: ModelServer, tmp_path: Path
) -> None:
    server.respond = reader
    command = ("evaluate", story_file(tmp_path, GOAT), *DOUBLE, "--methods", "read-agent", "--no-full-text", "--quiet")
    readgraph(*command, "--max-pages", 1, "--out", tmp_path / "one")
    paid = server.calls
    readgraph(*command, "--max-pages", 2, "--out", tmp_path / "two", "--replies", tmp_path / "one")
    asked = [asked_for(request) for request in server.requests[paid:]]
    assert sorted(asked) == ["FreeAnswer", "PagesToRead"], "only what the setting changes"
    assert len({*server.answered}) == server.calls, "no prompt was paid for twice"
    paid = server.calls
    again = readgraph(*command, "--max-pages", 1, "--out", tmp_path / "three", "--replies", tmp_path / "two")
    assert again.code == 0 and server.calls == paid, "replies that were taken over are handed on"


@pytest.mark.parametrize("rows", [("--methods", "bm25"), ("--method", "bm25@max_pages=1"), ("--sweep", "gam-rounds")])
def test_the_full_text_is_left_out_of_every_form_of_rows(
    readgraph: Command, tmp_path: Path, rows: tuple[str, str]
) -> None:
    command = ("evaluate", story_file(tmp_path, GOAT), *DOUBLE, *rows, "--estimate", "--json")
    with_it, without = (readgraph(*command, *more).json for more in ((), ("--no-full-text",)))
    assert with_it["calls"]["expected"] - without["calls"]["expected"] == 1


@pytest.mark.slow
def test_a_killed_evaluation_goes_on(readgraph: Command, server: ModelServer, tmp_path: Path, out: Path) -> None:
    file, rng = story_file(tmp_path, GOAT, WELL, texts=3), random.Random(5)
    asked: Counter[str] = Counter()
    methods = ("--methods", "read-agent,gam", "--price", "1/2")
    command = ("evaluate", file, *DOUBLE, *methods, "--out", out, "--concurrency", 2, "-q")
    running: list[Any] = []

    def killing(request: ChatRequest) -> Any:
        asked[request.text] += 1
        if running and asked.total() >= running[0][1]:
            running.pop()[0].send_signal(signal.SIGKILL)
        return reader(request)

    server.respond = killing
    for _ in range(2):
        started = process(*command)
        running.append((started, asked.total() + rng.randint(5, 12)))
        assert finished(started).code == -signal.SIGKILL
    running.clear()
    assert readgraph(*command).code == 0
    assert sum(count - 1 for count in asked.values()) <= 2 * 2, "only calls in flight at a kill are paid again"
    whole = {outcome.key for outcome in EvaluationFolder(out).outcomes()}
    assert len(whole) == 3 * 6 and all(one.status == "answered" for one in EvaluationFolder(out).outcomes())
    stopped, undisturbed = (
        by_method(readgraph(*command, "--out", folder, "--json").json) for folder in (out, tmp_path / "undisturbed")
    )
    for name, found in undisturbed.items():
        assert stopped[name]["figures"] == found["figures"]
        assert stopped[name]["cost"] == pytest.approx(found["cost"]) and stopped[name]["cost"] > 0
        built, expected = stopped[name]["building"], found["building"]
        for used in ("calls", "input_words", "output_words", "cost"):
            assert built[used] == pytest.approx(expected[used]), "what was paid before a kill counts, and counts once"


@pytest.mark.slow
def test_fall_backs_before_a_stop_count_and_count_once(
    readgraph: Command, server: ModelServer, tmp_path: Path, out: Path
) -> None:
    def often_unusable(request: ChatRequest) -> Any:
        return "" if zlib.crc32(request.last.encode()) % 3 == 0 or "can't be used" in request.last else reader(request)

    third_tries = list[ChatRequest]()

    def stop_after_a_fall_back(request: ChatRequest, call: int) -> Fault | None:
        if third_tries:
            return Fault.unauthorized()
        third_tries.extend([request] * (request.text.count("That can't be used") == 2))
        return None

    server.respond = often_unusable
    command = ("evaluate", story_file(tmp_path, GOAT, WELL), *DOUBLE, "--methods", "read-agent", "-q", "--json")
    undisturbed = by_method(readgraph(*command, "--out", tmp_path / "undisturbed").json)
    server.reset()
    server.fault_for = stop_after_a_fall_back
    readgraph(*command, "--out", out)
    folder = EvaluationFolder(out)
    fell_back = [line for line in folder.lines("memories") if "fallbacks" in line]
    assert fell_back and "failed" in {one.status for one in folder.outcomes() if one.method == "read-agent"}
    # One whose page was not kept yet happens again.
    folder.append("memories", [{**line, "process": "stopped"} for line in fell_back])
    server.fault_for = None
    stopped = by_method(readgraph(*command, "--out", out).json)
    assert undisturbed["read-agent"]["fallbacks"]["gist"] > 1
    for name, found in undisturbed.items():
        assert stopped[name]["fallbacks"] == found["fallbacks"]
        assert stopped[name]["building"]["calls"] == found["building"]["calls"]


def test_a_torn_line_is_cut_off(readgraph: Command, tmp_path: Path, out: Path) -> None:
    command = ("evaluate", story_file(tmp_path, GOAT, WELL), "--methods", "bm25", "--out", out, "--json")
    first = by_method(readgraph(*command).json)
    answers = out / "answers.jsonl"
    answers.write_bytes(answers.read_bytes()[:-20])
    again = by_method(readgraph(*command).json)
    assert again["bm25"]["metrics"] == first["bm25"]["metrics"]
    assert len(answers.read_bytes().splitlines()) == 4


def test_failures_are_wrong_listed_and_asked_again(
    readgraph: Command, server: ModelServer, tmp_path: Path, out: Path
) -> None:
    server.respond = reader
    server.fault_for = lambda request, call: Fault.unauthorized() if "How deep" in request.last else None
    command = ("evaluate", story_file(tmp_path, GOAT, WELL), *DOUBLE, "--methods", "bm25", "--out", out, "--json")
    found = by_method(readgraph(*command).json)["bm25"]
    assert found["metrics"]["f1"]["mean"] == 50 and found["statuses"] == {"answered": 1, "failed": 1}
    assert "abstention" not in found["metrics"], "a failure scores 0 where a metric applies, and nowhere else"
    (failure,) = found["failures"]
    assert failure["item"] == "well-0" and "refused the key" in failure["problem"]
    server.fault_for = None
    assert by_method(readgraph(*command).json)["bm25"]["statuses"] == {"answered": 2}


def test_what_was_asked_before_a_failure_is_kept_and_counted(
    readgraph: Command, server: ModelServer, tmp_path: Path, out: Path
) -> None:
    server.respond = reader
    server.fault_for = lambda request, call: Fault.unauthorized() if asked_for(request) == "FreeAnswer" else None
    file, priced = story_file(tmp_path, GOAT), ("--price", "1/2")
    told = readgraph("evaluate", file, *DOUBLE, "--methods", "read-agent", "--out", out, *priced, "--json")
    assert by_method(told.json)["read-agent"]["cost"] > 0
    (failed,) = (outcome for outcome in EvaluationFolder(out).outcomes() if outcome.method == "read-agent")
    kept = [exchange["asked"] for exchange in EvaluationFolder(out).lines("exchanges") if exchange["item"]]
    assert (failed.status, failed.calls, kept) == ("failed", 1, ["look_up"])


@pytest.mark.slow
def test_a_server_that_is_down_ends_the_run(readgraph: Command, server: ModelServer, tmp_path: Path, out: Path) -> None:
    server.fault_for = lambda request, call: Fault.unauthorized()
    file = story_file(tmp_path, GOAT, WELL, CHOICE, texts=10)
    assert_refused(
        readgraph("evaluate", file, *DOUBLE, "--methods", "bm25", "--out", out, "-q"), "20 questions in a row failed"
    )
    assert all(one.status == "failed" for one in EvaluationFolder(out).outcomes())


@pytest.mark.parametrize(
    ("changed", "reason"),
    [
        (("--max-pages", 3), "was begun with other settings (max_pages 5, not 3): go on with the same"),
        (("--model", "openai:other"), "(model none, not openai:other)"),
    ],
)
def test_a_folder_holds_one_evaluation(
    readgraph: Command, tmp_path: Path, out: Path, changed: tuple[object, ...], reason: str
) -> None:
    command = ("evaluate", story_file(tmp_path, GOAT), "--methods", "bm25", "--out", out, "-q")
    assert readgraph(*command).code == 0
    assert_refused(readgraph(*command, *changed), reason)
    assert readgraph(*command, "--concurrency", 3).code == 0
    kept = json.loads((out / "evaluation.json").read_text(encoding="utf-8"))
    del kept["settings"]["answer_length"], kept["settings"]["answer_dates"], kept["prompts"]["language"]
    (out / "evaluation.json").write_text(json.dumps(kept), encoding="utf-8")
    assert readgraph(*command).code == 0, "settings and prompts that came later are as if they had been there"
    story_file(tmp_path, GOAT, WELL)
    assert_refused(readgraph(*command), "was begun with another file (sha256 ")


def test_what_can_t_be_evaluated_is_refused(readgraph: Command, tmp_path: Path, out: Path) -> None:
    file = story_file(tmp_path, GOAT)
    assert_refused(readgraph("evaluate"), "name a file of questions")
    assert_refused(readgraph("evaluate", file), "name one with --out")
    assert_refused(readgraph("evaluate", tmp_path / "none.jsonl", "--out", out), "There is no file")
    assert_refused(readgraph("evaluate", file, "--methods", "guessing", "--out", out), "no method 'guessing'")
    openers = lines(tmp_path / "session_5" / "test.txt", chat())
    assert_refused(readgraph("evaluate", openers, "--out", out), "csim_1 needs an embedding model")
    assert_refused(readgraph("evaluate", file, "--methods", " , ", "--out", out), "no method to evaluate")
    assert_refused(readgraph("evaluate", file, "--methods", "dense", "--out", out), "name one with --embeddings")
    assert_refused(readgraph("evaluate", openers, "--judge", "openai:judge", "--out", out), "leave --judge out")
    assert_refused(readgraph("evaluate", file, "--out", tmp_path), "holds something else")
    assert_refused(readgraph("evaluate", file, "--out", file), "can't be used as a folder")
    assert not out.exists()


def test_two_processes_do_not_share_a_folder(readgraph: Command, tmp_path: Path, out: Path) -> None:
    with EvaluationFolder(out).open_for({"methods": [], "begun": ""}):
        assert_refused(readgraph("evaluate", story_file(tmp_path, GOAT), "--out", out), "Another process evaluates")


def test_the_estimate_holds(readgraph: Command, server: ModelServer, tmp_path: Path, out: Path) -> None:
    server.respond = reader
    command = ("evaluate", story_file(tmp_path, GOAT, WELL, texts=2), *DOUBLE, "--methods", "read-agent,gists-only,gam")
    foreseen = readgraph(*command, "--estimate", "--json").json
    assert server.calls == 0 and not out.exists()
    readgraph(*command, "--out", out, "-q")
    exchanges = list(EvaluationFolder(out).lines("exchanges"))
    assert server.calls <= foreseen["calls"]["high"]
    assert server.calls == pytest.approx(foreseen["calls"]["expected"], rel=0.5)
    assert len(exchanges) == server.calls
    nothing_left = readgraph(*command, "--out", out, "--estimate", "--json").json
    assert nothing_left["calls"]["expected"] == 0


@pytest.mark.slow
def test_methods_that_share_a_memory_are_known(readgraph: Command, tmp_path: Path, out: Path) -> None:
    readgraph("evaluate", story_file(tmp_path, GOAT), "--methods", "all", "--out", out, "-q")
    memories = {line["method"]: line["memory"] for line in EvaluationFolder(out).memories()}
    assert memories.keys() == METHODS.keys() - {"dense", "fused"}
    memories.pop("auto")  # that of the method which it chose
    for name, memory in memories.items():
        assert memory == memories[builder_of(METHODS[name])]
    assert len({*memories.values()}) == len({builder_of(METHODS[name]) for name in memories})


def test_no_key_is_kept(
    readgraph: Command, server: ModelServer, tmp_path: Path, out: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-hush-0123456789")
    server.respond = reader
    readgraph("evaluate", story_file(tmp_path, GOAT), *DOUBLE, "--methods", "bm25", "--out", out, "-q")
    kept = [file.read_bytes() for file in out.rglob("*") if file.is_file()]
    assert kept and not any(b"sk-hush" in content for content in kept)


def test_a_method_whose_extra_is_missing_is_refused_before_anything_is_paid(
    readgraph: Command, server: ModelServer, tmp_path: Path, out: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("readgraph_evaluation.rows.list_extras", lambda: {"rlm": False})
    asked = ("evaluate", story_file(tmp_path, GOAT), "--out", out, *DOUBLE)
    assert_refused(readgraph(*asked, "--methods", "bm25,rlm"), "readgraph[rlm]")
    assert not server.calls and not out.exists()


def test_a_folder_that_names_a_setting_as_before_is_read(tmp_path: Path) -> None:
    kept = WHAT | {"settings": WHAT["settings"] | {"block": 4, "rounds": 2}}
    (tmp_path / "evaluation.json").write_text(json.dumps(kept), encoding="utf-8")
    assert EvaluationFolder(tmp_path).what()["settings"] == WHAT["settings"] | {"memorize_batch": 4, "rounds": 2}
