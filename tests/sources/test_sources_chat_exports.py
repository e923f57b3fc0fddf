"""Sources: what Telegram, Signal, iMessage, Discord, Teams and their neighbours export, in each form that they have."""

import json
import tarfile
from datetime import datetime, timedelta
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from readgraph.sources.formats.chat_messages import as_conversation
from readgraph.sources.formats.messenger_chats import messenger_chats
from readgraph.sources.formats.messenger_forms import FORMS
from readgraph.sources.formats.signal_chats import signal_chats
from readgraph.sources.left_out import LeftOut
from readgraph.sources.loading import load_all, read_file
from readgraph.sources.sessions import load_sessions
from readgraph.state.words import count_words
from tests.support.command import Command
from tests.support.source_files import write_file, write_zip
from tests.support.sources import assert_file_refused

pytestmark = pytest.mark.quick

FIELDS = (
    "action actor answers attachments author body call_duration chatId content contact_information creator dateSent "
    "duration_seconds embeds emoji emotions file forwardedMessage from id interaction location_information media "
    "media_type members message_id messagetype name photo pointer poll properties quote reactions recipientId "
    "reference reply_to_message_id standardMessage sticker text title todo_list type updateMessage updates users"
).split()

NOT_INCLUDED = "(File not included. Change data exporting settings to download.)"
AT = 1710272400  # 12 March 2024, 19:40 in UTC


def turns_of(path: Path) -> list[str]:
    return [turn for session in load_sessions([path]) for turn in session.text.split("\n\n")]


def telegram(number: int, minutes: int, sender: str | None, text: Any = "", **more: Any) -> dict[str, Any]:
    """A message as Telegram Desktop writes it, so many minutes after 19:40 in UTC; its own clock is three hours on."""
    at = datetime(2024, 3, 12, 22, 40) + timedelta(minutes=minutes)
    dates = {"date": at.isoformat(), "date_unixtime": str(AT + 60 * minutes)}
    whose = {"actor": sender} if more.get("type") == "service" else {"from": sender, "from_id": f"user{sender}"}
    plain = [{"type": "plain", "text": "copy"}]
    return {"id": number, "type": "message", **dates, **whose, "text": text, "text_entities": plain, **more}


def element(classes: str, *inner: str, tag: str = "div", **attributes: str) -> str:
    """An element of a page, written as the programs that export chats do."""
    given = "".join(f' {name.replace("_", "-")}="{value}"' for name, value in attributes.items())
    return f'<{tag} class="{classes}"{given}>{"".join(inner)}</{tag}>'


def called(number: int, minutes: int, **more: Any) -> dict[str, Any]:
    return telegram(number, minutes, "Ilko", type="service", action="phone_call", **more)


LINKED = ["See ", {"type": "text_link", "text": "plan", "href": "https://a.b/c"}, {"type": "spoiler", "text": " hush"}]
MESSAGES = [
    telegram(1, 0, "Mara", type="service", action="create_group", title="Boat", members=["Mara", "Ilko", None]),
    telegram(2, 1, "Mara", [*LINKED, {"type": "pre", "text": "x = 1", "language": "py"}]),
    telegram(3, 2, "Ilko", reply_to_message_id=2, file=NOT_INCLUDED, media_type="voice_message", duration_seconds=12),
    telegram(4, 3, "Ilko", "look", photo=NOT_INCLUDED, width=1, height=1),
    telegram(5, 4, "Ilko", photo="photos/photo_1.jpg"),
    called(6, 5, duration_seconds=180, discard_reason="hangup"),
    called(7, 6, discard_reason="missed"),
    telegram(8, 7, "Ilko", type="service", action="pin_message", message_id=4),
    telegram(9, 8, "מרים", "שלום 👋", edited="2024-03-12T23:00:00", forwarded_from="News", reply_to_message_id=99),
    telegram(10, 9, "Mara", file="stickers/s.webp", media_type="sticker", sticker_emoji="😴"),
    telegram(11, 10, "Mara"),
]
SAID = [
    "Mara: [create group, Boat, Mara, Ilko]",
    "Mara: See plan (https://a.b/c) hush\n```\nx = 1\n```",
    "Ilko: (in reply to Mara: See plan (https://a.b/c) hush)\n[voice message, 0:12]",
    "Ilko: look\n[photo]",
    "Ilko: [photo] photos/photo_1.jpg",
    "Ilko: [call, 3 min]",
    "Ilko: [missed call]",
    "Ilko: (in reply to Ilko: look)\n[pin message]",
    "מרים: (in reply to an earlier message)\n(forwarded from News)\nשלום 👋\n(edited)",
    "Mara: [sticker 😴]",
    "Mara: [message without text]",
]
BOAT = {"name": "Boat", "type": "private_group", "id": 1, "messages": MESSAGES}


