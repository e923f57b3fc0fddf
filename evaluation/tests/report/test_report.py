"""What comes out of an evaluation: tables, CSV files, the page with its plots."""

import csv
import io
import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from lxml import html
from pytest import CaptureFixture, MonkeyPatch

from evaluation.tests.support import datasets as made
from evaluation.tests.support.evaluations import answer, even, every, folder_of, never, quiz
from readgraph.cli.terminal.screen import OutputOptions
from readgraph.state.reading import NOTHING_USED
from readgraph_evaluation.folder import EvaluationFolder
from readgraph_evaluation.metrics import METRICS, Metric
from readgraph_evaluation.records import Dataset
from readgraph_evaluation.report import write_results
from readgraph_evaluation.report.plots import draw_panel, length_groups, plots_of, score_by_words
from readgraph_evaluation.results import ScoredEvaluation
from readgraph_evaluation.run.tables import print_results
from readgraph_evaluation.sweeps import SWEEPS
from tests.support.command import Command

SCRIPT = "</script><script>document.title = 'taken'</script><b>$x$</b>"


def rows(file: Path) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(file.read_text(encoding="utf-8"))))


def printed(results: dict[str, Any], folder: Path, capsys: CaptureFixture[str], *, quiet: bool = False) -> str:
    print_results(results, folder, OutputOptions(quiet=quiet))
    return capsys.readouterr().out


def page_data(folder: Path) -> dict[str, Any]:
    found = html.fromstring((folder / "report.html").read_bytes()).get_element_by_id("data")
    return dict(json.loads(str(found.text)))


def with_failure(dataset: Dataset, path: Path, problem: str) -> EvaluationFolder:
    folder = folder_of(path, dataset, {"read-agent": every, "mem-walker": even}, runs=2)
    failed = answer("read-agent", 1, dataset.items[0], True, status="failed", problem=problem, answer=None, choice=None)
    folder.append("answers", [failed])
    return folder


def test_the_order_in_which_answers_came_is_in_no_file(tmp_path: Path) -> None:
    dataset = quiz(9, categories=("fact", "time"))
    folder = folder_of(tmp_path / "out", dataset, {"bm25": even, "gam": never}, runs=2, fallbacks={"choice": 1})
    folder.append("answers", [{**answer("gam", 0, dataset.items[0], False), "fallbacks": {"answer": 1}}])
    files = ("results.json", "results.csv", "scores.csv")

    def written() -> list[bytes]:
        write_results(dataset, folder)
        return [(folder.path / name).read_bytes() for name in files]

    as_they_came, path = written(), folder.path / "answers.jsonl"
    lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
    path.write_text("".join([lines[-1], *reversed(lines[:18]), *reversed(lines[19:-1])]), encoding="utf-8")
    assert written() == as_they_came


# The table


def test_a_row_a_method(tmp_path: Path, capsys: CaptureFixture[str], monkeypatch: MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "100")
    dataset = quiz(40, categories=("fact", "time [bold]order"))

    def runs(number: int, run: int) -> bool:
        return number < (10 if run else 20)

    fields: dict[str, Any] = {
        "cost": 0.5,
        "usage": {**NOTHING_USED, "seconds": 2.0},
        "fallbacks": {"choice": 1},
        "refused": 1,
    }
    folder = folder_of(tmp_path / "out", dataset, {"bm25": runs, "gam": even}, runs=2, **fields)
    out = printed(write_results(dataset, folder), folder.path, capsys)
    assert out.startswith("quality: 40 questions about 2 texts, openai:double\n")
    assert re.search(r"^bm25 +37\.5 ± 17\.7 +84\.4 \(PaLM 2-L\)", out, re.MULTILINE)
    assert re.search(r"^gam +50\.0 ± 0\.0 +–", out, re.MULTILINE)
    assert "no 95 % interval: of fewer than 6 texts" in out
    assert re.search(r"^gam +50 % +62 +0\.0 +–", out, re.MULTILINE), "what was in view, and how long answers are"
    assert re.search(r"^gam +2\.0 +200 +500 +[\d.]+ s +2\.0 s +\$40\.00 +0", out, re.MULTILINE)
    assert "fact (20)  time [bold]order (20)" in out
    assert re.search(r"^gam +100\.0 +0\.0$", out, re.MULTILINE)
    assert "gam: fall-backs choice 80\n" in out and "gam: 50.0 % of the replies were usable\n" in out
    assert f"{folder.path} contains report.html, results.json, results.csv and scores.csv\n" in out


