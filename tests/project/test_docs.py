"""What the pages show is what happens: commands, their outputs, Python, links, drawings."""

import ast
import asyncio
import inspect
import io
import json
import os
import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from types import FunctionType
from typing import Any

import pytest

from readgraph.graphs.served import assistant_graphs
from readgraph.models.prices import find_price
from readgraph.state.settings import EXAMPLE_MODEL
from tests.doubles.model_server import ChatRequest, ModelServer, ToolCall
from tests.doubles.reader import asked_for, reader
from tests.doubles.tool_user import is_agent, tool_user
from tests.project.test_rooms import PLAN
from tests.support.command import Command
from tests.support.examples import EXAMPLES
from tests.support.printed import RENEW, said
from tests.support.public_names import file_of, modules

ROOT = Path(__file__).parents[2]
PAGES = [
    *(ROOT / name for name in ("README.md", "CONTRIBUTING.md", "readgraph/SKILL.md", "notebooks/README.md")),
    *sorted((ROOT / "docs").rglob("*.md")),
    *sorted((ROOT / "evaluation").rglob("*.md")),
]

ENDS = {"verify": (0, 1), "changes": (0, 1)}  # the exit code says what was found
LONG = [*"budgets contributed-runs corpora evaluating purposes reproducing summary training verify".split()]
"""Pages whose commands take long, as whole evaluations do."""

CONSOLE = re.compile(r"^```console\n(.*?)^```$", re.MULTILINE | re.DOTALL)
SHELL = re.compile(r"^```sh\n(.*?)^```$", re.MULTILINE | re.DOTALL)
PYTHON = re.compile(r"^```python\n(.*?)^```$(?:\n\n```text\n(.*?)^```$)?", re.MULTILINE | re.DOTALL)
DRAWING = re.compile(r"^```mermaid$", re.MULTILINE)
DRAWING_OF = re.compile(r"^<!-- drawing of ([\w, ]+) -->\n```mermaid\n.*?^```$", re.MULTILINE | re.DOTALL)

ENDLESS = (
    "readgraph studio",
    "readgraph studio --local",
    "readgraph mcp --http",
    "readgraph serve",
    "readgraph corpus letters/ --watch",
)
"""Commands that end with Ctrl-C only: see tests/cli/serving/test_studio.py, tests/mcp/, tests/serve/, tests/corpus/."""
NOT_RUN = (
    *ENDLESS,
    "readgraph corpus letters/ --list",  # which lists what such a one watched
    "readgraph reproduce",  # which estimates every experiment, as tests of it do
)


AT_A_TIME = re.compile(r" +(?=\d+\.\d s\b|time\b)")
"""The spaces before a time and its heading: a column is as wide as its longest time."""


@dataclass(frozen=True)
class Shown:
    """A command of a page, and the output that the page shows."""

    command: str
    output: str


def with_a(fence: re.Pattern[str]) -> list[Any]:
    return [
        pytest.param(page, id=str(page.relative_to(ROOT)), marks=[pytest.mark.slow] if page.stem in LONG else [])
        for page in PAGES
        if fence.search(page.read_text("utf-8"))
    ]


def shown_in(block: str) -> Iterator[Shown]:
    for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
        *continued, output = re.split(r"(?<!\\)\n", part, maxsplit=1)
        yield Shown(continued[0], output)


def arguments(command: str) -> list[str]:
    program, *given = shlex.split(command.replace("\\\n", " "), comments=True)
    assert program == "readgraph", command
    return given


def run_as_notebooks_do(code: str, there: dict[str, Any]) -> None:
    """Run a snippet, which may await at its top level."""
    compiled = compile(code, "snippet", "exec", flags=ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)
    if compiled.co_flags & inspect.CO_COROUTINE:
        asyncio.run(FunctionType(compiled, there)())
    else:
        exec(compiled, there)


def fits(shown: str, printed: str) -> bool:
    """Whether the page shows what was printed; a line "…" stands for any lines."""
    shown, printed = (AT_A_TIME.sub(" ", said(text)) for text in (shown, printed))
    parts = [re.escape(part) for part in re.split(r"^…\n", shown, flags=re.MULTILINE)]
    return re.fullmatch(r"(?:.*\n)*?".join(parts), printed) is not None


def test_a_slow_machine_s_wider_column_of_times_fits() -> None:
    shown = "method  build time   time  cost\nbm25         0.1 s  0.1 s     1\n"
    assert fits(shown, "method  build time    time  cost\nbm25        36.3 s  12.2 s     1\n")
    assert not fits(shown, "method  build time    time  cost\nbm25        36.3 s  12.2 s     2\n")


