"""Every option of every command has an effect, or is refused in one line.

Settings of a reading are captured where they reach a graph; each other option has a probe below, which runs a command
without it and with it, and compares what can be seen. An option without a probe fails the first test. `--log-json`,
which every command has, is tested in test_log.py.
"""

import io
import itertools
import json
import re
from collections.abc import Iterator
from dataclasses import fields
from pathlib import Path
from typing import Any, NamedTuple

import pytest
import typer
from langgraph.graph import StateGraph

from readgraph.cli.main import app
from readgraph.graphs.method_facts import settings_of
from readgraph.graphs.methods import METHODS, Method
from readgraph.state.context import ReaderContext
from readgraph.state.declaring import RENAMED, declared
from readgraph.state.reading import Question
from readgraph.state.settings import GROUPS
from tests.doubles.model_server import Fault, ModelServer
from tests.doubles.own_workers import no_cluster, own_workers
from tests.doubles.reader import asked_for, reader
from tests.doubles.still_driver import StillDriver
from tests.doubles.web_agent import does
from tests.support.command import Command, assert_refused

SETTINGS = {field.name for field in fields(ReaderContext)}
OPTIONS = {each.name for each in declared(GROUPS) if each.help.option}

VALUES: dict[str, Any] = {
    "model": "openai:double",
    "prompts": "examples",
    "reading_model": "openai:another",
    "strategy": "sequential",
    "fields": "who:text,paid:number",
    "purpose": "to find the goat",
    "preset": "code",
    "working_memory": "off",
    "tools": "keyword",
    "embeddings": "openai:double-embeddings",
    "evidence": "pages",
    "ranking": "both",
    "show_gists": False,
    "paging": "even",
    "agent_memory": "recall",
    "timeout": 7.5,
    "reasoning": False,
    "triage_options": False,
    "keep_findings": False,
    "look_back": False,
    "check_sentences": False,
    "language": "de",
    "answer_length": "sentence",
    **dict.fromkeys(("rebuild", "two_calls", "without_memory", "separate_requests", "context_only", "batch"), True),
    **dict.fromkeys(("rank_gists", "cut_segments"), True),
    **{
        "min_page_words": 20,
        "max_page_words": 40,
        "window_words": 5000,
        "rounds": 2,
        "max_calls": 900,
        "max_words": 9000,
        "max_seconds": 900,
    },
}
"""A value for each setting that is not its default; other numbers are `NUMBER`."""

NUMBER = 61


class Captured(Exception):
    """The context that reached a graph."""


def each_option() -> Iterator[tuple[str, Any]]:
    """Every option but that of the log as "command --option", with what Click knows of it."""

    def walk(command: Any, path: tuple[str, ...]) -> Iterator[tuple[str, Any]]:
        for option in command.params:
            if option.param_type_name == "option" and option.name != "log_json":
                yield " ".join([*(path or ["readgraph"]), option.opts[0]]), option
        for name, inner in getattr(command, "commands", {}).items():
            yield from walk(inner, (*path, name))

    yield from walk(typer.main.get_command(app), ())


def options_of(command: str) -> dict[str, Any]:
    """The settings that a command takes, by their names."""
    return {
        option.name: option
        for name, option in each_option()
        if name.rsplit(" ", 1)[0] == command and option.name in SETTINGS
    }


def as_typed(option: Any) -> list[str]:
    """The option on a command line, with a value that is not the default."""
    value = VALUES.get(option.name, NUMBER)
    if isinstance(value, bool):
        return [option.opts[0] if value else option.secondary_opts[0]]
    return [option.opts[0], str(value)]


def wanted(name: str) -> Any:
    value = VALUES.get(name, NUMBER)
    return (value,) if name == "tools" else value


LINES = {
    "read": ("read", "{text}", "--method"),
    "ask": ("ask", "Who?", "{text}", "--method"),
    "compare": ("compare", "Who?", "{text}", "--methods"),
    "evaluate": ("evaluate", "{questions}", "--out", "{tmp}/out", "--methods"),
}
"""The commands that take a method, up to its name."""


