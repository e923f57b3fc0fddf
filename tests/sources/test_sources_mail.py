"""Sources: messages of e-mail and mailboxes."""

from email.message import EmailMessage
from pathlib import Path

import pytest

from readgraph.sources import load
from readgraph.sources.sessions import load_sessions
from tests.support.command import Command
from tests.support.source_files import labelled, write_file
from tests.support.sources import assert_file_refused

pytestmark = pytest.mark.quick


def mail(text: str, date: str = "Tue, 12 Mar 2024 20:40:11 +0100", **headers: str) -> EmailMessage:
    message = EmailMessage()
    given = {"From": "Änna Ohm <anna@example.org>", "To": "bert@example.org", "Subject": "The key", "Date": date}
    for name, value in (given | headers).items():
        message[name.replace("_", "-")] = value
    message.set_content(text)
    return message


def mbox(*messages: EmailMessage) -> bytes:
    start = b"From - Tue Mar 12 19:40:11 2024\n"
    return b"\n\n".join(start + bytes(message).replace(b"\nFrom ", b"\n>From ") for message in messages)


ASKED = mail("Who has the key?\n\nFrom the shed it is gone since Sunday morning, I think.\n", Message_ID="<1@x>")
QUOTED = "On Tue, 12 Mar 2024 at 19:40, Änna Ohm <anna@example.org>\nwrote:\n\n> Who has the key?\n>\n"
QUOTED += "> From the shed it is gone since\n> Sunday morning, I think.\n> and this is new\n"
FROM_BERT = {"From": "Bert <bert@example.org>", "To": "anna@example.org", "Subject": "Re: The key"}
BACK = {**FROM_BERT, "In_Reply_To": "<1@x>", "Message_ID": "<2@x>"}
ANSWER = mail(f"I have it.\n\n{QUOTED}", "Wed, 13 Mar 2024 08:00:00 +0000", **BACK)


def test_a_thread_is_read_in_the_order_of_time_without_what_is_quoted(tmp_path: Path) -> None:
    other = mail("Lunch?", "Wed, 13 Mar 2024 09:00:00 +0000", Subject="Lunch", References="<9@x> <9@x>")
    source = load(write_file(tmp_path / "inbox.mbox", mbox(ANSWER, other, ASKED)))
    anna = "From: Änna Ohm <anna@example.org>\nTo: bert@example.org\n"
    assert source.text.split("\n\n") == [
        *("The key, 12 March 2024", f"{anna}Date: 12 March 2024, 19:40 (UTC)\nSubject: The key", "Who has the key?"),
        *("From the shed it is gone since Sunday morning, I think.", "The key, 13 March 2024"),
        "From: Bert <bert@example.org>\nTo: anna@example.org\nDate: 13 March 2024, 08:00 (UTC)\nSubject: Re: The key",
        *("I have it.", "> and this is new", "Lunch, 13 March 2024"),
        *(f"{anna}Date: 13 March 2024, 09:00 (UTC)\nSubject: Lunch", "Lunch?"),
    ]
    assert ("12 March 2024, 19:40, Änna Ohm", "From: Änna O") in labelled(source)
    sessions = [f"{each.title}, {each.time}" for each in load_sessions([tmp_path / "inbox.mbox"])]
    keys = ["The key, 12 March 2024, 19:40", "The key, 13 March 2024, 08:00"]
    assert sessions == [*keys, "Lunch, 13 March 2024, 09:00"]


def test_a_reply_without_ids_joins_by_its_subject_and_outlooks_quote_goes(tmp_path: Path) -> None:
    quoted = "-----Original Message-----\nFrom: Anna\nSent: Tuesday\n\nWho has the key?\n\nMy new last line."
    reply = mail(f"Nobody.\n\n{quoted}", "Thu, 14 Mar 2024 08:00:00 +0000", Subject="AW: The key")
    text = load(write_file(tmp_path / "inbox.mbox", mbox(ASKED, reply))).text
    assert text.endswith("Subject: AW: The key\n\nNobody.\n\nMy new last line.")
    alone = load(write_file(tmp_path / "alone.eml", bytes(reply)))
    assert quoted in alone.text and alone.title == "The key"


def test_alternatives_pages_and_attachments(tmp_path: Path) -> None:
    both = mail("Plain words.")
    both.add_alternative("<p>A page</p>", subtype="html")
    both.add_attachment(b"%PDF", maintype="application", subtype="pdf", filename="plän.pdf")
    both.add_attachment(mail("Inner words.", Subject="Inner"))
    text = load(write_file(tmp_path / "both.eml", bytes(both))).text
    assert text.endswith(
        "Plain words.\n\nAttached message of Änna Ohm <anna@example.org>: Inner\n\nInner words.\n\nAttached: plän.pdf"
    )
    page = mail("", Subject="Store: a page")
    page.set_content("<meta charset=iso-8859-1><p>A <b>pägé</b></p><script>x</script>", subtype="html")
    source = load(write_file(tmp_path / "page.eml", bytes(page)))
    assert source.text.endswith("A pägé") and source.title == "Store: a page"


def test_odd_headers_are_read_as_they_are(tmp_path: Path) -> None:
    head = b"From: =?nonsense?q?x?= <a@b>\nSubject: =?utf-8?b?!!!?= =?utf-8?q?caf=C3=A9?=\nDate: 99 Foo\nX: \xff\n"
    odd = head + b"Content-Type: text/plain; charset=unknown-8\n\ncaf\xe9 au lait\n"
    text = load(write_file(tmp_path / "odd.eml", odd)).text
    assert "café" in text and "Date" not in text


def test_what_is_no_message_or_made_to_take_for_ever_is_left_out(tmp_path: Path, readgraph: Command) -> None:
    deep = b"".join(b"Content-Type: multipart/mixed; boundary=b%d\n\n--b%d\n" % (at, at) for at in range(5_000))
    assert_file_refused(write_file(tmp_path / "deep.eml", b"Subject: x\n" + deep), "more than 100 parts of parts")
    assert_file_refused(write_file(tmp_path / "words.eml", "only words"), "is no message")
    assert_file_refused(write_file(tmp_path / "empty.mbox", "\n"), "empty")
    assert_file_refused(write_file(tmp_path / "binary.eml", b"Subject: x\n\n" + bytes(500)), "binary")
    path = write_file(tmp_path / "some.mbox", mbox(ASKED) + b"\n\nFrom x Tue Mar 12 19:40:11 2024\nSubject: x\n" + deep)
    ran = readgraph("ask", "Who has the key?", path)
    assert ran.code == 0 and "Left out: Message 2 of" in ran.err
    assert "Left out: Message 2 of" in readgraph("remember", "mail", path).err
