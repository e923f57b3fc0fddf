"""Sources: sessions of agents, as Claude Code, Codex, OpenAI's Agents SDK and LangGraph keep them."""

import json
from pathlib import Path
from typing import Any

import pytest
from langchain_core.messages import AIMessage, AnyMessage, HumanMessage, ToolMessage, messages_to_dict

from readgraph.sources import load
from readgraph.sources.formats.transcripts import chat_of_messages
from readgraph.sources.sessions import load_sessions
from readgraph.state.errors import BadInput
from tests.support.command import Command, assert_refused
from tests.support.source_files import write_file

pytestmark = pytest.mark.quick

KEY = "sk-" + "a1B2" * 8
CALL = {"type": "tool_use", "id": "t1", "name": "Bash", "input": {"command": "pytest -q tests/queue", "timeout": 9}}
EDIT = {"type": "tool_use", "id": "t2", "name": "Edit", "input": {"file_path": "src/queue.py", "old_string": "a"}}


def claude(kind: str, content: Any, at: str = "2026-03-12T19:40:11.000Z", **more: Any) -> str:
    line = {"type": kind, "sessionId": "s1", "cwd": "/home/me/lamp", "timestamp": at, **more}
    return json.dumps(line | {"message": {"role": kind, "content": content}})


CLAUDE = [
    json.dumps({"type": "file-history-snapshot", "snapshot": {}}),
    claude("user", "<command-name>/clear</command-name>\n<command-message>clear</command-message>"),
    claude("user", "left out", isMeta=True),
    claude("user", "Drop the queue?<system-reminder>left out</system-reminder>"),
    claude("assistant", [{"type": "thinking", "thinking": "left out"}, {"type": "text", "text": "Yes: it stalls."}]),
    claude("assistant", [CALL, EDIT]),
    claude("user", [{"type": "tool_result", "tool_use_id": "t1", "is_error": True, "content": "F\n\nx\n1 failed"}]),
    claude("user", [{"type": "tool_result", "tool_use_id": "t2", "content": [{"type": "text", "text": "Saved."}]}]),
    claude("user", "left out", isCompactSummary=True),
    claude("assistant", "left out", isSidechain=True),
    claude("assistant", "left out", isApiErrorMessage=True),
    claude("user", [{"type": "text", "text": "[Request interrupted by user for tool use]"}]),
    claude("user", f"Use {KEY}", "2026-03-13T08:00:00Z"),
]
SAID = (
    "User, 19:40: Drop the queue?\n\nAgent, 19:40: Yes: it stalls.\n\n"
    "Tool: Bash: pytest -q tests/queue → failed: F … 1 failed\n\nTool: Edit: src/queue.py → Saved.\n\n"
    "User, 13 March 2026, 08:00: Use sk-…(32 characters left out)"
)


def test_a_session_of_claude_code(tmp_path: Path) -> None:
    path = write_file(tmp_path / "s1.jsonl", "\n".join(CLAUDE))
    (session,) = load_sessions([path])
    assert session == (SAID, "lamp: Drop the queue?", "12 March 2026, 19:40")
    by_silence = [each.time for each in load_sessions([path], gap_hours=6)]
    assert by_silence == ["12 March 2026, 19:40", "13 March 2026, 08:00"]


def test_a_folder_of_sessions_stands_for_these_in_the_order_of_time(tmp_path: Path) -> None:
    left_out = list[str]()
    write_file(tmp_path / "a.jsonl", "\n".join([*CLAUDE, '{"type": "us', "[]", "[" * 100_000]))
    write_file(tmp_path / "b.jsonl", claude("user", "First", "2026-03-01T10:00:00Z"))
    write_file(tmp_path / "c.jsonl", claude("user", "alone", isSidechain=True))
    (tmp_path / "a" / "tool-results").mkdir(parents=True)
    write_file(tmp_path / "a" / "tool-results" / "1.txt", "left out")
    found = load_sessions([tmp_path], left_out=lambda problem: left_out.append(str(problem)))
    assert [session.title for session in found] == ["lamp: First", "lamp: Drop the queue?"]
    assert left_out == [f"Left out: 3 lines of {tmp_path / 'a.jsonl'}: not JSON."]
    with pytest.raises(BadInput, match=r"c\.jsonl holds no session of an agent"):
        load_sessions([tmp_path / "c.jsonl"])


def test_a_folder_whose_first_files_hold_only_summaries(tmp_path: Path) -> None:
    for number in range(6):
        write_file(tmp_path / f"0{number}.jsonl", '{"type": "summary", "summary": "Lamps", "leafUuid": "u"}')
    write_file(tmp_path / "s1.jsonl", "\n".join(CLAUDE))
    write_file(tmp_path / "notes.md", "left out")
    assert [session.title for session in load_sessions([tmp_path])] == ["lamp: Drop the queue?"]


def test_the_first_that_is_said_on_a_day_names_it_also_after_a_tool(tmp_path: Path) -> None:
    result = [{"type": "tool_result", "tool_use_id": "t1", "content": "Saved."}]
    next_day = [claude("user", result, "2026-03-13T00:01:00Z"), claude("assistant", "Done.", "2026-03-13T00:06:00Z")]
    (session,) = load_sessions([write_file(tmp_path / "s1.jsonl", "\n".join([*CLAUDE[:6], *next_day]))])
    assert session.text.endswith("Saved.\n\nAgent, 13 March 2026, 00:06: Done.")


def item(at: str, **payload: Any) -> str:
    return json.dumps({"timestamp": at, "type": "response_item", "payload": payload})


