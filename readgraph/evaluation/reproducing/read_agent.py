"""ReadAgent's tables (Lee et al., 2024)."""

from readgraph.evaluation.reproducing.experiment import Experiment, Source
from readgraph.evaluation.reproducing.sources import GUTENBERG, MOVIES, QMSUM_DEV, QMSUM_TEST, QUALITY, WEB
from readgraph.evaluation.rows.sweeps import SWEEPS

PAPER = "ReadAgent"
PALM = "PaLM 2-L is no longer served: name another model; figures differ with it."
GEMINI = "The Gemini embedding model of the time is not served: name another with --embeddings."
FULL = "Full text in one window of at least 12,000 words."


def _retrieval(most: int, ranked: str = "") -> tuple[str, ...]:
    """Retrieval of 1 to `most` pages, by words and by embeddings."""
    kinds = ("", f"ranking=embeddings,{ranked}")
    return tuple(f"retrieved-pages@show_gists=off,{kind}max_pages={n}" for kind in kinds for n in range(1, most + 1))


def _looked_up(most: int) -> tuple[str, ...]:
    return ("gists-only", *(f"read-agent@max_pages={n}" for n in range(1, most + 1)))


def _table(number: str, line: str, source: Source, rows: tuple[str, ...], **more: object) -> Experiment:
    fields = {"models": "PaLM 2-L", "runs": 3, "lacking": (PALM,), **more}
    place = f"appendix {number}" if "." in number else f"table {number.partition('-')[0]}"
    name = f"read-agent-{'appendix' if '.' in number else 'table'}-{number.lower().replace('.', '-')}"
    return Experiment(name, PAPER, place, line, source, rows, **fields)  # type: ignore[arg-type]


_BOOK_ROWS = (*_retrieval(4, "rank_gists=on,"), *_looked_up(3), "read-agent-s@max_pages=2", "read-agent-s@max_pages=3")
_BOOKS = (PALM, GEMINI, "The paper's columns of the validation set: readgraph reads the test set.")
_MEETING_ROWS = (*_retrieval(6), "first-words", "last-words", *_looked_up(6), "read-agent-s@max_pages=6")
_STORIES = "how many pages are looked up, beside retrieval, gists alone and the full text"

EXPERIMENTS = (
    _table(
        "1",
        _STORIES,
        QUALITY,
        (*_retrieval(4), "full-text", *_looked_up(6), "read-agent-s@max_pages=6"),
        lacking=(PALM, GEMINI),
    ),
    _table("2-gutenberg", _STORIES, GUTENBERG, _BOOK_ROWS, runs=1, lacking=_BOOKS),
    _table("2-movie", _STORIES, MOVIES, _BOOK_ROWS, runs=1, lacking=_BOOKS),
    _table("3", _STORIES, QMSUM_DEV, _MEETING_ROWS, lacking=(PALM, GEMINI)),
    _table("4", "one page looked up by the model or by embeddings", QUALITY, SWEEPS["read-agent-look-up"].rows[:2]),
    _table("5", SWEEPS["read-agent-paging"].line, QUALITY, SWEEPS["read-agent-paging"].rows),
    _table("6", SWEEPS["read-agent-sizes"].line, QUALITY, SWEEPS["read-agent-sizes"].rows),
    _table(
        "7",
        "the same as table 1 with a smaller model",
        QUALITY,
        (
            "retrieved-pages@show_gists=off,ranking=embeddings,max_pages=3",
            *("full-text", "gists-only", "read-agent@max_pages=5", "read-agent-s@max_pages=6"),
        ),
        models="GPT-3.5 Turbo",
        runs=1,
        lacking=(GEMINI, "The version of GPT-3.5 Turbo is not named."),
    ),
    _table(
        "10",
        SWEEPS["web-agent-snippets"].line,
        WEB,
        SWEEPS["web-agent-snippets"].rows,
        runs=1,
        lacking=(
            PALM,
            GEMINI,
            "MindAct rests on a ranker trained for Mind2Web, and other rows on models trained for it: not here.",
        ),
    ),
    _table("11", f"{_STORIES}, on the test set", QMSUM_TEST, _MEETING_ROWS, lacking=(PALM, GEMINI)),
    _table("G.1", SWEEPS["read-agent-conditional"].line, QUALITY, SWEEPS["read-agent-conditional"].rows, runs=1),
)

NO_RUNS = {
    "figures 2 to 5, 8": "the report of any of these runs has the words of texts, pages and notes",
    "table 8": "the profiles hold these settings",
    "table 9": "one story, read in table 1",
    "figures 6, 7": "tokens of raw pages in PaLM's tokenizer; gists before and after merging are not kept apart",
}
"""What needs no run of its own, or can't be repeated at all."""
