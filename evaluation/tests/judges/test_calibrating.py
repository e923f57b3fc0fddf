"""Calibration of a judge: agreement and kappa by hand, what shows a bias, and where it is kept and shown."""

import csv
import json
import re
from dataclasses import replace
from pathlib import Path
from shutil import copytree

import pytest

from evaluation.tests.support.gold_judge import GoldJudge
from readgraph_evaluation.datasets.assembling import choose_scoring, rule_for
from readgraph_evaluation.folder import EvaluationFolder
from readgraph_evaluation.judges.calibration import (
    METRICS_OF,
    agreement,
    agreement_with,
    basis,
    calibration,
    find_unproven_metrics,
    gold_pairs,
    pairs_for,
)
from readgraph_evaluation.judges.judging import JUDGES, rule_of
from readgraph_evaluation.judges.prompts import RULES
from readgraph_evaluation.records import Dataset, Item
from tests.doubles.model_server import Fault, ModelServer
from tests.support.command import DOUBLE, Command, assert_refused
from tests.support.questions import GOAT, story_file

CALIBRATE = ("evaluate", "--calibrate", "--judge", "openai:judge")


PAIRS = len(gold_pairs())
RIGHT_PAIRS = sum(pair.rule == "right" for pair in gold_pairs())
ONCE = PAIRS + sum(not pair.right for pair in gold_pairs() if pair.rule == "match") + 3 * 6
"""The calls without a refused reply: answers that don't match are asked about twice, of orders also each event."""


def test_the_pairs_are_of_every_rule_and_kind_and_some_are_right() -> None:
    pairs = gold_pairs()
    assert (
        len(pairs)
        == len({pair.item.id for pair in pairs})
        == len({(pair.item.question, pair.answer) for pair in pairs})
    )
    kinds = {pair.kind: [one.right for one in pairs if one.kind == pair.kind] for pair in pairs}
    assert min(len(of) for of in kinds.values()) == 5
    assert 0.4 <= sum(pair.right for pair in pairs) / len(pairs) <= 0.6
    assert all(kinds["long and right"]) and not any(kinds["long and wrong"])
    rules = {rule: [pair.right for pair in pairs if pair.rule == rule] for rule in {*RULES, *METRICS_OF}}
    assert {pair.rule for pair in pairs} == {*rules}
    assert all(len(of) >= 6 and min(of.count(True), of.count(False)) >= 3 for of in rules.values())
    assert all(rule_of(pair.item) == pair.rule for pair in pairs if pair.rule in RULES)
    assert {metric for judging in JUDGES for metric in judging.worth} == {
        *(pair.metric for pair in pairs), "lr_2", "beam_score"
    }  # fmt: skip
    long = [len(pair.answer.split()) for pair in pairs if pair.kind.startswith("long")]
    short = [len(pair.answer.split()) for pair in pairs if not pair.kind.startswith("long")]
    assert min(long) > 1.5 * max(short)


@pytest.mark.parametrize(
    ("dataset", "rules"),
    [
        ("locomo", {"generous"}),
        ("longmemeval", {"steps", "temporal", "update", "preference", "abstention"}),
        ("own", {"right"}),
        ("msc-retrieval", {"consistent"}),
        ("qmsum", {"match"}),
        ("beam", {"point", "order"}),
    ],
)
def test_a_judge_is_calibrated_by_the_rules_by_which_it_judges(dataset: str, rules: set[str]) -> None:
    categories = ("temporal-reasoning", "knowledge-update", "single-session-preference", "event_ordering", "other")
    items = [Item(name, "t", "What?", ("this",), category=name, rubric=("a", "b")) for name in categories]
    items = [replace(item, rule=rule_for(dataset, item)) for item in items]
    if "abstention" in rules:
        items.append(Item("none", "t", "Who?", ("It is never told.",), unanswerable=True))
    metrics = choose_scoring(dataset, items).metrics
    assert {pair.rule for pair in pairs_for(Dataset(dataset, (), tuple(items), metrics))} == rules


def test_where_nothing_is_judged_all_pairs_are() -> None:
    assert pairs_for(Dataset("own", (), (), ("f1",))) == gold_pairs()


