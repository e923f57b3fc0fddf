"""The papers' tables and figures as experiments, with their datasets' files (`papers.toml`, `dataset_files.toml`).

This module imports neither LangGraph nor pydantic, since the command's completion lists the experiments.
"""

from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from itertools import product
from typing import Any, NamedTuple

from readgraph import BadInput
from readgraph.state.files import read_package_toml
from readgraph_evaluation.sweeps import SWEEPS


class Size(NamedTuple):
    """A dataset's published size: texts, words of a text on average, questions over all texts.

    `sessions` of a text, where it is a history; `options` of a question; `steps`: questions are steps on web pages.
    """

    texts: int
    words: int
    questions: int
    sessions: int = 0
    options: int = 0
    steps: bool = False


class Source(NamedTuple):
    """A dataset's file, which nobody fetches for you: its title, who publishes it, how the file is called.

    `dataset` is its name among the datasets, by which samples of your own are found too. `files` are patterns of the
    names of files and folders, `parts` those of test sets that make up the dataset, which is the folder that holds
    them. `form` is named where the file alone doesn't tell it. `made`: it needs no file.
    """

    dataset: str
    title: str
    project: str
    files: Sequence[str]
    size: Size
    form: str | None = None
    made: bool = False
    parts: Sequence[str] = ()


class Experiment(NamedTuple):
    """A table or a figure of a paper over one dataset.

    `rows` are as `readgraph evaluate --method` takes them, `settings` the paper's besides the profile, `runs` how often
    it asked, `sample` how many questions it drew. `lacking` says what can't be had, and why.
    """

    name: str
    paper: str
    place: str
    line: str
    rows: tuple[str, ...]
    source: Source
    models: str
    settings: Mapping[str, Any] = {}
    runs: int = 1
    sample: int | None = None
    lacking: tuple[str, ...] = ()


class Paper(NamedTuple):
    """A paper's experiments, and what of it needs no run of its own, or can't be repeated at all."""

    name: str
    experiments: tuple[Experiment, ...]
    no_runs: dict[str, str]


def _read_experiments(paper: str, written: dict[str, Any], lacking: dict[str, Any]) -> Iterator[Experiment]:
    for table in written["experiments"]:
        swept = SWEEPS[table["sweep"]]._asdict() if "sweep" in table else {}
        fields = {**swept, **written["each"], **table}
        for dataset in fields["over"]:
            lacks = [lacking[name] for name in fields["lacking"]]
            yield Experiment(
                *(fields["name"].format(dataset), paper, fields["place"], fields["line"], tuple(fields["rows"])),
                SOURCES[dataset],
                fields["models"],
                settings=fields.get("settings", {}),
                runs=fields.get("runs", 1),
                sample=written.get("samples", {}).get(dataset),
                lacking=tuple(lack["line"] for lack in lacks if dataset in lack.get("of", [dataset])),
            )


def _read_papers() -> Iterator[Paper]:
    papers = read_package_toml(__package__, "papers.toml")
    lacking = papers.pop("lacking")
    for name, written in papers.items():
        yield Paper(name, tuple(_read_experiments(name, written, lacking)), written.get("no_runs", {}))


SOURCES = {
    name: Source(**{**fields, "size": Size(**fields["size"])})
    for name, fields in read_package_toml(__package__, "dataset_files.toml").items()
}

PAPERS = tuple(_read_papers())
EXPERIMENTS = {each.name: each for paper in PAPERS for each in paper.experiments}


def experiment_named(name: str) -> Experiment:
    """The experiment of this name; raises `BadInput` where there is none, with the names that begin so."""
    if name in EXPERIMENTS:
        return EXPERIMENTS[name]
    begun = [experiment for experiment in EXPERIMENTS if experiment.startswith(f"{name}-")]
    if begun:
        raise BadInput(f"'{name}' has a part for each dataset: name one of {', '.join(begun)}.")
    raise BadInput(f"There is no experiment '{name}': 'readgraph reproduce' lists them.")


@cache
def tables_of_papers() -> dict[str, list[dict[str, Any]]]:
    """The papers' tables by the names of datasets: `papers_figures.toml`, which says how it is read."""
    return read_package_toml(__package__, "papers_figures.toml")


def figures_of_papers(dataset: str, experiment: str = "") -> list[dict[str, object]]:
    """The papers' figures for a dataset in an experiment, or else those that stand beside any evaluation."""
    figures = dict[tuple[object, ...], dict[str, object]]()
    for table in tables_of_papers().get(dataset, ()):
        if experiment not in table["experiments"] if experiment else "plain" not in table:
            continue
        columns = [*product(table.get("categories", [""]), table["metrics"])]
        for model, rows in table.get("models", {table.get("model"): table.get("rows")}).items():
            named = dict(_rows(rows))
            if not experiment:
                named |= {name: named[row] for name, row in table["plain"].items()}
            for row, values in named.items():
                about = {"model": model, "source": table["source"]}
                for (category, metric), value in zip(columns, values, strict=True):
                    figure = {"method": row, "metric": metric, "value": value, **about, "category": category}
                    figures.setdefault((row, metric, category, model), figure)
    return [*figures.values()]


def metrics_of_experiment(dataset: str, experiment: str) -> list[str]:
    """The metrics that an experiment's table in its paper has, the leading one first; none without an experiment."""
    figures = figures_of_papers(dataset, experiment) if experiment else []
    return list(dict.fromkeys(str(figure["metric"]) for figure in figures))


def _rows(rows: Mapping[str, list[Any]]) -> Iterator[tuple[str, list[float]]]:
    """The rows by their names; one whose values are lists is a row for each of them."""
    for name, values in rows.items():
        several = values if isinstance(values[0], list) else [values]
        yield from ((name.format(number), each) for number, each in enumerate(several, 1))