def test_a_telegram_chat_keeps_what_has_no_text_and_counts_what_is_no_message(tmp_path: Path) -> None:
    left_out = list[str]()
    path = write_file(tmp_path / "result.json", json.dumps({**BOAT, "messages": [*MESSAGES[::-1], "junk", {"id": 1}]}))
    (session,) = load_sessions([path], left_out=lambda problem: left_out.append(str(problem)))
    assert (session.title, session.time, session.text) == ("Boat", "12 March 2024, 19:40", "\n\n".join(SAID))
    assert left_out == [f"{path}: left out: 2 entries that are no message."]


def test_an_account_of_telegram_is_a_text_for_each_chat(tmp_path: Path, readgraph: Command) -> None:
    listed = [BOAT, {"type": "saved_messages", "id": 2, "messages": MESSAGES[1:2]}, {**BOAT, "id": 3}]
    empty: dict[str, Any] = {"name": None, "type": "personal_chat", "id": 4, "messages": []}
    left = {"name": "Old", "type": "private_supergroup", "id": 5, "messages": MESSAGES[3:4]}
    account = {"about": "", "chats": {"about": "", "list": [*listed, empty]}, "left_chats": {"list": [left]}}
    (folder := tmp_path / "DataExport").mkdir()
    write_file(folder / "result.json", json.dumps(account))
    packed = write_zip(tmp_path / "DataExport.zip", {"DataExport/result.json": json.dumps(account)})
    for path in (folder, packed, folder / "result.json"):
        texts = read_file(path).convert_each()
        assert [text.title for text in texts] == ["Boat", "Saved Messages", "Boat (2)", "Old"]
        assert len({text.source for text in texts}) == 4 and all("12 March 2024" in text.text for text in texts)
    assert "hush" in readgraph("ask", "Who said hush, and see the plan?", folder).text
    write_file(folder / "mill.rtf", r"{\rtf1 The mill has a plan.}")
    assert [text.title for text in load_all([folder])] == ["mill"], "documents in whose folder an export lies"


TITLE = element("page_header", element("text bold", "\nBoat\n"))
PAGE = (
    f'<!DOCTYPE html><html><head><title>Exported</title></head><body>{TITLE}<div class="history">%s</div></body></html>'
)


def service(number: int, text: str) -> str:
    return element("message service", element("body details", f"\n{text}\n"), id=f"message{number}")


def on_page(number: int, at: str, sender: str, inner: str) -> str:
    name = element("from_name", f"\n{sender} ") if sender else ""
    date = element("pull_right date details", at[11:16], title=at)
    picture = element("pull_left userpic_wrap", element("initials", "M"))
    classes = f"message default clearfix{'' if sender else ' joined'}"
    return element(classes, picture, element("body", date, name, inner), id=f"message{number}")


