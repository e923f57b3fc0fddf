"""The papers' experiments by name, each with its rows and the dataset it needs: `readgraph reproduce`."""

from typing import NamedTuple

from readgraph.evaluation.reproducing import papers
from readgraph.evaluation.reproducing.sources import Experiment
from readgraph.state.errors import BadInput


class Paper(NamedTuple):
    """A paper's experiments, and what of it needs no run of its own, or can't be repeated at all."""

    name: str
    experiments: tuple[Experiment, ...]
    no_runs: dict[str, str]


PAPERS = (
    Paper(papers.READ_AGENT, papers.READ_AGENT_EXPERIMENTS, papers.READ_AGENT_NO_RUNS),
    Paper(papers.MEM_WALKER, papers.MEM_WALKER_EXPERIMENTS, papers.MEM_WALKER_NO_RUNS),
    Paper(papers.GAM, papers.GAM_EXPERIMENTS, papers.GAM_NO_RUNS),
    Paper(papers.MEM_GPT, papers.MEM_GPT_EXPERIMENTS, papers.MEM_GPT_NO_RUNS),
)

EXPERIMENTS: dict[str, Experiment] = {each.name: each for paper in PAPERS for each in paper.experiments}


def experiment_named(name: str) -> Experiment:
    """The experiment of this name; raises `BadInput` where there is none, with the names that begin so."""
    if name in EXPERIMENTS:
        return EXPERIMENTS[name]
    begun = [each for each in EXPERIMENTS if each.startswith(f"{name}-")]
    if begun:
        raise BadInput(f"'{name}' has a part for each dataset: name one of {', '.join(begun)}.")
    raise BadInput(f"There is no experiment '{name}': 'readgraph reproduce' lists them.")
