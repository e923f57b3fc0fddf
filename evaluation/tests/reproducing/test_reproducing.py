"""`reproduce`: the papers' tables and figures by name, over `evaluate`."""

import json
from pathlib import Path

import pytest

from evaluation.tests.support import datasets as made
from evaluation.tests.support.evaluations import by_method
from readgraph.graphs.methods import web_method_named
from readgraph.language import detection as language
from readgraph.state.context import ReaderContext
from readgraph_evaluation.datasets import NAMES, load_dataset
from readgraph_evaluation.datasets.agents import SPLITS
from readgraph_evaluation.datasets.assembling import SCORING
from readgraph_evaluation.reproducing import EXPERIMENTS, Experiment, metrics_of_experiment
from readgraph_evaluation.reproducing.needs import (
    estimate_experiment,
    form_of,
    lacking_parts,
    require_dataset_file,
    store_of_mean_texts,
)
from readgraph_evaluation.rows import row_method, row_named, rows_to_run
from readgraph_evaluation.run.reproduce import rows_that_can_run
from tests.doubles.model_server import ModelServer
from tests.support.command import DOUBLE, Command, assert_refused
from tests.support.questions import CHOICE, story_file

ABLE = ReaderContext(model="openai:double", embeddings="openai:double-embeddings")
TABLE = "read-agent-table-5"

OF_EACH_KIND = [
    *(TABLE, "read-agent-table-3", "read-agent-table-2-movie", "read-agent-table-10", "read-agent-appendix-g-1"),
    *("mem-walker-table-2-govreport", "mem-walker-figure-5", "gam-table-1-locomo", "gam-table-3-hotpotqa-56k"),
    *("mem-gpt-table-2", "mem-gpt-table-3", "mem-gpt-figure-7-documents", "mem-gpt-figure-7-keys"),
]
"""Experiments that differ in their datasets' shape: stories, meetings, books, web pages, histories, passages."""


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """A folder with a sample of QuALITY in a folder, in the form for own questions, and with other files."""
    folder = tmp_path / "data"
    (folder / "inner").mkdir(parents=True)
    line = json.loads(story_file(tmp_path, CHOICE).read_text(encoding="utf-8").splitlines()[0])
    (folder / "inner" / "few.jsonl").write_text(json.dumps({**line, "dataset": "quality"}), encoding="utf-8")
    (folder / "a.jsonl").write_text("no JSON", encoding="utf-8")
    return folder


def test_every_row_can_be_run_and_every_dataset_is_known() -> None:
    for experiment in EXPERIMENTS.values():
        named = web_method_named if experiment.source.size.steps else row_method
        rows = [row_named(row, ABLE, named).name for row in experiment.rows]
        assert len({*rows}) == len(rows) > 0, experiment.name
        assert experiment.source.dataset in SCORING
        assert experiment.source.form in (None, *NAMES) and experiment.source.made == (not experiment.source.files)
        ReaderContext(**experiment.settings)


@pytest.mark.slow
@pytest.mark.parametrize("experiment", [EXPERIMENTS[name] for name in OF_EACH_KIND], ids=OF_EACH_KIND)
async def test_rows_together_take_no_more_than_each_alone(experiment: Experiment) -> None:
    total = await estimate_experiment(experiment, ABLE)
    rows = [await estimate_experiment(experiment._replace(rows=(row,)), ABLE) for row in experiment.rows]
    for name in ("calls", "input_words", "output_words"):
        alone = [getattr(each, name).expected for each in rows]
        assert 0 < max(alone) <= getattr(total, name).expected <= sum(alone) + 1


