"""Rows of an evaluation: `method@setting=value`, and sweeps, which are lists of such rows."""

import json
import re
from pathlib import Path

import pytest

from evaluation.tests.support.evaluations import by_method
from readgraph.graphs.methods import method_typed, web_method_named
from readgraph.state.context import ReaderContext
from readgraph.state.errors import BadInput
from readgraph_evaluation.folder import EvaluationFolder
from readgraph_evaluation.rows import row_named
from readgraph_evaluation.sweeps import SWEEPS
from tests.doubles.model_server import ModelServer
from tests.doubles.reader import asked_for, reader
from tests.support.command import DOUBLE, Command, assert_refused
from tests.support.questions import GOAT, WELL, story_file

CONTEXT = ReaderContext(model="openai:double", embeddings="openai:vectors")


@pytest.mark.quick
def test_a_method_with_settings_of_its_own_is_a_row(
    readgraph: Command, server: ModelServer, tmp_path: Path, out: Path
) -> None:
    server.respond = reader
    rows = ("read-agent@max-pages=1", "read-agent@strategy=sequential, max_pages=2", "read-agent-s")
    command = ("evaluate", story_file(tmp_path, GOAT, WELL), *DOUBLE, "--no-full-text", "--out", out)
    typed = [part for row in rows for part in ("--method", row)]
    table = readgraph(*command, "--methods", "read-agent", *typed).out
    names = ["read-agent", "read-agent@max_pages=1", "read-agent@strategy=sequential,max_pages=2", "read-agent-s"]
    results = json.loads((out / "results.json").read_text(encoding="utf-8"))
    assert list(by_method(results)) == names and all(f"\n{name} " in table for name in names if len(name) < 30)
    assert re.search(r"^read-agent@ .+\n  strategy=sequential, *\n  max_pages=2 *$", table, re.MULTILINE)
    assert results["what"]["rows"]["read-agent-s"] == {"method": "read-agent", "settings": {"strategy": "sequential"}}
    assert results["what"]["settings"]["strategy"] == "parallel"
    assert names[2] in (out / "report.html").read_text(encoding="utf-8")
    memories = {line["memory"] for line in EvaluationFolder(out).memories()}
    pauses = [request for request in server.requests if asked_for(request) in ("PausePoint", "")]
    assert len(memories) == 1 and len(pauses) == len({request.text for request in pauses}), "one memory, built once"
    looked = {row: len(of) for row, of in _look_ups(out).items()}
    assert looked["read-agent@max_pages=1"] == 2 <= looked["read-agent-s"]


def test_a_rows_own_name_takes_settings_too() -> None:
    row = row_named("read-agent-s@max-pages=6", CONTEXT)
    assert (row.name, row.context.strategy, row.context.max_pages) == ("read-agent-s@max_pages=6", "sequential", 6)
    assert row.line() == {"method": "read-agent", "settings": {"strategy": "sequential", "max_pages": 6}}
    with pytest.raises(BadInput, match="stands for read-agent@strategy=sequential: leave strategy out"):
        row_named("read-agent-s@strategy=parallel", CONTEXT)


def test_an_option_that_no_row_uses_is_refused_with_each_method_once(readgraph: Command, tmp_path: Path) -> None:
    command = ("evaluate", story_file(tmp_path, GOAT), *DOUBLE, "--out", tmp_path / "out", "--walks", 2)
    refused = readgraph(*command, "--sweep", "read-agent-pages")
    assert_refused(refused, "--walks has no effect with gists-only, read-agent, full-text: leave it out")


def _look_ups(out: Path) -> dict[str, list[str]]:
    asked: dict[str, list[str]] = {}
    for line in EvaluationFolder(out).lines("exchanges"):
        if line["asked"].startswith("look_up"):
            asked.setdefault(line["method"], []).append(line["reply"])
    return asked


def test_a_sweep_is_one_folder_and_pays_once_for_what_its_rows_share(
    readgraph: Command, server: ModelServer, tmp_path: Path, out: Path
) -> None:
    server.respond = reader
    command = ("evaluate", story_file(tmp_path, GOAT), *DOUBLE, "--sweep", "gam-rounds", "--no-full-text", "--json")
    foreseen = readgraph(*command, "--estimate").json["calls"]
    results = by_method(readgraph(*command, "--out", out).json)
    assert tuple(results) == SWEEPS["gam-rounds"].rows
    assert len({line["memory"] for line in EvaluationFolder(out).memories()}) == 1
    texts = [request.text for request in server.requests]
    assert len(texts) == len({*texts}) and server.calls <= foreseen["high"]
    counted = sum(one["figures"]["calls"] for one in results.values())
    assert server.calls < counted + results["gam@rounds=1"]["building"]["calls"], "each row counts what it would take"


