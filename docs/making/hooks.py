"""Hooks that build the site: navigation, notebooks, drawings, generated tables."""

import re
from pathlib import Path
from typing import Any

from beside import BESIDE, links_beside, pages_beside
from figures import beside_others_table, board_table, without_model_table
from markdown.extensions.toc import slugify  # type: ignore[import-untyped]
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.exceptions import PluginError
from mkdocs.livereload import LiveReloadServer
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page
from pymdownx.superfences import SuperFencesException  # type: ignore[import-untyped]
from reproducing import experiments
from tables import (
    FOLDER,
    command_groups,
    command_list,
    command_pages,
    datasets_table,
    kinds_table,
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
from readgraph.doors.report.picture import draw
from runs import contributed_runs

MADE = {
    "beside_others": beside_others_table,
    "board": board_table,
    "command": command_list,
    "datasets": datasets_table,
    "experiments": experiments,
    "kinds": kinds_table,
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
    "without_model": without_model_table,
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


def on_serve(server: LiveReloadServer, config: MkDocsConfig, builder: Any) -> LiveReloadServer:
    """Build again when a page beside its code changes, too."""
    for folder in BESIDE.values():
        server.watch(str(folder))
    return server


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the notebooks, the commands, and pages that stand beside their code."""
    commands = ((f"{FOLDER}/{name}.md", content) for name, content in command_pages().items())
    for path, content in (*notebook_pages(), *commands):
        files.append(File.generated(config, path, content=content))
    for path, file in pages_beside():
        files.append(File.generated(config, path, abs_src_path=str(file)))
    return files


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Insert the generated text and, in a long page, its outline; make links out of the folder lead to pages."""
    made = with_outline(_MADE.sub(lambda match: MADE[match[1]](), markdown))
    return links_beside(links_to_pages(made, page.file.src_uri), page.file.src_uri)


LONG_PAGE = 1500  # words of a page that has an outline
_FENCE, _HEADING = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL), re.compile(r"^## (.+)$", re.MULTILINE)


def with_outline(markdown: str) -> str:
    """A long page with links to its headings before the first one."""
    headings = _HEADING.findall(_FENCE.sub("", markdown))
    if len(markdown.split()) <= LONG_PAGE or len(headings) < 2:
        return markdown
    names = [re.sub(r"\[(.+?)\]\(.+?\)", r"\1", heading).replace("`", "") for heading in headings]
    links = " · ".join(f"[{name}](#{slugify(name, '-')})" for name in names)
    before, _, after = markdown.partition(f"\n## {headings[0]}\n")
    return f"{before.rstrip()}\n\n**On this page**: {links}\n\n## {headings[0]}\n{after}"


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
    if entry == f"{FOLDER}/":
        return [*command_groups()]
    if not (isinstance(entry, str) and entry.endswith("/")):
        return [_with_folders(entry, docs, named)]
    pages = [path.relative_to(docs).as_posix() for path in sorted((docs / entry).glob("*.md"))]
    return [page for page in pages if page not in named]


def _drawing(source: str, *_: Any, **__: Any) -> str:
    try:
        return draw(source)
    except ValueError as problem:
        raise SuperFencesException(str(problem)) from problem
