"""Sources: chats as they are exported."""

import json
from pathlib import Path
from typing import Any

import pytest

from readgraph.sources import load
from readgraph.sources.formats.chats import chat_of
from readgraph.sources.places import MOST_PLACES
from readgraph.sources.sessions import load_sessions
from readgraph.state.errors import BadInput
from tests.support.command import Command
from tests.support.source_files import labelled, write_file, write_zip
from tests.support.sources import assert_file_refused

pytestmark = pytest.mark.quick

WHATSAPP = """12.03.24, 19:40 - Messages are encrypted.
12.03.24, 19:41 - Anna Ohm: Who has the key?
Look in the shed: it may hang there.
12.03.24, 19:45 - Bert: <Media omitted>
12.03.24, 23:58 - Bert: I have it.
13.03.24, 00:02 - Anna Ohm: Thanks
14.03.24, 08:00 - Bert: Morning
"""


@pytest.mark.parametrize(
    "first,second,day",
    [
        ("[12.03.24, 19:40:11] ", "[13.03.24, 08:00:00] ", 12),
        ("\u200e[3/12/24, 7:40:11\u202fPM] ", "[3/13/24, 8:00:00\u202fAM] ", 12),
        ("12/03/2024, 19:40 - ", "13/03/2024, 08:00 - ", 12),
        ("3/12/24, 7:40 PM - ", "3/13/24, 8:00 AM - ", 12),
        ("2024-03-12, 19:40 - ", "2024-03-13, 08:00 - ", 12),
        ("12/3/2024, 7:40 p.\u00a0m. - ", "13/3/2024, 8:00 a.\u00a0m. - ", 12),
        ("12-03-2024 19:40 - ", "13-03-2024 08:00 - ", 12),
        ("[12.3.2024 19.40.11] ", "[13.3.2024 8.00.00] ", 12),
        ("03/04/2024, 19:40 - ", "01/05/2024, 08:00 - ", 3),  # days first: so the times go on
        ("04/03/2024, 19:40 - ", "05/01/2024, 08:00 - ", 3),  # months first
    ],
)
def test_the_forms_of_dates_in_whatsapp(first: str, second: str, day: int) -> None:
    chat = chat_of(f"{first}Anna: Who has it?\r\nThe key\r\n{second}+49 170 1: I\r\n")
    assert chat and [(turn.speaker, *turn.text.split()) for turn in chat.turns] == [
        *(("Anna", "Who", "has", "it?", "The", "key"), ("+49 170 1", "I"))
    ]
    times = [turn.time for turn in chat.turns]
    assert times[0] and times[1] and times[0] < times[1]
    assert (times[0].day, f"{times[0]:%H:%M}", times[1].hour) == (day, "19:40", 8)


@pytest.mark.parametrize(
    "text", ["", "words\n12.03.24, 19:40 - A: b\n" * 2, "12.03.24, 19:40 - A: b", "99/99/24, 9:00 - A: b\n" * 3]
)
def test_what_is_no_chat(text: str) -> None:
    assert chat_of(text) is None


def test_a_whatsapp_chat_has_a_session_for_each_day_or_after_each_silence(tmp_path: Path) -> None:
    path = write_file(tmp_path / "chat.txt", WHATSAPP)
    asked = "Anna Ohm: Who has the key?\nLook in the shed: it may hang there."
    assert [(session.time, session.text) for session in load_sessions([path])] == [
        ("12 March 2024, 19:40", f"Messages are encrypted.\n\n{asked}\n\nBert: I have it."),
        ("13 March 2024, 00:02", "Anna Ohm: Thanks"),
        ("14 March 2024, 08:00", "Bert: Morning"),
    ]
    by_silence = load_sessions([path, path], gap_hours=3)
    assert [session.time[:8] for session in by_silence] == ["12 March", "12 March", "14 March"]
    assert by_silence[1].text == "Bert: I have it.\n\nAnna Ohm: Thanks"


def test_a_whatsapp_chat_that_is_read_keeps_times_and_speakers(tmp_path: Path) -> None:
    source = load(write_file(tmp_path / "chat.txt", WHATSAPP))
    assert source.text == WHATSAPP
    labels = [label for label, _ in labelled(source)[1:3]]
    assert labels == ["12 March 2024, 19:41, Anna Ohm", "12 March 2024, 19:45, Bert"]
    packed = load(write_zip(tmp_path / "WhatsApp Chat - Bert.zip", {"_chat.txt": WHATSAPP, "photo.jpg": b"\xff\xd8"}))
    assert packed.text.startswith("12 March 2024\n\nMessages are") and packed.title == "WhatsApp Chat - Bert"
    assert ("14 March 2024, 08:00, Bert", "Bert: Mornin") in labelled(packed)