@pytest.mark.slow
def test_conditional_gists_are_measured_beside_unconditional_ones_in_one_folder(
    readgraph: Command, server: ModelServer, tmp_path: Path, out: Path
) -> None:
    server.respond = reader
    file = story_file(tmp_path, GOAT, WELL)
    command = ("evaluate", file, *DOUBLE, "--sweep", "read-agent-conditional", "--no-full-text", "--json")
    foreseen = readgraph(*command, "--estimate").json["calls"]
    results = by_method(readgraph(*command, "--out", out).json)
    assert tuple(results) == SWEEPS["read-agent-conditional"].rows
    assert all(one["figures"]["compression_rate"] and not one["failures"] for one in results.values())
    built = {name: one["building"] for name, one in results.items()}
    plain, conditional = built["gists-only"], built["gists-only@preset=question"]
    assert (plain["memories"], conditional["memories"]) == (1, 2)
    assert conditional["calls"] == 2 * plain["calls"], "what each row would take alone"
    lines = EvaluationFolder(out).memories()
    purposes = {line["memory"]: line.get("purpose", "").rsplit(": ", 1)[-1] for line in lines}
    assert {*purposes.values()} == {"", GOAT["question"], WELL["question"]} and len(purposes) == 3
    texts = [request.text for request in server.requests]
    assert len(texts) == len({*texts}) and server.calls <= foreseen["high"]
    again = readgraph(*command, "--out", out).json
    assert by_method(again)["read-agent@preset=question"]["building"]["memories"] == 2
    assert len(server.requests) == len(texts), "a second run finds all there"


@pytest.mark.parametrize(
    ("row", "reason"),
    [
        ("read-agent@max_page=3", "unknown setting 'max_page': do you mean 'max_pages'?"),
        ("read-agent@rounds=2", "rounds has no effect with read-agent: leave it out"),
        ("read-agent@max_pages=many", "'max_pages' can't be used"),
        ("read-agent@max_pages=-1", "'max_pages' can't be used"),
        ("read-agent@min_page_words=700", "must be smaller than max_page_words"),
        ("read-agent@", "write METHOD@SETTING=VALUE"),
        ("read-agent@concurrency=2", "is the same for all rows"),
        ("gam@model=", "all rows have a model, or none has"),
        ("reading@max_pages=3", "There is no method 'reading'"),
    ],
)
def test_a_row_that_can_t_be_run_is_refused(
    readgraph: Command, tmp_path: Path, out: Path, row: str, reason: str
) -> None:
    assert_refused(readgraph("evaluate", story_file(tmp_path, GOAT), *DOUBLE, "--method", row, "--out", out), reason)
    assert not out.exists()


def test_a_sweep_that_does_not_exist_is_refused(readgraph: Command, tmp_path: Path, out: Path) -> None:
    file = story_file(tmp_path, GOAT)
    assert_refused(readgraph("evaluate", file, "--sweep", "gam-moods", "--out", out), "There is no sweep 'gam-moods'")


def test_a_row_has_the_name_of_what_it_does() -> None:
    assert row_named("gam@tools= keyword, page,rounds=02", CONTEXT).name == "gam@tools=keyword,page,rounds=2"
    assert row_named("gam@reasoning=no", CONTEXT).name == "gam@reasoning=off"
    purposeful = row_named("read-agent@purpose=names, dates", CONTEXT)
    assert purposeful.context.purpose == "names, dates"


def test_a_later_meaning_of_a_row_s_name_is_not_mixed_with_an_earlier_one(tmp_path: Path) -> None:
    folder = EvaluationFolder(tmp_path)
    what = {"methods": [], "rows": {"a": {"method": "gam", "settings": {}}}, "dataset": "d", "runs": 1, "judge": None}
    what |= {"begun": "", "settings": {"model": "", "embeddings": ""}, "questions": 0, "prompts": {}, "packages": {}}
    with folder.open_for(what):
        pass
    changed = what | {"rows": {"a": {"method": "bm25", "settings": {}}}}
    with pytest.raises(BadInput, match="another row 'a'"), folder.open_for(changed):
        pass


@pytest.mark.parametrize("sweep", SWEEPS)
def test_every_row_of_a_sweep_can_be_run(sweep: str) -> None:
    named = web_method_named if sweep.startswith("web-") else method_typed
    rows = [row_named(row, CONTEXT, named) for row in SWEEPS[sweep].rows]
    assert len({row.name for row in rows}) == len(rows) > 1
    assert len({(row.method.name, row.context) for row in rows}) == len(rows), "each row differs in what it does"
