"""Sources: what exports of assistants, messengers and bots hold beside plain texts."""

import json
from pathlib import Path
from typing import Any

import pytest

from readgraph.sources import load
from readgraph.sources.sessions import load_sessions
from tests.support.source_files import write_file, write_zip

pytestmark = pytest.mark.quick


def turns_of(path: Path, value: Any) -> list[str]:
    path = write_file(path / "export.json", json.dumps(value))
    return [turn for session in load_sessions([path]) for turn in session.text.split("\n\n")]


def chatgpt(role: str, parts: list[Any], **metadata: Any) -> dict[str, Any]:
    message = {"author": {"role": role}, "content": {"parts": parts}, "metadata": metadata, "create_time": 1710272400}
    return {"title": "t", "mapping": {"a": {"message": message}}}


CITED = [{"matched_text": "\ue200cite\ue202turn0\ue201", "alt": " ([Log](http://a.b))"}]
SPOKEN = [{"content_type": "audio_transcription", "text": "Where is it?"}, {"content_type": "audio_asset_pointer"}]
SHOWN = [{"content_type": "image_asset_pointer"}, "See"]


@pytest.mark.parametrize(
    "conversation,text",
    [
        (chatgpt("user", SPOKEN), "User: Where is it?"),
        (chatgpt("assistant", ["Here \ue200cite\ue202turn0search1\ue202turn0news2\ue201."]), "ChatGPT: Here ."),
        (chatgpt("assistant", ['\ue200entity\ue202["city","Sarn Head","x"]\ue201 lies']), "ChatGPT: Sarn Head lies"),
        (
            chatgpt("assistant", ["So\ue200cite\ue202turn0\ue201."], content_references=CITED),
            "ChatGPT: So ([Log](http://a.b)).",
        ),
        (chatgpt("assistant", ["Yes【12†source】 and no【4:0†plan.pdf】."]), "ChatGPT: Yes and no [plan.pdf]."),
        (chatgpt("user", SHOWN, attachments=[{"name": "a.png"}]), "User: See\nAttached: a.png"),
    ],
)
def test_voice_and_citations_of_chatgpt(tmp_path: Path, conversation: Any, text: str) -> None:
    assert turns_of(tmp_path, [conversation]) == [text]


def test_pasted_texts_files_and_artifacts_of_claude(tmp_path: Path) -> None:
    pasted = [{"file_name": "paste.txt", "extracted_content": "The log of Sarn."}, {"file_name": "b.csv"}]
    unnamed = [{"file_name": "", "extracted_content": "Only pasted."}]
    artifact = {"type": "tool_use", "name": "artifacts", "input": {"title": "Plan", "content": "Go up."}}
    said = [{"type": "text", "text": "Here."}, artifact, {"type": "voice_note", "text": "Aye."}]
    messages = [
        {"sender": "human", "text": "Read this", "attachments": pasted, "files": [{"file_name": "c.png"}]},
        {"sender": "human", "text": "", "attachments": unnamed},
        {"sender": "assistant", "content": said},
    ]
    assert turns_of(tmp_path, {"name": "n", "chat_messages": messages}) == [
        "User: Read this",
        "Pasted (paste.txt):\nThe log of Sarn.\nAttached: c.png, b.csv",
        "User: Pasted:\nOnly pasted.",
        "Claude: Here.\nPlan\nGo up.\nAye.",
    ]


def write_slack(path: Path, messages: list[dict[str, Any]]) -> Path:
    """An export of Slack with these messages of one day, a second apart."""
    timed = [{"ts": str(1710272400 + at), **message} for at, message in enumerate(messages)]
    members: dict[str, str | bytes] = {"users.json": '[{"id": "U1", "name": "Anna"}]'}
    return write_zip(path, {**members, "general/2024-03-12.json": json.dumps(timed)})


def test_what_slacks_bots_say(tmp_path: Path) -> None:
    section = {"type": "section", "text": {"type": "mrkdwn", "text": "Build *42* of <http://a.b|main> failed"}}
    actions = {"type": "actions", "elements": [{"text": {"text": "Retry"}}]}
    look = [{"type": "user", "user_id": "U1"}, {"type": "text", "text": " look"}]
    rich = {"type": "rich_text", "elements": [{"type": "rich_text_section", "elements": look}]}
    run = {"pretext": "New", "author_name": "Bert", "footer": "build server", "title": "Run 7", "fallback": "no"}
    run |= {"title_link": "http://c.d", "text": "2 tests failed"}
    reactions = [{"name": "+1", "users": ["U1"]}]
    messages: list[dict[str, Any]] = [
        {"username": "CI", "text": "", "attachments": [{**run, "fields": [{"title": "Branch", "value": "main"}]}]},
        {"username": "CI", "text": "Build", "blocks": [section, actions]},
        {"user": "U1", "text": "", "blocks": [rich]},
        {"user": "U1", "text": "plan", "files": [{"name": "plan.pdf"}], "reactions": reactions},
        {"username": "old", "attachments": [{"fallback": "Only this"}]},
    ]
    (session,) = load_sessions([write_slack(tmp_path / "slack.zip", messages)])
    assert session.text.split("\n\n") == [
        "CI: New\nBert:\nRun 7 (http://c.d)\n2 tests failed\nBranch: main\nbuild server",
        "CI: Build *42* of main (http://a.b) failed",
        "Anna: @Anna look",
        "Anna: plan\nAttached: plan.pdf\nReactions: :+1: Anna",
        "old: Only this",
    ]


