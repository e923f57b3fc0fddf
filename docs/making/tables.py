"""Reference text generated from the program itself, so that it is always up to date."""

import html
import re
import subprocess
import sys
from functools import cache
from pathlib import Path

from beside import BESIDE

from readgraph.cli.command_group import COMMANDS
from readgraph.cli.declaring import PANELS
from readgraph.graphs.method_facts import PAPERS, find_shared_nodes
from readgraph.graphs.methods import METHODS
from readgraph.models.own.tables import ModelTable
from readgraph.nodes.building.recipes import PRESETS
from readgraph.sources.kinds import OURS
from readgraph.state.context import PROFILES
from readgraph.state.declaring import declarations_of, format_default
from readgraph.state.settings import GROUPS
from readgraph_evaluation.datasets import FORMS
from readgraph_evaluation.datasets.assembling import SCORING
from readgraph_evaluation.metrics import METRICS
from readgraph_evaluation.sweeps import SWEEPS

METHOD_PAGES = Path(__file__).parents[1] / "methods"
GUIDES = {"guides": Path(__file__).parents[1] / "guides", **BESIDE}
"""The folders of guides, by their folders in the site."""

_OPTION = re.compile(r"^\* `(.+?)`(?:: (.*))?$", re.MULTILINE)
_SIMPLER = [
    (re.compile(r" <(?:int|float)(?: range)?>"), " N"),
    (re.compile(r"(--\S+) <(?:str|list\[str\])>"), r"\1 TEXT"),
    (re.compile(r" <(?:str|path|list\[\w+\])>`"), "`"),
    (re.compile(r"\{(\S+)\}"), r"\1"),
    (re.compile(r"\[(\[\S+\])\](?:\.\.\.)?|(\S+…)\.\.\."), r"\1\2"),
    (re.compile(r"^(Example: )?(readgraph .+)\n+", re.MULTILINE), r"\1`\2`\n\n"),
    (re.compile(r"^Examples:\n", re.MULTILINE), "Examples:\n\n"),
    (re.compile(r"^\*\*Commands\*\*:\n\n(?:\* .*\n)+", re.MULTILINE), ""),
    (re.compile(r"  \[(required|env var: \w+|x.+|default: .+)\]$", re.MULTILINE), r" (\1)"),
]
"""How types and bounds are written: as in the command's help, without Python's type names."""
_LEFT_OUT = re.compile(r"^\* `--(?:help|help-all|install-completion|show-completion)`.*\n", re.MULTILINE)


@cache
def _command_reference() -> str:
    """The command's subcommands with their options, as typer documents them."""
    command = [sys.executable, "-m", "typer", "readgraph.cli.main", "utils", "docs", "--name", "readgraph"]
    text = html.unescape(subprocess.run(command, capture_output=True, encoding="utf-8", check=True).stdout)
    text = _LEFT_OUT.sub("", text)
    for pattern, simpler in _SIMPLER:
        text = pattern.sub(simpler, text)
    return _OPTION.sub(lambda match: f"`{match[1]}`\n:   {match[2] or ''}\n", text[text.index("\n## ") :])


FOLDER = "reference/commands"
"""The folder of the commands' pages."""


def command_pages() -> dict[str, str]:
    """The page of each command, by its name: how it is called, its options, and the guides that use it most."""
    sections = re.split(r"^## `readgraph ([\w-]+)`$", _command_reference(), flags=re.MULTILINE)[1:]
    pages = dict(zip(sections[::2], sections[1::2], strict=True))
    return {
        name: f"# readgraph {name}\n{body.replace('### `', '## `').rstrip()}\n{_guides_on(name)}"
        for name, body in pages.items()
    }


def _guides_on(command: str) -> str:
    """A line that leads to the guides in which the command stands most often; "" if it stands in none."""
    named = re.compile(rf"\breadgraph {command}\b")
    pages = {f"{name}/{path.name}": path.read_text("utf-8") for name in GUIDES for path in GUIDES[name].glob("*.md")}
    times = {page: len(named.findall(text)) for page, text in pages.items()}
    best = sorted((page for page in pages if times[page]), key=lambda page: (-times[page], page))[:3]
    links = [f"[{pages[page].partition(chr(10))[0].removeprefix('# ')}](../../{page})" for page in best]
    return f"\n## Guides\n\n{', '.join(links)}\n" if links else ""


def names_in(panel: str) -> list[str]:
    """The commands in a group of the help, by name."""
    return [name for name, command in COMMANDS.items() if command.panel == panel]


def command_groups() -> list[dict[str, list[str]]]:
    """The paths of the commands' pages, in the groups of the help."""
    return [{panel: [f"{FOLDER}/{name}.md" for name in names_in(panel)]} for panel in PANELS]


def command_list() -> str:
    """All commands in the groups of the help, each with what it does and a link to its page."""
    lines = list[str]()
    for panel in PANELS:
        lines += ["", f"## {panel}", "", "| command | what it does |", "|---|---|"]
        for name in names_in(panel):
            first = command_pages()[name].partition("\n\n")[2].partition("\n\n")[0]
            lines.append(f"| [`{name}`](commands/{name}.md) | {' '.join(first.split())} |")
    return "\n".join(lines)


