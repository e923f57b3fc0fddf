"""E-mail (`.eml`, `.mbox`): a thread is a conversation with a turn for each message; places are times with senders.

What a reply quotes of earlier messages in the file is left out there; attachments are named.
"""

import re
from collections.abc import Iterator
from datetime import UTC, datetime
from email import message_from_bytes
from email.errors import MessageError
from email.header import decode_header, make_header
from email.message import Message
from email.utils import parseaddr, parsedate_to_datetime

from readgraph.sources.converting import Converted
from readgraph.sources.encodings import decode
from readgraph.sources.formats import html_text
from readgraph.sources.formats.chat_turns import ChatConversation, ChatTurn, minute, words
from readgraph.sources.formats.chats import convert_chats
from readgraph.sources.places import shorten_label
from readgraph.state.errors import BadInput

MOST_MULTIPARTS = 100  # parts of a message that have parts: one with more is made to take for ever
LONGEST_HEADER = 1_000  # characters of a header that are read
QUOTABLE = 200_000  # characters of a thread's latest text in which quoted lines with other line ends are looked for
_BETWEEN = re.compile(rb"(?:\A|(?<=\n\n)|(?<=\n\r\n))From [^\r\n]{0,300}\d\d:\d\d[^\r\n]{0,300}\r?\n")
_MULTIPART = re.compile(rb"^content-type:\s{0,9}(?:multipart|message)/", re.IGNORECASE | re.MULTILINE)
_REPLY = re.compile(r"\A(?:\s*(?:re|aw|fwd?|wg|sv|tr|antw)(?:\[\d+\])?\s*:)+\s*", re.IGNORECASE)
_ID = re.compile(r"<[^<>\s]{1,500}>")
_INTRODUCTION = re.compile(
    r"\W{0,3}\b.{5,400}\b(?:wrote|schrieb.{0,80}|a écrit|escribió|ha scritto|schreef|napisał\w?)\s?:"
    r"|-{2,}\s?[\w' ]{5,40}\s?-{2,}|_{10,}",
    re.IGNORECASE,
)
_QUOTED_HEADER = re.compile(r"\*?(?:from|sent|date|to|cc|subject|von|gesendet|datum|an|betreff|de|envoyé|à|objet)\s?:")


def convert(data: bytes, name: str) -> Converted:
    """The messages in the order of time, under the names of their threads; raises `BadInput` where there are none."""
    chats, problems = mail_chats(data, name)
    return convert_chats(chats)._replace(problems=tuple(problems))


def mail_chats(data: bytes, name: str) -> tuple[list[ChatConversation], list[str]]:
    """The threads of a message or mailbox, and what is left out of it; raises `BadInput` where nothing can be read."""
    raw = [part for part in _BETWEEN.split(data) if part.strip()]
    messages, problems = list[_Mail](), list[str]()
    for number, each in enumerate(raw, 1):
        which = name if len(raw) == 1 else f"Message {number} of {name}"
        try:
            messages.append(_Mail(each, which))
        except BadInput as problem:
            problems.append(str(problem))
    if not messages:
        raise BadInput(problems[0] if problems else f"{name} is empty: there is nothing to read.")
    return _threads(messages), problems


class _Mail:
    """A message as it was sent."""

    def __init__(self, raw: bytes, name: str) -> None:
        if len(_MULTIPART.findall(raw)) > MOST_MULTIPARTS:
            raise BadInput(f"{name} has more than {MOST_MULTIPARTS} parts of parts: save its text as a file.")
        message = message_from_bytes(re.sub(rb"(?m)^>(>*From )", rb"\1", raw))
        subject = _header(message, "Subject")
        self.sender, self.subject = _header(message, "From"), _REPLY.sub("", subject) or subject
        if not (self.sender or subject or message["Date"] or message["Received"]):
            raise BadInput(f"{name} is no message: it has no sender, subject or date.")
        self.time = _time(message)
        names = "References", "In-Reply-To", "Message-ID"
        self.ids = _ID.findall(" ".join(str(message.get(each)) for each in names))
        self.answers = [*self.ids, *([self.subject.casefold()] if self.subject != subject else [])]
        shown = {"From": self.sender, "To": _header(message, "To"), "Cc": _header(message, "Cc")}
        shown |= {"Date": f"{minute(self.time)} (UTC)" if self.time else "", "Subject": subject}
        self.heading = "\n".join(f"{label}: {value}" for label, value in shown.items() if value)
        texts, attached = list[str](), list[str]()
        for part in _leaves(message):
            kind, file, inner = part.get_content_type(), _clean(part.get_filename() or ""), part.get_payload()
            if kind == "message/rfc822" and isinstance(inner, list) and isinstance(inner[0], Message):
                texts.append(f"Attached message of {_header(inner[0], 'From')}: {_header(inner[0], 'Subject')}")
            elif file or part.get_content_disposition() == "attachment":
                attached.append(file or kind)
            elif kind in ("text/plain", "text/html"):
                texts.append(_text(part, name))
        texts.append(f"Attached: {', '.join(attached)}" if attached else "")
        self.text = "\n\n".join(filter(None, (text.strip() for text in texts)))