def test_an_interval_stands_behind_the_mean_of_six_texts(tmp_path: Path, capsys: CaptureFixture[str]) -> None:
    dataset = quiz(24, texts=6)
    folder = folder_of(tmp_path / "out", dataset, {"bm25": lambda number, run: number % 6 < 3})
    out = printed(write_results(dataset, folder), folder.path, capsys)
    assert re.search(r"^bm25 +50\.0 \[0–100\]", out, re.MULTILINE) and "no 95 % interval" not in out


@pytest.mark.parametrize(
    ("category", "shown"),
    [
        ("400 documents", "63.2 (GPT-4o-mini), 64.1 (Qwen2.5-14B)"),
        ("1600 documents", "64.6 (GPT"),
        ("50 documents", ""),
    ],
)
def test_figures_of_papers_are_of_texts_as_long(
    tmp_path: Path, capsys: CaptureFixture[str], monkeypatch: MonkeyPatch, category: str, shown: str
) -> None:
    monkeypatch.setenv("COLUMNS", "120")
    dataset = replace(quiz(2, name="hotpotqa-long", categories=(category,)), metrics=("f1",))
    folder = folder_of(tmp_path / "out", dataset, {"gam": every})
    out = printed(write_results(dataset, folder), folder.path, capsys)
    assert shown in out and ("published" in out) == bool(shown)


def test_figures_of_papers_stand_by_category_below_their_method(
    tmp_path: Path, capsys: CaptureFixture[str], monkeypatch: MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "120")
    dataset = replace(quiz(4, name="locomo", categories=("temporal", "multi-hop")), metrics=("f1",))
    folder = folder_of(tmp_path / "out", dataset, {"gam": every, "bm25": every})
    out = printed(write_results(dataset, folder), folder.path, capsys)
    gam = out[out.index("multi-hop (2)") :]
    assert re.search(r"\ngam +100\.0 +100\.0\n +published, GPT-4o-mini +42\.3 +59\.5\n +published, Qwen2\.5-14B", gam)
    assert gam.count("published") == 2, "the papers have none for bm25"


def test_failures_are_listed_unless_quiet(tmp_path: Path, capsys: CaptureFixture[str]) -> None:
    dataset = quiz(4)
    folder = with_failure(dataset, tmp_path / "out", "503\x1b[2J, or\nworse")
    results = write_results(dataset, folder)
    told = printed(results, folder.path, capsys)
    assert "1 of 16 readings failed: each scores 0\n  read-agent, q0, run 2: 503␛[2J, or worse\n" in told
    quiet = printed(results, folder.path, capsys, quiet=True)
    assert "read-agent" in quiet and "readings failed" not in quiet and "report.html" not in quiet
    assert results["methods"][0]["metrics"]["accuracy"]["mean"] == 87.5


def test_walks_have_a_table(tmp_path: Path, capsys: CaptureFixture[str]) -> None:
    dataset = quiz(4)
    walked: dict[str, Any] = {"strayed": True, "hops": 3, "percent_read": 12.5, "calls": 8, "refused": 2}
    folder = folder_of(tmp_path / "out", dataset, {"mem-walker": even}, **walked)
    out = printed(write_results(dataset, folder), folder.path, capsys)
    assert re.search(r"stray +recovered +read +shown +valid +hops\nmem-walker +100 % +50 % +12 % +– +75 % +3\.0", out)


