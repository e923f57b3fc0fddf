"""Sources: parts, headers and quotes of e-mail as programs really write them."""

from binascii import b2a_uu
from email.message import EmailMessage
from pathlib import Path

import pytest

from readgraph.sources import load
from readgraph.sources.formats.calendar_text import describe_calendar
from readgraph.sources.formats.mail_headers import decode_words
from tests.support.source_files import notices, write_file

pytestmark = pytest.mark.quick

HEAD = b"From: Anna <anna@example.org>\nSubject: The key\nDate: Tue, 12 Mar 2024 19:40:00 +0000\n"
CALENDAR = (
    "BEGIN:VCALENDAR\r\nMETHOD:REQUEST\r\nBEGIN:VTIMEZONE\r\nTZID:Europe/Berlin\r\nEND:VTIMEZONE\r\nBEGIN:VEVENT\r\n"
    "SUMMARY:Look for the key\\, again\r\nDTSTART;TZID=Europe/Berlin:20240312T190000\r\n"
    "DTEND;TZID=Europe/Berlin:20240312T203000\r\nLOCATION:The shed\r\n"
    'ORGANIZER;CN="Müller, Anna":mailto:anna@example.org\r\n'
    "ATTENDEE;CN=Bert;PARTSTAT=ACCEPTED:mailto:bert@exam\r\n ple.org\r\nDESCRIPTION:Bring\\na lamp\r\n"
    "BEGIN:VALARM\r\nDESCRIPTION:no\r\nEND:VALARM\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n"
)
INVITATION = (
    "Invitation: Look for the key, again\nWhen: 12 March 2024, 19:00 to 20:30 (Europe/Berlin)\nWhere: The shed\n"
    "Organizer: Müller, Anna <anna@example.org>\nAttendees: Bert <bert@example.org> (accepted)\nBring\na lamp"
)


def text_of(path: Path, data: bytes, name: str = "a.eml") -> str:
    return load(write_file(path / name, data)).text


def test_only_what_is_quoted_is_left_out(tmp_path: Path) -> None:
    quoted = "-----Original Message-----\nFrom: A0\n\nDo you come?\nYes\nIt is late.\nIt is late."
    texts = [
        "Do you come?\nIt is late.",
        "Yes\n\nOn Tuesday at 19:40, A0 wrote:\n> Do you come?\n> It is late.",
        "On Tuesday at 19:41, A1 wrote:\n> Yes\nYes",
        f"Good.\nYes\n{quoted}",
    ]
    box = ""
    for at, text in enumerate(texts):
        about = f"From x Tue Mar 12 19:4{at}:11 2024\nFrom: A{at} <a@b>\nSubject: Re: Key\n"
        box += f"{about}Date: Tue, 12 Mar 2024 19:4{at}:00 +0000\n\n{text}\n\n"
    parts = text_of(tmp_path, box.encode(), "a.mbox").split("\n\nFrom: ")[1:]
    turns = [part.split("Subject: Re: Key\n\n")[1] for part in parts]
    assert turns == ["Do you come?\nIt is late.", "Yes", "Yes", "Good.\nYes\nYes\nIt is late."]


@pytest.mark.parametrize(
    "plain,page,text",
    [
        ("View this in a browser: https://a.b/c/d/e", "<p>The key hangs in the shed there.</p>", "The key hangs"),
        ("The key hangs in the shed.", "<p>The key hangs in the <b>shed</b>.</p>", "The key hangs in the shed."),
        ("This message needs another reader.", "<p>No, all 45 people</p>", "No, all 45 people"),
        ("", "<p>Page</p>", "Page"),
    ],
)
def test_a_stub_does_not_hide_the_page(tmp_path: Path, plain: str, page: str, text: str) -> None:
    message = EmailMessage()
    message["Subject"] = "x"
    message.set_content(plain)
    message.add_alternative(page, subtype="html")
    message.get_payload()[1].add_related(b"x", maintype="image", subtype="png", cid="<1>", filename="a.png")  # type: ignore[union-attr, index]
    assert text_of(tmp_path, bytes(message)).partition("Subject: x\n\n")[2].startswith(text)


def test_invitations_are_told_in_lines(tmp_path: Path) -> None:
    assert describe_calendar(CALENDAR) == INVITATION
    message = EmailMessage()
    message["Subject"] = "x"
    message.set_content("Please come.")
    message.add_alternative(CALENDAR, subtype="calendar", params={"method": "REQUEST"})
    message.add_attachment(CALENDAR.encode(), maintype="application", subtype="ics", filename="invite.ics")
    assert text_of(tmp_path, bytes(message)).endswith(f"Please come.\n\n{INVITATION}")


@pytest.mark.parametrize(
    "lines,when",
    [
        (("DTSTART:20240312T190000Z", "DTEND:20240313T090000Z"), "12 March 2024, 19:00 to 13 March 2024, 09:00 (UTC)"),
        (("DTSTART;VALUE=DATE:20240312",), "12 March 2024"),
        (("DTSTART:20240312T190000", "DURATION:PT1H"), "12 March 2024, 19:00, for PT1H"),
    ],
)
def test_times_of_events(lines: tuple[str, ...], when: str) -> None:
    event = "\n".join(("BEGIN:VEVENT", *lines, "END:VEVENT"))
    assert describe_calendar(event) == f"Event: without a title\nWhen: {when}"