VOICE = element("title bold", "\nVoice message\n") + element("status details", "\n00:12, 4 KB\n")
VOICE = element("media_wrap clearfix", element("media clearfix pull_left media_voice_message", VOICE))
WRITTEN = 'See <a href="https://a.b/c">plan</a><br>a &lt;b&gt; <s>no</s> <script>bad()</script><pre>x\n y</pre>'
REPLY = element("reply_to details", 'In reply to <a href="messages.html#go_to_message2">this message</a>')
SIGN = element("emoji", "👍", tag="span") + element("count", "2", tag="span")
SIGNS = element("reactions", element("reaction", SIGN, tag="span"), tag="span")
NEWS = element("from_name", "News ", element("date details", "01.03.2024", tag="span", title="01.03.2024 10:00:00"))
NEWS = element("forwarded body", NEWS, element("text", "big"))
FIRST = [
    service(-1, "12 March 2024"),
    service(1, "Mara created group &laquo;Boat&raquo;"),
    on_page(2, "12.03.2024 22:40:00 UTC+03:00", "Mara", f'<div class="text">\n{WRITTEN}</div>'),
    on_page(3, "12.03.2024 22:41:00 UTC+03:00", "", VOICE),
]
SECOND = [
    on_page(4, "13.03.2024 22:42:00 UTC+03:00", "", f'{REPLY}<div class="text">\nstill me</div>{SIGNS}'),
    on_page(5, "13.03.2024 22:43:00 UTC+03:00", "Ilko <span class='details'>via @gif</span>", NEWS),
]
PAGES = {"messages.html": PAGE % "".join(FIRST), "messages2.html": PAGE % "".join(SECOND), "messages10.html": PAGE % ""}
ON_PAGES = [
    "[Mara created group «Boat»]",
    "Mara: See plan (https://a.b/c)\na <b> ~~no~~\n```\nx\n y\n```",
    "Mara: [voice message, 0:12, 4 KB]",
    "Mara: (in reply to Mara: See plan (https://a.b/c))\nstill me\nReactions: 👍 2",
    "Ilko: (forwarded from News)\nbig",
]


def test_pages_of_a_telegram_chat_are_one_chat(tmp_path: Path) -> None:
    (folder := tmp_path / "ChatExport").mkdir()
    for name, content in PAGES.items():
        write_file(folder / name, content)
    packed = write_zip(tmp_path / "a.zip", {f"ChatExport/{name}": content for name, content in PAGES.items()})
    for path in (folder, packed):
        assert turns_of(path) == ON_PAGES
        assert [session.time for session in load_sessions([path])] == ["12 March 2024, 19:40", "13 March 2024, 19:42"]
    assert turns_of(folder / "messages.html") == ON_PAGES[:3]
    # Where the chat is there as JSON too, it is read once; and a folder that holds exports stands for each of them.
    write_file(folder / "result.json", json.dumps(BOAT))
    write_file(tmp_path / "notes.txt", "Only notes.")
    write_file(folder / "about.md", "Notes of mine.")
    assert turns_of(folder) == SAID
    told = "ChatExport: left out: 1 file that holds no chat (about.md)."
    assert read_file(folder).convert().problems == (f"{tmp_path}/{told}",)
    (other := tmp_path / "project").mkdir()
    write_file(other / "messages.json", json.dumps({"messages": {"hello": "Hello"}, "name": "x"}))
    write_file(other / "notes.txt", "Of the project.")
    packed.unlink()
    assert [text.title for texts in load_all([tmp_path], load_file=lambda path: read_file(path).convert_each())
            for text in texts] == ["Boat", "notes", "notes"]  # fmt: skip


def signal(author: str, minutes: int, chat: str = "1", **kind: Any) -> dict[str, Any]:
    return {"chatItem": {"chatId": chat, "authorId": author, "dateSent": f"{AT + 60 * minutes}000", **kind}}


CONTACT = {"profileGivenName": "Mara", "profileFamilyName": "Voss"}
PICTURES = [{"pointer": {"contentType": "image/jpeg", "fileName": "k.jpg"}}, {"pointer": {}, "flag": "VOICE_MESSAGE"}]
QUOTE = {"targetSentTimestamp": f"{AT}000", "authorId": "20", "text": {"body": "Where is it?"}}
SHED = {"text": {"body": "In the shed"}, "quote": QUOTE, "attachments": PICTURES}
LIKED = {"emoji": "👍", "authorId": "10"}
SIGNAL = [
    {"version": "1", "backupTimeMs": "1"},
    {"recipient": {"id": "10", "self": {}}},
    {"recipient": {"id": "20", "contact": CONTACT}},
    {"recipient": {"id": "30", "group": {"snapshot": {"title": {"title": "Boat"}}}}},
    {"chat": {"id": "1", "recipientId": "20"}},
    {"chat": {"id": "2", "recipientId": "30"}},
    signal("20", 0, standardMessage={"text": {"body": "Where is it?"}, "reactions": [LIKED]}),
    signal("10", 1, standardMessage=SHED, revisions=[{}]),
    signal("20", 2, updateMessage={"individualCall": {"type": "AUDIO_CALL", "state": "MISSED"}}),
    signal("20", 3, "2", remoteDeletedMessage={}),
    signal("20", 4, "2", stickerMessage={"sticker": {"emoji": "😀"}}),
    signal("20", 5, "2", updateMessage={"groupChange": {"updates": [{"groupNameUpdate": {}}]}}),
]
SIGNAL_SAID = [
    "Mara Voss: Where is it?\nReactions: 👍 Me",
    "Me: (in reply to Mara Voss: Where is it?)\nIn the shed\n[photo, k.jpg]\n[voice message]\n(edited)",
    "Mara Voss: [call, missed]",
    *("Mara Voss: [deleted message]", "Mara Voss: [sticker 😀]", "Mara Voss: [group name update]"),
]


