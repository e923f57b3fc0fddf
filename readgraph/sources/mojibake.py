"""Text that looks decoded twice: UTF-8 taken for Windows-1252 ("Ã©" for "é"). It stays, since it may be so."""

import re

FEWEST = 2  # such characters that make it more than chance
_BY_1252 = {bytes([byte]).decode("cp1252", "ignore") or chr(byte): byte for byte in range(0x80, 0x100)}
_BY_1252 |= {chr(byte): byte for byte in range(0x80, 0xA0)}  # as Latin-1 reads them
_AFTER = "|".join(re.escape(sign) for sign, byte in _BY_1252.items() if byte < 0xC0).encode()
_DOUBLED = re.compile(rb"\xc3[\x82-\xb4](?:%b){1,3}" % _AFTER)  # what begins a character, in UTF-8: found fastest so


def note_double_encoding(text: str) -> str:
    """A line on characters that look decoded twice, and what undoes it; "" where there are none."""
    if text.isascii():
        return ""
    marks = _DOUBLED.findall(text.encode("utf-8", "surrogatepass"))
    doubled = [(mark.decode(), read) for mark in marks if (read := _read_once(mark.decode()))]
    if len(doubled) < FEWEST:
        return ""
    (shown, read), *_ = doubled
    return (
        f"{len(doubled):,} characters look like UTF-8 that was read as Windows-1252 ({shown} for {read}): they stay as "
        "they are; iconv -f UTF-8 -t CP1252 puts such a file right"
    )


def _read_once(text: str) -> str:
    try:
        return bytes(_BY_1252[sign] for sign in text).decode("utf-8")
    except (UnicodeError, KeyError):
        return ""
