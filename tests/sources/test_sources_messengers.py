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


@pytest.mark.parametrize(
    "conversation,text",
    [
        (
            chatgpt(
                "user",
                [
                    {"content_type": "audio_transcription", "text": "Where is it?"},
                    {"content_type": "audio_asset_pointer"},
                ],
            ),
            "User: Where is it?",
        ),
        (
            chatgpt("assistant", ["In the shed \ue200cite\ue202turn0search1\ue202turn0news2\ue201."]),
            "ChatGPT: In the shed .",
        ),
        (chatgpt("assistant", ['\ue200entity\ue202["city","Sarn Head","x"]\ue201 lies']), "ChatGPT: Sarn Head lies"),
        (
            chatgpt(
                "assistant",
                ["So\ue200cite\ue202turn0\ue201."],
                content_references=[{"matched_text": "\ue200cite\ue202turn0\ue201", "alt": " ([Log](http://a.b))"}],
            ),
            "ChatGPT: So ([Log](http://a.b)).",
        ),
        (chatgpt("assistant", ["Yes【12†source】 and no【4:0†plan.pdf】."]), "ChatGPT: Yes and no [plan.pdf]."),
        (
            chatgpt("user", [{"content_type": "image_asset_pointer"}, "See"], attachments=[{"name": "a.png"}]),
            "User: See\nAttached: a.png",
        ),
    ],
)
def test_voice_and_citations_of_chatgpt(tmp_path: Path, conversation: Any, text: str) -> None:
    assert turns_of(tmp_path, [conversation]) == [text]


def test_pasted_texts_files_and_artifacts_of_claude(tmp_path: Path) -> None:
    artifact = {"type": "tool_use", "name": "artifacts", "input": {"title": "Plan", "content": "Go up."}}
    messages = [
        {
            "sender": "human",
            "text": "Read this",
            "attachments": [
                {"file_name": "paste.txt", "extracted_content": "The log of Sarn."},
                {"file_name": "b.csv"},
            ],
            "files": [{"file_name": "c.png"}],
        },
        {"sender": "human", "text": "", "attachments": [{"file_name": "", "extracted_content": "Only pasted."}]},
        {
            "sender": "assistant",
            "content": [{"type": "text", "text": "Here."}, artifact, {"type": "voice_note", "text": "Aye."}],
        },
    ]
    assert turns_of(tmp_path, {"name": "n", "chat_messages": messages}) == [
        "User: Read this",
        "Pasted (paste.txt):\nThe log of Sarn.\nAttached: c.png, b.csv",
        "User: Pasted:\nOnly pasted.",
        "Claude: Here.\nPlan\nGo up.\nAye.",
    ]


def test_what_slacks_bots_say(tmp_path: Path) -> None:
    section = {"type": "section", "text": {"type": "mrkdwn", "text": "Build *42* of <http://a.b|main> failed"}}
    rich = {
        "type": "rich_text",
        "elements": [
            {
                "type": "rich_text_section",
                "elements": [{"type": "user", "user_id": "U1"}, {"type": "text", "text": " look"}],
            }
        ],
    }
    messages: list[dict[str, Any]] = [
        {
            "username": "CI",
            "text": "",
            "attachments": [
                {
                    "pretext": "New",
                    "author_name": "Bert",
                    "footer": "build server",
                    "title": "Run 7",
                    "title_link": "http://c.d",
                    "text": "2 tests failed",
                    "fields": [{"title": "Branch", "value": "main"}],
                    "fallback": "no",
                }
            ],
            "ts": "1710272400",
        },
        {
            "username": "CI",
            "text": "Build",
            "blocks": [section, {"type": "actions", "elements": [{"text": {"text": "Retry"}}]}],
            "ts": "1710272401",
        },
        {"user": "U1", "text": "", "blocks": [rich], "ts": "1710272402"},
        {
            "user": "U1",
            "text": "plan",
            "files": [{"name": "plan.pdf"}],
            "reactions": [{"name": "+1", "users": ["U1"]}],
            "ts": "1710272403",
        },
        {"username": "old", "attachments": [{"fallback": "Only this"}], "ts": "1710272404"},
    ]
    members: dict[str, str | bytes] = {
        "users.json": json.dumps([{"id": "U1", "name": "Anna"}]),
        "channels.json": "[]",
        "general/2024-03-12.json": json.dumps(messages),
    }
    (session,) = load_sessions([write_zip(tmp_path / "slack.zip", members)])
    assert session.text.split("\n\n") == [
        "CI: New\nBert:\nRun 7 (http://c.d)\n2 tests failed\nBranch: main\nbuild server",
        "CI: Build *42* of main (http://a.b) failed",
        "Anna: @Anna look",
        "Anna: plan\nAttached: plan.pdf\nReactions: :+1: Anna",
        "old: Only this",
    ]


