"""How often a 95 % interval holds the truth, where questions about one text are alike: texts drawn, or questions.

    python -m benchmarks.intervals [--texts 12] [--questions 18] [--tries 400]

Each try makes texts that are harder or easier than others (right answers between 20 and 100 %, 60 % in the mean), with
yes-or-no scores of their questions, as a model's would be.
"""

import argparse

import numpy as np

from readgraph.evaluation.statistics import summarise

MEAN, SPREAD = 0.6, 0.4


def coverage(texts: int, questions: int, tries: int, *, draw_texts: bool = True) -> float:
    """The share of tries whose interval holds the true mean."""
    rng, held = np.random.default_rng(1), 0
    names = {f"{text} {number}": str(text) for text in range(texts) for number in range(questions)}
    for _ in range(tries):
        chances = np.repeat(rng.uniform(MEAN - SPREAD, MEAN + SPREAD, texts), questions)
        scores = 100.0 * (rng.random(texts * questions) < chances)
        found = summarise([dict(zip(names, scores.tolist(), strict=True))], names if draw_texts else None)
        assert found and found.interval
        held += found.interval[0] <= 100 * MEAN <= found.interval[1]
    return held / tries


def main() -> None:
    """Print the figures."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name, default in (("--texts", 12), ("--questions", 18), ("--tries", 400)):
        options.add_argument(name, type=int, default=default)
    given = options.parse_args()
    for what, draw_texts in (("texts", True), ("questions", False)):
        share = coverage(given.texts, given.questions, given.tries, draw_texts=draw_texts)
        print(
            f"{given.texts} texts with {given.questions} questions, {what} drawn: "
            f"{100 * share:.0f} % of the intervals hold the truth"
        )


if __name__ == "__main__":
    main()
