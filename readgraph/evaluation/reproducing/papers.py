"""The tables and figures of the papers, as experiments: ReadAgent, MemWalker, GAM, MemGPT.

ReadAgent: Lee et al., 2024. MemWalker: Chen et al., 2023. GAM: Yan et al., 2025. MemGPT: Packer et al., 2023.
"""

from collections.abc import Mapping

from readgraph.evaluation.reproducing.sources import (
    CHATS,
    GUTENBERG,
    HOTPOT,
    KEYS,
    LOCOMO,
    MOVIES,
    NARRATIVE,
    OPENERS,
    PASSAGES,
    QMSUM_DEV,
    QMSUM_TEST,
    QUALITY,
    REPORTS,
    RULER,
    SCREENPLAYS,
    WEB,
    Experiment,
    Source,
)
from readgraph.evaluation.sweeps import SWEEPS

READ_AGENT = "ReadAgent"
PALM = "PaLM 2-L is no longer served: name another model; figures differ with it."
GEMINI = "The Gemini embedding model of the time is not served: name another with --embeddings."
FULL = "Full text in one window of at least 12,000 words."


def _retrieval(most: int, ranked: str = "") -> tuple[str, ...]:
    """Retrieval of 1 to `most` pages, by words and by embeddings."""
    kinds = ("", f"ranking=embeddings,{ranked}")
    return tuple(f"retrieved-pages@show_gists=off,{kind}max_pages={n}" for kind in kinds for n in range(1, most + 1))


def _look_up_rows(most: int) -> tuple[str, ...]:
    return ("gists-only", *(f"read-agent@max_pages={n}" for n in range(1, most + 1)))


def _table(number: str, line: str, source: Source, rows: tuple[str, ...], **more: object) -> Experiment:
    fields = {"models": "PaLM 2-L", "runs": 3, "lacking": (PALM,), **more}
    place = f"appendix {number}" if "." in number else f"table {number.partition('-')[0]}"
    name = f"read-agent-{'appendix' if '.' in number else 'table'}-{number.lower().replace('.', '-')}"
    return Experiment(name, READ_AGENT, place, line, source, rows, **fields)  # type: ignore[arg-type]


_BOOK_ROWS = (
    *_retrieval(4, "rank_gists=on,"),
    *_look_up_rows(3),
    "read-agent-s@max_pages=2",
    "read-agent-s@max_pages=3",
)
_BOOKS = (PALM, GEMINI, "The paper's columns of the validation set: readgraph reads the test set.")
_MEETING_ROWS = (*_retrieval(6), "first-words", "last-words", *_look_up_rows(6), "read-agent-s@max_pages=6")
_STORIES = "how many pages are looked up, beside retrieval, gists alone and the full text"