def test_the_tables_fit_a_terminal(tmp_path: Path, capsys: CaptureFixture[str], monkeypatch: MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    dataset = quiz(30)
    folder = folder_of(tmp_path / "out", dataset, {"retrieved-pages": even}, runs=2, cost=0.01, input_words=123456)
    out = printed(write_results(dataset, folder), folder.path, capsys, quiet=True)
    assert all(len(line) <= 80 for line in out.splitlines()) and "…" not in out
    assert "compression" in out and "failed" in out


def test_a_question_counts_in_its_category_and_in_its_groups(tmp_path: Path, capsys: CaptureFixture[str]) -> None:
    asked = quiz(4)
    easy = [replace(item, category="easy", groups=("short",)) for item in asked.items[:3]]
    items = (*easy, replace(asked.items[3], category="hard"))
    dataset = replace(asked, name="infinite-bench", items=items)
    folder = folder_of(tmp_path / "out", dataset, {"read-agent": lambda number, run: number < 3})
    results = write_results(dataset, folder)
    metric = results["methods"][0]["metrics"]["accuracy"]
    found = {name: (of["mean"], of["questions"]) for name, of in metric["categories"].items()}
    assert found == {"easy": (100, 3), "hard": (0, 1), "short": (100, 3)}
    assert (metric["mean"], metric["category_mean"]) == (75, 50)
    out = printed(results, folder.path, capsys, quiet=True)
    assert re.search(
        r"easy \(3\) +hard \(1\) +short \(3\) +mean of categories\nread-agent +100.0 +0.0 +100.0 +50.0", out
    )


def test_many_categories_stand_below_one_another(
    tmp_path: Path, capsys: CaptureFixture[str], monkeypatch: MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    named = [f"longbook_{number}_eng" for number in range(10)]
    dataset = replace(quiz(10, categories=named), name="beam")
    folder = folder_of(tmp_path / "out", dataset, {"read-agent": every, "bm25": even})
    out = printed(write_results(dataset, folder), folder.path, capsys, quiet=True)
    first = r"longbook_0_eng \(1\) +100.0 +100.0\nlongbook_1_eng \(1\) +100.0 +0.0"
    assert re.search(rf"\ncategory +read-agent +bm25\n{first}", out)
    assert re.search(r"\nmean of categories +100.0 +50.0\n", out)


# The CSV files


def test_csv_files_hold_every_figure_and_every_score(tmp_path: Path, monkeypatch: MonkeyPatch) -> None:
    monkeypatch.setitem(METRICS, "calls", Metric("calls", "Calls.", lambda item, outcome: float(outcome.calls)))
    dataset = replace(quiz(6, texts=6, categories=("a, or b", "c")), metrics=("accuracy", "calls"))
    folder = folder_of(tmp_path / "out", dataset, {"read-agent": every, "bm25": even}, runs=2)
    results = write_results(dataset, folder)
    table = rows(folder.path / "results.csv")
    columns = ["method", "metric", "category", "mean", "low", "high", "deviation", "questions", "runs", "judge"]
    assert [*table[0]] == columns
    assert [(row["method"], row["metric"], row["category"]) for row in table[:5]] == [
        ("read-agent", "accuracy", "overall"),
        ("read-agent", "accuracy", "mean of categories"),
        ("read-agent", "accuracy", "a, or b"),
        ("read-agent", "accuracy", "c"),
        ("read-agent", "calls", "overall"),
    ]
    overall = results["methods"][1]["metrics"]["accuracy"]
    (row,) = (
        row for row in table if (row["method"], row["metric"], row["category"]) == ("bm25", "accuracy", "overall")
    )
    assert (float(row["mean"]), [float(row["low"]), float(row["high"])]) == (50.0, [*overall["interval"]])
    scores = rows(folder.path / "scores.csv")
    assert len(scores) == 2 * 2 * 6 * 2
    assert scores[0] == {
        **{"method": "read-agent", "run": "0", "item": "q0", "category": "a, or b"},
        **{"metric": "accuracy", "score": "100.0"},
    }
    assert json.loads((folder.path / "results.json").read_text(encoding="utf-8")).keys() == results.keys()


def test_without_categories_there_is_a_row_a_metric(tmp_path: Path) -> None:
    dataset = quiz(4)
    folder = folder_of(tmp_path / "out", dataset, {"bm25": even})
    write_results(dataset, folder)
    table = rows(folder.path / "results.csv")
    assert [row["category"] for row in table if (row["method"], row["metric"]) == ("bm25", "accuracy")] == ["overall"]


def test_what_was_used_stands_below_the_scores(tmp_path: Path) -> None:
    folder = folder_of(tmp_path / "out", quiz(4), {"bm25": even}, cost=0.01, strayed=False, hops=3)
    write_results(quiz(4), folder)
    used = {row["metric"]: float(row["mean"]) for row in rows(folder.path / "results.csv")}
    assert (used["calls"], used["input_words"], used["compression_rate"], used["hops"]) == (2, 200, 50, 3)
    assert (used["cost"], used["building_calls"], used["stray_ratio"], used["failures"]) == (0.04, 4, 0, 0)
    assert "building_cost" not in used, "what is not known is left out"


# The page


@pytest.mark.usefixtures("plots")
@pytest.mark.slow
def test_text_stays_text(tmp_path: Path) -> None:
    dataset = quiz(6)
    item = replace(dataset.items[0], question=SCRIPT, options=(SCRIPT, "\ud800"), category=SCRIPT)
    text = replace(dataset.texts[0], title=SCRIPT)
    dataset = replace(dataset, name=SCRIPT, items=(item, *dataset.items[1:]), texts=(text, *dataset.texts[1:]))
    folder = with_failure(dataset, tmp_path / "out", SCRIPT)
    write_results(dataset, folder)
    written = (folder.path / "report.html").read_text(encoding="utf-8")
    assert len(re.findall("<script", written)) == written.count("</script>") == 2  # the data, and the page's own
    assert "<b>$x$" not in written and "style=" not in re.sub(r"<script.*?</script>", "", written, flags=re.DOTALL)
    policy = re.search(r'Content-Security-Policy" content="([^"]+)"', written)
    assert policy and "default-src 'none'" in policy[1] and "unsafe" not in policy[1]
    assert not re.search(r"(?:src|href)=[\"']?(?:https?:)?//", written)
    data = page_data(folder.path)
    assert data["questions"][0]["question"] == SCRIPT and data["titles"]["t0"] == SCRIPT
    assert data["questions"][0]["options"] == [SCRIPT, "\ud800"]


def test_the_page_has_each_answer_with_its_scores(tmp_path: Path) -> None:
    dataset = quiz(3)
    folder = with_failure(dataset, tmp_path / "out", "503")
    write_results(dataset, folder)
    data = page_data(folder.path)
    assert data["recipes"] == {"read-agent": ["f-read-agent"], "mem-walker": ["f-mem-walker"]}
    assert data["questions"][0]["answers"] == [
        {"method": 0, "run": 0, "status": "answered", "scores": {"accuracy": 100}, "answer": "this", "choice": 0},
        {"method": 0, "run": 1, "status": "failed", "scores": {"accuracy": 0}, "problem": "503"},
        {"method": 1, "run": 0, "status": "answered", "scores": {"accuracy": 100}, "answer": "this", "choice": 0},
        {"method": 1, "run": 1, "status": "answered", "scores": {"accuracy": 100}, "answer": "this", "choice": 0},
    ]


def test_a_metric_that_nobody_rated_does_not_lead_the_page(tmp_path: Path) -> None:
    dataset = replace(quiz(3), metrics=("lr_1", "lr_2", "accuracy"))
    folder = folder_of(tmp_path / "out", dataset, {"read-agent": every})
    write_results(dataset, folder)
    assert page_data(folder.path)["metrics"] == ["accuracy"]


def test_a_failure_is_wrong_whatever_was_answered_before_it(tmp_path: Path) -> None:
    dataset = quiz(2)
    folder = folder_of(tmp_path / "out", dataset, {"read-agent": every})
    folder.append("answers", [answer("read-agent", 0, dataset.items[1], True, status="failed", problem="503")])
    assert ScoredEvaluation.of(dataset, folder).scores["read-agent"]["accuracy"] == {0: {"q0": 100, "q1": 0}}


@pytest.mark.slow
def test_plots_are_of_what_the_folder_holds(tmp_path: Path) -> None:
    many, one = quiz(12, texts=6), quiz(4, texts=1)
    walked: dict[str, Any] = {"strayed": False, "hops": 2, "percent_read": 40.0}
    folder = folder_of(tmp_path / "many", many, {"read-agent": every, "mem-walker": even}, **walked)
    plots = plots_of(ScoredEvaluation.of(many, folder))
    assert [(plot.heading, len(plot.panels)) for plot in plots] == [
        ("Score by words read", 2),
        ("Score by length", 1),
        ("What walks read", 1),
        ("Words and notes", 2),
    ]
    assert "read-agent" in plots[0].panels[0] and ">100–150<" in plots[1].panels[0]
    alone = folder_of(tmp_path / "one", one, {"bm25": even}, calls=0, input_words=0)
    few = plots_of(ScoredEvaluation.of(one, alone))
    assert [(plot.heading, len(plot.panels)) for plot in few] == [("Score by words read", 1), ("Words and notes", 1)]
    assert "words in view" in few[0].panels[0]


@pytest.mark.slow
@pytest.mark.filterwarnings("error")
def test_plots_have_room_for_the_names_of_a_sweeps_rows(tmp_path: Path) -> None:
    dataset = quiz(4, texts=2)
    walked: dict[str, Any] = {"strayed": False, "hops": 2, "percent_read": 40.0}
    rows = (*SWEEPS["mem-walker-tree"].rows, SWEEPS["read-agent-retrieval"].rows[-1])
    folder = folder_of(tmp_path / "out", dataset, dict.fromkeys(rows, even), **walked)
    drawn = [panel for plot in plots_of(ScoredEvaluation.of(dataset, folder)) for panel in plot.panels]
    assert ">rank_gists=on,<" in drawn[0] and any(">children=16<" in panel for panel in drawn)


def test_without_a_score_nothing_is_plotted_by_it(tmp_path: Path, capsys: CaptureFixture[str]) -> None:
    dataset = quiz(4)
    free = replace(dataset, items=tuple(replace(item, options=(), correct=None) for item in dataset.items))
    folder = folder_of(tmp_path / "out", dataset, {"bm25": even})
    assert score_by_words(ScoredEvaluation.of(free, folder)) is None
    assert re.search(r"^bm25 +–", printed(write_results(free, folder), folder.path, capsys), re.MULTILINE)


def test_texts_are_grouped_by_length() -> None:
    assert length_groups({}) == []
    assert length_groups({"a": 5, "b": 5}) == [["a", "b"]]
    assert length_groups({"c": 9, "a": 5, "b": 7}) == [["a"], ["b"], ["c"]]
    assert length_groups({f"{number}": number for number in range(9)}) == [
        ["0", "1"],
        ["2", "3"],
        ["4", "5", "6"],
        ["7", "8"],
    ]


def test_a_drawing_holds_no_style_and_takes_the_page_s_colour() -> None:
    svg = draw_panel(lambda axes: axes.set_title(SCRIPT))
    root = html.fromstring(svg)
    assert "style" not in svg.replace("&lt;", "") and "currentColor" in svg and "<script" not in svg
    assert SCRIPT in root.text_content() and not root.xpath("//metadata | //script")


# The command


def test_other_questions_of_the_folder_are_left_out(tmp_path: Path) -> None:
    dataset = quiz(8, texts=4)
    folder = folder_of(tmp_path / "out", dataset, {"bm25": even}, input_words=100)
    (method,) = write_results(replace(dataset, items=dataset.items[:2]), folder)["methods"]
    assert (method["outcomes"], method["building"]["memories"]) == (2, 2)
    assert len(rows(folder.path / "scores.csv")) == len(page_data(folder.path)["questions"]) == 2


def test_metrics_of_some_questions_say_of_how_many(tmp_path: Path, capsys: CaptureFixture[str]) -> None:
    dataset = quiz(4)
    free = replace(dataset.items[0], options=(), correct=None)
    folder = folder_of(tmp_path / "out", dataset, {"bm25": even})
    results = write_results(replace(dataset, items=(free, *dataset.items[1:])), folder)
    assert "accuracy (3)" in printed(results, folder.path, capsys)


def test_options_of_infinite_bench_are_said_to_be_guesses(tmp_path: Path, readgraph: Command) -> None:
    made.infinite(tmp_path / "files", "passkey", "longbook_choice_eng")
    run = ("evaluate", tmp_path / "files", "--methods", "bm25", "--no-full-text", "--out", tmp_path / "out")
    assert "not rated: questions with options; without a model an option is a guess" in readgraph(*run).text


def test_the_command_writes_it_all(tmp_path: Path, readgraph: Command) -> None:
    text = "The goat stood on the gallery.\n\nNobody knew how the goat got there."
    asked = {"question": "Where was the goat?", "options": ["On the gallery", "At sea"], "answer_index": 0}
    line = {"doc_id": "goat", "dataset": "quality", "text": text, "questions": [asked]}
    (tmp_path / "goat.jsonl").write_text(json.dumps(line), encoding="utf-8")
    run = ("evaluate", tmp_path / "goat.jsonl", "--methods", "bm25", "--out", tmp_path / "out")
    printed_text = readgraph(*run).text
    assert "quality: 1 question about 1 text, no model" in printed_text
    assert "not rated: accuracy; without a model an option is a guess" in printed_text
    assert {"report.html", "results.json", "results.csv", "scores.csv"} <= {
        file.name for file in (tmp_path / "out").iterdir()
    }
    told = readgraph(*run, "--json")
    assert told.json == json.loads((tmp_path / "out" / "results.json").read_text(encoding="utf-8"))
