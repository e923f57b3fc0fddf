"""A package of others adds commands, kinds of files and forms of reports as ours do; one that fails breaks nothing."""

import json
import os
import re
import signal
from pathlib import Path

import pytest

from tests.support.command import STORY, Ran, assert_refused, finished, plain, process
from tests.support.development_server import REPOSITORY
from tests.support.packages import install

PLUGIN = '''
from __future__ import annotations

from dataclasses import replace
from typing import Annotated

import typer

from readgraph.cli.declaring import Command, ReportForm
from readgraph.plugins import hookimpl
from readgraph.sources.kinds import FileKind


def light(lamp: Annotated[str, typer.Argument(help="The lamp.")], hours: int = 3) -> None:
    """Light a lamp of the coast."""
    import lamp_work

    lamp_work.light(lamp, hours)


def ask() -> None:
    """Ask nobody."""
    print("nobody")


lamps = typer.Typer(help="Count the lamps.", no_args_is_help=True)


@lamps.command("count")
def count() -> None:
    """Count them."""
    print("7 lamps")


@hookimpl
def commands():
    return [
        Command(run=light, panel="Lamps"),
        Command(run=ask),
        Command(run=lamps, name="lamps", panel="Start"),
        Command(run="lamp_work:snuff", line="Snuff a lamp.", panel="Lamps"),
        Command(run="lamp_work:lost", line="Lose a lamp.", panel="Lamps"),
    ]


@hookimpl
def kinds():
    converter = "lamp_work:convert"
    return [
        FileKind(name="logs of lamps", endings={".lamp": "text/x-lamp", ".txt": ""}, converter=converter, id="lamp 1",
                 sessions="lamp_work:conversations"),
        FileKind(name="broken logs", endings={".broken": ""}, converter="lamp_work:fail", id="broken 1"),
        FileKind(name="lost logs", endings={".lost": ""}, converter="no_such_module:convert", id="lost 1"),
    ]


async def answer_as_text(pages, question, found, note, links):
    return f"LAMP {question['question']} {len(found['citations'])} citations".encode()


@hookimpl
def reports():
    form = ReportForm(ending=".lamp", mark=b"LAMP ", of_answer=answer_as_text, of_document=answer_as_text)
    return [form, replace(form, ending=".html")]
'''
WORK = '''
import time
from datetime import datetime
from pathlib import Path

from readgraph.sources.converting import Converted
from readgraph.sources.formats.chat_turns import ChatConversation, ChatTurn
from readgraph.sources.places import Place


def light(lamp, hours):
    if hours > 9:
        Path(lamp).touch()
        time.sleep(30)
    print(f"{lamp} burns for {hours} h")


def snuff(lamp: str) -> None:
    """Put it out.

    Example: readgraph snuff Sarn
    """
    print(f"{lamp} is dark")


def convert(data, name):
    text = data.decode().replace("-- ", "")
    return Converted(text, (Place(0, "watch 1"),), title="Night log")


def conversations(data, name):
    turns = [ChatTurn("Keeper", f"The lamp of day {day} was lit.", datetime(2024, 3, day, 20)) for day in (12, 13)]
    return [ChatConversation("", turns)], []


def fail(data, name):
    raise ZeroDivisionError("no oil\\nat all")
'''
HOOKS = "commands kinds methods models reports settings functions tools records engines stores transports".split()
WRONG = """
from readgraph.cli.declaring import Command, ReportForm
from readgraph.graphs.method import Method
from readgraph.library.address import StoreKind
from readgraph.plugins import hookimpl
from readgraph.sources.kinds import FileKind


async def write(*given):
    return None


def go(*given):
    raise ZeroDivisionError("no wick")


@hookimpl
def commands():
    return [Command(run=go, order="first")]


@hookimpl
def kinds():
    return [FileKind(name="lamps", endings=[".lit"], converter="a:b", id="1")]


@hookimpl
def methods():
    method = Method(name="twice", graph="readgraph.graphs.baselines:bm25", notices="nowhere:notices")
    return [method, method, Method(name="row", graph="a:b", kind="row")]


@hookimpl
def reports():
    return [ReportForm(ending=".lit", mark=b"LIT", of_answer=write, of_document=go)]


@hookimpl
def stores():
    kind = {"place": "lit://NAME", "opener": "wrong_plugin:open_nothing", "needs": "pip install wrong"}
    return [StoreKind(schemes=("lit",), **kind), StoreKind(schemes=("postgresql",), **kind)]


def open_nothing(address, to_read):
    return None


@hookimpl
async def tools():
    return []

"""
GROUPS = """
from typing import Annotated

from readgraph.plugins import hookimpl
from readgraph.state.declaring import Help, Settings


class NoPanel(Settings):
    wick: Annotated[int, Help("Its length.")] = 1


class NoHelp(Settings, panel="Lamps"):
    oil: int = 1


class NoType(Settings, panel="Lamps"):
    glass: "Annotated[Missing, Help('How thick.')]" = 1


class NoDefault(Settings, panel="Lamps"):
    flame: Annotated[int, Help("How high.")]


@hookimpl
def settings():
    return [NoPanel, NoHelp, NoType, NoDefault]


@hookimpl
def method():
    return []
"""
LOG = "-- The keeper lit the lamp at dusk.\n\n-- The goat took the log book and stood on the gallery.\n"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a log; one package plugs in, and two fail."""
    install(tmp_path / "installed", "lamp", lamp_plugin=PLUGIN, lamp_work=WORK)
    install(tmp_path / "installed", "faulty", faulty_plugin="raise SystemExit(3)")
    of_strings = "from readgraph.plugins import hookimpl\n" + "".join(
        f"@hookimpl\ndef {hook}():\n    return ['lamp']\n" for hook in HOOKS
    )
    install(tmp_path / "installed", "stringy", stringy_plugin=of_strings)
    odd = "from readgraph.cli.declaring import Command\nfrom readgraph.plugins import hookimpl\n"
    odd += "def odd(lamp: 'Missing'):\n    pass\n@hookimpl\ndef commands():\n    return [Command(run=odd)]\n"
    install(tmp_path / "installed", "wrong", wrong_plugin=WRONG)
    install(tmp_path / "installed", "groups", groups_plugin=GROUPS)
    install(tmp_path / "installed", "unmarked", unmarked_plugin="def methods():\n    return []\n")
    arguments = "from readgraph.plugins import hookimpl\n@hookimpl\ndef methods(which):\n    return []\n"
    install(tmp_path / "installed", "arguments", arguments_plugin=arguments)
    install(tmp_path / "installed", "odd", odd_plugin=f"{odd}@hookimpl\ndef kinds():\n    pass\n")
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(tmp_path / "installed"), str(REPOSITORY)]))
    monkeypatch.setenv("COLUMNS", "200")
    (tmp_path / "logs").mkdir()
    (tmp_path / "logs" / "night.lamp").write_text(LOG, encoding="utf-8")
    return tmp_path


def run(*arguments: object, options: tuple[str, ...] = ()) -> Ran:
    return finished(process(*arguments, options=options))


@pytest.mark.slow
def test_a_command_stands_in_the_help_and_runs(folder: Path) -> None:
    helped = run("--help").text
    assert "Lamps light Light a lamp of the coast." in helped and "lamps Count the lamps." in helped
    assert "Ask nobody" not in helped and "Answer a question about documents" in helped
    assert "The lamp." in run("light", "--help").text
    assert run("light", "Sarn", "--hours", 4).text == "Sarn burns for 4 h"
    assert run("lamps", "count").text == "7 lamps"
    assert "snuff Snuff a lamp." in helped and run("snuff", "Sarn").text == "Sarn is dark"
    assert "Snuff a lamp. Example: readgraph snuff Sarn" in run("snuff", "--help").text
    assert_refused(run("lost"), "The command 'lost' can't be imported from lamp_work:lost")
    assert_refused(run("ask", "--nobody"), "No such option: --nobody")
    assert run("light", "Sarn", "--log-json", folder / "log.jsonl").code == 0
    logged = [json.loads(line) for line in (folder / "log.jsonl").read_text().splitlines()]
    assert {line.get("command") for line in logged} >= {"light"}


@pytest.mark.slow
def test_the_help_waits_for_nothing_heavy(folder: Path) -> None:
    told = run("--help", options=("-X", "importtime")).err
    heavy = "langgraph|langchain_core|numpy|pydantic|lxml|lamp_work|readgraph.sources.loading"
    assert not re.search(rf"\| +({heavy})$", told, re.M)


@pytest.mark.slow
def test_a_command_is_stopped_as_ours_are(folder: Path) -> None:
    begun = folder / "begun"
    started = process("light", begun, "--hours", 10)
    while not begun.exists():
        assert started.poll() is None
    started.send_signal(signal.SIGINT)
    ran = finished(started)
    assert ran.code == 130 and "Traceback" not in ran.err


@pytest.mark.slow
def test_a_kind_of_file_is_read_and_asked_about(folder: Path) -> None:
    log = folder / "logs" / "night.lamp"
    assert "pictures of pages, logs of lamps, broken logs" in run("read", "--help").text
    assert "logs of lamps (.lamp, .txt) is one" in run("remember", "--help").text
    for named in (log, folder / "logs"):
        found = run("ask", "Who took the log book?", named, "--json").json
        assert "The goat took the log book" in found["citations"][0]["quote"] and found["title"] == "Night log"
        assert found["citations"][0]["place"] == "watch 1"
    assert run("ask", "Who?", STORY, "--json").json["title"] != "Night log"  # .txt stays ours
    read = run("corpus", folder / "logs", "--workers", 1, "--json").out.splitlines()
    assert json.loads(read[0])["title"] == "Night log" and json.loads(read[0])["known"]
    convert = "print(file_of_bytes('a.lamp', b'-- Dusk.').convert().text)"
    sent = f"from readgraph.sources.loading import file_of_bytes; {convert}"
    assert run(options=("-c", sent)).out == "Dusk.\n"  # as a file that is sent to `serve` is read
    remembered = run("remember", "nights", log).text
    assert "2 sessions" in remembered or "2 new" in remembered


@pytest.mark.slow
def test_a_converter_that_fails_leaves_out_its_file_alone(folder: Path) -> None:
    broken, lost = folder / "logs" / "night.broken", folder / "night.lost"
    broken.write_text("--")
    lost.write_text("--")
    told = "since lamp_work:fail fails with it: ZeroDivisionError: no oil."
    assert_refused(run("ask", "Who?", broken), told)
    ran = run("ask", "Who took the log book?", folder / "logs", "--json")
    assert "goat" in ran.json["answer"] and told in ran.err
    assert_refused(run("read", lost), "can't be imported from no_such_module:convert")


@pytest.mark.slow
def test_a_form_of_reports_is_chosen_by_its_ending(folder: Path) -> None:
    ask = ("ask", "Who took the log book?", STORY, "--quiet", "--report")
    for name, begins in (("answer.lamp", "LAMP Who took the log book? "), ("answer.html", "<!doctype html>")):
        assert run(*ask, folder / name).code == 0
        assert (folder / name).read_text(encoding="utf-8").startswith(begins)
    assert run(*ask, folder / "answer.lamp").code == 0
    (folder / "own.lamp").write_text("mine")
    assert_refused(run(*ask, folder / "own.lamp"), "is not a report")


@pytest.mark.slow
def test_doctor_names_what_is_not_used(folder: Path) -> None:
    told = plain(run("doctor").out)
    assert "faulty can't be used: SystemExit: 3" in told
    assert "no command 'lost' can be made of its function" in told
    assert "there is another command 'ask'" in told and re.search(
        r"odd can't be used: .*no command 'odd' can be made", told
    )
    assert "files '.txt' are read as text" in told and "there are other reports '.html'" in told
    for hook in HOOKS:
        assert re.search(rf"stringy can't be used: .*the hook '{hook}' gives 'lamp', which is no ", told), hook
    assert "the hook 'kinds' fails: TypeError: it gives None" in told
    for package, fault in (
        ("unmarked", "no function of its module is marked with hookimpl"),
        ("arguments", "Argument(s) {'which'}"),
        ("groups", "there is no hook 'method': do you mean 'methods'?"),
        ("groups", "the settings 'NoPanel' have no panel"),
        ("groups", "the settings 'NoHelp' can't be used"),
        ("groups", "the settings 'NoType' can't be used (name 'Missing' is not defined)"),
        ("groups", "the setting 'flame' has no default"),
        ("wrong", "the hook 'commands' gives a Command whose 'order' can't be 'first'"),
        ("wrong", "the hook 'kinds' gives a FileKind whose 'endings' can't be ['.lit']"),
        ("wrong", "the hook 'tools' fails: TypeError: it is a coroutine function"),
        ("wrong", "there is another method 'twice'"),
        ("wrong", "the method 'row' is a row, which only ours can be"),
        ("wrong", "there are other libraries at 'postgresql://'"),
    ):
        assert re.search(rf"{package} can't be used: [^✗]*{re.escape(fault)}", told), fault


@pytest.mark.slow
def test_what_fails_when_it_is_called_is_named(folder: Path) -> None:
    ask = ("ask", "Who took the log book?", STORY, "--quiet")
    assert_refused(run(*ask, "--library", "lit://north"), "What opens lit://north gives None, which is no SharedStore.")
    assert_refused(run(*ask, "--report", folder / "answer.lit"), "What writes reports '.lit' gives None")
    told = run(*ask, "--method", "twice", "--json").json
    assert told["citations"] and any("would tell of this answer is lost" in line for line in told["notices"])
    failed = run("show", "--report", folder / "text.lit", Path(STORY).stem)
    assert failed.code == 1 and failed.err.startswith("readgraph: The package 'wrong' failed. What was read is kept.")
    assert "no wick" in failed.err and "readgraph/cli" not in failed.err