def test_signals_own_export(tmp_path: Path) -> None:
    (folder := tmp_path / "signal-export").mkdir()
    path = write_file(folder / "main.jsonl", "\n".join(map(json.dumps, SIGNAL)))
    for source in (folder, path):
        assert turns_of(source) == SIGNAL_SAID
        assert [session.title for session in load_sessions([source])] == ["Mara Voss", "Boat"]
        assert "Mara Voss" in read_file(source).convert().text


def test_the_forms_of_signal_export_are_one_chat(tmp_path: Path) -> None:
    reply = {"sender": "Mara", "body": "shed", "quote": "> key?", "reactions": [["Me", "👍"]]}
    lines: list[dict[str, Any]] = [{"sender": "Me", "body": "key?", "quote": "", "reactions": []}, reply]
    lines = [{"date": f"2024-03-12T19:4{number}:00", **line} for number, line in enumerate(lines)]
    written = "[2024-03-12 19:40:00] Me: key?\n[2024-03-12 19:41:00] Mara: shed\n"
    fields = [[element(key, line[key], tag="span") for key in ("date", "sender", "body")] for line in lines]
    shown = f"<html><title>Mara</title>{''.join(element('msg', *each) for each in fields)}</html>"
    members = {"data.json": "\n".join(map(json.dumps, lines)), "chat.md": written, "index.html": shown}
    packed = write_zip(tmp_path / "all.zip", {f"Mara/{name}": content for name, content in members.items()})
    assert turns_of(packed) == ["Me: key?", "Mara: (in reply to key?)\nshed\nReactions: 👍 Me"]
    for name in ("chat.md", "index.html"):
        assert turns_of(write_file(tmp_path / name, members[name])) == ["Me: key?", "Mara: shed"]


IMESSAGE = """May 17, 2022  5:29:42 PM (Read by them after 1 hour)
Me
Where is it?
Tell me.

    May 17, 2022  5:30:42 PM
    Lena Voss
    In the shed

May 17, 2022  5:30:42 PM
Lena Voss
In the shed
Tapbacks:
    Loved by Me
This message responded to an earlier message.

May 17, 2022  6:03:00 PM Lena Voss added Raj to the conversation.
"""


def bubble(kind: str, time: str, sender: str, *inner: str) -> str:
    head = element("timestamp", time, tag="span") + element("sender", sender, tag="span")
    return element(kind, f"<p>{head}</p>", *inner)


def of_message(*inner: str) -> str:
    return "".join(element("message_part", each) for each in inner)


SENT = of_message(element("bubble", "In the shed", tag="span"), '<img src="a/I.jpeg">')
SENT += element("reactions", element("reaction", "<b>Loved</b> by Mara"))
ASKED_AT = '<a href="sms://x">Mar 12, 2024  7:40:00 PM</a> (Read by you after 5 seconds)'
IN_THREAD = element("message", bubble("sent iMessage", "Mar 12, 2024  7:41:00 PM", "Me", SENT), id="B2")
IN_THREAD = element("replies", element("reply", IN_THREAD))
AT_ITS_PLACE = element("reply_context", "This message responded to an earlier message.", tag="span")
AT_ITS_PLACE = bubble("sent iMessage", "Mar 12, 2024  7:41:00 PM", "Me", SENT, AT_ITS_PLACE)
RENAMED = element("timestamp", "Mar 12, 2024 7:40:30 PM", tag="span") + " You renamed it to <b>Boat</b>"
IMESSAGE_PAGE = "".join(
    (
        element("message", bubble("received", ASKED_AT, "Mara", of_message("Where?"), IN_THREAD), id="A1"),
        element("announcement", f"<p>{RENAMED}</p>"),
        element("message", AT_ITS_PLACE, id="r-B2"),
    )
)