@pytest.mark.slow
async def test_texts_of_several_experiments_are_kept_apart_and_need_no_classifier(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delattr(language, "import_module")
    names = ("mem-gpt-table-2", "gam-table-1-locomo")
    together = {name: await estimate_experiment(EXPERIMENTS[name], ABLE) for name in names}
    assert len({each.input_words.expected for each in together.values()}) == len(names)
    for name in reversed(names):
        store_of_mean_texts.cache_clear()
        assert await estimate_experiment(EXPERIMENTS[name], ABLE) == together[name]


@pytest.mark.slow
def test_an_experiment_is_the_evaluation_of_its_rows(
    readgraph: Command, server: ModelServer, tmp_path: Path, data: Path, out: Path
) -> None:
    told = readgraph("reproduce", TABLE, "--data", data, *DOUBLE, "--out", out, "--json")
    results, paid = by_method(told.json), server.calls
    assert [*results] == ["read-agent", "read-agent@paging=even"]
    assert told.json["what"]["settings"]["max_page_words"] == 600, "the dataset's profile"
    assert "PaLM 2-L is no longer served" in told.err and "few.jsonl is a file of your own" in told.err
    rows = [part for row in EXPERIMENTS[TABLE].rows for part in ("--method", row)]
    again = ("evaluate", data / "inner" / "few.jsonl", *DOUBLE, *rows, "--no-full-text", "--out", out, "--json")
    assert readgraph(*again).json["methods"] == told.json["methods"] and server.calls == paid, "it is the same one"


def test_what_is_missing_is_named_in_one_line(readgraph: Command, tmp_path: Path, data: Path, out: Path) -> None:
    files = "ALL/jsonl/val.jsonl or val.jsonl or validation.jsonl"
    needs = f"This needs QMSum, validation set ({files}), from github.com/Yale-LILY/QMSum"
    assert_refused(readgraph("reproduce", "read-agent-table-3", "--data", data, "--out", out), needs)
    assert_refused(readgraph("reproduce", "read-agent-table-3", "--out", out), "name its folder with --data")
    assert_refused(readgraph("reproduce", TABLE, "--data", tmp_path / "none", "--out", out), "There is no folder")
    other = ("reproduce", "read-agent-table-3", "--data", data / "inner" / "few.jsonl", "--out", out)
    assert_refused(readgraph(*other), "holds quality, and this needs qmsum")
    assert_refused(readgraph("reproduce", "gam-table-1"), "has a part for each dataset: name one of gam-table-1-locomo")
    assert_refused(readgraph("reproduce", "gam-table-9"), "There is no experiment 'gam-table-9'")
    assert_refused(readgraph("reproduce", TABLE, "--data", data), "name one with --out")
    assert not out.exists()


def test_without_a_model_it_is_the_floor_and_rows_that_need_embeddings_are_left_out(
    readgraph: Command, data: Path, out: Path
) -> None:
    told = readgraph("reproduce", "read-agent-table-4", "--data", data, "--out", out, "--json")
    assert [*by_method(told.json)] == ["read-agent@max_pages=1"]
    assert "Without a model, quotes are scored, which no paper reports" in told.err
    assert "need an embedding model (--embeddings): retrieved-pages@ranking=embeddings,max_pages=1" in told.err
    context, table = ReaderContext(model="openai:double"), EXPERIMENTS["gam-table-3-hotpotqa-56k"]
    kept = ["gam", "gam@tools=page", "gam@tools=keyword", "gam@tools=keyword,page"]
    assert rows_that_can_run(table, context) == [*kept, "gam@without_memory=on", "gam@rounds=0"]


def test_an_estimate_is_evaluate_s(readgraph: Command, server: ModelServer, data: Path) -> None:
    told = readgraph("reproduce", TABLE, "--data", data, *DOUBLE, "--estimate", "--price", "1/2", "--json").json
    rows = [part for row in EXPERIMENTS[TABLE].rows for part in ("--method", row)]
    file = data / "inner" / "few.jsonl"
    same = ("evaluate", file, *DOUBLE, *rows, "--no-full-text", "--estimate", "--price", "1/2", "--json")
    assert readgraph(*same).json == told and told["cost"] > 0 and server.calls == 0


@pytest.fixture(scope="module")
def published(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a small file of each dataset, where its authors put it."""
    return made.publish_all(tmp_path_factory.mktemp("published"))


@pytest.mark.parametrize("experiment", EXPERIMENTS.values(), ids=EXPERIMENTS)
@pytest.mark.slow
def test_what_is_listed_runs_on_the_files_as_they_are_published(experiment: Experiment, published: Path) -> None:
    source = experiment.source
    file = require_dataset_file(source, published)
    dataset = load_dataset(file, form_of(source, file) or (source.form if source.made else None))
    assert dataset.name == source.dataset and dataset.items
    assert [row.name for row in rows_to_run(experiment.rows, dataset, ABLE, full_text=False)]
    assert {*metrics_of_experiment(dataset.name, experiment.name)} <= {*dataset.metrics}
    assert not lacking_parts(source, file)


def test_the_right_part_of_a_dataset_is_taken(published: Path) -> None:
    def found(name: str) -> Path | None:
        return require_dataset_file(EXPERIMENTS[name].source, published)

    ruler, web = found("gam-table-1-ruler"), found("read-agent-table-10")
    assert ruler and ruler.parts[-2:] == ("131072", "data")
    assert web and {item.category for item in load_dataset(web, "mind2web").items} == {*SPLITS.values()}
    books = load_dataset(found("read-agent-table-2-gutenberg-valid"), "narrativeqa-gutenberg-valid")
    assert [text.id for text in books.texts] == ["valid-gutenberg"]
    one = published / "Mind2Web" / "data" / "test_task" / "test_task_0.json"
    for part in (one, one.parent):
        assert lacking_parts(EXPERIMENTS["read-agent-table-10"].source, part) == ["test_website*", "test_domain*"]


@pytest.mark.slow
def test_a_file_that_is_no_dataset_does_not_end_the_list(readgraph: Command, tmp_path: Path) -> None:
    (tmp_path / "session_5").mkdir()
    (tmp_path / "session_5" / "test.txt").write_text("no JSON", encoding="utf-8")
    (tmp_path / "locomo10.json").write_text("[1]", encoding="utf-8")
    told = readgraph("reproduce", "--data", tmp_path, "--json").json
    assert [line["name"] for line in told] == [*EXPERIMENTS] and not any(line["file"] for line in told)


def test_a_paper_s_figures_stand_beside_its_rows_and_its_metrics_lead(
    readgraph: Command, published: Path, out: Path
) -> None:
    told = readgraph(
        "reproduce", "read-agent-table-2-movie", "--data", published, "--out", out, "--limit", "1", "--json"
    )
    assert told.json["metrics"][:2] == ["lr_1", "lr_2"]
    beside = {figure["method"]: figure["value"] for figure in told.json["published"] if figure["metric"] == "lr_1"}
    assert beside["read-agent@max_pages=1"] == 57.68 and {*by_method(told.json)} <= {*beside}
    assert "in the paper it takes the place of its gist" in told.err


@pytest.mark.slow
def test_the_list_tells_of_the_file_that_is_there(readgraph: Command, data: Path) -> None:
    told = {line["name"]: line for line in readgraph("reproduce", "--data", data, "--price", "1/2", "--json").json}
    assert [*told] == [*EXPERIMENTS]
    here, away = told[TABLE], told["read-agent-table-3"]
    assert (here["file"], away["file"]) == ("few.jsonl", None)
    assert 0 < here["calls"] < 1000 < away["calls"] and here["cost"] < away["cost"]
