"""E-mail (`.eml`, `.mbox`): a thread is a conversation with a turn for each message; places are times with senders.

What a reply quotes of earlier messages in the file is left out there; attachments are named.
"""

import re
from datetime import datetime
from email import message_from_bytes
from email.message import Message

from readgraph.sources.converting import Converted
from readgraph.sources.encodings import decode
from readgraph.sources.formats.calendar_text import describe_calendar
from readgraph.sources.formats.chat_turns import ChatConversation, ChatTurn, minute, words
from readgraph.sources.formats.chats import convert_chats
from readgraph.sources.formats.html_text import read_page
from readgraph.sources.formats.mail_headers import (
    clean_line,
    decode_words,
    name_of_sender,
    read_header,
    read_raw_headers,
    time_of_mail,
)
from readgraph.sources.formats.mail_quotes import Thread
from readgraph.sources.left_out import LeftOut
from readgraph.sources.places import shorten_label
from readgraph.state.errors import BadInput

MOST_MULTIPARTS = 100  # parts of a message that have parts: one with more is made to take for ever
FEWEST_WORDS = 3  # of a page that stands for itself where the plain text has none of its words
STUB = 0.5  # of a page's words: a shorter plain text with fewer of them only says that there is a page
_BETWEEN = re.compile(
    rb"(?:\A|(?<=\n\n)|(?<=\n\r\n))From [^\r\n]{0,300}\d\d:\d\d[^\r\n]{0,300}\r?\n(?=>?[!-9;-~]{1,100}:|>?From )"
)
_BETWEEN_OF_MMDF = b"\x01\x01\x01\x01\n"
_MULTIPART = re.compile(rb"^content-type:\s{0,9}(?:multipart|message)/", re.IGNORECASE | re.MULTILINE)
_REPLY = re.compile(r"\A(?:\s*(?:re|aw|fwd?|wg|sv|tr|antw)(?:\[\d+\])?\s*:)+\s*", re.IGNORECASE)
_ID = re.compile(r"<[^<>\s]{1,500}>")
_ADDRESS, _LETTERS = re.compile(r"https?://\S+"), re.compile(r"[^\W\d_]+")
_CALENDARS = ("text/calendar", "application/ics")
_LOCKED = {
    "application/ms-tnef": "attachment in a form of Outlook (winmail.dat)",
    "multipart/encrypted": "encrypted part",
    "application/pkcs7-mime": "encrypted part",
    "application/x-pkcs7-mime": "encrypted part",
}


def convert(data: bytes, name: str) -> Converted:
    """The messages in the order of time, under the names of their threads; raises `BadInput` where there are none."""
    chats, problems = mail_chats(data, name)
    return convert_chats(chats)._replace(problems=tuple(problems))


def mail_chats(data: bytes, name: str) -> tuple[list[ChatConversation], list[str]]:
    """The threads of a message or mailbox, and what is left out of it; raises `BadInput` where nothing can be read."""
    raw = [part for part in _messages_in(data) if part.strip()]
    messages, problems, left_out = list[_Mail](), list[str](), LeftOut()
    for number, each in enumerate(raw, 1):
        which = name if len(raw) == 1 else f"Message {number} of {name}"
        try:
            messages.append(_Mail(each, which, left_out))
        except BadInput as problem:
            problems.append(str(problem))
    if not messages:
        raise BadInput(problems[0] if problems else f"{name} is empty: there is nothing to read.")
    return _threads(messages), [*(f"Left out: {problem}" for problem in problems), *left_out.problems(name)]


def _messages_in(data: bytes) -> list[bytes]:
    data = data.lstrip(b"\xef\xbb\xbf\r\n \t") if data[:3] == b"\xef\xbb\xbf" else data
    if data.startswith(_BETWEEN_OF_MMDF):
        return data.split(_BETWEEN_OF_MMDF)
    return _BETWEEN.split(data) if data.lstrip().startswith(b"From ") else [data]


class _Mail:
    """A message as it was sent."""

    def __init__(self, raw: bytes, name: str, left_out: LeftOut) -> None:
        if len(_MULTIPART.findall(raw)) > MOST_MULTIPARTS:
            raise BadInput(f"{name} has more than {MOST_MULTIPARTS} parts of parts: save its text as a file.")
        message = message_from_bytes(re.sub(rb"(?m)^>(>*From )", rb"\1", raw))
        read_raw_headers(message)
        subject, sender = read_header(message, "Subject"), read_header(message, "From")
        if not (sender or subject or message["Date"] or message["Received"]):
            raise BadInput(f"{name} is no message: it has no sender, subject or date.")
        self.sender, self.subject = name_of_sender(message), _REPLY.sub("", subject) or subject
        self.time = time_of_mail(message)
        names = "References", "In-Reply-To", "Message-ID"
        self.ids = _ID.findall(" ".join(str(message.get(each)) for each in names))
        self.answers = [*self.ids, *([self.subject.casefold()] if self.subject != subject else [])]
        shown = {"From": sender, "To": read_header(message, "To"), "Cc": read_header(message, "Cc")}
        shown |= {"Date": f"{minute(self.time)} (UTC)" if self.time else "", "Subject": subject}
        self.heading = "\n".join(f"{label}: {value}" for label, value in shown.items() if value)
        place = ", ".join(filter(None, (minute(self.time), shorten_label(self.sender))))
        self.text = _Contents(name, place, left_out).read(message)


