"""The plan of an evaluation: its methods and settings, and the record of these in its folder."""

import hashlib
from collections.abc import Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from readgraph.evaluation.records import Dataset
from readgraph.evaluation.versions import package_versions, prompt_versions
from readgraph.graphs.methods import METHODS, Method, method_named
from readgraph.state.context import PROFILES, ReaderContext
from readgraph.state.errors import BadInput
from readgraph.state.page_store import utc_now
from readgraph.state.words import count_words

ALL = "all"

NEED_EMBEDDINGS = ("dense", "fused")

SPEED = ("concurrency", "timeout", "retry_seconds", "max_calls", "max_words")
"""Settings that may differ when an evaluation is continued, since no reply depends on them."""


def methods_to_run(names: Sequence[str], dataset: Dataset, context: ReaderContext) -> list[Method]:
    """The methods with these names ("all" = every one), and `full-text` if all texts fit the window."""
    wanted = [name for name in METHODS if context.embeddings or name not in NEED_EMBEDDINGS] if ALL in names else names
    if not wanted:
        raise BadInput("There is no method to evaluate: run 'readgraph methods' to list the methods.")
    if lacking := [name for name in wanted if name in NEED_EMBEDDINGS and not context.embeddings]:
        raise BadInput(f"No embedding model is named for {' and '.join(lacking)}: name one with --embeddings.")
    fits = max(count_words(text.text) for text in dataset.texts) <= context.window_words
    return [method_named(name) for name in dict.fromkeys([*wanted, *(["full-text"] if fits else [])])]


def with_papers_settings(dataset: Dataset, context: ReaderContext) -> ReaderContext:
    """The context with the papers' settings for the dataset, except for settings that differ from their defaults."""
    default, papers = ReaderContext(), PROFILES.get(dataset.profile, {})
    unset = {name: value for name, value in papers.items() if getattr(context, name) == getattr(default, name)}
    return replace(context, **unset)


def what_is_run(
    file: Path | None,
    dataset: Dataset,
    methods: Sequence[Method],
    runs: int,
    judge: str | None,
    context: ReaderContext,
) -> dict[str, Any]:
    """The record of an evaluation; it names no machine and holds no API key."""
    settings = {name: value for name, value in asdict(context).items() if name not in (*SPEED, "sample")}
    return {
        "dataset": dataset.name,
        "file": file and {"name": file.name, "sha256": _digest(file)},
        "licence": dataset.licence,
        "note": dataset.note,
        "questions": len(dataset.items),
        "texts": len(dataset.texts),
        "methods": [method.name for method in methods],
        "runs": runs,
        "judge": judge,
        "settings": {name: list(value) if isinstance(value, tuple) else value for name, value in settings.items()},
        "prompts": prompt_versions(),
        "packages": package_versions(),
        "begun": utc_now(),
    }


def _digest(file: Path) -> str:
    """The hash of a file's bytes, or of the names and sizes of a folder's files."""
    if file.is_dir():
        listed = sorted(
            (str(path.relative_to(file)), path.stat().st_size) for path in file.rglob("*") if path.is_file()
        )
        return hashlib.sha256(repr(listed).encode()).hexdigest()
    with file.open("rb") as opened:
        return hashlib.file_digest(opened, "sha256").hexdigest()