def test_messages_of_imessage(tmp_path: Path) -> None:
    assert turns_of(write_file(tmp_path / "Lena.txt", IMESSAGE)) == [
        "Me: Where is it?\nTell me.",
        "Lena Voss: In the shed\nTapbacks:\n    Loved by Me\nThis message responded to an earlier message.",
        "Lena Voss added Raj to the conversation.",
    ]
    assert turns_of(write_file(tmp_path / "Mara.html", IMESSAGE_PAGE)) == [
        "Mara: Where?",
        "[You renamed it to Boat]",
        "Me: (in reply to Mara: Where?)\nIn the shed\nAttached: I.jpeg\nReactions: Loved by Mara",
    ]


def discord(number: int, time: str, author: str, inner: str, before: str = "") -> str:
    name = element("chatlog__author", author, tag="span")
    at = element("chatlog__timestamp", "<a href=#x>x</a>", tag="span", title=time)
    text = element("chatlog__markdown-preserve", inner, tag="span")
    primary = [before, element("chatlog__header", name, at) if author else ""]
    primary.append(element("chatlog__content chatlog__markdown", text))
    aside = "" if author else element("chatlog__short-timestamp", "7:41 PM", title=time)
    whole = element("chatlog__message", aside, element("chatlog__message-primary", *primary))
    return element("chatlog__message-container", whole, data_message_id=str(number))


ANSWERED = element("chatlog__reply-link", "Where?", tag="span", onclick="scrollToMessage(event,'111')")
ANSWERED = element("chatlog__reply", element("chatlog__reply-author", "Mara"), ANSWERED)
DISCORD_PAGE = "<html><div class=preamble__entry>Sarn</div><div class=preamble__entry>Text / log</div>" + "".join(
    (
        discord(111, "Tuesday, March 12, 2024 7:40 PM", "Mara", "Where <strong>is</strong> it? <img alt=':key:'>"),
        discord(112, "Tuesday, March 12, 2024 7:41 PM", "", "Anyone?"),
        discord(113, "Wednesday, March 13, 2024 7:42 PM", "Ilko", "In the shed", ANSWERED),
    )
)
DISCORD_TEXT = f"""{"=" * 30}
Guild: Sarn
Channel: log
{"=" * 30}

[12-Mar-24 07:40 PM] mara
Where is it?

[13-Mar-24 07:42 PM] ilko
In the shed

{"=" * 30}
Exported 2 message(s)
{"=" * 30}
"""
DISCORD_TABLE = """AuthorID,Author,Date,Content,Attachments,Reactions
"1","mara","2024-03-12T19:40:00.0000000+00:00","Where, is
it?","",""
"2","ilko","12-Mar-24 07:41 PM","","https://c.d/x.png","👍 (2)"
"""


def test_what_is_exported_of_discord(tmp_path: Path) -> None:
    page = write_file(tmp_path / "Sarn - log [123456].html", DISCORD_PAGE)
    said = ["Mara: Where is it? :key:", "Mara: Anyone?", "Ilko: (in reply to Mara: Where is it? :key:)\nIn the shed"]
    assert turns_of(page) == said and load_sessions([page])[0].title == "Sarn #log"
    assert turns_of(write_file(tmp_path / "log.txt", DISCORD_TEXT)) == ["mara: Where is it?", "ilko: In the shed"]
    table = write_file(tmp_path / "log.csv", DISCORD_TABLE)
    assert turns_of(table) == ["mara: Where, is\nit?", "ilko: Attached: https://c.d/x.png\nReactions: 👍 (2)"]
    assert turns_of(write_file(tmp_path / "rows.csv", "a,b\n1,2\n")) == ["a: 1 | b: 2"]
    (folder := tmp_path / "package" / "messages" / "c99").mkdir(parents=True)
    mine = [{"ID": 7, "Timestamp": "2024-03-12 19:40:00", "Contents": "Mine", "Attachments": ""}]
    write_file(folder / "messages.json", json.dumps(mine))
    write_file(folder.parent / "index.json", json.dumps({"9900000000": "x", "99": "Direct Message with Ilko"}))
    (session,) = load_sessions([tmp_path / "package"])
    assert (session.title, session.text) == ("Direct Message with Ilko", "Me: Mine")


