"""The command's help is short, and leads to all of it; shells complete names."""

import re
from pathlib import Path

import pytest
from typer.main import get_command

from readgraph.cli.command_group import COMMANDS
from readgraph.cli.declaring import PANELS
from readgraph.cli.main import app
from readgraph.cli.shell import PROFILES as PROFILE_NAMES
from readgraph.graphs.methods import METHODS
from readgraph.state import providers
from readgraph.state.context import PROFILES
from tests.support.command import STORY, Command, assert_refused, finished, plain, process

pytestmark = pytest.mark.quick

NOT_PLAIN = re.compile(r"<\w+|list\[|\[x[<>=]")


@pytest.mark.parametrize("command", ["ask", "read", "compare", "evaluate", "remember", "chat"])
def test_help_is_short_and_leads_to_every_option(
    readgraph: Command, monkeypatch: pytest.MonkeyPatch, command: str
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    short, whole = readgraph(command, "--help").out, readgraph(command, "--help-all").out
    assert len(short.splitlines()) <= 62 and "--model" in short and "--window-words" not in short
    assert f"readgraph {command} --help-all" in plain(short) and "More options" not in whole
    known = get_command(app).commands[command].params  # type: ignore[attr-defined]
    shown = [option for each in known if each.param_type_name == "option" and not each.hidden for option in each.opts]
    assert shown and all(re.search(rf"{re.escape(option)}(?![\w-])", whole) for option in shown)
    assert not NOT_PLAIN.search(whole) and "N ≥ 0" in whole
    assert max(map(len, short.splitlines())) <= 80


def test_help_of_other_commands_has_plain_types(readgraph: Command) -> None:
    shown = readgraph("show", "--help").out + readgraph("--help").out + readgraph("agents", "list", "--help").out
    assert not NOT_PLAIN.search(shown) and "More options" not in shown


def test_commands_stand_by_what_people_do(readgraph: Command) -> None:
    lines = [re.sub(r"\x1b\[[\d;]*m", "", line) for line in readgraph("--help").out.splitlines()]
    panels = [line.strip("╭─╮ ") for line in lines if line.startswith("╭─")]
    assert panels == ["Options", *PANELS]
    shown = [found[1] for line in lines if (found := re.match(r"│ ([a-z]+) ", line))]
    assert shown == [*COMMANDS]


@pytest.mark.parametrize(
    ("line", "completed"),
    [
        ("ask who --method gam", ["gam"]),
        ("ask who --profile q", ["quality", "qmsum"]),
        ("ask who --language german", []),
        ("ask who --language da", ["da"]),
        ("ask who --answer-length s", ["sentence"]),
        ("compare who f --methods gam,first", ["gam,first-words"]),
        ("show THE_l", ["THE_lamp_at_sarn_head"]),
        ("ask who the_lamp", ["the_lamp_at_sarn_head"]),
        ("search who the_lamp", ["the_lamp_at_sarn_head"]),
        ("read loc", []),
        ("models loc", ["local"]),
        ("ask who --collection li", ["lighthouses"]),
    ],
)
def test_values_are_completed(
    readgraph: Command, monkeypatch: pytest.MonkeyPatch, line: str, completed: list[str]
) -> None:
    if "the_l" in line.casefold() or "--collection" in line:
        readgraph("read", STORY, "--method", "full-text")
        readgraph("collection", "add", "lighthouses", STORY.stem)
    for shell, word in (("bash", "COMP_WORDS"), ("zsh", "_TYPER_COMPLETE_ARGS"), ("fish", "_TYPER_COMPLETE_ARGS")):
        with monkeypatch.context() as environment:
            environment.setenv("_READGRAPH_COMPLETE", f"complete_{shell}")
            environment.setenv("_TYPER_COMPLETE_FISH_ACTION", "get-args")
            environment.setenv(
                word, "\n".join(["readgraph", *line.split()]) if shell == "bash" else f"readgraph {line}"
            )
            environment.setenv("COMP_CWORD", str(len(line.split())))
            out = readgraph().out
        assert [value for value in completed if value not in out] == [], shell
        assert completed or not out.strip() or "_files" in out
        if shell == "bash":
            assert out.split() == completed


@pytest.mark.parametrize(
    ("words", "completed"),
    [
        (["--model", "openai", ":", "d"], "double"),
        (["--model", "openai", ":"], "double"),
        (["--model", "=", "openai", ":", "d"], "double"),
        (["--method", "=", "mem-w"], "mem-walker"),
        (["--collection", "my"], "my\\ lamp\\'s\\ light"),
        (["--collection", '"my l'], "my lamp's light"),
        (["--collection", "'my l"], r"my lamp'\''s light"),
        (["--collection", "my\\ l"], "my\\ lamp\\'s\\ light"),
    ],
)
def test_bash_gets_what_stands_for_its_part_of_a_word(
    readgraph: Command, monkeypatch: pytest.MonkeyPatch, words: list[str], completed: str
) -> None:
    if "--collection" in words:
        readgraph("read", STORY, "--method", "full-text")
        readgraph("collection", "add", "my lamp's light", STORY.stem)
    monkeypatch.setattr(providers, "providers", lambda: ["openai:double"])
    monkeypatch.setenv("_READGRAPH_COMPLETE", "complete_bash")
    monkeypatch.setenv("COMP_WORDS", "\n".join(["readgraph", "ask", "who", *words]))
    monkeypatch.setenv("COMP_CWORD", str(2 + len(words)))
    assert readgraph().out.splitlines() == [completed]


def test_a_completed_title_finds_its_document(readgraph: Command) -> None:
    readgraph("read", STORY, "--method", "full-text")
    assert STORY.stem in readgraph("show", "the_lamp_at_sarn_head").out


def test_a_wrong_choice_is_refused_in_plain_words(readgraph: Command) -> None:
    refused = readgraph("ask", "who", STORY, "--answer-length", "long")
    assert_refused(refused, "'--answer-length': 'long' is not one of 'phrase', 'sentence', 'paragraph', 'free'")


def test_profiles_are_those_that_there_are() -> None:
    assert PROFILES.keys() == {*PROFILE_NAMES}


def test_completion_needs_no_heavy_modules(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("_READGRAPH_COMPLETE", "complete_bash")
    monkeypatch.setenv("COMP_WORDS", "\n".join(["readgraph", "ask", "who", "--method", "ga"]))
    monkeypatch.setenv("COMP_CWORD", "4")
    program = "import sys; sys.argv = ['readgraph']; from readgraph.cli.main import run; run()"
    loaded = finished(process(options=("-X", "importtime", "-c", program))).err
    assert "readgraph.graphs.methods" in loaded
    assert not re.search(r"\| +(langgraph|langchain_core|numpy|readgraph\.state\.context)$", loaded, re.M)


HEAVY = "langgraph|langchain_core|pydantic|pydantic_core|openai|httpx|faiss|numpy|asyncio|pygments|markdown_it"


LIGHT = ("--version", "--help", "ask --help", "read --help-all", "methods --help", "library")

HELP_IN_TURN = f"""
import sys
from contextlib import suppress
from readgraph.cli.main import run
for line in {LIGHT}:
    sys.argv = ["readgraph", *line.split()]
    with suppress(SystemExit):
        run()
    print("ended:", line, flush=True)
"""


def test_help_imports_nothing_heavy() -> None:
    ran = finished(process(options=("-X", "importtime", "-c", HELP_IN_TURN)))
    shown = re.split(r"^ended: (.*)\n", ran.out, flags=re.M)
    assert (*shown[1::2],) == LIGHT and all(shown[:-1:2]) and "| readgraph.cli.main" in ran.err
    assert re.findall(rf"\| +({HEAVY}|readgraph\.state\.context)$", ran.err, re.M) == []


def test_a_question_without_a_model_imports_its_method_and_no_client(tmp_path: Path) -> None:
    asked = ["readgraph", "ask", "How deep is the well?", str(STORY), "--library", str(tmp_path / "library")]
    program = f"import sys; sys.argv = {asked}; from readgraph.cli.main import run; run()"
    shown = f"import atexit, sys; atexit.register(lambda: print(*sys.modules, file=sys.stderr)); {program}"
    loaded = {*finished(process(options=("-c", shown))).err.split()}
    heavy = {"openai", "langchain_openai", "langchain", "faiss", "rank_bm25", "json_repair", "lxml"}
    heavy |= {"langchain_core.language_models.chat_models", "readgraph.models.client", "readgraph.models.tries"}
    methods = {method.graph.partition(":")[0] for method in METHODS.values()}
    assert loaded & (methods | heavy) == {"readgraph.graphs.read_agent"}


def test_the_list_of_commands_imports_none_of_them() -> None:
    loaded = finished(process("--help", options=("-X", "importtime"))).err
    named = r"\S+\.(?:commands|options|settings)(?:\.\S+)?|\S+\.command|readgraph\.state\.declaring|annotated_types"
    assert re.findall(rf"\| +({named})$", loaded, re.M) == []


MARKDOWN_OF_ANOTHER = '''
import typer
from readgraph.cli.main import run

another = typer.Typer(rich_markup_mode="markdown", add_completion=False)

@another.command()
def count() -> None:
    """Count.

    * the **words**
    """

try:
    run()
finally:
    another(["--help"])
'''


def test_help_in_markdown_of_another_command_is_printed_after_ours() -> None:
    ran = finished(
        process("--help", options=("-c", f"import sys\nsys.argv = ['readgraph', '--help']{MARKDOWN_OF_ANOTHER}"))
    )
    assert "• the words" in ran.out