DISCORD = {
    "guild": {"name": "Sarn"},
    "channel": {"name": "log"},
    "messages": [
        {
            "id": "2",
            "timestamp": "2024-03-12T19:41:00+00:00",
            "timestampEdited": "2024-03-12T19:42:00+00:00",
            "content": "In the shed",
            "author": {"name": "bert", "nickname": "Bert"},
            "reference": {"messageId": "1"},
            "reactions": [{"emoji": {"name": "👍"}, "count": 2}],
            "attachments": [{"fileName": "key.png"}],
        },
        {"id": "1", "timestamp": "2024-03-12T19:40:00+00:00", "content": "Where is it?", "author": {"name": "Anna"}},
    ],
}
TELEGRAM = {
    "chats": {
        "list": [
            {
                "name": "Keys",
                "messages": [
                    {"id": 1, "type": "service", "actor": "Anna", "action": "create_group", "text": ""},
                    {
                        "id": 2,
                        "type": "message",
                        "date": "2024-03-12T19:40:00",
                        "date_unixtime": "1710272400",
                        "from": "Anna",
                        "text": ["Where ", {"type": "bold", "text": "is"}, " it?"],
                    },
                    {
                        "id": 3,
                        "type": "message",
                        "date_unixtime": "1710272460",
                        "from": "Bert",
                        "text": "Here",
                        "file": "plan.pdf",
                        "reply_to_message_id": 2,
                        "reactions": [{"emoji": "👍", "count": 1}],
                    },
                ],
            }
        ]
    }
}
FACEBOOK = {
    "title": "Bäcker".encode().decode("latin-1"),
    "messages": [
        {
            "sender_name": "Änna".encode().decode("latin-1"),
            "timestamp_ms": 1710272460000,
            "content": "Tür".encode().decode("latin-1"),
        },
        {"sender_name": "Bert", "timestamp_ms": 1710272400000, "photos": [{"uri": "a/b.jpg"}]},
    ],
}
GOOGLE = {
    "messages": [
        {
            "creator": {"name": "Anna", "email": "a@b"},
            "created_date": "Tuesday, March 12, 2024 at 7:40:11\u202fPM UTC",
            "text": "Hello",
        }
    ]
}
TEAMS = {
    "conversations": [
        {
            "displayName": "Team",
            "MessageList": [
                {
                    "id": "1",
                    "originalarrivaltime": "2024-03-12T19:40:00Z",
                    "from": "8:a",
                    "displayName": "",
                    "content": "<p>Hello <b>all</b></p>",
                }
            ],
        }
    ]
}
GEMINI = [
    {
        "header": "Gemini Apps",
        "title": "Prompted Where is it?",
        "time": "2024-03-12T19:40:00Z",
        "safeHtmlItem": [{"html": "<p>In the <b>shed</b>.</p>"}],
    },
    {"header": "Search", "title": "Searched x"},
]


@pytest.mark.parametrize(
    "export,title,texts",
    [
        (
            DISCORD,
            "Sarn #log",
            [
                "Anna: Where is it?",
                "Bert: (in reply to Anna: Where is it?)\nIn the shed\nAttached: key.png\nReactions: 👍 2\n(edited)",
            ],
        ),
        (
            TELEGRAM,
            "Keys",
            ["Anna: Where is it?", "Bert: (in reply to Anna: Where is it?)\nHere\nAttached: plan.pdf\nReactions: 👍 1"],
        ),
        (FACEBOOK, "Bäcker", ["Bert: Attached: b.jpg", "Änna: Tür"]),
        (GOOGLE, "", ["Anna: Hello"]),
        (TEAMS, "Team", ["8:a: Hello all"]),
        (GEMINI, "Gemini", ["User: Where is it?", "Gemini: In the shed."]),
    ],
)
def test_exports_of_messengers(tmp_path: Path, export: Any, title: str, texts: list[str]) -> None:
    assert turns_of(tmp_path, export) == texts
    (session,) = load_sessions([tmp_path / "export.json"])
    assert (session.title, session.time) == (title, "12 March 2024, 19:40")


