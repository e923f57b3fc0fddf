"""MemWalker's tables and figures (Chen et al., 2023)."""

from readgraph.evaluation.reproducing.experiment import Experiment, Source
from readgraph.evaluation.reproducing.sources import QUALITY, REPORTS, SCREENPLAYS
from readgraph.evaluation.rows.sweeps import SWEEPS

PAPER, MODEL = "MemWalker", "Stable Beluga 2 70B"

WINDOW = {"window_words": 3000}
"""4,096 tokens are about 3,000 words (section 4.2)."""

LACKING = (
    "Stable Beluga 2 is not served: run its weights on a server of your own, or name another model.",
    "The paper's 187 questions are not published: a sample of as many is drawn.",
)
NO_QUESTIONS = ("The paper's 'who' questions are not published: those that you make differ.", LACKING[0])
OTHER_MODELS = "MPT 13B and LongChat 13B read the full text: --model of your server, with the row full-text."
CONTRIEVER = "Contriever ranked the segments: name an embedding model with --embeddings."

_SOURCES: dict[str, tuple[Source, int | None, tuple[str, ...]]] = {
    "quality": (QUALITY, 187, LACKING),
    "summscreenfd": (SCREENPLAYS, None, NO_QUESTIONS),
    "govreport": (REPORTS, None, NO_QUESTIONS),
}


def _over(place: str, line: str, rows: tuple[str, ...], *lacking: str, models: str = MODEL) -> tuple[Experiment, ...]:
    """The experiment over each of the three datasets."""
    return tuple(
        Experiment(
            f"mem-walker-{place.replace(' ', '-')}-{name}",
            *(PAPER, place, line, source, rows, models, WINDOW),
            sample=sample,
            lacking=(*without, *lacking),
        )
        for name, (source, sample, without) in _SOURCES.items()
    )


EXPERIMENTS = (
    *_over(
        "table 2",
        "beside recurrence, retrieval and the cut text; the same run shows table 4 and figures 2 and 4",
        ("mem-walker@keep_findings=off", "recurrent", "dense", "first-words", "last-words"),
        CONTRIEVER,
        OTHER_MODELS,
    ),
    *_over(
        "table 3",
        SWEEPS["mem-walker-reasoning"].line,
        ("mem-walker@keep_findings=off", "mem-walker@reasoning=off,keep_findings=off"),
        models="LLaMA 2 Chat 13B and 70B, Stable Beluga 2 70B",
    ),
    *_over(
        "figure 3",
        "with working memory and without",
        ("mem-walker@keep_findings=off", "mem-walker@working_memory=off,keep_findings=off"),
    ),
    Experiment(
        "mem-walker-figure-5",
        *(PAPER, "figure 5", SWEEPS["mem-walker-tree"].line, QUALITY, SWEEPS["mem-walker-tree"].rows, MODEL, WINDOW),
        sample=187,
        lacking=LACKING,
    ),
)

NO_RUNS = {
    "table 4, figures 2 and 4": "columns and plots of the runs of table 2",
    "tables 1, 5, 6": "prompts and walks as examples; ours are in our own words",
}
"""What needs no run of its own, or can't be repeated at all."""