@pytest.fixture(autouse=True)
def reader_s_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, story: str, local_double: Path) -> None:
    """A folder such as the pages speak of: the examples, a book, some letters, a run, a model's file."""
    (tmp_path / "examples").symlink_to(EXAMPLES)
    (tmp_path / "book.txt").write_text(story[:8_000], encoding="utf-8")
    (tmp_path / "draft.md").write_text("Marian Prosser bought the tide station. She had three cats.", encoding="utf-8")
    for year in (2023, 2024):
        (tmp_path / f"report-{year}.md").write_text(f"The mill made {year} tons of flour.", encoding="utf-8")
    bibliography = "@book{mill2023, title = {On the mill}, year = 2023, file = {report-2023.md}}"
    (tmp_path / "references.bib").write_text(bibliography, encoding="utf-8")
    (tmp_path / "run.jsonl").write_text(json.dumps({"text": story[:2_000]}), encoding="utf-8")
    for number, name in enumerate(["letters/1.md", "letters/2.md", "new/friday.md"], 1):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(story[number * 5000 : number * 5000 + 2500], encoding="utf-8")
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def model(server: ModelServer) -> ModelServer:
    """A model double that counts words, and is an agent, too."""

    def respond(request: ChatRequest) -> str | dict[str, object] | ToolCall:
        if is_agent(request):
            return tool_user(request)
        return {"count": 3} if asked_for(request) == "Counted" else reader(request)

    server.respond = respond
    return server


