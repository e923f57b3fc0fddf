"""What a reply quotes of earlier messages: marked with ">", or what goes on after a line that introduces it."""

import re
from collections.abc import Sequence

QUOTABLE = 200_000  # characters of a thread's latest text in which quoted lines with other line ends are looked for
SURE = 10  # characters of a marked line that is looked for within lines
_INTRODUCTION = re.compile(
    r"\W{0,3}\b.{5,400}\b(?:wrote|schrieb.{0,80}|a écrit|escribió|ha scritto|schreef|napisał\w?)\s?:"
    r"|-{2,}\s?[\w' ]{5,40}\s?-{2,}|_{10,}",
    re.IGNORECASE,
)
_QUOTED_HEADER = re.compile(r"\*?(?:from|sent|date|to|cc|subject|von|gesendet|datum|an|betreff|de|envoyé|à|objet)\s?:")


class Thread:
    """The messages of a thread so far."""

    def __init__(self) -> None:
        self._lines = set[str]()
        self._words = list[list[str]]()  # of each message
        self._latest = ""

    def add(self, text: str) -> None:
        """Take a message's text, with what it quotes."""
        lines = [_key(line) for line in text.split("\n")]
        self._lines.update(lines)
        self._words.append(" ".join(lines).split())
        self._latest = f"{self._latest} {' '.join(lines)}"[-QUOTABLE:]

    def without_quotes(self, text: str) -> str:
        """A text without what it quotes of the messages so far, and without what introduces that.

        A line that isn't marked is a quoted one only where it goes on with the message that is quoted, word by word:
        the same words elsewhere ("Yes") are the reply's own.
        """
        if not self._words:
            return text
        kept, introduced, copy = list[str](), None, None
        for line in text.split("\n"):
            key, is_marked = _key(line), line.startswith(">")
            for begins in (line, f"{kept[-1] if kept else ''} {line}"):  # it may take two lines
                if not is_marked and _INTRODUCTION.fullmatch(begins[:600]):
                    introduced, copy = len(kept) - (begins is not line), _Copy(self._words)
                    break
            else:
                copy = None if is_marked else copy  # what follows marked lines is the reply's
                if self._is_quoted(key, is_marked, copy):
                    kept = kept[:introduced] if key else kept
                    introduced = None if key else introduced
                    continue
                introduced = None if key and not _QUOTED_HEADER.match(key) else introduced
            kept.append(line)
        return re.sub(r"\n\s*\n\s*", "\n\n", "\n".join(kept)).strip()

    def _is_quoted(self, key: str, is_marked: bool, copy: "_Copy | None") -> bool:
        if is_marked:
            return key in self._lines or not key or (len(key) > SURE and key in self._latest)
        return bool(key) and copy is not None and copy.goes_on(key.split())


class _Copy:
    """A message that is quoted without marks, and how far."""

    def __init__(self, messages: Sequence[list[str]]) -> None:
        self._messages, self._words, self._at = messages, list[str](), 0

    def goes_on(self, words: list[str]) -> bool:
        """Whether these words come next; the first ones choose the message that begins with them."""
        if not self._at:
            self._words = next((message for message in reversed(self._messages) if message[: len(words)] == words), [])
        if not self._words or self._words[self._at : self._at + len(words)] != words:
            return False
        self._at += len(words)
        return True


def _key(line: str) -> str:
    return " ".join(line.lstrip("> \t").split()).casefold()
