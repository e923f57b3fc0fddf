"""How often a 95 % interval holds the truth, by the number of texts: whole texts drawn, or their questions.

    python -m benchmarks.intervals [--texts 2 5 6 8 12] [--questions 18] [--tries 400]

Each try makes texts that are harder or easier than others (right answers between 20 and 100 %, 60 % in the mean), with
yes-or-no scores of their questions, as a model's would be. Results show no interval of fewer than six texts.
"""

import argparse

import numpy as np

from readgraph_evaluation.statistics import FEWEST_TEXTS, bootstrap_interval

MEAN, SPREAD = 0.6, 0.4


def coverage(texts: int, questions: int, tries: int, *, draw_texts: bool = True) -> float:
    """The share of tries whose interval holds the true mean."""
    rng, held = np.random.default_rng(1), 0
    groups = np.repeat(np.arange(texts), questions) if draw_texts else np.arange(texts * questions)
    for _ in range(tries):
        chances = np.repeat(rng.uniform(MEAN - SPREAD, MEAN + SPREAD, texts), questions)
        low, high = bootstrap_interval(100.0 * (rng.random(texts * questions) < chances), groups)
        held += low <= 100 * MEAN <= high
    return held / tries


def main() -> None:
    """Print the figures."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--texts", type=int, nargs="+", default=[2, 5, 6, 8, 12])
    options.add_argument("--questions", type=int, default=18)
    options.add_argument("--tries", type=int, default=400)
    args = options.parse_args()
    print(f"intervals that hold the truth, of {args.tries:,}, with {args.questions} questions a text:")
    for texts in args.texts:
        drawn, apart = (coverage(texts, args.questions, args.tries, draw_texts=of) for of in (True, False))
        left_out = "" if texts >= FEWEST_TEXTS else " (not shown in results)"
        print(f"{texts:>3} texts: {100 * drawn:.0f} % texts drawn, {100 * apart:.0f} % questions drawn{left_out}")


if __name__ == "__main__":
    main()
