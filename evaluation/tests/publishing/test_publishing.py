"""A published run: others replay it without its model, and it holds none of the dataset's texts."""

import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from shutil import copytree
from typing import Any

import pytest

from docs.making.runs import contributed_runs, figures_of_records
from readgraph.models.reply import ModelReply, PublishedReplies, prompt_key
from readgraph.state.errors import BadInput, ModelUnavailable
from readgraph_evaluation.publishing import note_on_sharing
from readgraph_evaluation.replaying import read_published_judgements, read_published_replies, run_of
from tests.doubles.lifelike import lifelike
from tests.doubles.model_server import Fault, ModelServer, echo
from tests.doubles.reader import asked_for
from tests.models.transport.test_transport import FLAWED
from tests.support.command import DOUBLE, Command, assert_refused
from tests.support.question_file import FILE
from tests.support.questions import CHOICE, GOAT, story_file

RUNS = Path(__file__).parents[3] / "runs"
METHODS = "read-agent,mem-walker,gam,mem-gpt,overwrite-memory,survey"


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return story_file(tmp_path, GOAT, CHOICE)


def published(readgraph: Command, file: Path, tmp_path: Path, *more: object) -> Path:
    """A folder with a published run."""
    command = ("evaluate", file, *DOUBLE, "--no-full-text", "--out", tmp_path / "first", "--publish", tmp_path / "run")
    assert readgraph(*command, *more).code == 0
    return tmp_path / "run"


