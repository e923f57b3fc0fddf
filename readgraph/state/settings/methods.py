"""The settings of single methods: walks, research, agents and baselines."""

from typing import Annotated, Literal

from annotated_types import Ge, Le, MinLen

from readgraph.state.declaring import Help, InRecipe, Settings
from readgraph.state.errors import BadInput

WorkingMemory = Literal["path", "visited", "summary", "off"]
"""What a walk carries: the notes of its path, those of all nodes visited, a summary of these, or nothing."""

ToolName = Literal["keyword", "vector", "page"]
"""A search tool of GAM's rounds."""

Evidence = Literal["integration", "pages", "snippets"]
"""What GAM answers from: its notes alone, whole pages with them, or exact snippets."""

Ranking = Literal["keywords", "embeddings", "both"]
"""By what a look-up ranks pages without asking a model."""

AgentStorages = Literal["both", "working", "recall"]
"""What an agent of MemGPT may use: its working context and its recall storage, or one of them."""


class Tree(Settings, panel="MemWalker"):
    """The shape of MemWalker's tree."""

    segment_words: Annotated[int, Ge(10), Help("A segment has about this many words."), InRecipe()] = 750
    children: Annotated[int, Ge(2), Help("A tree node has at most this many children."), InRecipe()] = 8
    node_words: Annotated[
        int, Ge(10), Help("A tree node's text is compressed if it has more words than this."), InRecipe()
    ] = 300
    earlier_words: Annotated[
        int,
        Ge(0),
        Help("Show so many words of the text before a segment with it, when it is summarised; 0 = the segment alone."),
        InRecipe(with_model=True, unless_default=True),
    ] = 0


class Reasoning(Settings, panel="Looking up"):
    """Whether a model thinks before it decides."""

    reasoning: Annotated[
        bool, Help("Reason before each decision of a walk, and before each plan, note and verdict of research.")
    ] = True


class Walk(Settings, panel="MemWalker"):
    """How MemWalker's tree is walked."""

    triage_options: Annotated[
        bool, Help("Show the options of a multiple choice at every decision of the walk, not only at leaves.")
    ] = True
    working_memory: Annotated[
        WorkingMemory,
        Help("What a walk carries: notes of its path, of all nodes visited, or a summary of these; or nothing (off)."),
    ] = "path"
    keep_findings: Annotated[
        bool, Help("Let leaves keep a part of an answer and walk on, and weigh all findings in the end.")
    ] = True
    max_hops: Annotated[int, Ge(1), Help("A walk ends after this many decisions.")] = 32
    walks: Annotated[
        int, Ge(1), Help("Walk this many times for a question, each time from the next-best part of the text.")
    ] = 1


class Memorizing(Settings, panel="GAM"):
    """How GAM's memos are written."""

    memo_page_words: Annotated[
        int,
        Ge(50),
        Help("A part of a session has at most this many words; 1,536 are about 2,048 tokens."),
        InRecipe(name="session_page_words"),
    ] = 1536
    memory_words: Annotated[
        int, Ge(0), Help("Show at most this many words of earlier memos with each part."), InRecipe(with_model=True)
    ] = 1500
    memorize_batch: Annotated[
        int,
        Ge(1),
        Help("Memorise this many parts at once; each of them sees only the memory before all of them."),
        InRecipe(name="block", with_model=True),
    ] = 1
    two_calls: Annotated[bool, Help("Ask for the memo and the header of a part in two calls.")] = False


class Reflecting(Settings, panel="GAM"):
    """How often GAM reflects on what was found, and how."""

    rounds: Annotated[int, Ge(0), Help("At most this many rounds of research; 0 = answer from the memory alone.")] = 3
    separate_requests: Annotated[bool, Help("Ask what is missing in a separate call, as the paper does.")] = False


class Research(Settings, panel="GAM"):
    """How GAM searches, and what it gives."""

    pages_per_tool: Annotated[int, Ge(1), Help("At most this many parts of each search tool in a round.")] = 5
    pages_per_round: Annotated[
        int | None, Ge(1), Help("At most this many parts of all search tools together in a round, the best ranked.")
    ] = None
    without_memory: Annotated[bool, Help("Plan without seeing the memory, and search no memos.")] = False
    evidence: Annotated[
        Evidence, Help("What the context holds besides the integrated notes: nothing (integration), pages or snippets.")
    ] = "integration"
    context_only: Annotated[bool, Help("Return the context that was found, without an answer.")] = False

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.without_memory and not getattr(self, "rounds", 1):
            raise BadInput("Without memory there must be research: give rounds of at least 1.")


