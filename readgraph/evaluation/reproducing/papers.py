"""The tables and figures of the papers, as experiments: ReadAgent, MemWalker, GAM, MemGPT.

ReadAgent: Lee et al., 2024. MemWalker: Chen et al., 2023. GAM: Yan et al., 2025. MemGPT: Packer et al., 2023.
"""

from collections.abc import Mapping

from readgraph.evaluation.reproducing import sources
from readgraph.evaluation.reproducing.sources import Experiment, Paper, Source
from readgraph.evaluation.sweeps import SWEEPS

PALM = "PaLM 2-L is no longer served: name another model; figures differ with it."
GEMINI = "The Gemini embedding model of the time is not served: name another with --embeddings."


def _swept(sweep: str) -> tuple[str, tuple[str, ...]]:
    return SWEEPS[sweep].line, SWEEPS[sweep].rows


def _retrieval(most: int, ranked: str = "") -> tuple[str, ...]:
    """Retrieval of 1 to `most` pages, by words and by embeddings."""
    kinds = ("", f"ranking=embeddings,{ranked}")
    return tuple(f"retrieved-pages@show_gists=off,{kind}max_pages={n}" for kind in kinds for n in range(1, most + 1))


def _look_up_rows(most: int) -> tuple[str, ...]:
    return ("gists-only", *(f"read-agent@max_pages={n}" for n in range(1, most + 1)))


def _table(number: str, line: str, rows: tuple[str, ...], source: Source, **more: object) -> Experiment:
    fields = {"models": "PaLM 2-L", "runs": 3, "lacking": (PALM,), **more}
    place = f"appendix {number}" if "." in number else f"table {number.partition('-')[0]}"
    name = f"read-agent-{'appendix' if '.' in number else 'table'}-{number.lower().replace('.', '-')}"
    return Experiment(name, "ReadAgent", place, line, rows, source, **fields)  # type: ignore[arg-type]


_STORY_ROWS = (*_retrieval(4), "full-text", *_look_up_rows(6), "read-agent-s@max_pages=6")
_BOOK_ROWS = (
    *(*_retrieval(4, "rank_gists=on,"), *_look_up_rows(3)),
    *("read-agent-s@max_pages=2", "read-agent-s@max_pages=3"),
)
_ONE_PAGE_ROWS = SWEEPS["read-agent-look-up"].rows[:2]
_BOOKS = (PALM, GEMINI, "The paper's columns of the validation set: readgraph reads the test set.")
_MEETING_ROWS = (*_retrieval(6), "first-words", "last-words", *_look_up_rows(6), "read-agent-s@max_pages=6")
_STORIES = "how many pages are looked up, beside retrieval, gists alone and the full text"

READ_AGENT = Paper(
    "ReadAgent",
    (
        _table("1", _STORIES, _STORY_ROWS, sources.QUALITY, lacking=(PALM, GEMINI)),
        _table("2-gutenberg", _STORIES, _BOOK_ROWS, sources.GUTENBERG, runs=1, lacking=_BOOKS),
        _table("2-movie", _STORIES, _BOOK_ROWS, sources.MOVIES, runs=1, lacking=_BOOKS),
        _table("3", _STORIES, _MEETING_ROWS, sources.QMSUM_DEV, lacking=(PALM, GEMINI)),
        _table("4", "one page looked up by the model or by embeddings", _ONE_PAGE_ROWS, sources.QUALITY),
        _table("5", *_swept("read-agent-paging"), sources.QUALITY),
        _table("6", *_swept("read-agent-sizes"), sources.QUALITY),
        _table(
            "7",
            "the same as table 1 with a smaller model",
            (
                "retrieved-pages@show_gists=off,ranking=embeddings,max_pages=3",
                *("full-text", "gists-only", "read-agent@max_pages=5", "read-agent-s@max_pages=6"),
            ),
            sources.QUALITY,
            models="GPT-3.5 Turbo",
            runs=1,
            lacking=(GEMINI, "The version of GPT-3.5 Turbo is not named."),
        ),
        _table(
            "10",
            *_swept("web-agent-snippets"),
            sources.WEB,
            runs=1,
            lacking=(
                PALM,
                GEMINI,
                "MindAct rests on a ranker trained for Mind2Web, and other rows on models trained for it: not here.",
            ),
        ),
        _table("11", f"{_STORIES}, on the test set", _MEETING_ROWS, sources.QMSUM_TEST, lacking=(PALM, GEMINI)),
        _table("G.1", *_swept("read-agent-conditional"), sources.QUALITY, runs=1),
    ),
    {
        "figures 2 to 5, 8": "the report of any of these runs has the words of texts, pages and notes",
        "table 8": "the profiles hold these settings",
        "table 9": "one story, read in table 1",
        "figures 6, 7": "tokens of raw pages in PaLM's tokenizer; gists before and after merging are not kept apart",
    },
)


BELUGA = "Stable Beluga 2 70B"

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
    "quality": (sources.QUALITY, 187, MEM_WALKER_LACKING),
    "summscreenfd": (sources.SCREENPLAYS, None, NO_QUESTIONS),
    "govreport": (sources.REPORTS, None, NO_QUESTIONS),
}