def _leaves(message: "Message[str, str]") -> "Iterator[Message[str, str]]":
    """The parts without parts, and attached messages; of alternatives the plain text, or else the last."""
    waiting = [message]
    while waiting:
        part = waiting.pop()
        payload = part.get_payload()
        inner = [each for each in payload if isinstance(each, Message)] if isinstance(payload, list) else []
        if part.get_content_subtype() == "alternative" and inner:
            plain = (each for each in inner if each.get_content_type() == "text/plain")
            inner = [each for each in plain if str(each.get_payload()).strip()][:1] or inner[-1:]
        waiting += reversed(inner)
        if not part.is_multipart() or part.get_content_type() == "message/rfc822":
            yield part


def _text(part: "Message[str, str]", name: str) -> str:
    data = part.get_payload(decode=True)
    text = decode(data, name, part.get_content_charset() or "") if isinstance(data, bytes) and data.strip() else ""
    if part.get_content_subtype() == "html" and text:
        try:
            return html_text.convert(f"\ufeff{text}".encode(), name).text
        except BadInput:  # a page of pictures
            return ""
    return words(text.replace("\r\n", "\n"))


def _header(message: "Message[str, str]", name: str) -> str:
    value = str(message.get(name) or "")[:LONGEST_HEADER]
    try:
        return _clean(str(make_header(decode_header(value))))
    except (LookupError, ValueError, MessageError):
        return _clean(value)


def _clean(text: str) -> str:
    return " ".join(words(text).split())


def _time(message: "Message[str, str]") -> datetime | None:
    try:
        time = parsedate_to_datetime(_header(message, "Date"))
        return time.astimezone(UTC).replace(tzinfo=None) if time.tzinfo else time
    except (TypeError, ValueError, IndexError, OverflowError):
        return None


def _threads(messages: list[_Mail]) -> list[ChatConversation]:
    """The messages by what they answer: by their ids, or a reply without these by its subject."""
    threads, thread_of = list[list[_Mail]](), dict[str, list[_Mail]]()
    for mail in sorted(messages, key=lambda mail: mail.time or datetime.min):
        thread = next((thread_of[key] for key in mail.answers if key in thread_of), None)
        if thread is None:
            threads.append(thread := [])
        thread.append(mail)
        thread_of.update(dict.fromkeys([*mail.ids, mail.subject.casefold()], thread))
    return [ChatConversation(thread[0].subject, _turns(thread)) for thread in threads]


def _turns(thread: list[_Mail]) -> list[ChatTurn]:
    turns, seen, latest = list[ChatTurn](), set[str](), ""
    for mail in thread:
        name, address = parseaddr(mail.sender)
        text = _without_quotes(mail.text, seen, latest)
        turns.append(ChatTurn(shorten_label(name or address or mail.sender), text, mail.time, mail.heading))
        lines = [_key(line) for line in mail.text.split("\n")]
        seen.update(lines)
        latest = f"{latest} {' '.join(lines)}"[-QUOTABLE:]
    return turns


def _key(line: str) -> str:
    return " ".join(line.lstrip("> \t").split()).casefold()


def _without_quotes(text: str, seen: set[str], latest: str) -> str:
    """The text without the quoted lines that stand in earlier messages, and without what introduces these."""
    kept, introduced, follows = list[str](), None, False
    for line in text.split("\n") if seen else ():
        key, quoted = _key(line), line.startswith(">")
        for begins in (line, f"{kept[-1] if kept else ''} {line}"):  # it may take two lines
            if _INTRODUCTION.fullmatch(begins[:600]):
                introduced, follows, quoted = len(kept) - (begins is not line), True, False
                break
        else:
            if (quoted or (follows and key)) and (key in seen or not key or (len(key) > 10 and key in latest)):
                kept = kept[:introduced] if key else kept
                introduced = None if key else introduced
                continue
            introduced = None if key and not _QUOTED_HEADER.match(key) else introduced
        kept.append(line)
    return re.sub(r"\n\s*\n\s*", "\n\n", "\n".join(kept)).strip() if seen else text
