"""MemGPT's tables and figures (Packer et al., 2023)."""

from readgraph.evaluation.reproducing.experiment import Experiment
from readgraph.evaluation.reproducing.sources import CHATS, KEYS, OPENERS, PASSAGES
from readgraph.evaluation.rows.sweeps import SWEEPS

PAPER = "MemGPT"
OLD = "The GPT-4 and GPT-3.5 Turbo of 2023 are no longer served."

EXPERIMENTS = (
    Experiment(
        "mem-gpt-table-2",
        *(PAPER, "table 2", "a fact of five sessions, beside a running summary", CHATS, ("mem-gpt", "recurrent")),
        "GPT-4, GPT-3.5 Turbo",
        lacking=(
            OLD,
            "Rows with the gold persona, and a summary beside the last session: readgraph has no such baseline.",
        ),
    ),
    Experiment(
        "mem-gpt-table-3",
        *(PAPER, "table 3", "how a conversation is opened", OPENERS, SWEEPS["mem-gpt-memory"].rows),
        "GPT-4",
        lacking=(OLD, "Whose persona an opener is compared with is not said: both speakers' facts are."),
    ),
    Experiment(
        "mem-gpt-figure-7-documents",
        *(PAPER, "figure 7, left", SWEEPS["mem-gpt-documents"].line, PASSAGES, SWEEPS["mem-gpt-documents"].rows),
        "GPT-4, GPT-3.5 Turbo",
        sample=50,
        lacking=(OLD, "The paper's own retrieval over all of Wikipedia: the published files hold 10 to 30 passages."),
    ),
    Experiment(
        "mem-gpt-figure-7-keys",
        *(PAPER, "figure 7, right", "a value that is a key again", KEYS, ("mem-gpt", "full-text")),
        "GPT-4, GPT-3.5 Turbo",
        lacking=(OLD,),
    ),
)

NO_RUNS = {"tables 1, figures 1 to 6, 8": "drawings, window sizes and examples"}
"""What needs no run of its own, or can't be repeated at all."""