def teams(kind: str, content: str, **more: Any) -> dict[str, Any]:
    return {"originalarrivaltime": "2024-03-12T19:40:00Z", "messagetype": kind, "content": content, **more}


CALL = '<partlist type="ended"><part identity="a"><name>Mara</name><duration>125</duration></part></partlist>'
ADDED = "<addmember><eventtime>1</eventtime><target>8:ilko</target></addmember>"
URI = '<URIObject type="Picture.1" uri="u"><OriginalName v="boat.jpg"/></URIObject>'
RICH = '<p>See <a href="https://a.b/c">this</a>, <at id="0">Ilko</at> &amp; <img alt="😀" src="x"></p>'
GRAPH = {"id": "1", "createdDateTime": "2024-03-12T19:40:00Z", "from": {"user": {"displayName": "Mara"}}}


def teams_page(number: int, direction: str, time: str, sender: str, text: str) -> str:
    fields = {"message-sender": sender, "message-date": time, "message-text": text}
    bubble = element(f"{direction}-message", *(element(name, value) for name, value in fields.items()))
    box = f"<input type=checkbox value={number}>"
    return element(f"{direction}-message-wrapper", box, bubble, tag="label", id=f"message{number}")


TEAMS_PAGE = "".join(
    (
        element("chat-title", "Boat repairs"),
        '<table><tr><td class="chat-label">Display names</td><td class="chat-data">Mara; Ilko</td></tr></table>',
        teams_page(338, "unknown-direction", "3/12/2024 7:40:00 PM", "Mara", "Where is it?<br>Tell me."),
        teams_page(339, "received", "3/13/2024 8:41:00 AM", "Ilko", '<p>In the <a href="https://a.b/c">shed</a></p>'),
    )
)


def test_a_page_of_teams(tmp_path: Path) -> None:
    page = write_file(tmp_path / "chat.html", f"<html><body>{TEAMS_PAGE}</body></html>")
    assert turns_of(page) == ["Mara: Where is it?\nTell me.", "Ilko: In the shed (https://a.b/c)"]
    assert [(session.title, str(session.time)[:13]) for session in load_sessions([page])] == [
        ("Boat repairs", "12 March 2024"),
        ("Boat repairs", "13 March 2024"),
    ]


def test_what_teams_and_skype_export(tmp_path: Path) -> None:
    of = {"displayName": "Mara", "from": "8:mara"}
    messages = [
        teams("RichText/Html", RICH, **of, properties={"emotions": [{"key": "like", "users": [1, 2]}], "edittime": 5}),
        teams("Event/Call", CALL, **of),
        teams("ThreadActivity/AddMember", ADDED, **of),
        teams("RichText/UriObject", URI, **of),
        teams("Text", "", **of, properties={"deletetime": 5}),
    ]
    written = json.dumps(
        {"userId": "8:mara", "conversations": [{"id": "8:ilko", "displayName": "Ilko", "MessageList": messages}]}
    )
    buffer, data = BytesIO(), written.encode()
    with tarfile.open(fileobj=buffer, mode="w") as archive:
        (member := tarfile.TarInfo("messages.json")).size = len(data)
        archive.addfile(member, BytesIO(data))
    for path in (write_file(tmp_path / "m.json", written), write_file(tmp_path / "export.tar", buffer.getvalue())):
        assert turns_of(path) == [
            "Mara: See this (https://a.b/c), Ilko & 😀\nReactions: like 2\n(edited)",
            "Mara: [call, 2 min]",
            "Mara: [add member, 1, 8:ilko]",
            "Mara: [picture, boat.jpg]",
            "Mara: [deleted message]",
        ]
    graph = [{**GRAPH, "body": {"contentType": "html", "content": "<p>Hi</p>"}, "attachments": [{"name": "a.pdf"}]}]
    assert turns_of(write_file(tmp_path / "g.json", json.dumps({"value": graph}))) == ["Mara: Hi\nAttached: a.pdf"]
    copied = "[3/12/2024 7:40 PM] Mara Voss\nHello\n[3/13/2024 7:41 AM] Ilko\nAye\nso\n"
    assert turns_of(write_file(tmp_path / "copied.txt", copied)) == ["Mara Voss: Hello", "Ilko: Aye\nso"]


