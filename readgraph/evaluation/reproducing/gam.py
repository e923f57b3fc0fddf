"""GAM's tables and figures (Yan et al., 2025)."""

from collections.abc import Mapping

from readgraph.evaluation.reproducing.experiment import Experiment, Source
from readgraph.evaluation.reproducing.sources import HOTPOT, LOCOMO, NARRATIVE, RULER
from readgraph.evaluation.rows.sweeps import SWEEPS

PAPER, MODELS = "GAM", "GPT-4o-mini, Qwen2.5-14B-Instruct"

OTHERS = "A-Mem, Mem0, MemoryOS and LightMem are other programs: not here."
EMBEDDINGS = "BGE-M3 ranked the pages: name an embedding model with --embeddings."
CHUNKS = "A text that is longer than the window: GAM takes the best chunk's score, full-text weighs their answers."
DRAWN = "The paper's 300 questions are not published: a sample of as many is drawn."
LEARNING = "Reinforcement learning of memorizer and researcher: its weights are not published."

_LONG = {f"hotpotqa-{name}": source for name, source in HOTPOT.items()} | {"narrativeqa": NARRATIVE}
_ALL = {"locomo": LOCOMO, **_LONG, "ruler": RULER}

_MEMORIZERS = "one model for the memory and one for the research: repeat with --model and --reading-model"


def _over(
    place: str, line: str, rows: tuple[str, ...], *lacking: str, over: Mapping[str, Source] = _LONG
) -> tuple[Experiment, ...]:
    """The experiment over each of these datasets."""
    models = MODELS if place == "table 1" else "Qwen2.5-14B-Instruct"
    return tuple(
        Experiment(
            f"gam-{place.replace(' ', '-').replace(',', '')}-{name}",
            *(PAPER, place, line, source, rows, models),
            sample=300 if source is NARRATIVE else None,
            lacking=(*lacking, *((DRAWN,) if source is NARRATIVE else ())),
        )
        for name, source in over.items()
    )


_ABLATIONS = (*SWEEPS["gam-tools"].rows, *(row for row in SWEEPS["gam-modules"].rows if row != "gam"))

EXPERIMENTS = (
    *_over(
        "table 1",
        "beside the full text and retrieval",
        ("gam", "full-text", "dense"),
        *(OTHERS, EMBEDDINGS, CHUNKS, LEARNING),
        over=_ALL,
    ),
    *_over("table 2", _MEMORIZERS, ("gam",)),
    *_over("table 3", "which search tools and which modules", _ABLATIONS, EMBEDDINGS),
    *_over("table 4", SWEEPS["gam-output"].line, SWEEPS["gam-output"].rows),
    *_over(
        "table 5",
        "seconds to build and to answer, with --concurrency 1",
        ("gam",),
        OTHERS,
        over={name: source for name, source in _LONG.items() if source is not NARRATIVE},
    ),
    *_over("figure 2 top", SWEEPS["gam-rounds"].line, SWEEPS["gam-rounds"].rows),
    *_over("figure 2 bottom", SWEEPS["gam-pages"].line, SWEEPS["gam-pages"].rows),
)

NO_RUNS: dict[str, str] = {}
"""What needs no run of its own, or can't be repeated at all."""