@pytest.mark.parametrize(
    "sender,speaker",
    [
        ("Anna Müller <a@b>".encode(), "Anna Müller"),
        ("Anna Müller <a@b>".encode("latin-1"), "Anna Müller"),
        ('"Müller, Anna" <a@b>'.encode(), "Müller, Anna"),
        ("Müller, Anna <a@b>".encode(), "Müller, Anna"),
        (b"=?utf-8?q?M=C3=BCller=2C_Anna?= <a@b>", "Müller, Anna"),
        (b"=?utf-8?b?TcO8?=\n =?utf-8?b?bGxlcg==?= <a@b>", "Müller"),
        (b"a@b", "a@b"),
    ],
)
def test_names_of_senders(tmp_path: Path, sender: bytes, speaker: str) -> None:
    data = b"From: " + sender + b"\nDate: Tue, 12 Mar 2024 19:40:00 +0000\n\nHello\n"
    source = load(write_file(tmp_path / "a.eml", data))
    assert source.places[-1].label == f"12 March 2024, 19:40, {speaker}"


def test_encoded_words_whose_characters_are_parted() -> None:
    assert decode_words("=?utf-8?q?caf=C3?= =?utf-8?q?=A9?= au =?windows-874?q?=E2=C3=A7?=") == "café au โรง"
    assert decode_words("=?x-sjis?b?k/qWew==?= =?iso-2022-jp?b?GyRCRnxLXBsoQg==?=") == "日本日本"


@pytest.mark.parametrize(
    "date",
    [
        *(b"2024-03-12T20:40:00+01:00", b"2024-03-12 20:40:00 +0100", b"2024-03-12T19:40:00Z", b"2024-03-12 19:40"),
        *(b"Tue, 12 Mar 2024 20:40:00 +0100 (CET)", b"12 Mar 2024 19:40 GMT"),
        b"?\nReceived: by x; Tue, 12 Mar 2024 19:40:00 +0000",
    ],
)
def test_dates(tmp_path: Path, date: bytes) -> None:
    assert "Date: 12 March 2024, 19:40 (UTC)" in text_of(tmp_path, b"From: a@b\nDate: " + date + b"\n\nx\n")


@pytest.mark.parametrize(
    "disposition",
    [
        *("attachment; filename*=utf-8''pl%C3%A4n.pdf", 'attachment; filename="=?utf-8?q?pl=C3=A4n.pdf?="'),
        *("attachment; filename*0*=utf-8''pl%C3%A4; filename*1=n.pdf", 'attachment; filename="plän.pdf"'),
    ],
)
def test_names_of_attached_files(tmp_path: Path, disposition: str) -> None:
    part = f"Content-Type: application/pdf\nContent-Disposition: {disposition}\n\nx\n--b--\n".encode()
    data = HEAD + b"Content-Type: multipart/mixed; boundary=b\n\n--b\n\nWords\n--b\n" + part
    assert text_of(tmp_path, data).endswith("Words\n\nAttached: plän.pdf")


def test_what_only_other_programs_can_open_is_named(tmp_path: Path) -> None:
    part = b"--b\nContent-Type: application/ms-tnef; name=winmail.dat\n\nx\n"
    part += b"--b\nContent-Type: application/pkcs7-mime\n\ny\n--b--\n"
    mail = HEAD + b"Content-Type: multipart/mixed; boundary=b\n\n--b\n\nWords\n" + part
    source = load(write_file(tmp_path / "a.eml", mail))
    assert source.text.endswith("Words\n\nAttached: winmail.dat, application/pkcs7-mime")
    assert notices(source) == [
        "left out: 1 attachment in a form of Outlook (winmail.dat) (12 March 2024, 19:40, Anna).",
        "left out: 1 encrypted part (12 March 2024, 19:40, Anna).",
    ]


@pytest.mark.parametrize(
    "fields,body,text",
    [
        ("; charset=utf-8; format=flowed", "One \ntwo.\n> quoted \n> on\n  stuffed", "One two.\n> quoted on\n stuffed"),
        ("; format=flowed; delsp=yes", "One \ntwo", "Onetwo"),
        ("; charset=utf-8\nContent-Transfer-Encoding: quoted-printable", "It costs 1=\n00=E2=82=AC", "It costs 100€"),
        ("; charset=utf-7", "M+APw-ller", "Müller"),
    ],
)
def test_forms_of_bodies(tmp_path: Path, fields: str, body: str, text: str) -> None:
    mail = HEAD + f"Content-Type: text/plain{fields}\n\n{body}\n".encode()
    assert text_of(tmp_path, mail).endswith(f"Subject: The key\n\n{text}")


def test_a_charset_that_lies_and_other_mailboxes(tmp_path: Path) -> None:
    russian = "Мельница давно стояла у реки, и мальчик нашёл ключ под дубом.".encode("koi8-r")
    assert "мальчик" in text_of(tmp_path, HEAD + b"Content-Type: text/plain; charset=iso-8859-1\n\n" + russian)
    mark = b"\x01\x01\x01\x01\n"
    both = text_of(tmp_path, mark + HEAD + b"\nOne\n" + mark + mark + HEAD + b"\nTwo\n" + mark, "a.mbox")
    assert "One" in both and "Two" in both and both.count("From: ") == 2
    single = text_of(tmp_path, HEAD + b"\nOne\n\nFrom the shed at 10:30 we went.\n\nTwo\n")
    assert single.endswith("One\n\nFrom the shed at 10:30 we went.\n\nTwo")


def test_files_that_stand_encoded_in_the_text_are_attached(tmp_path: Path) -> None:
    encoded = b"begin 644 plan.zip\n" + b2a_uu(b"bytes of a file") * 3 + b"`\nend\n"
    source = load(write_file(tmp_path / "a.eml", HEAD + b"\nHere it is.\n\n" + encoded + b"\nBye\n"))
    assert source.text.split()[-6:] == "Here it is. Bye Attached: plan.zip".split()