def methods_table() -> str:
    """The methods by name, with a link to the method's page if it has one."""
    rows = ["| method | what it does | note of a page |", "|---|---|---|"]
    for method in METHODS.values():
        page = f"{method.name}.md"
        name = f"[`{method.name}`]({page})" if (METHOD_PAGES / page).exists() else f"`{method.name}`"
        rows.append(f"| {name} | {method.line} | {method.note} |")
    return "\n".join(rows)


def kinds_table() -> str:
    """The kinds of files, with their endings, what is read of them, and how a place in them is named."""
    rows = ["| kind | endings | what is read | a place |", "|---|---|---|---|"]
    for kind in OURS:
        endings = ", ".join(f"`{ending}`" for ending in kind.endings)
        named = "" if kind.in_folders else ", if you name the file itself"
        rows.append(f"| {kind.name} | {endings}{named} | {kind.reads} | {kind.place} |")
    return "\n".join(rows)


def shared_nodes_table() -> str:
    """The work that two or more of the papers' methods share, with the nodes of each graph that do it."""
    rows = [
        "| work | " + " | ".join(f"`{paper}`" for paper in PAPERS) + " | others |",
        "|---" * (len(PAPERS) + 2) + "|",
    ]
    for node in find_shared_nodes():
        if len(node.papers) > 1:
            named = [", ".join(f"`{name}`" for name in node.nodes.get(paper, [])) for paper in PAPERS]
            rows.append(f"| `{node.name}` | {' | '.join(named)} | {len(node.others)} |")
    return "\n".join(rows)


def metrics_table() -> str:
    """The metrics by name, with what each needs."""
    needs = {None: "", "judge": "a model that judges", "embeddings": "an embedding model"}
    rows = ["| metric | what scores | needs |", "|---|---|---|"]
    rows += [f"| `{metric.name}` | {metric.line} | {needs[metric.rater]} |" for metric in METRICS.values()]
    return "\n".join(rows)


def settings_table() -> str:
    """The settings in the panels of the command's help, with their defaults."""
    rows = ["| setting | for | meaning | default |", "|---|---|---|---|"]
    for each in declarations_of(GROUPS):
        default = f"`{shown}`" if (shown := format_default(each.default)) else "off" if each.kind is bool else "none"
        rows.append(f"| `{each.name}` | {each.panel} | {each.help.text} | {default} |")
    return "\n".join(rows)


def model_table() -> str:
    """The keys of a table `[models.NAME]`, with their meaning."""
    rows = ["| key | meaning | default |", "|---|---|---|"]
    for name, field in ModelTable.model_fields.items():
        default = "required" if field.is_required() else f"`{field.default}`" if field.default else "none"
        rows.append(f"| `{name}` | {field.description} | {default} |")
    return "\n".join(rows)


def datasets_table() -> str:
    """The file formats of datasets."""
    rows = ["| dataset | file |", "|---|---|"]
    return "\n".join([*rows, *(f"| `{form.name}` | {form.line} |" for form in FORMS.values())])


def sweeps_table() -> str:
    """The sweeps, with their rows and what they show."""
    rows = ["| sweep | what it varies | where it is shown | rows |", "|---|---|---|---|"]
    for name, sweep in SWEEPS.items():
        rows.append(f"| `{name}` | {sweep.line} | {sweep.source} | {', '.join(f'`{row}`' for row in sweep.rows)} |")
    return "\n".join(rows)


def scoring_table() -> str:
    """How each dataset is scored."""
    rows = ["| dataset | metrics | profile | answers |", "|---|---|---|---|"]
    for name, (metrics, profile, answers, *_) in SCORING.items():
        form = [answers.answer_length, f"{answers.answer_words} words" if answers.answer_words else ""]
        shown = ", ".join(filter(None, [*form, answers.answer_dates]))
        rows.append(f"| `{name}` | {', '.join(f'`{metric}`' for metric in metrics)} | {profile} | {shown} |")
    return "\n".join(rows)


def profiles_table() -> str:
    """The profiles with their settings."""
    settings = list(dict.fromkeys(name for profile in PROFILES.values() for name in profile))
    rows = ["| profile | " + " | ".join(f"`{name}`" for name in settings) + " |", "|---" * (len(settings) + 1) + "|"]
    for name, profile in PROFILES.items():
        rows.append(f"| `{name}` | " + " | ".join(str(profile.get(setting, "")).lower() for setting in settings) + " |")
    return "\n".join(rows)


def presets_table() -> str:
    """The presets of purposes with what a model is told."""
    rows = ["| preset | what a model is told that notes are for |", "|---|---|"]
    said = {name: preset.text or "answering the question that is asked" for name, preset in PRESETS.items()}
    return "\n".join([*rows, *(f"| `{name}` | {text} |" for name, text in said.items())])