@pytest.fixture
def line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, list[str]]:
    """`LINES` over a text; every graph does nothing but to record its context."""
    (tmp_path / "text.txt").write_text("The lamp was lit. The goat stood on the gallery.")
    asked = {"doc_id": "a", "text": "The lamp was lit. " * 900, "questions": [{"question": "Who?", "answer": "he"}]}
    (tmp_path / "own.jsonl").write_text(json.dumps(asked))
    seen.clear()
    monkeypatch.setattr(Method, "build", lambda method: recording())
    places = {"tmp": tmp_path, "text": tmp_path / "text.txt", "questions": tmp_path / "own.jsonl"}
    return {name: [part.format(**places) for part in parts] for name, parts in LINES.items()}


seen: list[ReaderContext] = []


def recording() -> Any:
    """A graph that keeps its context, and ends the run."""

    def record(state: Any, runtime: Any) -> Any:
        seen.append(runtime.context)
        raise Captured

    builder: Any = StateGraph(Question, context_schema=ReaderContext)
    builder.add_node("record", record)
    builder.set_entry_point("record")
    return builder


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("command", ["read", "ask"])
def test_a_setting_reaches_the_graph_or_is_refused(
    readgraph: Command, line: dict[str, list[str]], command: str, method: str
) -> None:
    options, used = options_of(command), settings_of(METHODS[method], asks=command == "ask") & OPTIONS
    idle = sorted(options.keys() - used)
    assert options.keys() >= used - {"strategy"} or command == "read"
    given = [part for name in idle for part in as_typed(options[name])]
    flags = [options[name].opts[0] for name in idle]
    refused = readgraph(*line[command], method, *given)
    assert_refused(refused, f"no effect with {method}")
    assert all(f"{flag}" in refused.err.split(" ha")[0].replace(",", "").split() for flag in flags)
    given = [part for name in used & options.keys() for part in as_typed(options[name])]
    with pytest.raises(Captured):
        readgraph(*line[command], method, *given)
    reached = {name: getattr(seen[-1], name) for name in used & options.keys()}
    assert reached == {name: wanted(name) for name in used & options.keys()}
    assert all(value != getattr(ReaderContext(), name) for name, value in reached.items())


def test_several_methods_share_their_options(
    readgraph: Command, line: dict[str, list[str]], server: ModelServer
) -> None:
    for command in ("compare", "evaluate"):
        options, names = options_of(command), ",".join(METHODS)
        assert options.keys() == options_of("ask").keys()
        given = [part for option in options.values() for part in as_typed(option)]
        seen.clear()
        with pytest.raises((Captured, ExceptionGroup)):
            readgraph(*line[command], names, *given)
        assert {name: getattr(seen[-1], name) for name in options} == {name: wanted(name) for name in options}
        assert_refused(readgraph(*line[command], "bm25", "--max-hops", 3), "--max-hops has no effect with bm25")
    assert_refused(
        readgraph(*line["read"], "mem-walker", "--gist-words", 90), "no effect with mem-walker when it reads"
    )


def test_a_settings_file_and_a_profile_are_for_all_methods(
    readgraph: Command, line: dict[str, list[str]], tmp_path: Path
) -> None:
    (tmp_path / "settings.toml").write_text("max_hops = 3\nretrieval_words = 900")
    with pytest.raises(Captured):
        readgraph(*line["ask"], "read-agent", "--profile", "screenplay")
    assert (seen[-1].max_hops, seen[-1].children) == (3, 5)


def test_an_earlier_name_of_a_setting_is_taken_and_not_shown(
    readgraph: Command, line: dict[str, list[str]], tmp_path: Path
) -> None:
    with pytest.raises(Captured):
        readgraph(*line["read"], "gam", "--block", 7)
    (tmp_path / "settings.toml").write_text("block = 8")
    with pytest.raises(Captured):
        readgraph(*line["read"], "gam")
    assert [context.memorize_batch for context in seen] == [7, 8]
    assert_refused(readgraph(*line["read"], "bm25", "--block", 7), "--memorize-batch has no effect with bm25")
    shown = readgraph("read", "--help-all").out
    assert "--memorize-batch" in shown and "--block" not in shown