_ENCODED_FILE = re.compile(
    r"^begin [0-7]{3,4} (?P<name>\S.*)\n(?:[!-`][ -`]{1,84}\n)*(?:[` ]?\n)?end[ \t]*$", re.MULTILINE
)


class _Contents:
    """The texts in a message's parts, and the names of what is attached."""

    def __init__(self, name: str, place: str, left_out: LeftOut) -> None:
        self._name, self._place, self._left_out = name, place, left_out
        self._texts, self._events, self._attached = list[str](), list[str](), list[str]()

    def read(self, message: "Message[str, str]") -> str:
        """The text of a message."""
        self._take(message)
        attached = f"Attached: {', '.join(self._attached)}" if self._attached else ""
        texts = [*self._texts, *dict.fromkeys(self._events), attached]
        return "\n\n".join(filter(None, (text.strip() for text in texts)))

    def _take(self, part: "Message[str, str]") -> None:
        kind, payload = part.get_content_type(), part.get_payload()
        if locked := _LOCKED.get(kind):
            self._left_out.add(locked, self._place)
        inner = [message for message in payload if isinstance(message, Message)] if isinstance(payload, list) else []
        if kind == "message/rfc822" and inner:
            about = f"{read_header(inner[0], 'From')}: {read_header(inner[0], 'Subject')}"
            self._texts.append(f"Attached message of {about}")
        if kind == "message/delivery-status":
            self._texts += [
                "\n".join(f"{name}: {decode_words(str(value))}" for name, value in message.items()) for message in inner
            ]
        elif kind == "multipart/alternative" and inner:
            self._take_alternatives(inner)
        elif inner:
            for message in inner:
                self._take(message)
        elif not part.is_multipart():
            self._take_leaf(part, kind)

    def _take_leaf(self, part: "Message[str, str]", kind: str) -> None:
        file = clean_line(decode_words(part.get_filename() or ""))
        is_calendar = kind in _CALENDARS or file.lower().endswith(".ics")
        if is_calendar and (described := describe_calendar(self._decode(part))):
            self._events.append(described)
        elif file or part.get_content_disposition() == "attachment" or not kind.startswith("text/"):
            self._attached.append(file or kind)
        else:
            self._texts.append(self._text(part))

    def _take_alternatives(self, parts: "list[Message[str, str]]") -> None:
        """The plain text, unless it lacks most of the page's words: then the page; and what else is in the parts."""
        forms = dict[str, _Contents]()
        for part in parts:
            inner = _Contents(self._name, self._place, self._left_out)
            inner._take(part)
            self._events += inner._events
            if inner._texts:
                forms["plain" if part.get_content_type() == "text/plain" else "page"] = inner
                self._attached += inner._attached
        plain, page = forms.get("plain"), forms.get("page")
        chosen = plain if plain and not (page and _is_stub(plain._texts, page._texts)) else page
        self._texts += chosen._texts if chosen else []

    def _text(self, part: "Message[str, str]") -> str:
        text = self._decode(part)
        if part.get_content_subtype() == "html" and text:
            return read_page(f"\ufeff{text}".encode(), self._name, self._left_out).blocks.text()
        text = self._take_encoded_files(words(text.replace("\r\n", "\n")))
        is_flowed = str(part.get_param("format", "")).lower() == "flowed"
        return _unflow(text, str(part.get_param("delsp", "")).lower() == "yes") if is_flowed else text

    def _take_encoded_files(self, text: str) -> str:
        """The text without files that stand in it as old programs encode them (uuencode); they are attached."""
        for match in _ENCODED_FILE.finditer(text):
            self._attached.append(clean_line(match["name"]))
        return _ENCODED_FILE.sub("", text)

    def _decode(self, part: "Message[str, str]") -> str:
        data = part.get_payload(decode=True)
        has_text = isinstance(data, bytes) and data.strip()
        charset = part.get_content_charset() or ""
        return decode(data, self._name, charset, self._left_out.say) if has_text else ""  # type: ignore[arg-type]


def _is_stub(plain: list[str], page: list[str]) -> bool:
    """Whether a plain text lacks most of the words of the page that it stands beside."""
    in_plain, in_page = ({*_LETTERS.findall(_ADDRESS.sub("", " ".join(texts)).lower())} for texts in (plain, page))
    shared = in_plain & in_page
    return (not shared and len(in_page) >= FEWEST_WORDS) or (
        len(shared) < STUB * len(in_page) and len(in_plain) < len(in_page)
    )


def _unflow(text: str, drops_space: bool) -> str:
    """The text with its paragraphs as one line each: a line that ends with a space goes on in the next one."""
    lines = list[str]()
    is_open, last = False, ""
    for line in text.split("\n"):
        marks = re.match(r">*", line)
        quoted = marks[0] if marks else ""
        line = line[len(quoted) :].removeprefix(" ")
        if is_open and quoted == last:
            lines[-1] += line
        else:
            lines.append(f"{quoted} {line}" if quoted else line)
        is_open, last = line.endswith(" ") and line != "-- ", quoted
        if is_open and drops_space:
            lines[-1] = lines[-1][:-1]
    return "\n".join(lines)


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


def _turns(mails: list[_Mail]) -> list[ChatTurn]:
    turns, thread = list[ChatTurn](), Thread()
    for mail in mails:
        turns.append(ChatTurn(shorten_label(mail.sender), thread.without_quotes(mail.text), mail.time, mail.heading))
        thread.add(mail.text)
    return turns