def _mem_walker_experiments(
    place: str, line: str, rows: tuple[str, ...], *lacking: str, models: str = BELUGA
) -> tuple[Experiment, ...]:
    return tuple(
        Experiment(
            f"mem-walker-{place.replace(' ', '-')}-{name}",
            *("MemWalker", place, line, rows, source, models, MEM_WALKER_WINDOW),
            sample=sample,
            lacking=(*without, *lacking),
        )
        for name, (source, sample, without) in _MEM_WALKER_SOURCES.items()
    )


MEM_WALKER = Paper(
    "MemWalker",
    (
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
            *("MemWalker", "figure 5", *_swept("mem-walker-tree"), sources.QUALITY, BELUGA, MEM_WALKER_WINDOW),
            sample=187,
            lacking=MEM_WALKER_LACKING,
        ),
    ),
    {
        "table 4, figures 2 and 4": "columns and plots of the runs of table 2",
        "tables 1, 5, 6": "prompts and walks as examples; ours are in our own words",
    },
)


OTHERS = "A-Mem, Mem0, MemoryOS and LightMem are other programs: not here."
EMBEDDINGS = "BGE-M3 ranked the pages: name an embedding model with --embeddings."
CHUNKS = "A text that is longer than the window: GAM takes the best chunk's score, full-text weighs their answers."
DRAWN = "The paper's 300 questions are not published: a sample of as many is drawn."
LEARNING = "Reinforcement learning of memorizer and researcher: its weights are not published."

_GAM_LONG = {f"hotpotqa-{name}": source for name, source in sources.HOTPOT.items()} | {"narrativeqa": sources.NARRATIVE}
_GAM_ALL = {"locomo": sources.LOCOMO, **_GAM_LONG, "ruler": sources.RULER}

_MEMORIZERS = "one model for the memory and one for the research: repeat with --model and --reading-model"


def _gam_experiments(
    place: str, line: str, rows: tuple[str, ...], *lacking: str, over: Mapping[str, Source] = _GAM_LONG
) -> tuple[Experiment, ...]:
    models = "GPT-4o-mini, Qwen2.5-14B-Instruct" if place == "table 1" else "Qwen2.5-14B-Instruct"
    return tuple(
        Experiment(
            f"gam-{place.replace(' ', '-').replace(',', '')}-{name}",
            *("GAM", place, line, rows, source, models),
            sample=300 if source is sources.NARRATIVE else None,
            lacking=(*lacking, *((DRAWN,) if source is sources.NARRATIVE else ())),
        )
        for name, source in over.items()
    )


_ABLATIONS = (*SWEEPS["gam-tools"].rows, *(row for row in SWEEPS["gam-modules"].rows if row != "gam"))

GAM = Paper(
    "GAM",
    (
        *_gam_experiments(
            "table 1",
            "beside the full text and retrieval",
            ("gam", "full-text", "dense"),
            *(OTHERS, EMBEDDINGS, CHUNKS, LEARNING),
            over=_GAM_ALL,
        ),
        *_gam_experiments("table 2", _MEMORIZERS, ("gam",)),
        *_gam_experiments("table 3", "which search tools and which modules", _ABLATIONS, EMBEDDINGS),
        *_gam_experiments("table 4", *_swept("gam-output")),
        *_gam_experiments(
            "table 5",
            "seconds to build and to answer, with --concurrency 1",
            ("gam",),
            OTHERS,
            over={name: source for name, source in _GAM_LONG.items() if source is not sources.NARRATIVE},
        ),
        *_gam_experiments("figure 2 top", *_swept("gam-rounds")),
        *_gam_experiments("figure 2 bottom", *_swept("gam-pages")),
    ),
    {},
)


OLD = "The GPT-4 and GPT-3.5 Turbo of 2023 are no longer served."


def _mem_gpt(
    name: str, place: str, line: str, rows: tuple[str, ...], source: Source, *lacking: str, **more: object
) -> Experiment:
    fields = {"models": "GPT-4, GPT-3.5 Turbo", "lacking": (OLD, *lacking), **more}
    return Experiment(f"mem-gpt-{name}", "MemGPT", place, line, rows, source, **fields)  # type: ignore[arg-type]


MEM_GPT = Paper(
    "MemGPT",
    (
        _mem_gpt(
            *("table-2", "table 2", "a fact of five sessions, beside a running summary", ("mem-gpt", "recurrent")),
            sources.CHATS,
            "Rows with the gold persona, and a summary beside the last session: readgraph has no such baseline.",
        ),
        _mem_gpt(
            *("table-3", "table 3", "how a conversation is opened", SWEEPS["mem-gpt-memory"].rows),
            sources.OPENERS,
            "Whose persona an opener is compared with is not said: both speakers' facts are.",
            models="GPT-4",
        ),
        _mem_gpt(
            *("figure-7-documents", "figure 7, left", *_swept("mem-gpt-documents")),
            sources.PASSAGES,
            "The paper's own retrieval over all of Wikipedia: the published files hold 10 to 30 passages.",
            sample=50,
        ),
        _mem_gpt(
            *("figure-7-keys", "figure 7, right", "a value that is a key again", ("mem-gpt", "full-text")), sources.KEYS
        ),
    ),
    {"tables 1, figures 1 to 6, 8": "drawings, window sizes and examples"},
)

PAPERS = (READ_AGENT, MEM_WALKER, GAM, MEM_GPT)