def discord(number: int, name: str, content: str, **more: Any) -> dict[str, Any]:
    time = f"2024-03-12T19:{39 + number}:00+00:00"
    return {"id": str(number), "timestamp": time, "content": content, "author": {"name": name}, **more}


def telegram(number: int, sender: str | None, text: Any, **more: Any) -> dict[str, Any]:
    return {"id": number, "type": "message", "from": sender, "text": text, **more}


def facebook(sender: str, seconds: int, **more: Any) -> dict[str, Any]:
    return {"sender_name": sender, "timestamp_ms": 1710272400000 + 1000 * seconds, **more}


def twice_encoded(text: str) -> str:
    return text.encode().decode("latin-1")


def teams(message: dict[str, str]) -> dict[str, Any]:
    told = {"id": "1", "originalarrivaltime": "2024-03-12T19:40:00Z", **message}
    return {"conversations": [{"displayName": "Team", "MessageList": [told]}]}


ANSWERED: dict[str, Any] = {"author": {"name": "bert", "nickname": "Bert"}, "reference": {"messageId": "1"}}
ANSWERED |= {"reactions": [{"emoji": {"name": "👍"}, "count": 2}], "attachments": [{"fileName": "key.png"}]}
DISCORD = {
    "guild": {"name": "Sarn"},
    "channel": {"name": "log"},
    "messages": [
        discord(2, "", "In the shed", timestampEdited="2024-03-12T19:42:00+00:00", **ANSWERED),
        discord(1, "Anna", "Where is it?"),
    ],
}
SHARED = {"file": "plan.pdf", "reply_to_message_id": 2, "reactions": [{"emoji": "👍", "count": 1}]}
WHERE = ["Where ", {"type": "bold", "text": "is"}, " it?"]
TELEGRAM_MESSAGES = [
    {"id": 1, "type": "service", "actor": "Anna", "action": "create_group", "text": ""},
    telegram(2, "Anna", WHERE, date="2024-03-12T19:40:00", date_unixtime="1710272400"),
    telegram(3, "Bert", "Here", date_unixtime="1710272460", **SHARED),
]
TELEGRAM = {"chats": {"list": [{"name": "Keys", "messages": TELEGRAM_MESSAGES}]}}
FACEBOOK = {
    "title": twice_encoded("Bäcker"),
    "messages": [
        facebook(twice_encoded("Änna"), 60, content=twice_encoded("Tür")),
        facebook("Bert", 0, photos=[{"uri": "a/b.jpg"}]),
    ],
}
AT_7_40 = "Tuesday, March 12, 2024 at 7:40:11\u202fPM UTC"
GOOGLE = {"messages": [{"creator": {"name": "Anna", "email": "a@b"}, "created_date": AT_7_40, "text": "Hello"}]}
TEAMS = teams({"from": "8:a", "displayName": "", "content": "<p>Hello <b>all</b></p>"})
PROMPTED = {"title": "Prompted Where is it?", "time": "2024-03-12T19:40:00Z"}
GEMINI = [
    {"header": "Gemini Apps", **PROMPTED, "safeHtmlItem": [{"html": "<p>In the <b>shed</b>.</p>"}]},
    {"header": "Search", "title": "Searched x"},
]
ANSWER = "Bert: (in reply to Anna: Where is it?)\n"


@pytest.mark.parametrize(
    "export,title,texts",
    [
        (DISCORD, "Sarn #log", [
            "Anna: Where is it?", f"{ANSWER}In the shed\nAttached: key.png\nReactions: 👍 2\n(edited)"]),
        (TELEGRAM, "Keys", [
            "Anna: [create group]", "Anna: Where is it?", f"{ANSWER}Here\nAttached: plan.pdf\nReactions: 👍 1"]),
        (FACEBOOK, "Bäcker", ["Bert: Attached: b.jpg", "Änna: Tür"]),
        (GOOGLE, "", ["Anna: Hello"]),
        (TEAMS, "Team", ["8:a: Hello all"]),
        (GEMINI, "Gemini", ["User: Where is it?", "Gemini: In the shed."]),
    ],
)  # fmt: skip
def test_exports_of_messengers(tmp_path: Path, export: Any, title: str, texts: list[str]) -> None:
    assert turns_of(tmp_path, export) == texts
    (session,) = load_sessions([tmp_path / "export.json"])
    assert (session.title, session.time) == (title, "12 March 2024, 19:40")


