"""The plan of an evaluation: its settings, and the record of these and of its rows in its folder."""

import hashlib
from collections.abc import Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from readgraph.evaluation.plan.versions import own_prompts, package_versions, prompt_versions
from readgraph.evaluation.records import Dataset
from readgraph.evaluation.rows.row import Row
from readgraph.state.context import PROFILES, ReaderContext
from readgraph.state.records import utc_now

MAY_DIFFER = (
    *("concurrency", "batch", "timeout", "retry_seconds", "max_reply_mb"),
    *("max_calls", "max_words", "max_seconds", "again"),
)
"""Settings that may differ when an evaluation is continued: no reply depends on them, but whether it is a new one."""


def with_papers_settings(dataset: Dataset, context: ReaderContext) -> ReaderContext:
    """The context with the papers' settings for the dataset, except for settings that differ from their defaults.

    Where no length of answers is set, answers have the form of the dataset's references.
    """
    default, papers = ReaderContext(), PROFILES.get(dataset.profile, {})
    if not (context.answer_length or context.answer_words):
        papers = papers | asdict(dataset.answers)
    unset = {name: value for name, value in papers.items() if getattr(context, name) == getattr(default, name)}
    return replace(context, **unset)


def what_is_run(
    file: Path | None,
    dataset: Dataset,
    rows: Sequence[Row],
    runs: int,
    judge: str | None,
    context: ReaderContext,
) -> dict[str, Any]:
    """The record of an evaluation; it names no machine and holds no API key."""
    apart = (*MAY_DIFFER, "sample", "prompts")
    settings = {name: value for name, value in asdict(context).items() if name not in apart}
    return {
        "dataset": dataset.name,
        "file": file and {"name": file.name, "sha256": digest_of(file)},
        "licence": dataset.licence,
        "note": dataset.note,
        "questions": len(dataset.items),
        "texts": len(dataset.texts),
        "methods": [row.name for row in rows],
        "rows": {row.name: row.line() for row in rows if row.own},
        "runs": runs,
        "judge": judge,
        "settings": {name: list(value) if isinstance(value, tuple) else value for name, value in settings.items()},
        "prompts": prompt_versions(),
        **({"own_prompts": own} if (own := own_prompts(context.prompts)) else {}),
        "packages": package_versions(),
        "begun": utc_now(),
    }


def digest_of(file: Path) -> str:
    """The hash of a file's bytes, or of the names and sizes of a folder's files."""
    if file.is_dir():
        listed = sorted(
            (str(path.relative_to(file)), path.stat().st_size) for path in file.rglob("*") if path.is_file()
        )
        return hashlib.sha256(repr(listed).encode()).hexdigest()
    with file.open("rb") as opened:
        return hashlib.file_digest(opened, "sha256").hexdigest()