def test_long_answers_of_both_kinds_are_as_long() -> None:
    words = {kind: sum(len(pair.answer.split()) for pair in gold_pairs() if pair.kind == kind)
             for kind in ("long and right", "long and wrong")}  # fmt: skip
    assert words["long and right"] == pytest.approx(words["long and wrong"], rel=0.1)


def test_agreement_and_kappa_are_those_of_the_definition() -> None:
    # Cohen's own way: 20 yes and 15 no in common, 5 and 10 apart: 0.7 agree, 0.5 by chance.
    known = [("a", True, True)] * 20 + [("a", True, False)] * 5 + [("b", False, True)] * 10 + [("b", False, False)] * 15
    found = agreement(known)
    assert found.agreement == pytest.approx(70) and found.kappa == pytest.approx(0.4)
    assert found.interval == pytest.approx((56.2, 80.9), abs=0.1), "Wilson's, as tables give it for 35 of 50"
    assert found.kappa_interval == pytest.approx(((0.562 - 0.5) / 0.5, (0.809 - 0.5) / 0.5), abs=0.01)
    assert (found.right_taken_for_wrong, found.wrong_taken_for_right) == ((5, 25), (10, 25))
    assert found.kinds == {"a": pytest.approx(80), "b": pytest.approx(60)}


def test_who_always_says_yes_agrees_no_better_than_chance() -> None:
    found = agreement_with({pair.item.id: True for pair in gold_pairs()}, gold_pairs())
    assert (
        found.kappa == pytest.approx(0) and found.kinds["long and wrong"] == 0 and found.kinds["long and right"] == 100
    )


def test_a_perfect_judge_still_has_an_interval() -> None:
    of_rule = [pair for pair in gold_pairs() if pair.rule == "right"]
    found = agreement_with({pair.item.id: pair.right for pair in gold_pairs()}, of_rule)
    assert (found.agreement, found.kappa) == (100, 1)
    assert found.interval and found.interval[0] < 95 and found.kappa_interval and found.kappa_interval[0] < 0.9


def test_without_verdicts_there_are_no_figures() -> None:
    found = agreement_with({}, gold_pairs())
    assert (found.rated, found.agreement, found.kappa, found.interval) == (0, None, None, None)
    only = agreement([("a", True, True), ("a", True, None)])
    assert (only.pairs, only.rated, only.agreement, only.kappa) == (2, 1, 100, None), "chance alone agrees"


@pytest.mark.slow
def test_a_judge_that_likes_long_answers_is_seen(readgraph: Command, server: ModelServer) -> None:
    server.respond = GoldJudge(likes=("long and wrong",), silent=("date",))
    found = readgraph(*CALIBRATE, "--price", "1/2", "--json").json
    assert (found["judge"], found["pairs"], found["rated"]) == ("openai:judge", PAIRS, PAIRS - 5)
    assert found["calls"] == ONCE + 2 * 5, "three tries for each date"
    wrong = sum(not pair.right for pair in gold_pairs() if pair.kind not in ("long and wrong", "date"))
    assert found["long_wrong_taken_for_right"] == [5, 5] and found["wrong_taken_for_right"] == [0, wrong]
    assert found["agreement"] == pytest.approx(100 * (PAIRS - 10) / (PAIRS - 5)) and found["kinds"]["date"] is None
    assert found["rules"]["generous"]["kappa"] == 1 > found["rules"]["right"]["kappa"]
    assert found["cost"] > 0
    told = readgraph(*CALIBRATE).text
    assert "wrong answers taken for right: 5 of 5 long ones, 0 of " in told
    assert (
        "Cohen's kappa" in told
        and "generous 10 100 % [72–100] 1.00 [0.44–1.00]" in told
        and "5 answers got no usable verdict" in told
    )


@pytest.mark.slow
def test_a_calibration_is_estimated_without_a_call(readgraph: Command, server: ModelServer) -> None:
    server.respond = GoldJudge()
    foreseen = readgraph(*CALIBRATE, "--estimate", "--json").json["judging"]
    assert server.calls == 0 and foreseen["calls"]["expected"] == pytest.approx(ONCE, rel=0.05)
    found = readgraph(*CALIBRATE, "--json").json
    assert found["input_words"] == pytest.approx(foreseen["input_words"]["expected"], rel=0.3)


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        (("evaluate", "--calibrate"), "--calibrate needs a judge: name one with --judge."),
        ((*CALIBRATE, "--methods", "bm25"), "leave --methods out"),
        ((*CALIBRATE, "--out", "{none}"), "holds no evaluation"),
    ],
)
def test_what_can_t_be_calibrated_is_refused(
    readgraph: Command, server: ModelServer, tmp_path: Path, line: tuple[str, ...], reason: str
) -> None:
    assert_refused(readgraph(*(part.format(none=tmp_path) for part in line)), reason)
    assert server.calls == 0


