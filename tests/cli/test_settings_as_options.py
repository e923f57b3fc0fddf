"""A setting that is typed as an option reaches the graph, or is refused in one line.

Other options are probed in test_options.py.
"""

import json
from pathlib import Path
from typing import Any

import pytest
from langgraph.graph import StateGraph

from readgraph.graphs.method import Method
from readgraph.graphs.method_facts import settings_of
from readgraph.graphs.methods import METHODS
from readgraph.state.context import ReaderContext
from readgraph.state.reading import Question
from tests.doubles.model_server import ModelServer
from tests.support.command import Command, assert_refused
from tests.support.options import OPTIONS, each_option, settings_taken
from tests.support.some_methods import OF_THE_PAPERS, mostly_slow

VALUES: dict[str, Any] = {
    **dict.fromkeys(("update_gate", "exit_gate", "best_chunk", "prove_absence"), True),
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
    "look": "always",
    "answer_length": "sentence",
    **dict.fromkeys(("rebuild", "two_calls", "without_memory", "separate_requests", "context_only", "batch"), True),
    **dict.fromkeys(("rank_gists", "cut_segments", "again"), True),
    **{
        "min_page_words": 20,
        "max_page_words": 40,
        "window_words": 5000,
        "rounds": 2,
        "max_calls": 900,
        "max_words": 9000,
        "max_seconds": 900,
        "meaning": "always",
    },
}
"""A value for each setting that is not its default; other numbers are `NUMBER`."""

NUMBER = 61


class Captured(Exception):
    """The context that reached a graph."""


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


@pytest.mark.parametrize("method", mostly_slow(METHODS, [*OF_THE_PAPERS, "fused", "survey"]))
@pytest.mark.parametrize("command", ["read", "ask"])
def test_a_setting_reaches_the_graph_or_is_refused(
    readgraph: Command, line: dict[str, list[str]], command: str, method: str
) -> None:
    options, used = settings_taken(command), settings_of(METHODS[method], asks=command == "ask") & OPTIONS
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


@pytest.mark.slow
def test_several_methods_share_their_options(
    readgraph: Command, line: dict[str, list[str]], server: ModelServer
) -> None:
    for command in ("compare", "evaluate"):
        options, names = settings_taken(command), ",".join(METHODS)
        assert options.keys() == settings_taken("ask").keys()
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


CAPTURED_AT = {
    "remember days {text}": "readgraph.graphs.gam.build_memorize",
    "chat": "readgraph.features.agents.chat.Conversation",
    "studio": "readgraph.doors.studio.run.serve_studio",
    "mcp": "readgraph.doors.mcp.run.serve_agents",
    "serve": "readgraph.doors.serve.run.serve_library",
    "doctor": "readgraph.cli.run.methods.examine",
    "compress {text} --budget 100": "readgraph.features.compression.run.compress_documents",
    "summarise {text}": "readgraph.features.summary.run.summarise_documents",
    "verify {text} {text}": "readgraph.features.verify.run.verify_draft",
    "changes {text} {text}": "readgraph.features.changes.run.compare_documents",
    "wiki {tmp}/wiki {text}": "readgraph.features.wiki.run.make_wiki",
    "table {text} dates": "readgraph.features.survey.run.make_table",
    "corpus .": "readgraph.doors.corpus.run.read_folders",
    "board --tokens 80000 --out {tmp}/out": "readgraph_evaluation.run.evaluate.evaluate",
    "reproduce mem-gpt-figure-7-keys --out {tmp}/out": "readgraph_evaluation.run.reproduce.evaluate",
    "browse http://127.0.0.1:9/ Order. --yes": "readgraph.features.web.run.check_can_begin",
}
"""A line of each other command that takes settings, and the function in which its context is looked at."""


@pytest.mark.parametrize("typed", CAPTURED_AT)
def test_commands_of_one_method_take_no_option_in_vain(
    readgraph: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, typed: str
) -> None:
    def captured(*given: Any, **named: Any) -> Any:
        seen.append(next(each for each in (*given, *named.values()) if isinstance(each, ReaderContext)))
        raise Captured

    (tmp_path / "text.txt").write_text("The lamp was lit.")
    seen.clear()
    monkeypatch.setattr(CAPTURED_AT[typed], recording if typed.startswith("remember") else captured)
    options = settings_taken(typed.split()[0])
    added = [part for option in options.values() for part in as_typed(option)]
    with pytest.raises(Captured):
        readgraph(*typed.format(text=tmp_path / "text.txt", tmp=tmp_path).split(), *added)
    assert options and {name: getattr(seen[-1], name) for name in options} == {name: wanted(name) for name in options}


def test_every_command_that_takes_settings_is_tried() -> None:
    taking = {name.rsplit(" ", 1)[0] for name, option in each_option() if option.name in OPTIONS}
    assert taking == {*LINES, *(line.split()[0] for line in CAPTURED_AT), "models check"}, (
        "a model is asked by 'models' alone"
    )


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