def test_lines_of_a_session_that_are_written_twice_are_read_once(tmp_path: Path) -> None:
    def line(kind: str, uuid: str, content: Any, **more: str) -> str:
        message = {"role": kind, "content": content, **more}
        about = {"type": kind, "uuid": uuid, "sessionId": "s", "timestamp": "2024-03-12T19:40:00Z"}
        return json.dumps({**about, "message": message})

    def say(uuid: str, text: str, id: str) -> str:
        return line("assistant", uuid, [{"type": "text", "text": text}], id=id)

    tool = [{"type": "tool_use", "id": "t1", "name": "Bash", "input": {"command": "ls"}}]
    lines = [
        *[line("user", "u1", "Where is it?")] * 2,
        *(say("u2", "In the", "m1"), say("u3", "In the shed.", "m1"), say("u4", "In the shed.", "m1")),
        line("assistant", "u5", tool, id="m1"),
        line("user", "u6", [{"type": "tool_result", "tool_use_id": "t1", "content": "key"}]),
        say("u7", "In the shed.", "m2"),
    ]
    (session,) = load_sessions([write_file(tmp_path / "s.jsonl", "\n".join(lines))])
    said = [turn.partition(": ")[2] for turn in session.text.split("\n\n")]
    assert said == ["Where is it?", "In the shed.", "Bash: ls → key", "In the shed."]


def test_takeout_archives_are_looked_through(tmp_path: Path) -> None:
    members: dict[str, str | bytes] = {
        "Takeout/Google Chat/Groups/DM 1/messages.json": json.dumps(GOOGLE),
        "Takeout/My Activity/Gemini Apps/MyActivity.json": json.dumps(GEMINI),
    }
    assert "Gemini: In the shed." in load(write_zip(tmp_path / "takeout.zip", members)).text


def test_a_telegram_chat_keeps_signs_of_what_is_struck_out_and_what_is_shared(tmp_path: Path) -> None:
    poll = {"question": "When?", "answers": [{"text": "Monday", "voters": 3}]}
    messages = [
        telegram(1, "Anna", [{"type": "strikethrough", "text": "10"}, "20 kg"]),
        telegram(2, "Anna", "", poll=poll),
        telegram(3, "Anna", "", location_information={"latitude": 1.5, "longitude": 2.5}),
        telegram(4, "Anna", "", contact_information={"first_name": "Di", "phone_number": "555"}),
        telegram(5, None, "Gone", from_id="user7"),
    ]
    assert turns_of(tmp_path, {"name": "Bo", "type": "personal_chat", "messages": messages}) == [
        *("Anna: ~~10~~20 kg", "Anna: Poll: When? Monday (3)", "Anna: Place: 1.5, 2.5"),
        *("Anna: Contact: Di 555", "Deleted account: Gone"),
    ]


def test_stickers_on_discord_are_named(tmp_path: Path) -> None:
    export = {"channel": {"name": "general"}, "messages": [discord(1, "bo", "ok", stickers=[{"name": "wave"}])]}
    assert turns_of(tmp_path, export) == ["bo: ok\nSticker: wave"]


def test_blocks_on_slack_keep_signs_and_cells(tmp_path: Path) -> None:
    words = [{"type": "text", "text": "10", "style": {"strike": True}}, {"type": "text", "text": "20 on "}]
    words += [{"type": "date", "fallback": "12 March"}, {"type": "broadcast", "range": "here"}]
    cells = [{"type": "raw_text", "text": "1"}, {"type": "raw_text", "text": "2"}]
    rich = {"type": "rich_text", "elements": [{"type": "rich_text_section", "elements": words}]}
    blocks = (rich, {"type": "table", "rows": [cells]})
    path = write_slack(tmp_path / "slack.zip", [{"user": "U1", "text": "", "blocks": [block]} for block in blocks])
    (session,) = load_sessions([path])
    assert session.text == "Anna: ~10~20 on 12 March@here\n\nAnna: 1 | 2"


def test_teams_names_the_speaker_and_not_an_account(tmp_path: Path) -> None:
    assert turns_of(tmp_path, teams({"displayName": "Anna", "from": "8:anna", "content": "Hi"})) == ["Anna: Hi"]