class SearchTools(Settings, panel="GAM"):
    """Which search tools a plan may use."""

    tools: Annotated[
        tuple[ToolName, ...], MinLen(1), Help("The search tools to offer, with commas between them.", "NAMES")
    ] = ("keyword", "vector", "page")


class Chaining(Settings, panel="MemGPT"):
    """How many steps an agent may chain."""

    max_chain: Annotated[
        int, Ge(1), Help("The agent makes at most this many function calls before it waits again.")
    ] = 30


class MemoryParts(Settings, panel="MemGPT"):
    """What MemGPT's agent may use of its memory."""

    agent_memory: Annotated[
        AgentStorages,
        Help("What the agent may use: its working context and its recall storage (both), or one (working, recall)."),
    ] = "both"


class MemoryPressure(Settings, panel="MemGPT"):
    """How large the blocks of an agent's working context may grow, and when it is warned of a full queue (section 2.3).

    The paper gives no share for the warning; 75 % is that of its authors' code, where it applies to the whole window.
    """

    block_words: Annotated[
        int,
        Ge(20),
        Help("A new agent's block of working context has at most this many words, or a 12th of the window."),
    ] = 300
    warn_at: Annotated[
        int, Ge(1), Le(100), Help("The agent is warned when its queue takes this percentage of its room.")
    ] = 75


class NoteTaking(Settings, panel="overwrite-memory"):
    """In what pieces `overwrite-memory` reads, and how much it may note."""

    chunk_words: Annotated[
        int, Ge(50), Help("A part has at most this many words, fewer in a small window; 3,750 are about 5,000 tokens.")
    ] = 3750
    note_words: Annotated[
        int, Ge(20), Help("Notes have at most this many words, and a fifth of the window; 768 are about 1,024 tokens.")
    ] = 768


class LookingBack(Settings, panel="overwrite-memory"):
    """Whether what was overwritten can come back."""

    look_back: Annotated[bool, Help("Let the model search what it noted on earlier parts and has left out since.")] = (
        True
    )


class NoteGates(Settings, panel="overwrite-memory"):
    """When notes are written, and how much of them is at stake with each part."""

    update_gate: Annotated[
        bool, Help("Let the model say that a part has nothing on the question: then the notes stay as they are.")
    ] = False
    exit_gate: Annotated[
        bool, Help("Let the model say that it has the whole answer: then no further part is read.")
    ] = False
    heads: Annotated[
        int,
        Ge(1),
        Help("Keep the notes in this many blocks, and with each part write only the one that was used least recently."),
    ] = 1


class Programs(Settings, panel="rlm"):
    """How many programs `rlm` may run, and how often they may ask a model."""

    max_programs: Annotated[int, Ge(1), Help("The model writes at most this many programs for a question.")] = 8
    max_sub_calls: Annotated[
        int, Ge(0), Help("All programs of a question together ask a model about pieces at most this many times.")
    ] = 50


class Segments(Settings, panel="Baselines"):
    """The segments that the retrieval baselines rank."""

    retrieval_words: Annotated[int, Ge(10), Help("bm25, dense, fused: a segment has at most this many words.")] = 1536
    cut_segments: Annotated[
        bool, Help("bm25, dense, fused: cut segments that don't fit the window together, instead of leaving some out.")
    ] = False


class Retrieval(Settings, panel="Baselines"):
    """How `retrieved-pages` ranks ReadAgent's pages, and what it shows."""

    ranking: Annotated[Ranking, Help("retrieved-pages: rank parts by keywords (BM25), embeddings, or both.")] = (
        "keywords"
    )
    rank_gists: Annotated[bool, Help("retrieved-pages: rank parts by their gists instead of their texts.")] = False
    show_gists: Annotated[bool, Help("retrieved-pages: show the gists of the parts that are not looked up.")] = True


class Surveying(Settings, panel="Surveys"):
    """How a survey takes records."""

    fields: Annotated[
        str, Help("The columns of each record, instead of those that the question needs.", "NAME:KIND,…")
    ] = ""
    survey_words: Annotated[int, Ge(10), Help("Records are taken from parts of at most this many words.")] = 1000
    survey_parts: Annotated[int, Ge(1), Help("Where records are rare, at most this many parts are looked at.")] = 30


class Chunks(Settings, panel="Baselines"):
    """What becomes of the answers from single chunks of a text that is longer than the window."""

    best_chunk: Annotated[
        bool, Help("full-text: don't weigh the chunks' answers; evaluations score the best of them, as GAM's baseline.")
    ] = False


class Excerpt(Settings, panel="Baselines"):
    """How much of the text the baselines `first-words` and `last-words` keep."""

    baseline_words: Annotated[
        int | None,
        Ge(1),
        Help("first-words, last-words: keep this many words; without a number, as many as fit the window."),
    ] = None
