"""Sessions of agents (Claude Code, Codex, OpenAI's Agents SDK, LangGraph): who said what, and a line for each tool.

Thinking, what programs insert into the talk, and secrets are left out. What a text begins with never changes when the
session goes on: a tool's line stands where its result came.
"""

import json
import re
from collections.abc import Iterable, Iterator
from typing import Any

from readgraph.sources.converting import dicts
from readgraph.sources.formats.chat_turns import ChatConversation, ChatTurn, day, dict_in, minute, time_of, words
from readgraph.sources.places import shorten_label
from readgraph.sources.secrets import without_secrets

LONGEST_SHOWN = 160  # characters of what a tool was given, and of each line of what came of it
TOOL = "Tool"  # the speaker of what tools gave
_SPEAKERS = {"user": "User", "human": "User", "assistant": "Agent", "ai": "Agent"}
_TEXTS = ("text", "input_text", "output_text")
_CALLS = ("tool_use", "tool_call", "function_call", "custom_tool_call", "local_shell_call")
_RESULTS = ("tool_result", "function_call_output", "custom_tool_call_output", "local_shell_call_output")
_SUBJECTS = ("command", "cmd", "file_path", "notebook_path", "path", "pattern", "query", "url", "description", "prompt")
_PATCHED = re.compile(r"^\*\*\* (?:Update|Add|Delete) File: (.+)$", re.MULTILINE)
_INSERTED = re.compile(
    r"</?(?:system-reminder|environment_context|user_instructions|INSTRUCTIONS|local-command-\w+|command-message|"
    r"task-notification|ide_\w+|bash-stdout|bash-stderr|turn_aborted)>"
)
_COMMAND = re.compile(r"</?(?:command-(?:name|args)|bash-input)>")
_ORDER = re.compile(
    r"<command-name>/(?:clear|compact|config|context|cost|doctor|exit|help|login|logout|mcp|model|permissions|quit|"
    r"rename|resume|status|usage)</command-name>"
)  # to the program itself
_HEADER = re.compile(
    r"(?:(?:Chunk ID|Wall time|Process|Original token count|Total output lines|Exit code)\b.*\n){1,9}Output:"
)
_FAILED = re.compile(r"^(?:Process exited with code|Exit code:) -?[1-9]", re.MULTILINE)


def json_lines(data: bytes) -> tuple[list[dict[str, Any]], int]:
    """The objects on the lines of a file, and how many lines hold none."""
    lines = [*filter(bytes.strip, data.split(b"\n"))]
    values = dicts([*map(_parsed, lines)])
    return values, len(lines) - len(values)


def is_transcript(lines: Iterable[dict[str, Any]]) -> bool:
    """Whether lines of JSON are those of an agent's session."""
    return any(
        {"payload", "sessionId", "role", "leafUuid"} & line.keys() and not {"text", "turns"} & line.keys()
        for line in lines
    )


def transcript_of(lines: Iterable[dict[str, Any]]) -> ChatConversation | None:
    """The session on a file's lines, without what sub-agents did on their own; None where the user said nothing.

    Its title is the project and what the user said first, which stay when it goes on.
    """
    said, project, began, seen = list[tuple[dict[str, Any], Any]](), "", None, set[str]()
    for line in lines:
        identity = words(line.get("uuid"))
        if identity in seen:
            continue
        seen.update([identity] if identity else [])
        folder = words(line.get("cwd")) or words(dict_in(line, "payload").get("cwd"))
        project = project or re.split(r"[\\/]", folder.rstrip("\\/"))[-1]
        began = began or (None if "type" in line else line.get("timestamp"))  # Codex once wrote no other time
        if not any(line.get(mark) for mark in ("isSidechain", "isMeta", "isCompactSummary", "isApiErrorMessage")):
            item = dict_in(line, "message" if line.get("type") in ("user", "assistant") else "payload")
            queued = dict_in(line, "attachment")  # what the user wrote while the agent was at work
            if queued.get("type") == "queued_command" and queued.get("commandMode", "prompt") == "prompt":
                item = {"role": "user", "content": queued.get("prompt")}
            if line.get("type") not in ("event_msg", "compacted"):  # these say a second time what was said
                said.append((item or line, line.get("timestamp") or began))
    return _chat_of_items(_each_once(said), project)


def _each_once(said: Iterable[tuple[dict[str, Any], Any]]) -> list[tuple[dict[str, Any], Any]]:
    """The items without those that say again, or say the beginning of, what another one of the same message says.

    Programs write a message while it comes, and once more when a session goes on.
    """
    kept, of_message = list[tuple[dict[str, Any], Any]](), dict[str, list[int]]()
    for item, written in said:
        identity = words(item.get("id")) if item.get("content") else ""
        numbers = of_message.setdefault(identity, []) if identity else []
        again = [number for number in numbers if _goes_on(kept[number][0].get("content"), item.get("content"))]
        if again:
            kept[again[-1]] = item, kept[again[-1]][1]
        elif not any(_goes_on(item.get("content"), kept[number][0].get("content")) for number in numbers):
            numbers.append(len(kept))
            kept.append((item, written))
    return kept


def _goes_on(first: Any, then: Any) -> bool:
    """Whether a message's content begins with all of another one."""
    if isinstance(first, str) and isinstance(then, str):
        return then.startswith(first)
    if not (isinstance(first, list) and isinstance(then, list) and first) or len(first) > len(then):
        return False
    *whole, last = zip(first, then, strict=False)
    texts = [words(part.get("text")) if isinstance(part, dict) else "" for part in last]
    grows = bool(texts[0]) and texts[1].startswith(texts[0])
    return all(one == other for one, other in whole) and (last[0] == last[1] or grows)


