"""The versions of packages and prompts that an evaluation was made with."""

import platform
from importlib.metadata import PackageNotFoundError, version

from readgraph.models.replaced_words import replaced_words
from readgraph.models.wording import versions_of
from readgraph.nodes.prompts.every import every_wording, prompt_modules

PACKAGES = (
    "readgraph",
    "langgraph",
    "langchain",
    "langchain-core",
    "langchain-openai",
    "faiss-cpu",
    "rank-bm25",
    "rouge-score",
    "nltk",
    "scipy",
    "sentence-transformers",
)
"""Packages that a figure may depend on."""


def package_versions() -> dict[str, str]:
    """The versions of Python and of those packages that are installed."""
    versions = {"python": platform.python_version()}
    for package in PACKAGES:
        try:
            versions[package] = version(package)
        except PackageNotFoundError:
            continue
    return versions


OF_JUDGES = ("judge_", "rate_")
"""How the names of prompts begin that rate answers: no setting of a reading, but of a judge."""


def prompt_versions() -> dict[str, int]:
    """The version of every prompt but those of judges, by its name."""
    whole = {module.NAME: module.VERSION for module in prompt_modules() if hasattr(module, "NAME")}
    worded = versions_of(*(words for words in every_wording() if not words.prompt.startswith(OF_JUDGES)))
    return dict(sorted({**whole, **worded}.items()))


def own_prompts(folder: str) -> dict[str, str]:
    """Digests of the prompts that a folder replaces, by their names; the folder itself is nobody's business."""
    every = {words.prompt for words in every_wording()}
    return replaced_words(folder, frozenset(every)) if folder else {}