READ_AGENT_EXPERIMENTS = (
    _table(
        "1",
        _STORIES,
        QUALITY,
        (*_retrieval(4), "full-text", *_look_up_rows(6), "read-agent-s@max_pages=6"),
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

READ_AGENT_NO_RUNS = {
    "figures 2 to 5, 8": "the report of any of these runs has the words of texts, pages and notes",
    "table 8": "the profiles hold these settings",
    "table 9": "one story, read in table 1",
    "figures 6, 7": "tokens of raw pages in PaLM's tokenizer; gists before and after merging are not kept apart",
}
"""What needs no run of its own, or can't be repeated at all."""


MEM_WALKER, BELUGA = "MemWalker", "Stable Beluga 2 70B"

MEM_WALKER_WINDOW = {"window_words": 3000}
"""4,096 tokens are about 3,000 words (section 4.2)."""

MEM_WALKER_LACKING = (
    "Stable Beluga 2 is not served: run its weights on a server of your own, or name another model.",
    "The paper's 187 questions are not published: a sample of as many is drawn.",
)
NO_QUESTIONS = ("The paper's 'who' questions are not published: those that you make differ.", MEM_WALKER_LACKING[0])
OTHER_MODELS = "MPT 13B and LongChat 13B read the full text: --model of your server, with the row full-text."
CONTRIEVER = "Contriever ranked the segments: name an embedding model with --embeddings."

_MEM_WALKER_SOURCES: dict[str, tuple[Source, int | None, tuple[str, ...]]] = {
    "quality": (QUALITY, 187, MEM_WALKER_LACKING),
    "summscreenfd": (SCREENPLAYS, None, NO_QUESTIONS),
    "govreport": (REPORTS, None, NO_QUESTIONS),
}


def _mem_walker_experiments(
    place: str, line: str, rows: tuple[str, ...], *lacking: str, models: str = BELUGA
) -> tuple[Experiment, ...]:
    """The experiment over each of the three datasets."""
    return tuple(
        Experiment(
            f"mem-walker-{place.replace(' ', '-')}-{name}",
            *(MEM_WALKER, place, line, source, rows, models, MEM_WALKER_WINDOW),
            sample=sample,
            lacking=(*without, *lacking),
        )
        for name, (source, sample, without) in _MEM_WALKER_SOURCES.items()
    )


MEM_WALKER_EXPERIMENTS = (
    *_mem_walker_experiments(
        "table 2",
        "beside recurrence, retrieval and the cut text; the same run shows table 4 and figures 2 and 4",
        ("mem-walker@keep_findings=off", "recurrent", "dense", "first-words", "last-words"),
        CONTRIEVER,
        OTHER_MODELS,
    ),
    *_mem_walker_experiments(
        "table 3",
        SWEEPS["mem-walker-reasoning"].line,
        ("mem-walker@keep_findings=off", "mem-walker@reasoning=off,keep_findings=off"),
        models="LLaMA 2 Chat 13B and 70B, Stable Beluga 2 70B",
    ),
    *_mem_walker_experiments(
        "figure 3",
        "with working memory and without",
        ("mem-walker@keep_findings=off", "mem-walker@working_memory=off,keep_findings=off"),
    ),
    Experiment(
        "mem-walker-figure-5",
        *(
            MEM_WALKER,
            "figure 5",
            SWEEPS["mem-walker-tree"].line,
            QUALITY,
            SWEEPS["mem-walker-tree"].rows,
            BELUGA,
            MEM_WALKER_WINDOW,
        ),
        sample=187,
        lacking=MEM_WALKER_LACKING,
    ),
)

MEM_WALKER_NO_RUNS = {
    "table 4, figures 2 and 4": "columns and plots of the runs of table 2",
    "tables 1, 5, 6": "prompts and walks as examples; ours are in our own words",
}
"""What needs no run of its own, or can't be repeated at all."""


GAM, GAM_MODELS = "GAM", "GPT-4o-mini, Qwen2.5-14B-Instruct"

OTHERS = "A-Mem, Mem0, MemoryOS and LightMem are other programs: not here."
EMBEDDINGS = "BGE-M3 ranked the pages: name an embedding model with --embeddings."
CHUNKS = "A text that is longer than the window: GAM takes the best chunk's score, full-text weighs their answers."
DRAWN = "The paper's 300 questions are not published: a sample of as many is drawn."
LEARNING = "Reinforcement learning of memorizer and researcher: its weights are not published."

_GAM_LONG = {f"hotpotqa-{name}": source for name, source in HOTPOT.items()} | {"narrativeqa": NARRATIVE}
_GAM_ALL = {"locomo": LOCOMO, **_GAM_LONG, "ruler": RULER}

_MEMORIZERS = "one model for the memory and one for the research: repeat with --model and --reading-model"


def _gam_experiments(
    place: str, line: str, rows: tuple[str, ...], *lacking: str, over: Mapping[str, Source] = _GAM_LONG
) -> tuple[Experiment, ...]:
    """The experiment over each of these datasets."""
    models = GAM_MODELS if place == "table 1" else "Qwen2.5-14B-Instruct"
    return tuple(
        Experiment(
            f"gam-{place.replace(' ', '-').replace(',', '')}-{name}",
            *(GAM, place, line, source, rows, models),
            sample=300 if source is NARRATIVE else None,
            lacking=(*lacking, *((DRAWN,) if source is NARRATIVE else ())),
        )
        for name, source in over.items()
    )


_ABLATIONS = (*SWEEPS["gam-tools"].rows, *(row for row in SWEEPS["gam-modules"].rows if row != "gam"))

GAM_EXPERIMENTS = (
    *_gam_experiments(
        "table 1",
        "beside the full text and retrieval",
        ("gam", "full-text", "dense"),
        *(OTHERS, EMBEDDINGS, CHUNKS, LEARNING),
        over=_GAM_ALL,
    ),
    *_gam_experiments("table 2", _MEMORIZERS, ("gam",)),
    *_gam_experiments("table 3", "which search tools and which modules", _ABLATIONS, EMBEDDINGS),
    *_gam_experiments("table 4", SWEEPS["gam-output"].line, SWEEPS["gam-output"].rows),
    *_gam_experiments(
        "table 5",
        "seconds to build and to answer, with --concurrency 1",
        ("gam",),
        OTHERS,
        over={name: source for name, source in _GAM_LONG.items() if source is not NARRATIVE},
    ),
    *_gam_experiments("figure 2 top", SWEEPS["gam-rounds"].line, SWEEPS["gam-rounds"].rows),
    *_gam_experiments("figure 2 bottom", SWEEPS["gam-pages"].line, SWEEPS["gam-pages"].rows),
)

GAM_NO_RUNS: dict[str, str] = {}
"""What needs no run of its own, or can't be repeated at all."""


MEM_GPT = "MemGPT"
OLD = "The GPT-4 and GPT-3.5 Turbo of 2023 are no longer served."

MEM_GPT_EXPERIMENTS = (
    Experiment(
        "mem-gpt-table-2",
        *(MEM_GPT, "table 2", "a fact of five sessions, beside a running summary", CHATS, ("mem-gpt", "recurrent")),
        "GPT-4, GPT-3.5 Turbo",
        lacking=(
            OLD,
            "Rows with the gold persona, and a summary beside the last session: readgraph has no such baseline.",
        ),
    ),
    Experiment(
        "mem-gpt-table-3",
        *(MEM_GPT, "table 3", "how a conversation is opened", OPENERS, SWEEPS["mem-gpt-memory"].rows),
        "GPT-4",
        lacking=(OLD, "Whose persona an opener is compared with is not said: both speakers' facts are."),
    ),
    Experiment(
        "mem-gpt-figure-7-documents",
        *(MEM_GPT, "figure 7, left", SWEEPS["mem-gpt-documents"].line, PASSAGES, SWEEPS["mem-gpt-documents"].rows),
        "GPT-4, GPT-3.5 Turbo",
        sample=50,
        lacking=(OLD, "The paper's own retrieval over all of Wikipedia: the published files hold 10 to 30 passages."),
    ),
    Experiment(
        "mem-gpt-figure-7-keys",
        *(MEM_GPT, "figure 7, right", "a value that is a key again", KEYS, ("mem-gpt", "full-text")),
        "GPT-4, GPT-3.5 Turbo",
        lacking=(OLD,),
    ),
)

MEM_GPT_NO_RUNS = {"tables 1, figures 1 to 6, 8": "drawings, window sizes and examples"}
"""What needs no run of its own, or can't be repeated at all."""