def matrix(identity: str, kind: str = "m.room.message", **content: Any) -> dict[str, Any]:
    of = {"event_id": identity, "sender": "@mara:a.b", "origin_server_ts": AT * 1000}
    return {**of, "type": kind, "content": content}


def test_neighbours_whose_forms_are_rows_too(tmp_path: Path) -> None:
    related: dict[str, Any] = {"m.relates_to": {"m.in_reply_to": {"event_id": "$1"}}}
    changed: dict[str, Any] = {
        "m.new_content": {"body": "Where now?"},
        "m.relates_to": {"rel_type": "m.replace", "event_id": "$1"},
    }
    events = [
        matrix("$1", msgtype="m.text", body="Where?"),
        matrix("$2", msgtype="m.text", body="> <@mara> Where?\n\nHere", **related),
        matrix("$3", msgtype="m.text", body="* Where now?", **changed),
        matrix("$4", "m.room.member", membership="join", displayname="Ilko"),
    ]
    assert turns_of(write_file(tmp_path / "x.json", json.dumps({"room_name": "Boat", "messages": events}))) == [
        "@mara:a.b: Where now?\n(edited)",
        "@mara:a.b: (in reply to @mara:a.b: Where now?)\nHere",
        "@mara:a.b: [join, Ilko]",
    ]
    of = {"senderName": "Mara", "timestamp": AT * 1000, "media": [], "reactions": []}
    messages = [{**of, "text": "Hi", "isUnsent": False}, {**of, "text": "", "isUnsent": True}]
    path = write_file(tmp_path / "Mara_1.json", json.dumps({"threadName": "Mara", "messages": messages}))
    assert turns_of(path) == ["Mara: Hi", "Mara: [deleted message]"]
    sms = "".join(
        f'<sms address="+49170" contact_name="Mara" date="{AT + at}000" type="{kind}" body="{body}" />'
        for at, (kind, body) in enumerate(((1, "Where? &#128273;"), (2, "Shed")))
    )
    assert turns_of(write_file(tmp_path / "sms.xml", f"<smses>{sms}</smses>")) == ["Mara: Where? 🔑", "Me: Shed"]


@pytest.mark.parametrize(
    "content,reason",
    [
        (json.dumps(BOAT, indent=1)[:-300], "cut short"),
        (json.dumps(BOAT)[:-300], "cut short"),
        ('{"name": "x", "messages": [{"id": 1, "type": "x"}]}', "holds no chat: exports of Telegram"),
        ('{"name": "x", "messages": {"id": 1}, "chats": [], "conversations": 7}', "holds no chat"),
        ('{"name": "x", "type": "personal_chat", "id": 1, "messages": []}', "without messages"),
        ('{"about": "x", "chats": {"about": "x", "list": []}}', "without messages"),
        ('{"guild": {}, "channel": {}, "messages": []}', "without messages"),
        ('{"userId": "8:a", "conversations": [{"id": "1", "MessageList": []}]}', "without messages"),
    ],
)
def test_what_is_cut_or_only_looks_like_a_chat(tmp_path: Path, content: str, reason: str) -> None:
    assert_file_refused(write_file(tmp_path / "result.json", content), reason)


def test_a_folder_without_messages_is_named_among_others(readgraph: Command, tmp_path: Path) -> None:
    for name, content in (("a", BOAT), ("سالم 🌿", {"name": "x", "type": "personal_chat", "id": 1, "messages": []})):
        (folder := tmp_path / "all" / name).mkdir(parents=True)
        write_file(folder / "result.json", json.dumps(content))
    assert "without messages" in readgraph("read", folder).err
    among = " ".join(readgraph("read", tmp_path / "all").err.split())
    assert "سالم 🌿 ('result.json') is the export of a chat without messages" in among


