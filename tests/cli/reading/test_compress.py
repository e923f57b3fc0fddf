"""`readgraph compress`: the text on standard output, all else on standard error."""

import json
from pathlib import Path

import pytest

from readgraph.features.compression.condenser import count_tokens
from tests.doubles.model_server import ModelServer
from tests.support.command import DOUBLE, STORY, Command, assert_refused

pytestmark = pytest.mark.quick


def test_a_text_is_compressed_into_the_budget(readgraph: Command, server: ModelServer, tmp_path: Path) -> None:
    trace = tmp_path / "out.json"
    ran = readgraph("compress", STORY, "--budget", 200, *DOUBLE, "--trace", trace)
    assert ran.code == 0 and 20 < count_tokens(ran.out) <= 200
    kept = json.loads(trace.read_text())
    assert kept["engine_name"] == "readagent_gist" and kept["usage"]["calls"] == server.calls > 10
    assert f"{kept['original_tokens']:,} → {kept['compressed_tokens']:,} tokens, by readagent_gist" in ran.err
    replies = [said["reply"] for step in kept["steps"] for said in step["replies"]]
    assert len(replies) == server.calls and all(replies)
    again = readgraph("compress", STORY, "--budget", 200, *DOUBLE, "--json", "--trace", trace).json
    assert (again["text"], again["usage"]["calls"]) == (ran.out.rstrip("\n"), 0), "what was asked is recorded"
    asked = readgraph("compress", STORY, "--budget", 200, *DOUBLE, "--question", "Who?", "--quiet")
    assert (asked.out, asked.err) == ("It says so.\n", "")


def test_without_a_model_it_says_so(readgraph: Command) -> None:
    ran = readgraph("compress", STORY, "--budget", 90)
    assert count_tokens(ran.out) <= 90 and "Read without a model" in ran.err
    ran = readgraph("compress", STORY, "--budget", 90, "--question", "Xylophones?", "--engine", "extractive")
    assert (ran.code, ran.out) == (0, "") and "The text holds nothing for this question." in ran.err
    ran = readgraph("compress", STORY, "--budget", 99999, "--quiet")
    assert ran.out.strip() == Path(STORY).read_text(encoding="utf-8").strip() and not ran.err


@pytest.mark.parametrize(
    ("more", "told"),
    [
        ("--budget 0", "A budget of 0 tokens holds no word"),
        ("", "Say how many tokens the text may have"),
        ("--budget many", "--budget wants a whole number"),
        ("--budget 99 --engine gist", "There is no compression engine 'gist': choose one of readagent_gist"),
        ("--budget 99 --engine extractive --model openai:gpt-5.4-mini", "--model has no effect with extractive"),
        ("--budget 99 --question ''", "--question is empty"),
        ("--budget 99 --trace {tmp}", "is a folder: name a file for the trace"),
        ("--budget 99 --trace {tmp}/none/out.json", "There is no folder"),
        ("--budget 99 --trace {tmp}/notes.json", "exists already and is no trace"),
    ],
)
def test_wrong_usage_is_one_line(readgraph: Command, tmp_path: Path, more: str, told: str) -> None:
    (tmp_path / "notes.json").write_text("{}")
    arguments = [part.replace("''", "") for part in more.format(tmp=tmp_path).split()]
    assert_refused(readgraph("compress", STORY, *arguments), told)
    assert (tmp_path / "notes.json").read_text() == "{}"
