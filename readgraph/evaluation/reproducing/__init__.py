"""The papers' experiments by name, each with its rows and the dataset it needs: `readgraph reproduce`."""

from readgraph.evaluation.reproducing.papers import PAPERS, Experiment
from readgraph.state.errors import BadInput

EXPERIMENTS: dict[str, Experiment] = {each.name: each for paper in PAPERS for each in paper.experiments}


def experiment_named(name: str) -> Experiment:
    """The experiment of this name; raises `BadInput` where there is none, with the names that begin so."""
    if name in EXPERIMENTS:
        return EXPERIMENTS[name]
    begun = [each for each in EXPERIMENTS if each.startswith(f"{name}-")]
    if begun:
        raise BadInput(f"'{name}' has a part for each dataset: name one of {', '.join(begun)}.")
    raise BadInput(f"There is no experiment '{name}': 'readgraph reproduce' lists them.")