def test_a_channel_in_two_forms_is_read_once(tmp_path: Path) -> None:
    message = {"timestamp": "2024-05-01T10:00:00+00:00", "content": "It opens.", "author": {"name": "ann"}}
    value = {"guild": {"name": "Boats 🛶"}, "channel": {"name": "locks"}, "messages": [{"id": "1", **message}]}
    table = "AuthorID,Author,Date,Content,Attachments,Reactions\n9,ann,2024-05-01T10:00:00+00:00,It opens.,,\n"
    files = {"Boats - locks [123456].json": json.dumps(value), "Boats - locks [123456].csv": table}
    assert turns_of(write_zip(tmp_path / "a.zip", files)) == ["ann: It opens."]


def test_a_chat_that_is_exported_again_is_continued(readgraph: Command, tmp_path: Path) -> None:
    later = [*MESSAGES, telegram(12, 11, "Mara", "Awake"), telegram(13, 2000, "Ilko", "A new day")]
    later[3] = {**later[3], "reactions": [{"type": "emoji", "count": 1, "emoji": "👍"}]}
    write_file(first := tmp_path / "a.json", json.dumps(BOAT))
    write_file(second := tmp_path / "b.json", json.dumps({**BOAT, "messages": later}))
    assert "Added 1 session; 'boat' has 1 session" in readgraph("remember", "boat", first).text
    assert "Added 2 sessions; 'boat' has 3 sessions" in readgraph("remember", "boat", second).text
    assert "Added 0 sessions (2 known already)" in readgraph("remember", "boat", second).text
    texts = [session.text for path in (first, second) for session in load_sessions([path])]
    words = readgraph("show", "boat", "--json").json["words"]
    assert words < count_words(texts[0]) + 20 < count_words(texts[1]) + 20  # not twice what was said before


def test_a_file_among_others_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    members = {
        "a/result.json": json.dumps(BOAT),
        "b/result.json": '{"messages": [',
        "c/messages.html": PAGES["messages.html"],
    }
    left_out = list[str]()
    sessions = load_sessions([write_zip(tmp_path / "x.zip", members)], left_out=lambda told: left_out.append(str(told)))
    assert len(sessions) == 2 and len(left_out) == 1 and "'b/result.json'" in left_out[0]


ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=4),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(FIELDS), inner, max_size=4),
    max_leaves=8,
)


def test_a_page_or_table_that_is_cut_or_hostile_is_told(tmp_path: Path) -> None:
    left_out = list[str]()
    cut = write_file(tmp_path / "cut.html", PAGES["messages.html"][:-30])
    assert len(load_sessions([cut], left_out=lambda told: left_out.append(str(told)))) == 1
    assert left_out == [f"{cut}: it doesn't end as a page does, and may be cut short."]
    deep = PAGES["messages.html"].replace("See ", f"{'<div>' * 3000}deep{'</div>' * 3000}", 1)
    assert_file_refused(write_file(tmp_path / "deep.html", deep), "nested too deeply")
    sms = '<smses><sms address="1" date="1710272400000" type="1" body="&#55357;&#56832; '
    assert turns_of(write_file(tmp_path / "a.xml", f'{sms}"/></smses>')) == ["1: 😀"]
    assert_file_refused(write_file(tmp_path / "b.xml", sms), "not valid XML, or is cut short")
    about = "<p>On <code>message default clearfix</code></p><div class='text'>Hello</div>"
    assert turns_of(write_file(tmp_path / "page.html", about)) == ["On message default clearfix", "Hello"]


@given(st.data())
def test_fields_of_any_kind_stop_no_reading(data: st.DataObject) -> None:
    form = data.draw(st.sampled_from(FORMS))
    fields = {path.partition("/")[0] for path in (*form.marks, *form.speaker, *form.text, *form.time, *FIELDS)}
    given_fields = data.draw(
        st.lists(st.dictionaries(st.sampled_from(sorted(fields)), ANYTHING, max_size=9), max_size=3)
    )
    messages = [{**dict.fromkeys(form.marks, "x"), **each} for each in given_fields]
    for chat in messenger_chats({"messages": messages, "name": data.draw(ANYTHING)}, LeftOut()):
        conversation, _ = as_conversation(chat)
        assert len(conversation.turns) == len(chat.messages) and all(turn.text for turn in conversation.turns)
    items = [{"chatItem": each} for each in given_fields]
    assert all(map(as_conversation, signal_chats(items, LeftOut())))