def test_a_chat_of_more_messages_than_places_names_days(tmp_path: Path) -> None:
    lines = [f"{1 + number // 9_000:02}.03.24, 19:40 - Anna: {number}\n" for number in range(MOST_PLACES + 1)]
    source = load(write_file(tmp_path / "chat.txt", "".join(lines)))
    assert [place.label for place in source.places] == ["1 March 2024", "2 March 2024", "3 March 2024"]


SLACK: dict[str, Any] = {
    "users.json": [{"id": "U1", "name": "ao", "profile": {"display_name": "", "real_name": "Anna Ohm"}}, {"id": "U2"}],
    "channels.json": [{"name": "general"}],
    "general/2024-03-12.json": [
        {"type": "message", "subtype": "channel_join", "user": "U1", "text": "joined", "ts": "1710272400.0"},
        {"type": "message", "user": "U2", "text": "second", "ts": "1710272461.0", "user_profile": {"name": "bert"}},
        {"type": "message", "user": "U1", "text": "<@U1> &amp; <!here>: <http://a.b|plan>", "ts": "1710272460.1"},
    ],
    "general/2024-03-13.json": [{"user": "U9", "text": "in <#C1|random> <http://c.d>", "ts": "1710358860"}, 7, {}],
    "random/2024-03-12.json": [{"username": "bot", "text": "early", "ts": "1710230400.0"}],
}
SLACK_SESSIONS = [
    ("#random", "12 March 2024, 08:00", "bot: early"),
    ("#general", "12 March 2024, 19:41", "Anna Ohm: @Anna Ohm & @here: plan (http://a.b)\n\nbert: second"),
    ("#general", "13 March 2024, 19:41", "U9: in #random http://c.d"),
]


def test_an_export_of_slack(tmp_path: Path) -> None:
    members: dict[str, str | bytes] = {name: json.dumps(value) for name, value in SLACK.items()}
    packed, folder = write_zip(tmp_path / "export.zip", members), tmp_path / "export"
    for name, content in members.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        write_file(folder / name, content)
    for path in (packed, folder):
        assert [(one.title, one.time, one.text) for one in load_sessions([path])] == SLACK_SESSIONS
    source = load(packed)
    assert source.text.startswith("#random, 12 March 2024\n\nbot: early\n\n#general, 12 March 2024\n\nAnna Ohm: @")
    assert ("12 March 2024, 19:41, Anna Ohm", "Anna Ohm: @A") in labelled(source)
    write_file(folder / "general" / "2024-03-13.json", "[")
    with pytest.raises(BadInput, match=r"2024-03-13.json'\) is not valid JSON"):
        load_sessions([folder])


def test_notices_of_slack_are_what_nobody_said(tmp_path: Path) -> None:
    kinds = {"channel_topic": "topic", "pinned_item": "pin", "tombstone": "gone", "me_message": "waves", "": "Hello."}
    messages = [
        {"type": "message", "subtype": kind, "user": "U1", "text": text, "ts": f"171027240{n}.5"}
        for n, (kind, text) in enumerate(kinds.items())
    ]
    write_file(tmp_path / "users.json", json.dumps([{"id": "U1", "name": "ann"}]))
    (tmp_path / "general").mkdir()
    write_file(tmp_path / "general" / "2024-03-12.json", json.dumps(messages))
    (session,) = load_sessions([tmp_path])
    assert session.text == "topic\n\npin\n\n[deleted message]\n\nann: waves\n\nann: Hello."


def node(name: str, parent: str | None, role: str, text: str, at: float | None = 1710272400.5) -> dict[str, Any]:
    content = {"content_type": "text", "parts": [text, {"image": 1}]}
    return {name: {"parent": parent, "message": {"author": {"role": role}, "content": content, "create_time": at}}}