@pytest.mark.slow
def test_a_run_of_every_method_is_replayed_without_a_server_and_a_key(
    readgraph: Command, server: ModelServer, tmp_path: Path, file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    server.respond = lambda request: echo(request) if request.body["model"] == "judge" else lifelike(request)
    run = published(readgraph, file, tmp_path, "--methods", METHODS, "--judge", "openai:judge", "--runs", 2)
    paid = server.calls
    monkeypatch.delenv("OPENAI_API_KEY")
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:9/v1")
    told = readgraph("evaluate", file, "--replay", run, "--json")
    counts = {name: told.json[name] for name in ("scores", "figures")}
    assert told.json == {"equal": True, "answers": 24, **counts, "differences": []}
    assert told.json["scores"] >= 24 and server.calls == paid
    assert "Equal: 24 answers" in readgraph("evaluate", file, "--replay", run).text


@pytest.mark.parametrize(
    "fault",
    [
        pytest.param(FLAWED["withheld"], id="withheld"),
        pytest.param(FLAWED["half a character"], id="damaged", marks=pytest.mark.slow),
        pytest.param(Fault.empty(), id="empty", marks=pytest.mark.slow),
    ],
)
def test_bad_replies_are_replayed_and_not_paid_for_again(
    readgraph: Command, server: ModelServer, tmp_path: Path, file: Path, fault: Fault
) -> None:
    server.respond = lifelike
    server.fault_for = lambda request, call: fault if asked_for(request) == "SearchPlan" or call % 3 == 1 else None
    run = published(readgraph, file, tmp_path, "--methods", "gam")
    paid = server.calls
    told = readgraph("evaluate", file, "--replay", run)
    assert (told.code, server.calls) == (0, paid) and "Equal: 2 answers" in told.text
    command = ("evaluate", file, *DOUBLE, "--no-full-text", "--methods", "gam", "--out", tmp_path / "again")
    assert readgraph(*command, "--replies", tmp_path / "first").code == 0 and server.calls == paid


@pytest.mark.slow
def test_what_differs_is_named_and_the_exit_code_is_1(
    readgraph: Command, server: ModelServer, tmp_path: Path, file: Path
) -> None:
    run = published(readgraph, file, tmp_path, "--methods", "bm25")
    answers = [json.loads(line) for line in (run / "answers.jsonl").read_text().splitlines()]
    answers[0]["answer"] = "Somebody else."
    (run / "answers.jsonl").write_text("".join(json.dumps(line) + "\n" for line in answers))
    found = readgraph("evaluate", file, "--replay", run)
    assert found.code == 1 and "1 difference in" in found.out and "another answer" in found.out
    (run / "replies.jsonl").write_text("")
    found = readgraph("evaluate", file, "--replay", run, "--json")
    assert found.code == 1 and "holds no reply to this prompt ('answer')" in found.out
    lines = readgraph("evaluate", file, "--replay", run).out.splitlines()[1:]
    reasons, scores = ([at for at, line in enumerate(lines) if word in line] for word in ("no reply", " replayed"))
    assert reasons and scores and max(reasons) < min(scores), "reasons stand before the scores that follow from them"


def lines_of(path: Path) -> list[Any]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def put_lines(path: Path, lines: list[Any]) -> None:
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")


@pytest.mark.slow
def test_figures_that_do_not_follow_from_the_records_are_named(readgraph: Command, tmp_path: Path) -> None:
    run = Path(copytree(RUNS / "examples-without-a-model", tmp_path / "run"))
    said = json.loads((run / "run.json").read_text())
    said["scores"]["bm25"]["f1"], said["use"]["bm25"]["calls"], said["questions"] = 95.0, 7.0, 800
    (run / "run.json").write_text(json.dumps(said))
    found = readgraph("evaluate", FILE, "--replay", run)
    assert found.code == 1 and "3 differences in 24 answers" in found.out
    assert "bm25 f1: 95.0 in run.json, 35.19" in found.out and "bm25 calls: 7.0 in run.json, 0.0" in found.out
    assert "questions: 800 in run.json, 8 recomputed" in found.out
    answers = lines_of(run / "answers.jsonl")
    answers[0]["calls"], answers[1]["read"] = 3, [[0, 1]]
    put_lines(run / "answers.jsonl", answers)
    found = readgraph("evaluate", FILE, "--replay", run)
    assert found.code == 1 and "another calls" in found.out and "another read" in found.out


@pytest.mark.slow
def test_a_judges_scores_follow_from_its_replies(
    readgraph: Command, server: ModelServer, tmp_path: Path, file: Path
) -> None:
    no = {"reason": "anders", "agrees": "no"}
    server.respond = lambda request: no if request.body["model"] == "judge" else lifelike(request)
    run = published(readgraph, file, tmp_path, "--methods", "bm25", "--judge", "openai:judge")
    assert "Equal" in readgraph("evaluate", file, "--replay", run).text
    judgements = lines_of(run / "judgements.jsonl")
    judged = next(one for one in judgements if one["scores"].get("judged_accuracy") == 0 and one["said"])
    judged["scores"]["judged_accuracy"] = 100.0
    put_lines(run / "judgements.jsonl", judgements)
    scores = (run / "scores.csv").read_text(encoding="utf-8")
    forged = re.sub(r"(judged_accuracy),0\.0", r"\1,100.0", scores)
    assert forged != scores
    (run / "scores.csv").write_text(forged, encoding="utf-8")
    found = readgraph("evaluate", file, "--replay", run)
    assert found.code == 1 and "judged_accuracy: 100.0 published, 0.0 by its replies" in found.out
    assert "judged_accuracy: 100.0 published, 0.0 replayed" in found.out


@pytest.mark.parametrize(
    ("name", "change", "reason"),
    [
        ("run.json", lambda text: '{"readgraph": "run", "format": 1}', "can't be read: dataset"),
        ("run.json", lambda text: text.replace('"limit": 8', '"limit": -1'), "can't be read: asked.limit"),
        ("run.json", lambda text: text.replace('"limit": 8', '"out": "/"'), "can't be read: asked.out"),
        ("answers.jsonl", lambda text: text + text.splitlines()[0] + "\n", "holds two lines for"),
        ("scores.csv", lambda text: text + text.splitlines()[1] + "\n", "holds two lines for"),
        ("scores.csv", lambda text: text + "a,0,b,c,f1,high\n", "holds a row without a score"),
        ("judgements.jsonl", lambda text: "[]\n", "can't be read"),
        ("replies.jsonl", lambda text: "{}\n", "can't be read: key"),
    ],
)
def test_records_that_can_t_be_right_are_one_line(
    tmp_path: Path, name: str, change: Callable[[str], str], reason: str
) -> None:
    run = Path(copytree(RUNS / "examples-without-a-model", tmp_path / "run"))
    (run / name).write_text(change((run / name).read_text(encoding="utf-8")), encoding="utf-8")
    with pytest.raises(BadInput, match=re.escape(reason)):
        run_of(run)
        figures_of_records(run)
        read_published_judgements(run)
        read_published_replies(run)


def test_the_table_of_runs_shows_what_the_records_say(tmp_path: Path) -> None:
    run = Path(copytree(RUNS / "examples-without-a-model", tmp_path / "mine"))
    said = json.loads((run / "run.json").read_text())
    honest = contributed_runs(tmp_path)
    said["scores"]["bm25"]["f1"], said["use"]["bm25"]["calls"], said["questions"], said["cost"] = 95.0, 7.0, 800, 0.01
    (run / "run.json").write_text(json.dumps(said))
    assert contributed_runs(tmp_path) == honest
    assert "| `mine` | examples, 8 questions |" in honest and "`f1` 35.2, `rouge_l` 36.7" in honest
    assert contributed_runs(tmp_path / "none") == "No run has been contributed yet."


@pytest.mark.slow
def test_nothing_of_the_texts_and_the_machine_is_in_the_folder(
    readgraph: Command, server: ModelServer, tmp_path: Path, file: Path, story: str
) -> None:
    free, chosen = {"answer": "It says so.", "quotes": []}, {"choice": "B", "quotes": []}
    server.respond = lambda request: free if asked_for(request) == "FreeAnswer" else chosen
    run = published(readgraph, file, tmp_path, "--methods", "bm25", "--price", "1/2")
    written = "".join(path.read_text(encoding="utf-8") for path in run.iterdir())
    assert not [words for words in windows(story, 4) if words in written]
    for question in json.loads(file.read_text(encoding="utf-8").splitlines()[0])["questions"]:
        assert not [text for text in (question["question"], *question.get("options", ())) if text in written]
    assert str(tmp_path) not in written and "127.0.0.1" not in written
    made = json.loads((run / "run.json").read_text())
    assert made["scores"]["bm25"]["f1"] >= 0 and made["machine"]["processors"] and made["cost"] > 0
    assert made["packages"]["readgraph"] and made["asked"] == {
        "limit": None,
        "half": None,
        "sample": None,
        "seed": 0,
        "metrics": None,
    }


def windows(text: str, words: int) -> Iterator[str]:
    """Every so many words in a row."""
    every = text.split()
    return (" ".join(every[at : at + words]) for at in range(len(every) - words))


@pytest.mark.slow
def test_what_can_t_be_replayed_or_published_is_refused(readgraph: Command, tmp_path: Path, file: Path) -> None:
    floor = ("evaluate", file, "--methods", "bm25", "--no-full-text", "--limit", 1, "--out", tmp_path / "first")
    told = readgraph(*floor, "--publish", tmp_path / "run")
    assert told.code == 0 and "replay it with --replay" in told.err
    assert readgraph("evaluate", file, "--replay", tmp_path / "run").code == 0, "the floor needs no replies"
    assert_refused(readgraph(*floor, "--publish", tmp_path / "run"), "holds something already")
    other = tmp_path / "other.jsonl"
    other.write_text(file.read_text().replace("goat", "gull"))
    assert_refused(readgraph("evaluate", other, "--replay", tmp_path / "run"), "is another one: name that file")
    assert_refused(readgraph("evaluate", file, "--replay", tmp_path), "holds no published run")
    assert_refused(readgraph("evaluate", file, "--replay", tmp_path / "run", "--limit", 1), "leave --limit out")


@pytest.mark.slow
def test_answers_to_other_questions_are_not_published(
    readgraph: Command, server: ModelServer, tmp_path: Path, file: Path
) -> None:
    server.respond = lambda request: echo(request) if request.body["model"] == "judge" else lifelike(request)
    of_all = ("evaluate", file, *DOUBLE, "--no-full-text", "--methods", "read-agent", "--out", tmp_path / "first")
    assert readgraph(*of_all, "--judge", "openai:judge").code == 0
    run = published(readgraph, file, tmp_path, "--methods", "read-agent", "--limit", 1)
    for name in ("answers.jsonl", "judgements.jsonl"):
        assert {line["item"] for line in lines_of(run / name)} == {lines_of(run / "answers.jsonl")[0]["item"]}
    paid = server.calls
    assert "Equal: 1 answer" in readgraph("evaluate", file, "--replay", run).text and server.calls == paid


@pytest.mark.slow
@pytest.mark.parametrize("less", [("--limit", 1), ("--runs", 1)])
def test_a_row_that_was_asked_less_is_named_and_nothing_is_published(
    readgraph: Command, tmp_path: Path, file: Path, less: tuple[object, ...]
) -> None:
    command = ("evaluate", file, "--no-full-text", "--out", tmp_path / "first", "--method")
    whole = ("--runs", 2) if "--runs" in less else ()
    assert readgraph(*command, "bm25", *less).code == 0
    refused = readgraph(*command, "bm25@max_pages=1", *whole, "--publish", tmp_path / "run")
    assert refused.code == 2 and "Nothing is published: the row 'bm25' lacks" in refused.err
    assert not (tmp_path / "run").exists()


@pytest.mark.slow
def test_prompts_in_the_users_own_words_are_published_and_replayed(
    readgraph: Command, server: ModelServer, tmp_path: Path, file: Path
) -> None:
    server.respond = lifelike
    own = tmp_path / "own"
    readgraph("prompts", "export", own)
    changed = (own / "answer.toml").read_text(encoding="utf-8").replace("Answer the question", "Antworte auf die Frage")
    (own / "answer.toml").write_text(f"{changed}# of nobody's business\n", encoding="utf-8")
    run = published(readgraph, file, tmp_path, "--methods", "read-agent", "--prompts", own)
    assert [path.name for path in (run / "prompts").iterdir()] == ["answer.toml"]
    assert "nobody's business" not in (run / "prompts" / "answer.toml").read_text(encoding="utf-8")
    paid = server.calls
    assert "Equal: 2 answers" in readgraph("evaluate", file, "--replay", run).text and server.calls == paid


@pytest.mark.slow
def test_the_contributed_run_of_the_examples_is_replayed(readgraph: Command) -> None:
    assert readgraph("evaluate", FILE, "--replay", RUNS / "examples-without-a-model", "--json").json["equal"]


def test_several_replies_to_one_prompt_come_one_after_the_other() -> None:
    key = prompt_key("m", "gist", [("user", "Shorten.")], 0)
    assert (
        key != prompt_key("m", "gist", [("user", "Shorten.")], 1) != prompt_key("n", "gist", [("user", "Shorten.")], 1)
    )
    replies = PublishedReplies({key: [ModelReply("one", False), ModelReply("two", False)]})
    assert [replies.reply(key, "gist").text for _ in range(3)] == ["one", "two", "two"]
    with pytest.raises(ModelUnavailable, match="no reply to this prompt"):
        replies.reply("another", "gist")


def test_what_a_licence_says_on_sharing() -> None:
    assert "forbids sharing derivatives" in note_on_sharing("d", "CC BY-NC-ND 4.0")
    assert "not commercial" in note_on_sharing("locomo", "CC BY-NC 4.0")
    assert "same licence" in note_on_sharing("hotpotqa-long", "CC BY-SA 4.0 (HotpotQA)")
    assert "ask its authors" in note_on_sharing("d", "") and "ask its authors" in note_on_sharing("d", "see there")
    assert "licences of their own" in note_on_sharing("quality", "CC BY 4.0; each story has its own")
    assert note_on_sharing("d", "MIT") == note_on_sharing("d", "CC0") == ""