@pytest.mark.slow
def test_pairs_that_are_judged_again_are_counted_and_the_others_once(
    readgraph: Command, server: ModelServer, tmp_path: Path, out: Path
) -> None:
    readgraph("evaluate", story_file(tmp_path, GOAT), *DOUBLE, "--methods", "bm25", "--out", out)
    server.respond, before = GoldJudge(silent=("negation",)), server.calls
    first = readgraph(*CALIBRATE, "--out", out, "--json").json
    assert first["rated"] < first["pairs"] == RIGHT_PAIRS < first["calls"] == server.calls - before
    server.respond = GoldJudge()
    kept = readgraph(*CALIBRATE, "--out", out, "--json").json
    assert [kept[name] for name in ("rated", "calls")] == [first[name] for name in ("rated", "calls")]
    again = readgraph(*CALIBRATE, "--out", out, "--again", "--json").json
    assert again["rated"] == RIGHT_PAIRS and again["refused"] == first["refused"] > 0
    assert again["calls"] == server.calls - before == first["calls"] + RIGHT_PAIRS - first["rated"]


def test_a_judge_that_can_t_be_asked_is_one_line(readgraph: Command, server: ModelServer) -> None:
    server.fault_for = lambda request, call: Fault.unauthorized()
    assert_refused(readgraph(*CALIBRATE), "refused the key", code=2)


@pytest.mark.slow
def test_a_calibration_stands_beside_the_judges_scores(
    readgraph: Command, server: ModelServer, tmp_path: Path, out: Path
) -> None:
    server.respond = GoldJudge(likes=("negation",))
    file = story_file(tmp_path, GOAT)
    command = ("evaluate", file, *DOUBLE, "--methods", "bm25", "--out", out, "--judge", "openai:judge")
    assert readgraph(*command, "--json").json["judging"]["calibration"] is None
    paid = server.calls
    beside = readgraph(*CALIBRATE, "--out", out, "--json").json
    assert server.calls == paid + RIGHT_PAIRS
    written = json.loads((out / "results.json").read_text(encoding="utf-8"))["judging"]["calibration"]
    assert written == beside and written["agreement"] == pytest.approx(100 * (RIGHT_PAIRS - 3) / RIGHT_PAIRS)
    told = readgraph(*command).text
    assert "agrees with 92 %" in told and "unproven" not in told
    assert "negation" in (out / "report.html").read_text(encoding="utf-8")
    readgraph(*command, "--calibrate")
    assert server.calls == paid + RIGHT_PAIRS and len([*EvaluationFolder(out).lines("calibrations")]) == 1, (
        "once is enough"
    )
    other = readgraph(*command[:-1], "openai:other", "--calibrate", "--json").json["judging"]
    assert (other["calibration"]["judge"], other["calibration"]["calls"]) == ("openai:other", RIGHT_PAIRS)
    assert readgraph(*command, "--json").json["judging"]["calibration"] == written