CHATGPT = {
    "title": "Keys",
    "current_node": "d",
    "mapping": {
        "root": {"parent": None, "message": None},
        **node("a", "root", "system", "hidden"),
        **node("b", "a", "user", "Where is it?"),
        **node("b2", "a", "user", "Where is it, first draft?"),
        **node("c", "b", "assistant", "In the shed."),
        **node("d", "c", "user", "Thanks", 1710358800),
    },
}
CLAUDE = {
    "name": "Rivers",
    "chat_messages": [
        {"sender": "human", "text": "Which?", "created_at": "2024-01-02T10:00:00.5Z"},
        {"sender": "assistant", "text": "", "content": [{"type": "text", "text": "The Lunde."}, {"type": "tool_use"}]},
        {"sender": "?", "text": "no"},
    ],
}
ASSISTANTS = [
    ("Rivers", "2 January 2024, 10:00", "User: Which?\n\nClaude: The Lunde."),
    ("Keys", "12 March 2024, 19:40", "User: Where is it?\n\nChatGPT: In the shed."),
    ("Keys", "13 March 2024, 19:40", "User: Thanks"),
]


def test_exports_of_assistants(tmp_path: Path) -> None:
    exported = json.dumps([CHATGPT, CLAUDE, {"title": "empty", "mapping": {}}])
    for path in (
        write_file(tmp_path / "conversations.json", exported),
        write_zip(tmp_path / "export.zip", {"conversations.json": exported, "user.json": "{}", "chat.html": "<p>"}),
    ):
        assert [(one.title, one.time, one.text) for one in load_sessions([path])] == ASSISTANTS
    one = load(write_file(tmp_path / "one.json", json.dumps(CHATGPT)))
    assert one.title == "Keys" and labelled(one)[1] == ("12 March 2024, 19:40, User", "User: Where ")


@pytest.mark.parametrize(
    "content,reason",
    [
        ("[", "not valid JSON"),
        ("[" * 100_000, "not valid JSON"),
        ('{"a": 1}', "holds no chat"),
        ('[{"mapping": {"a": {"parent": "a", "message": {"author": 1}}}, "current_node": "a"}]', "holds no chat"),
        ('[{"chat_messages": [1, {"sender": [], "text": {}, "created_at": 1e999}]}]', "holds no chat"),
        ("", "is empty"),
        (b"PK\3\4 cut", "is not a valid zip file"),
    ],
)
def test_a_damaged_export(tmp_path: Path, content: str | bytes, reason: str) -> None:
    assert_file_refused(write_file(tmp_path / "a.json", content), reason)


def test_an_archive_without_a_chat(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert_file_refused(write_zip(tmp_path / "a.zip", {"a.txt": "words", "b.json": "{}"}), "holds no chat")
    monkeypatch.setenv("READGRAPH_MAX_FILE_MB", "1")
    assert_file_refused(write_zip(tmp_path / "b.zip", {"conversations.json": " " * 2_000_000}), "more than 1 MB")


def test_an_exported_chat_is_remembered(readgraph: Command, tmp_path: Path) -> None:
    path = write_file(tmp_path / "chat.txt", WHATSAPP)
    assert "Added 3 sessions" in readgraph("remember", "family", path).text
    assert "Added 2 sessions; 'silent' has 2" in readgraph("remember", "silent", path, "--gap", 12).text


def test_archives_in_an_archive_are_read_one_level_deep(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    chat = write_zip(tmp_path / "anna.zip", {"_chat.txt": WHATSAPP}).read_bytes()
    deeper = write_zip(tmp_path / "deep.zip", {"anna.zip": chat}).read_bytes()
    outer = write_zip(tmp_path / "all.zip", {"a.zip": chat, "talks/b.ZIP": chat, "c.zip": deeper})
    assert load(outer).text.count("Who has the key?") == 2
    assert_file_refused(write_zip(tmp_path / "torn.zip", {"a.zip": chat[:-50]}), r"a\.zip.* is not a valid zip file")
    members = {"a.zip": chat, "b.zip": chat[:-50], "__MACOSX/._a.zip": b"\0", "_chat.txt": b"\xff\0\1" * 9}
    some, left_out = write_zip(tmp_path / "some.zip", members), list[str]()
    read = load_sessions([some], left_out=lambda problem: left_out.append(str(problem)))
    assert len(read) == len(load_sessions([tmp_path / "anna.zip"])) and len(left_out) == 2
    assert "'_chat.txt'" in left_out[0] and "'b.zip'" in left_out[1]
    assert load(some).problems == tuple(left_out)
    packed = write_zip(tmp_path / "x.zip", {"conversations.json": f"[{chr(32) * 2_000_000}]"}).read_bytes()
    monkeypatch.setenv("READGRAPH_MAX_FILE_MB", "5")
    bomb = write_zip(tmp_path / "bomb.zip", {f"{number}.zip": packed for number in range(9)})
    assert_file_refused(bomb, "would unpack to more than 5 MB")