def chat_of_messages(value: Any) -> ChatConversation | None:
    """The talk in JSON's `messages` or `items`: a thread of LangGraph or of OpenAI's Agents SDK; None for others."""
    thread = value if isinstance(value, dict) else {"messages": value}
    state = dict_in(thread, "values") or dict_in(thread, "channel_values") or thread
    items = dicts(state.get("messages")) or dicts(state.get("items"))
    return _chat_of_items([(item, item.get("created_at") or thread.get("created_at")) for item in items])


def _chat_of_items(items: Iterable[tuple[dict[str, Any], Any]], project: str = "") -> ChatConversation | None:
    turns, calls, shown = list[ChatTurn](), dict[str, str](), ""
    for item, written in items:
        moment, _ = time_of(written)
        for speaker, text in _said_in(item, calls):
            if speaker != TOOL:
                clock = minute(moment) if shown not in ("", day(moment)) else minute(moment)[-5:]
                speaker, shown = ", ".join(filter(None, [speaker, clock])), day(moment) or shown
            turns.append(ChatTurn(speaker, text, moment))
    asked = next((turn.text for turn in turns if turn.speaker.startswith("User")), "")
    title = shorten_label(": ".join(filter(None, [project, shorten_label(asked)])))
    return ChatConversation(title, turns) if asked else None


def _said_in(item: dict[str, Any], calls: dict[str, str]) -> Iterator[tuple[str, str]]:
    """The turns of a message or item; calls are noted by their ids until their results come."""
    message = dict_in(item, "data") or dict_in(item, "kwargs") or item  # as LangChain writes messages
    kind, content = words(message.get("type")) or words(item.get("type")), message.get("content")
    role = words(message.get("role")) or kind
    if kind in (*_CALLS, *_RESULTS) or role == "tool":
        parts = [message]
    else:
        parts = [{"type": "text", "text": content}] if isinstance(content, str) else dicts(content)
        parts += [
            {"type": "tool_call", **dict_in(call, "function"), **call} for call in dicts(message.get("tool_calls"))
        ]
    for part in parts:
        keys = (words(part.get(key)) for key in ("tool_use_id", "tool_call_id", "call_id", "id"))
        identity, kind = next(filter(None, keys), ""), words(part.get("type"))
        if kind in _CALLS or (role in _SPEAKERS and kind == "function"):
            calls[identity] = _describe_call(part)
        elif kind in _RESULTS or role == "tool":
            yield TOOL, f"{calls.get(identity) or words(part.get('name')) or 'a tool'} → {_outcome(part)}"
        elif kind in _TEXTS and role in _SPEAKERS and (text := _spoken(words(part.get("text")))):
            yield _SPEAKERS[role], text


def _spoken(text: str) -> str:
    if text.lstrip().startswith("<command-") and _ORDER.search(text):
        return ""
    parts = _INSERTED.split(text)
    text = "".join(parts[::2]) if len(parts) % 2 else text
    if text.startswith(("# AGENTS.md instr", "[Request interrupted by user")):
        return ""
    return without_secrets(_COMMAND.sub(" ", text)).strip()


def _describe_call(part: dict[str, Any]) -> str:
    """What was run: "Bash: pytest -q", "Edit: src/queue.py"."""
    given = next((part[key] for key in ("input", "args", "arguments", "action") if part.get(key)), "")
    given = _parsed(given) or given if isinstance(given, str) else given
    if isinstance(given, dict):
        given = next((given[key] for key in _SUBJECTS if given.get(key)), None) or next(iter(given.values()), "")
    if isinstance(given, list):  # ["bash", "-lc", "pytest -q"]
        given = " ".join(map(words, given[2:] if given[1:2] in (["-lc"], ["-c"]) else given)).strip()
    text = str(given) if isinstance(given, str | int | float) else ""
    text = ", ".join(_PATCHED.findall(text[:1_000_000])) or text
    return ": ".join(filter(None, [words(part.get("name")) or "shell", _clip(text)]))


def _parsed(text: str | bytes) -> Any:
    """The value in JSON; None where it isn't JSON."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _outcome(part: dict[str, Any]) -> str:
    """What came of a call: the first and the last line of its result, after "failed: " where it says so."""
    result = part.get("content", part.get("output"))
    wrapped = _parsed(result) if isinstance(result, str) and result.startswith('{"') else result
    failed = bool(part.get("is_error")) or part.get("status") in ("error", "failed", "incomplete")
    if isinstance(wrapped, dict) and not {"output", "content"}.isdisjoint(wrapped):
        failed = failed or wrapped.get("success") is False or bool(dict_in(wrapped, "metadata").get("exit_code"))
        result = wrapped.get("output", wrapped.get("content"))
    text = "\n".join(words(each.get("text")) for each in dicts(result)) if isinstance(result, list) else words(result)
    header = _HEADER.match(text)  # of Codex
    failed = failed or bool(header and _FAILED.search(header[0]))
    lines = [line for line in text[header.end() if header else 0 :].splitlines() if line.strip()]
    shown = (" … " if len(lines) > 2 else " / ").join(dict.fromkeys(map(_clip, lines[:1] + lines[-1:])))
    return f"{'failed: ' if failed else ''}{shown or 'no output'}"


def _clip(text: str) -> str:
    text = without_secrets(" ".join(text[: 4 * LONGEST_SHOWN].split()))
    return text if len(text) <= LONGEST_SHOWN else f"{text[: LONGEST_SHOWN - 1].rstrip()}…"