def test_lines_of_a_session_that_are_written_twice_are_read_once(tmp_path: Path) -> None:
    def line(kind: str, uuid: str, content: Any, **more: str) -> str:
        message = {"role": kind, "content": content, **more}
        return json.dumps(
            {"type": kind, "uuid": uuid, "sessionId": "s", "message": message, "timestamp": "2024-03-12T19:40:00Z"}
        )

    def say(text: str) -> list[dict[str, str]]:
        return [{"type": "text", "text": text}]

    tool = [{"type": "tool_use", "id": "t1", "name": "Bash", "input": {"command": "ls"}}]
    lines = [
        *[line("user", "u1", "Where is it?")] * 2,
        line("assistant", "u2", say("In the"), id="m1"),
        line("assistant", "u3", say("In the shed."), id="m1"),
        line("assistant", "u4", say("In the shed."), id="m1"),
        line("assistant", "u5", tool, id="m1"),
        line("user", "u6", [{"type": "tool_result", "tool_use_id": "t1", "content": "key"}]),
        line("assistant", "u7", say("In the shed."), id="m2"),
    ]
    path = write_file(tmp_path / "s.jsonl", "\n".join(lines))
    (session,) = load_sessions([path])
    assert [turn.partition(": ")[2] for turn in session.text.split("\n\n")] == [
        *("Where is it?", "In the shed.", "Bash: ls → key", "In the shed.")
    ]


def test_takeout_archives_are_looked_through(tmp_path: Path) -> None:
    members: dict[str, str | bytes] = {
        "Takeout/Google Chat/Groups/DM 1/messages.json": json.dumps(GOOGLE),
        "Takeout/My Activity/Gemini Apps/MyActivity.json": json.dumps(GEMINI),
    }
    assert "Gemini: In the shed." in load(write_zip(tmp_path / "takeout.zip", members)).text


def test_a_telegram_chat_keeps_signs_of_what_is_struck_out_and_what_is_shared(tmp_path: Path) -> None:
    told: list[dict[str, Any]] = [
        {"text": [{"type": "strikethrough", "text": "10"}, "20 kg"]},
        {"text": "", "poll": {"question": "When?", "answers": [{"text": "Monday", "voters": 3}]}},
        {"text": "", "location_information": {"latitude": 1.5, "longitude": 2.5}},
        {"text": "", "contact_information": {"first_name": "Di", "phone_number": "555"}},
    ]
    messages = [{"id": number, "type": "message", "from": "Anna", **each} for number, each in enumerate(told, 1)]
    messages.append({"id": 9, "type": "message", "from": None, "from_id": "user7", "text": "Gone"})
    assert turns_of(tmp_path, {"name": "Bo", "type": "personal_chat", "messages": messages}) == [
        "Anna: ~~10~~20 kg",
        "Anna: Poll: When? Monday (3)",
        "Anna: Place: 1.5, 2.5",
        "Anna: Contact: Di 555",
        "Deleted account: Gone",
    ]


def test_stickers_on_discord_are_named(tmp_path: Path) -> None:
    message = {"id": "1", "timestamp": "2024-03-12T19:40:00+00:00", "content": "ok", "stickers": [{"name": "wave"}]}
    export = {"channel": {"name": "general"}, "messages": [{**message, "author": {"name": "bo"}}]}
    assert turns_of(tmp_path, export) == ["bo: ok\nSticker: wave"]


def test_blocks_on_slack_keep_signs_and_cells(tmp_path: Path) -> None:
    words = [{"type": "text", "text": "10", "style": {"strike": True}}, {"type": "text", "text": "20 on "}]
    words += [{"type": "date", "fallback": "12 March"}, {"type": "broadcast", "range": "here"}]
    cells = [{"type": "raw_text", "text": "1"}, {"type": "raw_text", "text": "2"}]
    blocks = [{"type": "rich_text", "elements": [{"type": "rich_text_section", "elements": words}]}]
    message = {"type": "message", "user": "U1", "ts": "1710268800.1", "text": ""}
    day = [{**message, "blocks": blocks}, {**message, "blocks": [{"type": "table", "rows": [cells]}]}]
    files = {"users.json": '[{"id": "U1", "name": "anna"}]', "general/2024-03-12.json": json.dumps(day)}
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        write_file(tmp_path / name, text)
    (session,) = load_sessions([tmp_path])
    assert session.text == "anna: ~10~20 on 12 March@here\n\nanna: 1 | 2"


def test_teams_names_the_speaker_and_not_an_account(tmp_path: Path) -> None:
    message = {"id": "1", "displayName": "Anna", "from": "8:anna", "originalarrivaltime": "2024-03-12T19:40:00Z"}
    export = {"conversations": [{"displayName": "Team", "MessageList": [{**message, "content": "Hi"}]}]}
    assert turns_of(tmp_path, export) == ["Anna: Hi"]