def test_commands_of_one_method_take_no_option_in_vain(
    readgraph: Command, line: dict[str, list[str]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def captured(*given: Any, **_: Any) -> Any:
        seen.append(next(each for each in given if isinstance(each, ReaderContext)))
        raise Captured

    monkeypatch.setattr("readgraph.graphs.gam.build_memorize", recording)
    monkeypatch.setattr("readgraph.cli.run.chatting.chat.Conversation", captured)
    monkeypatch.setattr("readgraph.cli.run.serving.studio.serve", captured)
    monkeypatch.setattr("readgraph.cli.run.serving.mcp.serve", captured)
    monkeypatch.setattr("readgraph.cli.run.serving.serve.serve_library", captured)
    monkeypatch.setattr("readgraph.cli.run.setup.doctor.examine", captured)
    monkeypatch.setattr("readgraph.cli.run.reading.compress.compress_documents", captured)
    monkeypatch.setattr("readgraph.cli.run.reading.summarise.summarise_documents", captured)
    monkeypatch.setattr("readgraph.cli.run.reading.table.make_table", captured)
    monkeypatch.setattr("readgraph.cli.run.reading.corpus.read_folders", captured)
    monkeypatch.setattr("readgraph.cli.run.evaluating.reproduce.evaluate", captured)
    monkeypatch.setattr("readgraph.cli.run.reading.browse.check_can_begin", captured)
    days, compressed = ["days", line["read"][1]], [line["read"][1], "--budget", 100]
    browsed = ["http://127.0.0.1:9/", "Order.", "--yes"]
    lines: dict[str, list[Any]] = {"remember": days, "chat": [], "studio": [], "mcp": [], "serve": [], "doctor": []}
    lines |= {"compress": compressed, "browse": browsed, "summarise": [line["read"][1]]}
    lines |= {"table": [line["read"][1], "dates"], "corpus": ["."]}
    lines |= {"reproduce": ["mem-gpt-figure-7-keys", "--out", tmp_path / "out"]}
    for command, more in lines.items():
        options = options_of(command)
        with pytest.raises(Captured):
            readgraph(command, *more, *(part for option in options.values() for part in as_typed(option)))
        assert options and {name: getattr(seen[-1], name) for name in options} == {
            name: wanted(name) for name in options
        }


class Probe(NamedTuple):
    """A line, and what is added to it to see what the option does; before both, other lines are run.

    `anew`: each in a library of its own. `fails`: the model server refuses all.
    """

    line: str
    option: str
    before: tuple[str, ...] = ()
    anew: bool = False
    fails: bool = False


READ = "read {text}"
CORPUS = "corpus {folder}"
DOUBLE = "--model openai:double"
TALKED = (f"chat --agent ada {DOUBLE}",)
EXPORTED = (*TALKED, "agents export ada {tmp}/ada")
REPRODUCE = "reproduce read-agent-table-5 --data {own} --out {tmp}/out"
EVALUATE = "evaluate {own} --methods bm25 --out {tmp}/out"
PAID_TWICE = (f"{READ} {DOUBLE}", f"read {{folder}}/b.md {DOUBLE}")
ASK = "ask Who? {text} --method bm25"
SUMMARISE = "summarise {text} --words 20"
TABLE = "table {text} names"
CORRECT = "correct {text} --part 0 --text Lamp"
BROWSE = f"browse http://127.0.0.1:9/ Order. --yes --json {DOUBLE}"
COLLECTED = (READ, "collection add dry text")

PROBES = {
    "read --glob": Probe("read {folder}", "--glob *.md"),
    "read --method": Probe(READ, "--method bm25"),
    "read --estimate": Probe(READ, "--estimate"),
    "read --profile": Probe(READ, "--profile nested-keys"),
    "corpus --glob": Probe(CORPUS, "--glob *.md"),
    "corpus --method": Probe(CORPUS, "--method bm25"),
    "corpus --workers": Probe(f"{CORPUS} --workers 1", "--workers 2"),
    "corpus --on": Probe(CORPUS, "--on ray"),
    "corpus --address": Probe(f"{CORPUS} --on ray", "--address auto"),
    "corpus --max-calls-in-all": Probe(f"{CORPUS} {DOUBLE}", "--max-calls-in-all 0", anew=True),
    "corpus --estimate": Probe(CORPUS, "--estimate"),
    "corpus --profile": Probe(CORPUS, "--profile nested-keys"),
    "remember --price": Probe(f"remember days {{text}} --json {DOUBLE}", "--price 1/2", anew=True),
    "remember --glob": Probe("remember days {folder}", "--glob *.md"),
    "remember --sessions-at": Probe("remember days {text}", "--sessions-at ^The"),
    "remember --gap": Probe("remember days {chat}", "--gap 9"),
    "ask --glob": Probe("ask gander? {folder}", "--glob *.md"),
    "ask --continue": Probe("ask Why?", "--continue", (ASK,)),
    "ask --open": Probe(f"{ASK} --report {{tmp}}/report.html", "--open"),
    "ask --documents": Probe("ask goat,gander?", "--documents 1", ("read {folder}",)),
    "ask --collection": Probe("ask goat,gander?", "--collection dry", ("read {folder}", "collection add dry b")),
    "ask --option": Probe(ASK, "--option goat --option gander"),
    "ask --method": Probe("ask Who? {text} --show-steps", "--method bm25"),
    "ask --estimate": Probe(ASK, "--estimate"),
    "ask --show-steps": Probe(ASK, "--show-steps"),
    "ask --report": Probe(ASK, "--report {tmp}/report.html"),
    "ask --profile": Probe("ask keeper? {text}", "--profile nested-keys"),
    "summarise --words": Probe(f"summarise {{text}} --estimate {DOUBLE}", "--words 20"),
    "summarise --part": Probe(SUMMARISE, "--part 0"),
    "summarise --about": Probe(SUMMARISE, "--about goat"),
    "summarise --check": Probe(f"{SUMMARISE} --json {DOUBLE}", "--no-check", anew=True),
    "summarise --glob": Probe("summarise {folder} --words 20", "--glob *.md"),
    "summarise --estimate": Probe(SUMMARISE, "--estimate"),
    "summarise --show-steps": Probe(SUMMARISE, "--show-steps"),
    "summarise --report": Probe(SUMMARISE, "--report {tmp}/report.html"),
    "summarise --open": Probe(f"{SUMMARISE} --report {{tmp}}/report.html", "--open"),
    "table --glob": Probe("table {folder} gander", "--glob *.md"),
    "table --out": Probe(TABLE, "--out {tmp}/out.csv"),
    "table --estimate": Probe(TABLE, "--estimate"),
    "table --report": Probe(TABLE, "--report {tmp}/report.html"),
    "table --open": Probe(f"{TABLE} --report {{tmp}}/report.html", "--open"),
    "compress --glob": Probe("compress {folder} --budget 99", "--glob *.md"),
    "compress --budget": Probe("compress {text} --budget 99", "--budget 9"),
    "compress --question": Probe("compress {text} --budget 99", "--question lamp?"),
    "compress --engine": Probe("compress {text} --budget 9", "--engine extractive"),
    "compress --trace": Probe("compress {text} --budget 99", "--trace {tmp}/trace.json"),
    "compress --price": Probe(f"compress {{text}} --budget 9 --json {DOUBLE}", "--price 1/2", anew=True),
    "show --open": Probe("show {text} --report {tmp}/report.html", "--open", (READ,)),
    "show --page": Probe("show {text}", "--page 0", (READ,)),
    "show --part": Probe("show {text}", "--part 0", (READ,)),
    "show --at": Probe("show {text}", "--at line", (READ,)),
    "show --quote": Probe("show {text}", "--quote lamp", (READ,)),
    "show --method": Probe("show {text}", "--method bm25", (f"{READ} --method bm25", READ)),
    "show --purpose": Probe("show {text}", "--purpose code", (f"{READ} --preset code", READ)),
    "show --report": Probe("show {text}", "--report {tmp}/report.html", (READ,)),
    "correct --page": Probe("correct {text} --text Lamp", "--page 0", (READ,)),
    "correct --part": Probe("correct {text} --text Lamp", "--part 0", (READ,)),
    "correct --at": Probe("correct {text} --text Lamp", "--at nowhere", (READ,)),
    "correct --text": Probe("correct {text} --part 0", "--text Lamp", (READ,)),
    "correct --restore": Probe("correct {text} --part 0", "--restore", (READ, CORRECT)),
    "correct --method": Probe(CORRECT, "--method bm25", (READ,)),
    "search --collection": Probe("search gander", "--collection dry", ("read {folder}", "collection add dry a")),
    "collection list --json": Probe("collection list", "--json", COLLECTED),
    "collection list --library": Probe("collection list", "--library {tmp}/another", COLLECTED),
    "collection add --json": Probe("collection add dry text", "--json", (READ,)),
    "collection add --library": Probe("collection add dry text", "--library {tmp}/another", (READ,)),
    "collection remove --json": Probe("collection remove dry", "--json", COLLECTED, anew=True),
    "collection remove --library": Probe("collection remove dry", "--library {tmp}/another", COLLECTED, anew=True),
    "search --limit": Probe("search goat,gander", "--limit 1", ("read {folder}",)),
    "forget --yes": Probe("forget text", "--yes", (READ,)),
    "forget --json": Probe("forget text --yes", "--json", (READ,), anew=True),
    "chat --agent": Probe(f"chat {DOUBLE}", "--agent bob"),
    "chat --every": Probe(f"chat {DOUBLE}", "--every 10x hello"),
    "chat --json": Probe(f"chat {DOUBLE}", "--json"),
    "models --timeout": Probe("models openai:slow", "--timeout 0.1"),
    "models --json": Probe("models openai:double", "--json"),
    "agents --json": Probe("agents", "--json", TALKED),
    "agents list --json": Probe("agents list", "--json", TALKED),
    "agents export --library": Probe("agents export ada {tmp}/{run}", "--library {tmp}/another", TALKED),
    "agents repair --library": Probe("agents repair ada", "--library {tmp}/another", TALKED),
    "agents import --library": Probe("agents import {tmp}/ada", "--library {tmp}/another", EXPORTED),
    "agents import --as": Probe("agents import {tmp}/ada", "--as bob", EXPORTED),
    "agents forget --yes": Probe("agents forget ada", "--yes", TALKED),
    "compare --methods": Probe("compare Who? {text} --methods bm25", "--methods last-words"),
    "compare --price": Probe(f"compare Who? {{text}} --methods bm25 --json {DOUBLE}", "--price 1/2", anew=True),
    "compare --glob": Probe("compare gander? {folder} --methods bm25", "--glob *.md"),
    "compare --option": Probe("compare Who? {text} --methods bm25", "--option goat --option gander"),
    "compare --profile": Probe("compare keeper? {text} --methods read-agent", "--profile nested-keys"),
    "methods --mermaid": Probe("methods gam", "--mermaid"),
    "methods --shared": Probe("methods", "--shared"),
    "methods --json": Probe("methods gam", "--json"),
    "studio --port": Probe("studio", "--port 2025"),
    "studio --open": Probe("studio", "--open"),
    "studio --profile": Probe("studio", "--profile nested-keys"),
    "mcp --allow": Probe("mcp", "--allow {folder}"),
    "mcp --http": Probe("mcp", "--http"),
    "mcp --host": Probe("mcp --http", "--host localhost"),
    "mcp --port": Probe("mcp --http", "--port 8422"),
    "mcp --allow-host": Probe("mcp --http", "--allow-host library.example"),
    "mcp --profile": Probe("mcp", "--profile nested-keys"),
    "serve --host": Probe("serve", "--host localhost"),
    "serve --port": Probe("serve", "--port 8425"),
    "serve --allow-host": Probe("serve", "--allow-host library.example"),
    "serve --open": Probe("serve", "--no-open"),
    "serve --method": Probe("serve", "--method gam"),
    "serve --price": Probe("serve", "--price 1/2"),
    "serve --profile": Probe("serve", "--profile nested-keys"),
    "evaluate --dataset": Probe(EVALUATE, "--dataset quality"),
    "evaluate --methods": Probe(EVALUATE, "--methods last-words"),
    "evaluate --method": Probe(EVALUATE, "--method bm25@max_pages=1"),
    "evaluate --sweep": Probe(EVALUATE, "--sweep gam-modules"),
    "evaluate --full-text": Probe(f"{EVALUATE} --estimate {DOUBLE}", "--no-full-text"),
    "evaluate --limit": Probe(EVALUATE, "--limit 1"),
    "evaluate --inspect": Probe(EVALUATE, "--inspect {tmp}/logs"),
    "evaluate --replies": Probe(EVALUATE, "--replies {tmp}/none"),
    "evaluate --sample": Probe(EVALUATE, "--sample 1"),
    "evaluate --seed": Probe(f"{EVALUATE} --sample 1", "--seed 3"),
    "evaluate --runs": Probe(EVALUATE, "--runs 2"),
    "evaluate --metrics": Probe(EVALUATE, "--metrics rouge_1,f1"),
    "evaluate --judge": Probe(EVALUATE, "--judge openai:double"),
    "evaluate --calibrate": Probe(f"{EVALUATE} --judge openai:double", "--calibrate"),
    "evaluate --out": Probe(EVALUATE, "--out {tmp}/other"),
    "evaluate --estimate": Probe(EVALUATE, "--estimate"),
    "evaluate --diff": Probe("evaluate", "--diff {tmp}/out {tmp}/out", (EVALUATE,)),
    "evaluate --verbose": Probe(f"{EVALUATE} {DOUBLE}", "--verbose", fails=True),
    "reproduce --data": Probe("reproduce read-agent-table-5 --out {tmp}/out", "--data {own}"),
    "reproduce --limit": Probe(REPRODUCE, "--limit 1"),
    "reproduce --replies": Probe(REPRODUCE, "--replies {tmp}/none"),
    "reproduce --sample": Probe(REPRODUCE, "--sample 1"),
    "reproduce --seed": Probe(f"{REPRODUCE} --sample 1", "--seed 3"),
    "reproduce --runs": Probe(REPRODUCE, "--runs 2"),
    "reproduce --judge": Probe(REPRODUCE, "--judge openai:double"),
    "reproduce --publish": Probe(REPRODUCE, "--publish {tmp}/published"),
    "reproduce --replay": Probe(REPRODUCE, "--replay {tmp}/none"),
    "evaluate --publish": Probe(EVALUATE, "--publish {tmp}/published"),
    "evaluate --replay": Probe(EVALUATE, "--replay {tmp}/none"),
    "reproduce --out": Probe(REPRODUCE, "--out {tmp}/other"),
    "reproduce --estimate": Probe(REPRODUCE, "--estimate"),
    "reproduce --verbose": Probe(f"{REPRODUCE} {DOUBLE}", "--verbose", fails=True),
    "reproduce --profile": Probe(REPRODUCE, "--profile nested-keys"),
    "evaluate --profile": Probe(EVALUATE, "--profile nested-keys"),
    "trajectories --format": Probe("trajectories {tmp}/out", "--format reward", (f"{EVALUATE} {DOUBLE}",)),
    "trajectories --out": Probe("trajectories {tmp}/out", "--out {tmp}/examples", (EVALUATE,)),
    "trajectories --quiet": Probe("trajectories {tmp}/out", "--quiet", (EVALUATE,)),
    "browse --driver": Probe(BROWSE, "--driver netscape"),
    "browse --yes": Probe(BROWSE.replace("--yes ", ""), "--yes"),
    "browse --max-steps": Probe(BROWSE, "--max-steps 1"),
    "browse --json": Probe(BROWSE.replace("--json ", ""), "--json"),
    "browse --quiet": Probe(BROWSE.replace("--json ", ""), "--quiet"),
    "browse --verbose": Probe(BROWSE.replace("--json ", ""), "--verbose"),
    "browse --price": Probe(BROWSE, "--price 1/2", anew=True),
    "browse --library": Probe(BROWSE, "--library {tmp}/another"),
    "library batches --cancel": Probe("library batches", "--cancel"),
    "library batches --library": Probe("library batches", "--library {tmp}/another"),
    "library batches --json": Probe("library batches", "--json"),
    "library check --library": Probe("library check", "--library {tmp}/another", (READ,)),
    "library check --json": Probe("library check", "--json"),
    "library repair --library": Probe("library repair", "--library {tmp}/another", (READ,)),
    "library repair --json": Probe("library repair", "--json"),
    "library backup --library": Probe("library backup {tmp}/{run} --json", "--library {tmp}/another", (READ,)),
    "library backup --json": Probe("library backup {tmp}/{run}", "--json"),
    "library copy --json": Probe("library copy {tmp}/library {tmp}/{run}", "--json", (READ,)),
    "doctor --library": Probe("doctor", "--library {tmp}/another", (READ,)),
    "doctor --json": Probe("doctor", "--json"),
    "library compact --library": Probe("library compact --json", "--library {tmp}/another"),
    "library compact --json": Probe("library compact", "--json"),
    "replies export --document": Probe("replies export {tmp}/{run}", "--document text", PAID_TWICE),
    "replies export --library": Probe("replies export {tmp}/{run}", "--library {tmp}/another", PAID_TWICE),
    "replies import --library": Probe(
        "replies import {tmp}/replies", "--library {tmp}/another", (*PAID_TWICE, "replies export {tmp}/replies")
    ),
    "readgraph --version": Probe("", "--version"),
}
"""How each option shows that it does something; "--library", "--json", "--quiet" and the like have one way for all."""

SHARED = {
    "--library": "{tmp}/another",
    "--json": "",
    "--quiet": "",
    "--verbose": "",
    "--price": "1/2",
}

BASES = {
    "read": READ,
    "corpus": CORPUS,
    "remember": "remember days {text}",
    "ask": ASK,
    "show": "show",
    "search": "search goat",
    "correct": CORRECT,
    "forget": "forget text --yes",
    "chat": f"chat {DOUBLE}",
    "agents": "agents",
    "agents list": "agents list",
    "agents forget": "agents forget ada --yes",
    "compare": "compare Who? {text} --methods bm25",
    "evaluate": EVALUATE,
    "reproduce": REPRODUCE,
    "studio": "studio",
    "mcp": "mcp",
    "serve": "serve",
    "compress": "compress {text} --budget 9",
    "summarise": SUMMARISE,
    "table": TABLE,
}
"""A line of each command that takes an option of `SHARED`."""

OF_TYPER = {"readgraph --install-completion", "readgraph --show-completion"}


CHANGING = re.compile(r"run\d+|\d+\.\d s|\d{4}-\d\d-\S+( \d\d:\d\d)?|[0-9a-f]{12,}|\d+\.\d+,?$", re.M)
"""What differs from run to run: seconds, times, ids."""


def probed() -> dict[str, Probe]:
    """The probe of each option that is no setting; those that have none are left out."""
    probes = {}
    for name, option in each_option():
        command, flag = name.rsplit(" ", 1)
        if name in PROBES:
            probes[name] = PROBES[name]
        elif option.name not in SETTINGS and flag in SHARED and command in BASES:
            before = (READ, *TALKED) if flag == "--library" else (READ,)
            more = " --estimate --model openai:double" if flag == "--price" and command != "remember" else ""
            probes[name] = Probe(BASES[command] + more, f"{flag} {SHARED[flag]}", before)
    return probes


@pytest.mark.parametrize(
    ("more", "told"),
    [
        ("--estimate --show-steps", "leave --show-steps out"),
        ("--estimate --report {tmp}/report.html", "leave --report out"),
        ("--estimate --continue", "leave --continue or --estimate out"),
        ("--quiet --verbose", "leave one of them out"),
    ],
)
def test_an_option_that_another_leaves_without_effect_is_refused(
    readgraph: Command, line: dict[str, list[str]], tmp_path: Path, more: str, told: str
) -> None:
    assert_refused(readgraph(*line["ask"], "bm25", *more.format(tmp=tmp_path).split()), told)


def test_every_option_has_a_probe() -> None:
    plain = {name for name, option in each_option() if option.name not in {*SETTINGS, *RENAMED}}
    plain |= {"models --timeout"}
    assert (
        probed().keys() == {name for name in plain if name not in OF_TYPER and not name.endswith(" --help-all")}
        and PROBES.keys() <= probed().keys()
    )
    taking = {name.rsplit(" ", 1)[0] for name, option in each_option() if option.name in SETTINGS}
    captured = {
        "remember",
        "chat",
        "studio",
        "mcp",
        "serve",
        "doctor",
        "models",
        "compress",
        "browse",
        "summarise",
        "table",
        "corpus",
        "reproduce",
    }
    assert taking == {*LINES, *captured}, "their settings are captured above"


@pytest.mark.slow
@pytest.mark.parametrize("name", probed())
def test_an_option_can_be_seen_to_do_something(
    readgraph: Command, server: ModelServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    probe, folder = probed()[name], tmp_path / "folder"
    folder.mkdir()
    (folder / "a.txt").write_text("The goat stood on the gallery. The lamp was lit.\n\nThe keeper slept.")
    (folder / "b.md").write_text("The gander was late.")
    asked = [{"question": who, "answer": "It says so."} for who in ("Who stood?", "Who slept?")]
    (tmp_path / "own.jsonl").write_text(json.dumps({"doc_id": "a", "text": "The goat stood.", "questions": asked}))
    (tmp_path / "text.txt").write_bytes((folder / "a.txt").read_bytes())
    (tmp_path / "chat.txt").write_text("12.03.24, 23:58 - Ann: Who stood?\n13.03.24, 00:02 - Bo: The goat.\n")
    places = {
        "tmp": tmp_path,
        "chat": tmp_path / "chat.txt",
        "folder": folder,
        "text": tmp_path / "text.txt",
        "own": tmp_path / "own.jsonl",
    }
    monkeypatch.setattr(
        "readgraph.cli.run.serving.studio.serve", lambda *given, **more: typer.echo(repr((given, more)))
    )
    for server_of in ("mcp.serve", "serve.serve_library"):
        monkeypatch.setattr(
            f"readgraph.cli.run.serving.{server_of}", lambda *given, **more: typer.echo(repr((given, more)))
        )
    monkeypatch.setattr("webbrowser.open", typer.echo)
    monkeypatch.setattr("readgraph.cli.run.reading.browse.ChromiumDriver", StillDriver)
    monkeypatch.setattr("readgraph.cli.run.reading.corpus.processes", own_workers)
    monkeypatch.setattr("readgraph.cli.run.reading.corpus.on_ray", no_cluster)
    replies = {"Counted": {"count": 3}, "NextAction": does("click", "1")}
    server.respond = lambda request: replies.get(asked_for(request) or "") or reader(request)
    server.latency = 0.3 if "timeout" in name else 0

    if probe.fails:
        server.fault_for = lambda request, call: Fault("no", status=400)
    runs = itertools.count()

    def run(line: str) -> tuple[object, ...]:
        monkeypatch.setattr("sys.stdin", io.StringIO("Hello.\n/memory\n"))
        ran = readgraph(*line.format(**places, run=f"run{next(runs)}").split())
        printed = [CHANGING.sub("", each) for each in (ran.out, ran.err)]
        return (ran.code, *printed, sorted(str(path) for path in tmp_path.rglob("*") if "library" not in str(path)))

    def prepared(line: str) -> tuple[object, ...]:
        if probe.anew:
            monkeypatch.setenv("READGRAPH_LIBRARY", str(tmp_path / f"library{next(runs)}"))
            assert all(run(each)[0] == 0 for each in probe.before)
        return run(line)

    assert probe.anew or all(run(line)[0] == 0 for line in probe.before)
    prepared(probe.line)
    assert prepared(probe.line) != prepared(f"{probe.line} {probe.option}")