@pytest.mark.parametrize("page", with_a(CONSOLE))
def test_outputs_are_those_that_come_out(page: Path, readgraph: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    text = renewed = page.read_text(encoding="utf-8")
    for shown in (shown for block in CONSOLE.findall(text) for shown in shown_in(block)):
        ran = readgraph(*arguments(shown.command))
        assert ran.code in ENDS.get(shown.command.split()[1], (0,)), ran.err
        told = ran.err if said(shown.output).endswith(said(ran.err)) else ""  # a page may leave it out
        if RENEW in os.environ and "…\n" not in shown.output and not fits(shown.output, ran.out + told):
            command = f"$ {shown.command}\n"
            renewed = renewed.replace(f"{command}{shown.output}", f"{command}{said(ran.out + told)}")
        else:
            assert fits(shown.output, ran.out + told), shown.command
    if renewed != text:
        page.write_text(renewed, encoding="utf-8")


@pytest.mark.slow
@pytest.mark.parametrize("page", with_a(SHELL))
def test_commands_with_a_model_run(
    page: Path, readgraph: Command, model: ModelServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO("Who took the log book?\n"))  # what is said in a chat
    lines = "\n".join(SHELL.findall(page.read_text(encoding="utf-8"))).replace("\\\n", "").splitlines()
    readgraph("read", "book.txt", "--model", "openai:gpt-5.4-mini")  # the pages speak of it as read
    for line in lines:
        for command in line.split(" && "):
            if command.startswith("readgraph ") and command.partition(" #")[0].rstrip() not in NOT_RUN:
                ran = readgraph(*arguments(command))
                assert ran.code in ENDS.get(command.split()[1], (0,)), ran.err


@pytest.mark.parametrize("page", with_a(PYTHON))
@pytest.mark.slow
def test_python_runs_and_prints_what_is_shown(
    page: Path, model: ModelServer, capsys: pytest.CaptureFixture[str]
) -> None:
    there: dict[str, Any] = {"__name__": "__main__"}
    text = renewed = page.read_text(encoding="utf-8")
    for code, shown in PYTHON.findall(text):
        run_as_notebooks_do(code, there)
        printed = capsys.readouterr().out
        renewed = renewed.replace(f"{code}```\n\n```text\n{shown}```", f"{code}```\n\n```text\n{said(printed)}```")
        assert RENEW in os.environ or not shown or fits(shown, printed), code
    if renewed != text:
        page.write_text(renewed, encoding="utf-8")


def flowchart(name: str) -> str:
    """The drawing of a graph as it is wired; dotted arrows are choices."""
    module, _, graph = assistant_graphs()[name].path.partition(":")
    wired = getattr(import_module(module), graph).get_graph()
    order = [*wired.nodes]
    edges = sorted(wired.edges, key=lambda edge: (order.index(edge.source), order.index(edge.target)))
    arrows = [
        f"    {edge.source} {'-.->' if edge.conditional else '-->'} {edge.target}\n"
        for edge in edges
        if not {edge.source, edge.target} & {"__start__", "__end__"}
    ]
    return "".join(["graph LR\n", *arrows])


def plan(rooms: dict[str, set[str]]) -> str:
    """The drawing of which room imports which; what several arrows lead to needs no arrow of its own."""
    arrows = [
        f"    {room} --> {other}\n"
        for room, others in reversed(rooms.items())
        for other in rooms
        if other in others and not any(other in reached(rooms, between) for between in others)
    ]
    return "".join(["graph LR\n", *arrows])


def reached(rooms: dict[str, set[str]], start: str) -> set[str]:
    """The rooms to which the arrows from one lead, over others too."""
    return rooms[start].union(*(reached(rooms, other) for other in rooms[start]))


PLANS = {"the rooms": PLAN}


@pytest.mark.parametrize("page", with_a(DRAWING))
def test_drawings_are_of_the_graphs_as_wired(page: Path) -> None:
    def drawn(found: re.Match[str]) -> str:
        names = found[1].split(", ")
        (one,) = {plan(PLANS[name]) if name in PLANS else flowchart(name) for name in names}
        return f"<!-- drawing of {found[1]} -->\n```mermaid\n{one}```"

    text = page.read_text(encoding="utf-8")
    redrawn, count = DRAWING_OF.subn(drawn, text)
    assert count == len(DRAWING.findall(text)), "each says which graphs it is of"
    if RENEW in os.environ and redrawn != text:
        page.write_text(redrawn, encoding="utf-8")
    assert RENEW in os.environ or redrawn == text


def test_every_graph_is_drawn_on_its_method_s_page() -> None:
    pages = [page.read_text(encoding="utf-8") for page in sorted((ROOT / "docs" / "methods").glob("*.md"))]
    drawn = [name for page in pages for found in DRAWING_OF.finditer(page) for name in found[1].split(", ")]
    assert sorted(drawn) == sorted(assistant_graphs())


def test_links_within_the_project_lead_somewhere() -> None:
    links = [(page, link) for page in PAGES for link in re.findall(r"\]\(([^)#\s]+)", page.read_text(encoding="utf-8"))]
    assert [link for link in links if "://" not in link[1] and not (link[0].parent / link[1]).exists()] == []


HOMES = ("readgraph", "evaluation", "tests", "docs", ".ci", "benchmarks", "examples", "notebooks", "runs", ".github")
OF_THE_HOUSE = [ROOT / "CONTRIBUTING.md", ROOT / "docs" / "design.md"]
"""Pages on which every file and folder is ours; other pages also name files of their readers."""
OURS = re.compile(rf"(?:{'|'.join((*HOMES, *PLAN))})/.*")
FILE = re.compile(r"`((?!graphs/NAME)[\w./-]*(?:/|\.py))`")
MODULE = re.compile(rf"`(?:readgraph\.)?((?:{'|'.join(PLAN)})(?:\.\w+)+)`")
ENDINGS = (".html", ".json", ".jsonl", ".NAME", ".pdf", ".py", ".sqlite")
"""What looks like a module's name, and is a file's or a table's."""


def test_files_that_pages_name_are_there() -> None:
    files = (path for home in HOMES for path in (ROOT / home, *(ROOT / home).rglob("*")))
    there = {path.relative_to(ROOT).as_posix() for path in files}
    inside = "".join(f"/{path}\n" for path in there if path.startswith(("readgraph/", "evaluation/")))
    strays = {
        f"{page.relative_to(ROOT)}: {name}"
        for page in PAGES
        for found in FILE.findall(page.read_text(encoding="utf-8"))
        if page in OF_THE_HOUSE or OURS.fullmatch(found)
        for name in [found.rstrip("/")]
        if name not in there and f"/{name}\n" not in inside
    }
    assert not strays


def test_tests_that_the_default_suite_leaves_out_are_there() -> None:
    listed = (ROOT / "tests/long_tests.txt").read_text(encoding="utf-8").splitlines()
    named = [name.partition("[")[0].split("::") for name in listed]
    assert named and not [each for each in named if f" {each[1]}(" not in (ROOT / each[0]).read_text(encoding="utf-8")]


def test_modules_that_docstrings_and_comments_name_are_there() -> None:
    strays = {
        f"{module}: {name}"
        for module in modules()
        if (file := file_of(module))
        for name in MODULE.findall(file.read_text(encoding="utf-8"))
        if not name.endswith(ENDINGS) and not is_there(f"readgraph.{name}")
    }
    assert not strays


def is_there(name: str) -> bool:
    """Whether a name is a module's, or stands in one that is named with it."""
    above, _, last = name.rpartition(".")
    file = file_of(above) if above != "readgraph" else None
    return bool(file_of(name) or (file and re.search(rf"\b{last}\b", file.read_text(encoding="utf-8"))))


def test_pages_and_help_name_one_model_whose_price_is_known() -> None:
    files = [*PAGES, *(ROOT / "examples").rglob("*.py"), *(ROOT / "notebooks").glob("*.ipynb")]
    files += [*(ROOT / "readgraph").rglob("*.py"), *(ROOT / "evaluation" / "readgraph_evaluation").rglob("*.py")]
    named = {name for file in files for name in re.findall(r"openai:(?:gpt|o)[-\d][\w.-]*\w", file.read_text("utf-8"))}
    family = EXAMPLE_MODEL.removesuffix("-mini")
    assert named == {EXAMPLE_MODEL, family, f"{family}-nano"} and all(find_price(name) for name in named)