def said(role: str, kind: str, text: str) -> dict[str, Any]:
    return {"type": "message", "role": role, "content": [{"type": kind, "text": text}]}


OUTPUT = '{"output": "a.py\\nb.py\\n", "metadata": {"exit_code": 2}}'
MADE = "Chunk ID: 1\nWall time: 0.1 seconds\nProcess exited with code 2\nOutput:\nno rule\n"
PATCH = "*** Begin Patch\n*** Add File: c.py\n+x"


def call(number: int, name: str, arguments: str) -> dict[str, Any]:
    return {"type": "function_call", "name": name, "call_id": str(number), "arguments": arguments}


def output(number: int, text: str, kind: str = "function_call") -> dict[str, Any]:
    return {"type": f"{kind}_output", "call_id": str(number), "output": text}


ITEMS = [
    said("developer", "input_text", "left out"),
    said("user", "input_text", "<environment_context><cwd>/x</cwd></environment_context>"),
    said("user", "input_text", "Why a queue?"),
    {"type": "reasoning", "summary": [{"type": "summary_text", "text": "left out"}]},
    call(1, "shell", '{"command": ["bash", "-lc", "ls  src"]}'),
    output(1, OUTPUT),
    {"type": "custom_tool_call", "name": "apply_patch", "call_id": "2", "input": PATCH},
    output(2, "", "custom_tool_call"),
    call(3, "exec", '{"cmd": "make"}'),
    output(3, MADE),
    said("user", "input_text", "<turn_aborted>left out</turn_aborted>"),
    said("assistant", "output_text", "For bursts."),
]
ITEMS_SAID = [
    *("Why a queue?", "shell: ls src → failed: a.py / b.py", "apply_patch: c.py → no output"),
    *("exec: make → failed: no rule", "For bursts."),
]


def test_a_session_of_codex(tmp_path: Path) -> None:
    at = "2026-03-12T19:40:00Z"
    meta = json.dumps({"timestamp": at, "type": "session_meta", "payload": {"id": "1", "cwd": "C:\\work\\lamp"}})
    twice = json.dumps({"timestamp": at, "type": "event_msg", "payload": {"type": "user_message", "message": "twice"}})
    lines = [meta, twice, *(item(at, **each) for each in ITEMS)]
    (session,) = load_sessions([write_file(tmp_path / "rollout-1.jsonl", "\n".join(lines))])
    assert session.title == "lamp: Why a queue?" and session.time == "12 March 2026, 19:40"
    assert [turn.partition(": ")[2] for turn in session.text.split("\n\n")] == ITEMS_SAID
    (session,) = load_sessions([write_file(tmp_path / "old.jsonl", "\n".join(map(json.dumps, ITEMS)))])
    assert session.text.startswith("User: Why a queue?")
    first = json.dumps({"id": "1", "timestamp": at, "instructions": None})  # the only time in older files
    (session,) = load_sessions([write_file(tmp_path / "older.jsonl", "\n".join([first, *map(json.dumps, ITEMS)]))])
    assert session.text.startswith("User, 19:40: Why a queue?") and session.time == "12 March 2026, 19:40"


def test_sessions_of_openais_agents_sdk(tmp_path: Path) -> None:
    (exported,) = load_sessions([write_file(tmp_path / "items.json", json.dumps(ITEMS))])
    assert [turn.partition(": ")[2] for turn in exported.text.split("\n\n")] == ITEMS_SAID


MESSAGES: list[AnyMessage] = [
    HumanMessage("Why a queue?"),
    AIMessage("", tool_calls=[{"name": "look_up", "args": {"query": "queue"}, "id": "1"}]),
    ToolMessage("none", tool_call_id="1", status="error"),
    AIMessage([{"type": "text", "text": "For bursts."}]),
]
TALK = "User: Why a queue?\n\nTool: look_up: queue → failed: none\n\nAgent: For bursts."


def test_threads_of_langgraph(tmp_path: Path) -> None:
    for exported in (
        {"values": {"messages": [message.model_dump() for message in MESSAGES]}},
        {"messages": messages_to_dict(MESSAGES)},
        [message.to_json() for message in MESSAGES],
    ):
        chat = chat_of_messages(exported)
        assert chat and chat.as_text() == TALK
    assert load(write_file(tmp_path / "t7.json", json.dumps(exported))).text.endswith(TALK)


def test_who_asks_such_a_file_is_told_to_remember_it(tmp_path: Path, readgraph: Command) -> None:
    path = write_file(tmp_path / "s1.jsonl", "\n".join(CLAUDE))
    assert_refused(readgraph("ask", "Why?", path), "sessions in it are taken by 'readgraph remember NAME FILE'")


def test_a_session_that_went_on_adds_only_what_is_new(tmp_path: Path, readgraph: Command) -> None:
    folder = tmp_path / "lamp"
    folder.mkdir()
    path = write_file(folder / "s1.jsonl", "\n".join(CLAUDE[:4]))
    assert "Added 1 session;" in readgraph("remember", "work", folder).text
    write_file(path, "\n".join([*CLAUDE, '{"broken']))
    write_file(folder / "resumed.jsonl", "\n".join(CLAUDE))  # holds the same again
    again = readgraph("remember", "work", folder)
    assert "Added 1 session (1 known already); 'work' has 2 sessions." in again.text
    assert "Left out: 1 line of" in again.err
    assert "Added 0 sessions" in readgraph("remember", "work", folder).text
    asked = readgraph("ask", "Why did we drop the queue?", "work").text
    assert "session 1, lamp: Drop the queue?, 12 March 2026, 19:40" in asked
