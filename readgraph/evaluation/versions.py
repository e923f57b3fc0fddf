"""The versions of packages and prompts that an evaluation was made with."""

import pkgutil
import platform
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version

from readgraph.models.replaced_words import replaced_words
from readgraph.nodes import prompts
from readgraph.nodes.prompts.every import every_wording

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


def prompt_versions() -> dict[str, int]:
    """The version of every prompt, by its name."""
    modules = (import_module(f"{prompts.__name__}.{found.name}") for found in pkgutil.iter_modules(prompts.__path__))
    return {
        module.NAME: module.VERSION
        for module in sorted(modules, key=lambda one: one.__name__)
        if hasattr(module, "NAME")
    }


def own_prompts(folder: str) -> dict[str, str]:
    """Digests of the prompts that a folder replaces, by their names; the folder itself is nobody's business."""
    every = {words.prompt for words in every_wording()}
    return replaced_words(folder, frozenset(every)) if folder else {}
