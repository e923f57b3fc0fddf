"""What an experiment of a paper is, and its dataset: who publishes which file, and about how large it is.

Sizes are those that the papers state, words three quarters of tokens where they give tokens. Those of LoCoMo, MSC,
Mind2Web, SCROLLS' texts and RULER's examples are approximate: the papers don't state them in full. This module and the
papers' experiments import neither LangGraph nor pydantic, since the command's completion lists their names.
"""

from collections.abc import Mapping
from typing import Any, NamedTuple


class Size(NamedTuple):
    """A dataset's published size: texts, words of a text on average, questions over all texts.

    `sessions` of a text, where it is a history; `options` of a question; `steps`: questions are steps on web pages.
    """

    texts: int
    words: int
    questions: int
    sessions: int = 0
    options: int = 0
    steps: bool = False


class Source(NamedTuple):
    """A dataset's file, which nobody fetches for you: its title, who publishes it, how the file is called.

    `dataset` is its name among the datasets, by which samples of your own are found too. `files` are patterns of the
    names of files and folders. `form` is named where the file alone doesn't tell it. `made`: it needs no file.
    """

    dataset: str
    title: str
    project: str
    files: tuple[str, ...]
    size: Size
    form: str | None = None
    made: bool = False


class Experiment(NamedTuple):
    """A table or a figure of a paper over one dataset.

    `rows` are as `readgraph evaluate --method` takes them, `settings` the paper's besides the profile, `runs` how often
    it asked, `sample` how many questions it drew. `lacking` says what can't be had, and why.
    """

    name: str
    paper: str
    place: str
    line: str
    rows: tuple[str, ...]
    source: Source
    models: str
    settings: Mapping[str, Any] = {}
    runs: int = 1
    sample: int | None = None
    lacking: tuple[str, ...] = ()


class Paper(NamedTuple):
    """A paper's experiments, and what of it needs no run of its own, or can't be repeated at all."""

    name: str
    experiments: tuple[Experiment, ...]
    no_runs: dict[str, str]


QUALITY = Source(
    "quality",
    "QuALITY v1.0.1, development set",
    "github.com/nyu-mll/quality, data/v1.0.1",
    ("QuALITY.v1.0.1*dev*",),
    Size(230, 4_175, 2_086, options=4),
)
QMSUM_DEV = Source(
    "qmsum",
    "QMSum, validation set",
    "github.com/Yale-LILY/QMSum, data/ALL/jsonl",
    ("val.jsonl", "validation.jsonl"),
    Size(35, 10_000, 272),
    form="qmsum",
)
QMSUM_TEST = QMSUM_DEV._replace(title="QMSum, test set", files=("test.jsonl",), size=Size(35, 10_000, 281))

_NARRATIVE = "github.com/google-deepmind/narrativeqa, with the stories that its download_stories.sh fetches"
GUTENBERG = Source(
    "narrativeqa-gutenberg",
    "NarrativeQA, books of the test set",
    _NARRATIVE,
    ("narrativeqa*",),
    Size(177, 70_619, 5_207),
    form="narrativeqa-gutenberg",
)
MOVIES = GUTENBERG._replace(
    dataset="narrativeqa-movie",
    title="NarrativeQA, film scripts of the test set",
    size=Size(172, 29_963, 5_139),
    form="narrativeqa-movie",
)
NARRATIVE = GUTENBERG._replace(
    dataset="narrativeqa", title="NarrativeQA, test set", size=Size(203, 65_250, 300), form="narrativeqa"
)

SCREENPLAYS = Source(
    "summscreenfd-who",
    "SummScreenFD of SCROLLS with 'who' questions",
    "tau/scrolls on the Hugging Face hub; the questions are not published: guides/datasets.md says how to make some",
    ("*summ*screen*who*.jsonl",),
    Size(306, 5_598, 306),
)
REPORTS = SCREENPLAYS._replace(
    dataset="govreport-who",
    title="GovReport of SCROLLS with 'who' questions",
    files=("*gov*report*who*.jsonl",),
    size=Size(101, 7_886, 101),
)

LOCOMO = Source(
    "locomo",
    "LoCoMo",
    "github.com/snap-research/locomo, data",
    ("locomo10.json",),
    Size(10, 12_500, 1_986, sessions=27),
)


def _hotpot(passages: int, tokens: int) -> Source:
    return Source(
        "hotpotqa-long",
        f"HotpotQA, long, {passages:,} passages",
        "BytedTsinghua-SIA/hotpotqa on the Hugging Face hub",
        (f"eval_{passages}.json",),
        Size(128, tokens * 3 // 4, 128),
    )


HOTPOT = {"56k": _hotpot(400, 56_000), "224k": _hotpot(1_600, 224_000), "448k": _hotpot(3_200, 448_000)}

RULER = Source(
    "ruler",
    "RULER, 13 tasks of 128K tokens, 500 examples each",
    "made with github.com/NVIDIA/RULER",
    ("ruler*",),
    Size(6_500, 96_000, 6_500),
)
CHATS = Source(
    "msc-retrieval",
    "MSC-Self-Instruct",
    "MemGPT/MSC-Self-Instruct on the Hugging Face hub",
    ("msc_self_instruct*.jsonl",),
    Size(500, 1_500, 500, sessions=5),
)
OPENERS = Source(
    "msc-openers",
    "Multi-Session Chat, session 5, test set",
    "ParlAI, msc/msc_dialogue/session_5",
    ("session_5", "session_5/test.txt"),
    Size(501, 1_300, 501, sessions=4),
)
PASSAGES = Source(
    "nq-open",
    "NaturalQuestions over 10, 20 or 30 passages",
    "github.com/nelson-liu/lost-in-the-middle, qa_data",
    ("nq-open-*.jsonl.gz", "nq-open-*.jsonl"),
    Size(50, 3_000, 50),
)
KEYS = Source("nested-keys", "nested keys", "made by readgraph", (), Size(150, 560, 150), form="nested-keys", made=True)
WEB = Source(
    "mind2web",
    "Mind2Web, test sets",
    "github.com/OSU-NLP-Group/Mind2Web",
    ("mind2web*", "test_task*", "test_website*", "test_domain*"),
    Size(6_418, 6_000, 6_418, steps=True),
)
