"""Hooks that build the site: navigation, notebooks, drawings, generated tables."""

import re
from pathlib import Path
from typing import Any

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.exceptions import PluginError
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page
from pymdownx.superfences import SuperFencesException  # type: ignore[import-untyped]
from reproducing import experiments
from tables import (
    command_reference,
    datasets_table,
    methods_table,
    metrics_table,
    model_table,
    presets_table,
    profiles_table,
    scoring_table,
    settings_table,
    shared_nodes_table,
    sweeps_table,
)

from notebooks import links_to_pages, notebook_pages
from readgraph.report.picture import draw
from runs import contributed_runs

MADE = {
    "command": command_reference,
    "datasets": datasets_table,
    "experiments": experiments,
    "contributed_runs": contributed_runs,
    "methods": methods_table,
    "metrics": metrics_table,
    "presets": presets_table,
    "profiles": profiles_table,
    "scoring": scoring_table,
    "settings": settings_table,
    "model_table": model_table,
    "shared_nodes": shared_nodes_table,
    "sweeps": sweeps_table,
}
"""What replaces `<!-- made: NAME -->` in a page."""

_MADE = re.compile(r"^<!-- made: (\w+) -->$", re.MULTILINE)


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """Add every page of a folder to the navigation, and draw flowcharts at build, so that no reader fetches mermaid."""
    docs, named = Path(config.docs_dir), set(_pages(config.nav))
    config.nav = [_with_folders(entry, docs, named) for entry in config.nav or []]
    fences = config.mdx_configs.setdefault("pymdownx.superfences", {}).setdefault("custom_fences", [])
    fences.append({"name": "mermaid", "class": "drawing", "format": _drawing})
    return config


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the notebooks as pages."""
    for path, content in notebook_pages():
        files.append(File.generated(config, path, content=content))
    return files


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Insert the generated text, and make links to notebooks lead to their pages."""
    return links_to_pages(_MADE.sub(lambda match: MADE[match[1]](), markdown), page.file.src_uri)


def on_post_page(output: str, page: Page, config: MkDocsConfig) -> str:
    """Refuse a page that would load anything from another site."""
    fetched = re.findall(r"""<(?:script|img|iframe|link)\b[^>]*\b(?:src|href)=["']?(https?://[^"'\s>]+)""", output)
    if fetched := [url for url in fetched if not url.startswith(config.site_url or "//")]:
        raise PluginError(f"{page.file.src_uri} would load {fetched[0]} from another site.")
    return output


def _pages(nav: Any) -> list[str]:
    """The paths that a navigation names, including folders."""
    if isinstance(nav, str):
        return [nav]
    return [path for entry in (nav.values() if isinstance(nav, dict) else nav or []) for path in _pages(entry)]


def _with_folders(entry: Any, docs: Path, named: set[str]) -> Any:
    """The entry with each folder in its lists replaced by those of its pages that are named nowhere else."""
    if isinstance(entry, dict):
        return {title: _with_folders(inside, docs, named) for title, inside in entry.items()}
    if not isinstance(entry, list):
        return entry
    return [page for inside in entry for page in _unfolded(inside, docs, named)]


def _unfolded(entry: Any, docs: Path, named: set[str]) -> list[Any]:
    if not (isinstance(entry, str) and entry.endswith("/")):
        return [_with_folders(entry, docs, named)]
    pages = [path.relative_to(docs).as_posix() for path in sorted((docs / entry).glob("*.md"))]
    return [page for page in pages if page not in named]


def _drawing(source: str, *_: Any, **__: Any) -> str:
    try:
        return draw(source)
    except ValueError as problem:
        raise SuperFencesException(str(problem)) from problem