@pytest.mark.slow
def test_a_judge_that_may_agree_by_chance_is_marked_in_the_table(
    readgraph: Command, server: ModelServer, tmp_path: Path, out: Path
) -> None:
    likes = {pair.kind for pair in gold_pairs() if pair.rule == "right"}
    server.respond = GoldJudge(likes=tuple(likes))
    file = story_file(tmp_path, GOAT)
    command = ("evaluate", file, *DOUBLE, "--methods", "bm25", "--out", out, "--judge", "openai:judge")
    assert "unproven" not in readgraph(*command).text, "not known before it is calibrated"
    told = readgraph(*command, "--calibrate").out
    assert re.search(r"^method .*judged_accuracy", told, re.MULTILINE) and "(unproven judge)" in told
    assert "may agree with the verdicts known for these rules by chance alone" in told
    found = json.loads((out / "results.json").read_text(encoding="utf-8"))
    assert found["judging"]["unproven"] == ["judged_accuracy"]
    marked = {name for row in found["methods"] for name, of in row["metrics"].items() if of["unproven_judge"]}
    assert marked == {"judged_accuracy"}
    assert "(unproven judge)" in (out / "report.html").read_text(encoding="utf-8")
    with (out / "results.csv").open(encoding="utf-8", newline="") as table:
        marks = {row["metric"] for row in csv.DictReader(table) if row["judge"] == "unproven"}
    assert marks == {"judged_accuracy"}
    readgraph("evaluate", "--out", out, "--inspect", tmp_path / "logs")
    for path in (tmp_path / "logs").iterdir():
        scores = json.loads(path.read_text(encoding="utf-8"))["results"]["scores"]
        marks = {of["name"] for of in scores if of.get("metadata") == {"unproven_judge": True}}
        assert marks == {"judged_accuracy"}
    proven = copytree(out, tmp_path / "proven")
    (proven / "calibrations.jsonl").unlink()
    chosen = ("--metrics", "judged_accuracy")
    for folder in (out, proven):
        readgraph(*command[:-4], "--out", folder, *chosen)
    assert readgraph("evaluate", "--diff", proven, out, "--json").json["unproven_judge"] == [False, True]
    told = readgraph("evaluate", "--diff", proven, out).out
    assert f"{out} (unproven judge)" in told and f"{proven} (unproven judge)" not in told


@pytest.mark.parametrize("usable", [0, 1])
def test_a_judge_of_whose_verdicts_too_few_can_be_used_is_unproven(usable: int) -> None:
    pairs = [pair for pair in gold_pairs() if pair.rule == "right"]
    known = {pair.item.id: pair.right for pair in pairs}
    dataset = Dataset("own", (), (Item("q", "", "Who?", references=("Anna",)),), ("judged_accuracy",))
    asked = calibration((), "judge", basis({}))
    assert find_unproven_metrics(asked | {"verdicts": dict([*known.items()][:usable])}, dataset) == ["judged_accuracy"]
    assert find_unproven_metrics(asked | {"verdicts": known}, dataset) == find_unproven_metrics(None, dataset) == []


@pytest.mark.slow
def test_verdicts_by_other_words_of_the_prompt_say_nothing_of_the_judge(
    readgraph: Command, server: ModelServer, tmp_path: Path, out: Path
) -> None:
    server.respond, words = GoldJudge(), tmp_path / "words"
    readgraph("prompts", "export", words)
    file = story_file(tmp_path, GOAT)
    plain = ("evaluate", file, *DOUBLE, "--methods", "bm25", "--judge", "openai:judge", "--calibrate", "--json")
    first = readgraph(*plain, "--out", out).json["judging"]["calibration"]
    own = words / "judge_right.toml"
    own.write_text(own.read_text(encoding="utf-8").replace("Is the answer right", "Stimmt die Antwort"), "utf-8")
    paid = server.calls
    worded = (*plain, "--out", tmp_path / "worded", "--prompts", words)
    assert readgraph(*worded).json["judging"]["calibration"]["calls"] == first["calls"]
    assert server.calls - paid >= RIGHT_PAIRS
    before, after = (next(EvaluationFolder(of).lines("calibrations")) for of in (out, tmp_path / "worded"))
    assert before["basis"] == basis({}) != after["basis"]
    refused = readgraph(*CALIBRATE, "--out", tmp_path / "worded")
    assert_refused(refused, "was begun with other prompts of the judge: give the same --prompts.")
    assert readgraph(*CALIBRATE, "--out", tmp_path / "worded", "--prompts", words).code == 0


@pytest.mark.slow
def test_a_judge_without_a_usable_verdict_is_told_in_one_line(
    readgraph: Command, server: ModelServer, tmp_path: Path, out: Path
) -> None:
    command = ("evaluate", story_file(tmp_path, GOAT), "--methods", "bm25", "--out", out)
    readgraph(*command)
    server.respond = lambda request: "hm"
    told = readgraph(*CALIBRATE, "--out", out)
    assert told.code == 0 and f"{RIGHT_PAIRS} answers got no usable verdict" in told.out
    server.respond = GoldJudge()
    beside = readgraph(*command, "--judge", "openai:judge").text
    assert f"gave no usable verdict on {RIGHT_PAIRS} answers" in beside and "judged_accuracy (unproven judge)" in beside
