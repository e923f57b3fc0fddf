"""A line for every command, so that what must hold for all of them is tried with each."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tests.doubles.model_server import ChatRequest, ToolCall
from tests.doubles.reader import asked_for, reader
from tests.doubles.web_agent import does
from tests.support.options import COMMAND

LINES = (
    "read {text} {model}",
    "read {text} --method gam {model}",
    "corpus {folder} --workers 1 --json {model}",
    "remember days {text} {model}",
    "ask Who? {text} --report {tmp}/ask.html {model}",
    "ask Who? {text} --method mem-walker --json {model}",
    "summarise {text} --words 20 --report {tmp}/summary.html {model}",
    "verify {text} {text} --out {tmp}/checked.md --report {tmp}/checked.html {model}",
    "changes {text} {text} --report {tmp}/changes.html {model}",
    "wiki {tmp}/wiki {text} {model}",
    "table {text} names --out {tmp}/table.csv --report {tmp}/table.html {model}",
    "compress {text} --budget 30 --trace {tmp}/trace.json {model}",
    "browse http://127.0.0.1:9/ Order. --yes --json {model}",
    "show",
    "show {text} --report {tmp}/show.html",
    "correct {text} --part 0 --text Lamp",
    "search goat",
    "chat --agent ada {model}",
    "compare Who? {text} --methods bm25,read-agent --json {model}",
    "methods gam",
    "doctor {model}",
    "skill --to {tmp}/skills",
    "models check {name}",
    "evaluate {own} --methods bm25 --out {tmp}/out {model}",
    "board --tokens 80000 --methods bm25 --out {tmp}/board --estimate {model}",
    "reproduce mem-gpt-figure-7-keys --limit 1 --out {tmp}/keys {model}",
    "trajectories {tmp}/out --out {tmp}/examples",
    "studio {model}",
    "mcp {model}",
    "serve {model}",
    "collection add dry {text}",
    "collection list --json",
    "collection remove dry",
    "agents list --json",
    "agents export ada {tmp}/ada.json",
    "agents import {tmp}/ada.json --as bob",
    "agents repair ada",
    "agents forget bob --yes",
    "replies export {tmp}/replies.jsonl",
    "replies import {tmp}/replies.jsonl",
    "prompts export {tmp}/prompts",
    "library check",
    "library repair",
    "library batches",
    "library backup {tmp}/backup",
    "library copy {tmp}/backup {tmp}/copied",
    "forget days --yes",
    "library compact",
    "models use {name}",
    "ask Who? {text} --save {tmp}/saved.json {model}",
    "replay {tmp}/saved.json",
)
"""In an order in which each has something to do; {model} stands for the options that name one."""

SERVE = {
    "studio": "readgraph.doors.studio.run.serve_studio",
    "mcp": "readgraph.doors.mcp.run.serve_agents",
    "serve": "readgraph.doors.serve.run.serve_library",
}
"""Commands that end with Ctrl-C only, and the functions that serve."""


def every_command() -> Iterator[str]:
    """The names of all commands."""

    def walk(command: Any, path: tuple[str, ...]) -> Iterator[str]:
        inner = getattr(command, "commands", {})
        yield from (name for each in inner for name in walk(inner[each], (*path, each))) if inner else [" ".join(path)]

    yield from walk(COMMAND, ())


def files_in(folder: Path, name: str = "text", more: str = "") -> dict[str, Path]:
    """The files that the lines name, made in this folder: a text with this name, which ends with `more`."""
    text = folder / f"{name}.txt"
    told = "The goat stood on the gallery. The lamp was lit.\n\nThe keeper slept. The well was deep. " * 9
    text.write_text(told + more, encoding="utf-8")
    asked = [{"question": "Who stood?", "answer": "It says so."}]
    (folder / "own.jsonl").write_text(json.dumps({"doc_id": "a", "text": "The goat stood.", "questions": asked}))
    (folder / "letters").mkdir()
    (folder / "letters" / "a.txt").write_text(f"Dear Iolo. {told}", encoding="utf-8")
    return {"tmp": folder, "text": text, "own": folder / "own.jsonl", "folder": folder / "letters"}


def any_reply(request: ChatRequest) -> str | dict[str, object] | ToolCall:
    """A reply for whatever a command asks."""
    replies: dict[str, Any] = {"Counted": {"count": 3}, "NextAction": does("click", "1")}
    return replies.get(asked_for(request) or "") or reader(request)


def each_line(places: dict[str, Path], model: str) -> Iterator[list[str]]:
    """The arguments of each line, with a model of this name ("": none)."""
    options = ["--model", model] if model else []
    for line in LINES:
        if model or "{name}" not in line:
            parts = [options if part == "{model}" else [part.format(**places, name=model)] for part in line.split()]
            yield [each for part in parts for each in part]
