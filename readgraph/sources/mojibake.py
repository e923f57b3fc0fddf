"""Text that was decoded in two encodings: UTF-8 taken for Windows-1252 ("Ã©" for "é"), which is undone where sure."""

import re

FEWEST = 2  # such characters that make it more than chance
_BY_1252 = {bytes([byte]).decode("cp1252", "ignore") or chr(byte): byte for byte in range(0x80, 0x100)}
_BY_1252 |= {chr(byte): byte for byte in range(0x80, 0xA0)}  # as Latin-1 reads them
_AFTER = "".join(map(re.escape, (sign for sign, byte in _BY_1252.items() if byte < 0xC0)))
_LEAD = "".join(sign for sign, byte in _BY_1252.items() if 0xC2 <= byte <= 0xF4)
_DOUBLED = re.compile(f"(?:[{_LEAD}][{_AFTER}]{{1,3}})+")


def undo_double_encoding(text: str) -> tuple[str, str]:
    """The text with UTF-8 that was taken for Windows-1252 read aright, and a line that says so ("" where nothing is).

    It is undone only where all of the text beyond ASCII is of that kind; where other characters stand beside it, the
    text stays as it is.
    """
    if text.isascii():
        return text, ""
    found = [(mark, _undone(mark[0])) for mark in _DOUBLED.finditer(text)]
    doubled = [(mark, undone) for mark, undone in found if undone]
    characters = sum(len(undone) for _, undone in doubled)
    if characters < FEWEST:
        return text, ""
    beyond = len(re.findall(r"[^\x00-\x7f]", text))
    if sum(len(mark[0]) for mark, _ in doubled) < beyond:
        return (
            text,
            f"{characters:,} characters look like UTF-8 that was decoded wrongly (such as {doubled[0][0][0][:4]})",
        )
    parts, end = list[str](), 0
    for mark, undone in doubled:
        parts += [text[end : mark.start()], undone]
        end = mark.end()
    return "".join([*parts, text[end:]]), f"UTF-8 that was decoded wrongly is put right ({characters:,} characters)"


def _undone(text: str) -> str:
    try:
        return bytes(_BY_1252[sign] for sign in text).decode("utf-8")
    except (UnicodeError, KeyError):
        return ""
