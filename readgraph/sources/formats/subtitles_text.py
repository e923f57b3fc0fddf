"""Subtitles (SubRip, WebVTT) as plain text: what is said in running sentences; places are the times."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from html import unescape
from itertools import zip_longest
from typing import NamedTuple

from readgraph.language.sentences import LABEL
from readgraph.sources.converting import Blocks, Converted, on_a_line
from readgraph.sources.encodings import decode
from readgraph.sources.left_out import LeftOut
from readgraph.sources.places import Place, order_places
from readgraph.state.errors import BadInput

FEWEST_LINES = 3  # lines that a name with a colon begins, to be that of a speaker
PAUSE = 3.0  # seconds without a subtitle that end a paragraph, if a sentence ends before them
LONG_PARAGRAPH = 600  # characters after which the next end of a sentence ends the paragraph
_TIME = r"(?:(\d{1,3}):)?(\d{1,2}):(\d{2})[.,](\d{1,3})"
_CUE = re.compile(rf"^[ \t]*{_TIME}[ \t]*-->[ \t]*{_TIME}.*$", re.MULTILINE)
_VOICE = re.compile(r"<v(?:\.[^ >]*)?[ \t]+([^>]+)>")
_TAG = re.compile(r"</?[A-Za-z\d][^<>]*>|\{\\[^{}]*\}")
_ENDS_SENTENCE = re.compile(r"[.!?…。！？][\"'”’»)\]]*$")
_IDENTIFIER = re.compile(r"\n[ \t]*\n[^\n]+\n$|\n[ \t]*\d+[ \t]*\n$")  # after an empty line, or a number
_SEPARATE_BLOCK = re.compile(r"\n[ \t]*\n(?:NOTE|STYLE|REGION)\b.*", re.DOTALL)


class _Cue(NamedTuple):
    """What is shown at one time: when it begins and ends in seconds, who speaks ("" if unnamed), and the lines."""

    start: float
    end: float
    speaker: str
    lines: list[str]


def convert(data: bytes, name: str) -> Converted:
    """The words of all subtitles; places are their times ("0:01:05"). Raises `BadInput` if there is no subtitle."""
    left_out = LeftOut()
    text = decode(data, name, say=left_out.say).replace("\r\n", "\n").replace("\r", "\n")
    cues, paragraphs = list[_Cue](), _Paragraphs()
    marks = list(_CUE.finditer(text))
    for mark, after in zip_longest(marks, marks[1:]):
        body = text[mark.end() : after.start() if after else len(text)]
        body = _SEPARATE_BLOCK.sub("", _IDENTIFIER.sub("\n", body) if after else body)
        voice = _VOICE.search(body)
        lines = [on_a_line(unescape(_TAG.sub("", line))) for line in body.split("\n")]
        start, end = _seconds(mark.groups()[:4]), _seconds(mark.groups()[4:])
        speaker = on_a_line(unescape(voice[1])) if voice else ""
        cues.append(_Cue(start, end, speaker, [line for line in lines if line]))
    for cue in _cut_at_speakers(cues):
        paragraphs.add(cue)
    paragraphs.end()
    if not paragraphs.places:
        raise BadInput(f"{name} holds no subtitles: there is nothing to read.")
    return Converted(paragraphs.blocks.text(), order_places(paragraphs.places), problems=left_out.problems(name))


def _cut_at_speakers(cues: Sequence[_Cue]) -> Iterator[_Cue]:
    """The subtitles, each cut where a line names who speaks ("ANN: Hello."); those after it go on with that speaker.

    A name counts if it begins several lines; where one does, others that are written as names count too.
    """
    labels = Counter(label[1] for cue in cues for line in cue.lines if (label := LABEL.match(line)))
    often, last = {name for name, lines in labels.items() if lines >= FEWEST_LINES}, ""
    for cue in cues:
        parts = [cue._replace(speaker=cue.speaker or last, lines=[])]
        for line in cue.lines:
            label = LABEL.match(line)
            if label and (label[1] in often or (often and not any(word[0].islower() for word in label[1].split()))):
                last = label[1]
                parts.append(cue._replace(speaker=last, lines=[line[label.end() :]]))
            else:
                parts[-1].lines.append(line)
        yield from (part for part in parts if part.lines)


def _seconds(parts: "tuple[str | None, ...]") -> float:
    hours, minutes, seconds, fraction = (part or "0" for part in parts)
    return int(hours) * 3600 + int(minutes) * 60 + int(seconds) + float(f"0.{fraction}")


class _Paragraphs:
    """Paragraphs of what is said: a new speaker, a pause after a sentence, or great length begins another one."""

    def __init__(self) -> None:
        self.blocks = Blocks()
        self.places: list[Place] = []
        self._open: list[str] = []
        self._length = 0
        self._waiting: list[tuple[int, str]] = []
        self._last_cue: _Cue | None = None

    def add(self, cue: _Cue) -> None:
        """Add what a subtitle shows and the one before it did not: live subtitles scroll, and repeat lines."""
        before, lines = self._last_cue, cue.lines
        if before and before.lines and lines and lines[0] == before.lines[-1] and cue.start - before.end < 1:
            lines = lines[1:]
        self._last_cue = cue
        if not lines:
            return
        if self._open and before:
            may_end = cue.start - before.end >= PAUSE or self._length >= LONG_PARAGRAPH
            if cue.speaker != before.speaker or (may_end and _ENDS_SENTENCE.search(self._open[-1])):
                self.end()
        minutes, seconds = divmod(int(cue.start), 60)
        self._waiting.append((self._length, f"{minutes // 60}:{minutes % 60:02}:{seconds:02}"))
        self._open.append(" ".join([f"{cue.speaker}:", *lines] if cue.speaker and not self._open else lines))
        self._length += len(self._open[-1]) + 1

    def end(self) -> None:
        """End the paragraph that is open."""
        if self._open:
            start = self.blocks.add(" ".join(self._open))
            self.places += [Place(start + offset, label) for offset, label in self._waiting]
        self._open, self._waiting, self._length = [], [], 0
