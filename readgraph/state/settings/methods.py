"""The settings of single methods: walks, research, agents and baselines."""

from typing import Annotated, Literal

from annotated_types import Ge, MinLen

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
