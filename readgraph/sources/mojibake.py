"""Text that was decoded in two encodings: UTF-8 taken for Windows-1252 ("Ã©" for "é"), which is undone where sure."""

import re

FEWEST = 2  # such characters that make it more than chance
_BY_1252 = {bytes([byte]).decode("cp1252", "ignore") or chr(byte): byte for byte in range(0x80, 0x100)}
_BY_1252 |= {chr(byte): byte for byte in range(0x80, 0xA0)}  # as Latin-1 reads them
_AFTER = "|".join(re.escape(sign) for sign, byte in _BY_1252.items() if byte < 0xC0).encode()
_CHARACTER = rb"\xc3[\x82-\xb4](?:%b){1,3}" % _AFTER  # the signs of the bytes that begin characters, and what follows
_DOUBLED = re.compile(rb"%b(?:%b)*" % (_CHARACTER, _CHARACTER))  # in UTF-8, where they are found fastest


def undo_double_encoding(text: str) -> tuple[str, str]:
    """The text with UTF-8 that was taken for Windows-1252 read aright, and a line that says so ("" where nothing is).

    It is undone only where all of the text beyond ASCII is of that kind; where other characters stand beside it, the
    text stays as it is.
    """
    if text.isascii():
        return text, ""
    data = text.encode("utf-8", "surrogatepass")
    found = [(mark, _undone(mark[0].decode())) for mark in _DOUBLED.finditer(data)]
    doubled = [(mark, undone) for mark, undone in found if undone]
    characters = sum(len(undone) for _, undone in doubled)
    if characters < FEWEST:
        return text, ""
    if sum(len(mark[0]) for mark, _ in doubled) < len(data) - len(text.encode("ascii", "ignore")):
        shown = doubled[0][0][0].decode()[:4]
        return text, f"{characters:,} characters look like UTF-8 that was decoded wrongly (such as {shown})"
    parts, end = list[str](), 0
    for mark, undone in doubled:
        parts += [data[end : mark.start()].decode(), undone]
        end = mark.end()
    said = f"UTF-8 that was decoded wrongly is put right ({characters:,} characters)"
    return "".join([*parts, data[end:].decode()]), said


def _undone(text: str) -> str:
    try:
        return bytes(_BY_1252[sign] for sign in text).decode("utf-8")
    except (UnicodeError, KeyError):
        return ""
