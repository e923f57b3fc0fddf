"""Rows with names of their own, and sweeps: lists of rows that give a paper's table as one evaluation.

This module imports neither LangGraph nor pydantic, since the command's help lists the sweeps.
"""

from typing import NamedTuple

from readgraph.state.errors import BadInput

NAMED_ROWS = {"read-agent-s": "read-agent@strategy=sequential"}
"""Rows with names of their own: ReadAgent-S, which stands beside ReadAgent-P in the paper's tables."""


class Sweep(NamedTuple):
    """What is varied, where the paper shows it, and the rows as `row_named` takes them."""

    line: str
    source: str
    rows: tuple[str, ...]


def _fill_rows(row: str, *values: object) -> tuple[str, ...]:
    return tuple(row.format(value) for value in values)


PAGE_SIZES = ((187, 400), (280, 600), (373, 800), (560, 1200))
"""Least and most words of a page; the least grow with the most (ReadAgent, table 6)."""

_SIZES = tuple(f"@min_page_words={least},max_page_words={most}" for least, most in PAGE_SIZES)

SWEEPS = {
    "read-agent-pages": Sweep(
        "how many parts are looked up, at once or one by one; gists alone",
        "ReadAgent, tables 1 to 3",
        ("gists-only", *_fill_rows("read-agent@max_pages={}", *range(1, 7)), "read-agent-s@max_pages=6"),
    ),
    "read-agent-retrieval": Sweep(
        "retrieval of the same parts, by words and by embeddings of texts or gists, without gists in view",
        "ReadAgent, tables 1 to 3",
        (
            *_fill_rows("retrieved-pages@show_gists=off,max_pages={}", *range(1, 5)),
            *_fill_rows("retrieved-pages@show_gists=off,ranking=embeddings,max_pages={}", *range(1, 5)),
            *_fill_rows("retrieved-pages@show_gists=off,ranking=embeddings,rank_gists=on,max_pages={}", *range(1, 5)),
        ),
    ),
    "read-agent-look-up": Sweep(
        "one part looked up, by the model or by retrieval, with gists in view",
        "ReadAgent, table 4",
        ("read-agent@max_pages=1", *_fill_rows("retrieved-pages@ranking={},max_pages=1", "embeddings", "keywords")),
    ),
    "read-agent-paging": Sweep(
        "parts that end at pauses or evenly", "ReadAgent, table 5", ("read-agent", "read-agent@paging=even")
    ),
    "read-agent-sizes": Sweep(
        "how long parts are",
        "ReadAgent, table 6",
        tuple(f"{method}{sizes}" for method in ("gists-only", "read-agent") for sizes in _SIZES),
    ),
    "read-agent-conditional": Sweep(
        "gists for the asked question, a memory for each, beside gists for any",
        "ReadAgent, appendix G.1",
        ("gists-only", "gists-only@preset=question", "read-agent", "read-agent@preset=question"),
    ),
    "mem-walker-memory": Sweep(
        "with working memory and without; the paper's walk, whose leaves keep nothing, with it and without",
        "MemWalker, figure 3",
        tuple(
            f"mem-walker@{how}" if how else "mem-walker"
            for how in ("", "working_memory=off", "keep_findings=off", "working_memory=off,keep_findings=off")
        ),
    ),
    "mem-walker-reasoning": Sweep(
        "with reasoning before each decision and without",
        "MemWalker, table 3",
        ("mem-walker", "mem-walker@reasoning=off"),
    ),
    "mem-walker-tree": Sweep(
        "how long segments are, and how many children a tree node has",
        "MemWalker, figure 5",
        (
            *_fill_rows("mem-walker@segment_words=750,children={}", 2, 4, 8, 16),
            *_fill_rows("mem-walker@segment_words=375,children={}", 2, 4, 8, 16),
        ),
    ),
    "mem-gpt-memory": Sweep(
        "working context and recall storage, or one of them",
        "MemGPT, table 3",
        ("mem-gpt", *_fill_rows("mem-gpt@agent_memory={}", "working", "recall")),
    ),
    "mem-gpt-documents": Sweep(
        "how many documents are retrieved, cut to fit the window",
        "MemGPT, figure 7 (documents)",
        ("mem-gpt", *_fill_rows("dense@cut_segments=on,max_pages={}", 1, 5, 10, 20, 50, 100)),
    ),
    "web-agent-snippets": Sweep(
        "how many parts of a web page are looked up; retrieval, gists alone, the page itself",
        "ReadAgent, table 10",
        (
            *("web-page", *_fill_rows("web-bm25@max_pages={}", 1, 5), *_fill_rows("web-dense@max_pages={}", 1, 5)),
            *("web-gists-only", *_fill_rows("web-agent@max_pages={}", 1, 5)),
        ),
    ),
    "overwrite-memory-look-back": Sweep(
        "with search of what was overwritten and without; a summary that is written without the question",
        "MemAgent; Look Back to Reason Forward",
        ("overwrite-memory", "overwrite-memory@look_back=off", "recurrent"),
    ),
    "gam-tools": Sweep(
        "which search tools a plan may use",
        "GAM, table 3",
        (
            "gam",
            *_fill_rows("gam@tools={}", "page", "vector", "keyword", "vector,page", "keyword,vector", "keyword,page"),
        ),
    ),
    "gam-modules": Sweep(
        "research without memory, and memory without research",
        "GAM, table 3",
        ("gam", "gam@without_memory=on", "gam@rounds=0"),
    ),
    "gam-output": Sweep(
        "what the answer sees of the pages that were found",
        "GAM, table 4",
        ("gam", *_fill_rows("gam@evidence={}", "pages", "snippets")),
    ),
    "gam-rounds": Sweep("how often it may reflect", "GAM, figure 2, top", _fill_rows("gam@rounds={}", *range(1, 6))),
    "gam-pages": Sweep(
        "how many parts each search gives",
        "GAM, figure 2, bottom",
        _fill_rows("gam@pages_per_tool={}", 3, 5, 10, 15, 20),
    ),
}


def sweep_named(name: str) -> Sweep:
    """The sweep of this name; raises `BadInput` where there is none."""
    if name not in SWEEPS:
        raise BadInput(f"There is no sweep '{name}': choose one of {', '.join(SWEEPS)}.")
    return SWEEPS[name]
