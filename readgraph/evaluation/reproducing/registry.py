"""All experiments by name."""

from readgraph.evaluation.reproducing import gam, mem_gpt, mem_walker, read_agent
from readgraph.evaluation.reproducing.experiment import Experiment
from readgraph.state.errors import BadInput

PAPERS = (read_agent, mem_walker, gam, mem_gpt)

EXPERIMENTS: dict[str, Experiment] = {each.name: each for paper in PAPERS for each in paper.EXPERIMENTS}


def experiment_named(name: str) -> Experiment:
    """The experiment of this name; raises `BadInput` where there is none, with the names that begin so."""
    if name in EXPERIMENTS:
        return EXPERIMENTS[name]
    begun = [each for each in EXPERIMENTS if each.startswith(f"{name}-")]
    if begun:
        raise BadInput(f"'{name}' has a part for each dataset: name one of {', '.join(begun)}.")
    raise BadInput(f"There is no experiment '{name}': 'readgraph reproduce' lists them.")
