"""Headers of e-mail as words: encoded words, raw UTF-8 and Latin-1, names with commas, dates in any usual form."""

import binascii
import re
from datetime import UTC, datetime
from email.message import Message
from email.utils import parseaddr, parsedate_to_datetime

from readgraph.sources.encodings import codec_for
from readgraph.sources.formats.chat_turns import words

LONGEST_HEADER = 1_000  # characters of a header that are read
_WORD = r"=\?([^?\s*]+)(?:\*[^?\s]*)?\?([bBqQ])\?([^?]*)\?="
_ENCODED, _BETWEEN_WORDS = re.compile(_WORD), re.compile(rf"({_WORD})\s+(?==\?)")
_ESCAPED = re.compile(rb"=([0-9A-Fa-f]{2})")
_ONE_ADDRESS = re.compile(r"\s*([^<>]*?)\s*<\s*([^<>\s]+)\s*>\s*(?:\([^()]*\))?\s*")


def read_raw_headers(message: "Message[str, str]") -> None:
    """Give headers with bytes beyond ASCII, of a message and its parts, as the text that these bytes are."""
    for part in message.walk():
        for name, value in [*part.raw_items()]:
            if isinstance(value, str) and not value.isascii():
                raw = value.encode("ascii", "surrogateescape")
                charset = codec_for(part.get_content_charset() or "") or "cp1252"
                part.replace_header(name, _decode(raw, "utf-8") or _decode(raw, charset) or raw.decode("latin-1"))


def read_header(message: "Message[str, str]", name: str) -> str:
    """A header as words on a line; "" where it is missing."""
    return clean_line(decode_words(str(message.get(name) or "")[:LONGEST_HEADER]))


def clean_line(text: str) -> str:
    """Text on a line."""
    return " ".join(words(text).split())


def decode_words(text: str) -> str:
    """A header with its encoded words decoded; those of an unknown encoding stay as they are.

    Words of one encoding are joined before they are decoded: some programs part a character's bytes.
    """
    text = _BETWEEN_WORDS.sub(r"\1", text)
    decoded, end, waiting, charset = "", 0, b"", ""
    for word in [*_ENCODED.finditer(text), None]:
        if not word or word.start() > end or word[1].lower() != charset:
            decoded += _decode_any(waiting, charset)
            decoded += text[end : word.start() if word else len(text)]
            waiting, charset = b"", word[1].lower() if word else ""
        if word:
            waiting += _bytes_of(word[2], word[3])
            end = word.end()
    return decoded


def _bytes_of(form: str, text: str) -> bytes:
    data = text.encode("utf-8", "replace")
    if form in "qQ":
        return _ESCAPED.sub(lambda escape: bytes([int(escape[1], 16)]), data.replace(b"_", b" "))
    try:
        return binascii.a2b_base64(data + b"=" * (-len(data) % 4))
    except binascii.Error:
        return data


def _decode_any(data: bytes, charset: str) -> str:
    codec = "utf-8" if "utf-8" in charset or "utf8" in charset else codec_for(charset)
    return _decode(data, codec or "utf-8") or _decode(data, "utf-8") or data.decode("cp1252", "replace")


def _decode(data: bytes, codec: str) -> str | None:
    try:
        return data.decode(codec)
    except (UnicodeError, LookupError):
        return None


def name_of_sender(message: "Message[str, str]") -> str:
    """Who wrote a message: the name, else the address. A name may hold commas, quoted or not."""
    raw = str(message.get("From") or "")[:LONGEST_HEADER]
    one = _ONE_ADDRESS.fullmatch(raw)
    name, address = (one[1], one[2]) if one else parseaddr(raw)
    name = clean_line(decode_words(name)).replace('\\"', '"').strip("\"' ")
    return name or clean_line(address) or read_header(message, "From")


def time_of_mail(message: "Message[str, str]") -> datetime | None:
    """When a message was sent, in UTC: its date in the form of mail or of ISO, else when it was received first."""
    received = [str(each).rpartition(";")[2] for each in message.get_all("Received", [])]
    for written in (read_header(message, "Date"), *map(clean_line, reversed(received))):
        for parse in (parsedate_to_datetime, datetime.fromisoformat, _from_loose_iso):
            try:
                time = parse(written)
                return time.astimezone(UTC).replace(tzinfo=None) if time.tzinfo else time
            except (TypeError, ValueError, IndexError, OverflowError):
                continue
    return None


def _from_loose_iso(written: str) -> datetime:
    """A time such as "2024-03-12 19:40:00 +0100 (CET)"."""
    parts = written.partition("(")[0].replace("UTC", "+00:00").replace("GMT", "+00:00").split()
    return datetime.fromisoformat("T".join(parts[:2]) + "".join(parts[2:3]))
