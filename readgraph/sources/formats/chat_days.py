"""Chats in lines whose messages have times alone, below lines with the day: LINE, KakaoTalk, and logs of IRC."""

import re
from collections.abc import Iterator
from datetime import datetime

from readgraph.sources.formats.chat_dates import AFTERNOON, CLOCK, DATE, MORNING, LineChat, day_of, write_months
from readgraph.sources.formats.chat_turns import ChatTurn

FEWEST_MESSAGES = 2
_SAMPLE = 4_000  # characters in which the first message stands
_SHARE = 0.5  # of the lines that messages or days must be
_LONGEST_DAY = 60  # characters of a line with a day
_MOST_WORDS = 6  # beside its numbers
_TIME = r"(?P<half>(?:\d{4}-\d\d-\d\d[T ])?[^\W\d]{0,4} ?)(?P<clock>\d{1,2}:\d\d(?::\d\d)?(?: ?[AaPp]\.?[Mm]\b\.?)?)"
_FORMS = (
    re.compile(rf"^{_TIME}\t(?P<speaker>[^\t\n]*)\t(?P<text>.*)$", re.MULTILINE),  # of LINE, and WeeChat
    re.compile(rf"^\[(?P<speaker>[^\]\n]{{1,60}})\] \[{_TIME}\] (?P<text>.*)$", re.MULTILINE),  # of KakaoTalk
    re.compile(
        rf"^\[?{_TIME}\]?[ \t]+(?:<(?P<speaker>[^>\n]{{1,40}})>[ \t]|(?=\*{{1,3}} |-!- |--> |<-- |-- ))(?P<text>.*)$",
        re.MULTILINE,
    ),  # of IRC
)
_OWN_DAY = re.compile(r"\d{4}-\d\d-\d\d")
_STAMPED = re.compile(r"^(?:\[?\d{1,2}:\d\d.{0,12}?)?-!- |^--- ")


def read_day_chat(text: str) -> LineChat:
    """The chat in such a text; without messages if most of its lines are of no such form."""
    if not any(form.search(text, 0, _SAMPLE) for form in _FORMS):
        return LineChat([])
    lines = sum(1 for line in text.split("\n") if line.strip())
    marks = max(([*form.finditer(text)] for form in _FORMS), key=len)
    days = dict(_days_of(text)) if len(marks) >= FEWEST_MESSAGES else {}
    if len(marks) < FEWEST_MESSAGES or len(marks) + len(days) < _SHARE * lines:
        return LineChat([])
    messages, day, waiting = list[tuple[int, ChatTurn]](), datetime.min, sorted(days, reverse=True)
    for number, mark in enumerate(marks):
        while waiting and waiting[-1] <= mark.start():
            day = days[waiting.pop()]
        end = min(
            waiting[-1] if waiting else len(text), marks[number + 1].start() if marks[number + 1 :] else len(text)
        )
        said = f"{mark['text']}\n{text[mark.end() : end].strip()}".strip().removeprefix('"').removesuffix('"')
        speaker = (mark["speaker"] or "").strip().lstrip("@+~&%")
        if speaker and not any(map(str.isalnum, speaker)):  # "-->" and the like
            speaker, said = "", f"{speaker} {said}"
        messages.append((mark.start(), ChatTurn(speaker, said, _time_of(mark, day))))
    return LineChat(messages)


def _days_of(text: str) -> Iterator[tuple[int, datetime]]:
    """The lines that are days, by their offsets."""
    at = 0
    for line in text.split("\n"):
        start, at = at, at + len(line) + 1
        if len(line) <= _LONGEST_DAY and (not CLOCK.search(line) or _STAMPED.match(line)) and "\t" not in line:
            matches = [*DATE.finditer(write_months(_without_clock(line)))]
            if len(matches) == 1 and len(re.findall(r"[^\W\d_]+", line)) <= _MOST_WORDS:
                numbers = [int(matches[0][each]) for each in (1, 3, 5)]
                if day := day_of((numbers[0], numbers[1], numbers[2]), "ymd" if numbers[0] > 31 else "dmy"):
                    yield start, day


def _without_clock(line: str) -> str:
    """The line of a day as logs of IRC have it, "Tue Mar 12 19:40:11 2024", without the time."""
    return " ".join(CLOCK.sub(" ", line).split())


def _time_of(mark: re.Match[str], day: datetime) -> datetime | None:
    if own := _OWN_DAY.match(mark["half"]):
        day = datetime.fromisoformat(own[0])
    match = CLOCK.search(mark["clock"])
    if match is None or day == datetime.min:
        return None
    hour, minute = int(match[1]), int(match[2])
    words = {
        word.replace(".", "").casefold()
        for word in re.findall(r"[^\W\d_][^\W\d_.]*", f"{mark['half']} {mark['clock']}")
    }
    if words & MORNING or words & AFTERNOON:
        hour = hour % 12 + (12 if words & AFTERNOON else 0)
    return day.replace(hour=hour, minute=minute) if hour < 24 and minute < 60 else None
