"""Chats in lines (WhatsApp, iMessage, Discord, Teams): the form of the lines is found by what repeats in them."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta
from functools import partial
from itertools import pairwise
from typing import NamedTuple

from readgraph.sources.formats.chat_dates import AFTERNOON, CLOCK, DATE, MORNING, LineChat, day_of, write_months
from readgraph.sources.formats.chat_days import read_day_chat
from readgraph.sources.formats.chat_turns import ChatTurn

FEWEST_MESSAGES = 2  # a text with fewer is not a chat
WAKING = 6  # the hour before which few people write
LONGEST_HEAD = 60  # characters of a line before the speaker
_UNSEEN = "\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff\u061c"
_MARKS = re.compile(f"[{_UNSEEN}]")
_SPACE = "[ \u00a0\u202f\u2009]"
_HEAD = re.compile(
    rf"^[{_UNSEEN}]*(?=\[?[^\w\n\[]*(?:[^\W\d_]{{1,12}}\W{{1,3}})?\d)"
    rf"(?:\[(?P<boxed>[^\]\n]{{6,{LONGEST_HEAD}}})\]|(?P<open>[^\[\n]{{6,{LONGEST_HEAD}}}?)(?:{_SPACE}[-–—](?={_SPACE})"
    rf"|,(?={_SPACE}[^:\n]{{1,60}}{_SPACE}:{_SPACE})))[{_UNSEEN}]*{_SPACE}?"
    rf"(?:(?P<speaker>[^:：\n]{{1,60}}?){_SPACE}?[:：](?:{_SPACE}|$|(?<=：)))?",
    re.MULTILINE,
)
_BOXED_ALONE = re.compile(
    rf"^[{_UNSEEN}]*\[(?P<boxed>[^\]\n]{{6,{LONGEST_HEAD}}})\]{_SPACE}+(?P<speaker>[^\n<*#-][^\n]{{0,60}})$",
    re.MULTILINE,
)  # of Discord, and of Teams when it is copied: the speaker alone beside the time
_TIME_ALONE = re.compile(
    r"^(?P<boxed>[A-Z][a-z]{2} \d{1,2}, \d{4} {1,2}\d{1,2}:\d\d:\d\d [AP]M)(?: \(Read by [^\n]*\))?"
    r"(?:\n(?P<speaker>[^\n]{1,80})$| (?P<told>[^\n]+)$)",
    re.MULTILINE,
)  # of iMessage: the speaker below the time
_FRAME = re.compile(r"\A\s*={9,}\n(?:[^\n]*\n){1,12}?={9,}\n|\n={9,}\n[^\n]*\n={9,}\s*\Z")
_REPEATED = re.compile(r"^ {4,}[A-Z][a-z]{2} \d{1,2}, \d{4} {1,2}\d.*(?:\n(?: {4,}.*)?)*", re.MULTILINE)
_ZONE = re.compile(r"\s*(?:UTC|GMT|Z)(?P<offset>[+-]\d\d:?\d\d)?$")
_BESIDE = re.compile(r"\s*\([^()]*\)$")
_COLON_CLOCK = re.compile(r"(?<!\d)(\d{1,2}):(\d\d)(?::(\d\d))?(?!\d)")
_UNITS = frozenset("年 月 日 년 월 일 時 时 分 시 분 초 秒".split())
_WORD = re.compile(r"[^\s\d@,،;:/()\[\]–-]+")


class _Time(NamedTuple):
    """A time as it is written: its signs, numbers and words."""

    shape: str
    date: tuple[int, int, int]
    clock: tuple[int, int]
    words: tuple[str, ...]


class _Line(NamedTuple):
    """The head of a message: where it stands, and its time."""

    mark: re.Match[str]
    time: _Time


def read_line_chat(text: str) -> LineChat:
    """The chat in a text; without messages if the text isn't one: its first line must be a message.

    The lines that begin messages are those that have a date and a time in the form that the first one has.
    """
    chat = LineChat([])
    for read in (_read_headed, read_day_chat, _read_boxed, _read_timed):
        other = read(text)
        if any(turn.speaker for _, turn in other.messages):
            return other
        chat = chat if chat.messages else other
    return chat


def _read_lines(text: str, head: re.Pattern[str]) -> LineChat:
    """The chat whose messages begin with such lines; without messages if the first line is none."""
    frame = _FRAME.match(text)
    begins = frame.end() if frame else 0
    first = next(_lines_of(text[: begins + 2_000], head, begins), None)
    if first is None or _MARKS.sub("", text[begins : first.mark.start()]).strip():
        return LineChat([])
    lines = [line for line in _lines_of(text, head, begins) if line.time.shape == first.time.shape]
    times, unsure = _times_in([line.time for line in lines])
    messages = list[tuple[int, ChatTurn]]()
    ends = [*(line.mark.start() for line in lines[1:]), len(text)]
    for line, time, end in zip(lines, times, ends, strict=True):
        speaker = _MARKS.sub("", line.mark["speaker"] or "").strip("\u00a0~ ")
        said = text[line.mark.end() : end]
        if head is not _HEAD:
            said = f"{line.mark.groupdict().get('told') or ''}{_FRAME.sub('', _REPEATED.sub('', said))}"
        if time or messages:
            messages.append((line.mark.start(), ChatTurn(speaker, said.strip(), time)))
    return LineChat(messages, unsure) if len(messages) >= FEWEST_MESSAGES else LineChat([])


_read_headed = partial(_read_lines, head=_HEAD)
_read_boxed = partial(_read_lines, head=_BOXED_ALONE)
_read_timed = partial(_read_lines, head=_TIME_ALONE)


def read_times(written: Sequence[str]) -> tuple[list[datetime | None], str]:
    """The times that are written so, in any form that all share; and what of them is unsure.

    Those with "UTC+03:00" are given in UTC.
    """
    zones = [_ZONE.search(each) for each in written]
    parts = [_time_in(_BESIDE.sub("", _MARKS.sub("", _ZONE.sub("", each))).strip()) for each in written]
    times, unsure = _times_in([part for part in parts if part])
    at = iter(times)
    read = [next(at) if part else None for part in parts]
    return [time and time - _offset(zone) for time, zone in zip(read, zones, strict=True)], unsure


def _offset(zone: re.Match[str] | None) -> timedelta:
    digits = (zone["offset"] or "").replace(":", "") if zone else ""
    ahead = timedelta(hours=int(digits[1:3]), minutes=int(digits[3:])) if digits else timedelta()
    return -ahead if digits.startswith("-") else ahead


def _lines_of(text: str, head: re.Pattern[str], begins: int) -> Iterator[_Line]:
    for mark in head.finditer(text, begins):
        is_boxed = bool(mark["boxed"])
        if time := _time_in(_MARKS.sub("", mark["boxed"] or mark["open"]).strip(), "[" if is_boxed else "-"):
            yield _Line(mark, time)


def _time_in(head: str, sign: str = "") -> _Time | None:
    """The time that is all of such words; None for others."""
    clock = next(_COLON_CLOCK.finditer(head), None) or next(reversed([*CLOCK.finditer(head)]), None)
    rest = write_months(f"{head[: clock.start()]} @ {head[clock.end() :]}") if clock else ""
    dates = [*DATE.finditer(rest)]
    if not clock or len(dates) != 1:
        return None
    date = dates[0]
    between = rest[: date.start()] + " " + rest[date.end() :]
    named = (word.replace(".", "").casefold() for word in _WORD.findall(between))
    told = tuple(word for word in named if word and word not in _UNITS)
    if re.search(r"\d", between) or sum(map(len, told)) > 24:
        return None
    shape = (date[2].strip() or " ")[:1], sign, str(date.start() < rest.index("@"))
    return _Time("".join(shape), (int(date[1]), int(date[3]), int(date[5])), (int(clock[1]), int(clock[2])), told)


def _times_in(times: Sequence[_Time]) -> tuple[list[datetime | None], str]:
    """The times of a chat, as all of them together tell their order; and what is unsure."""
    if not times:
        return [], ""
    order, unsure = _order_of_date([time.date for time in times], times[0])
    days = [day_of(time.date, order) for time in times]
    halves, unsure_halves = _halves_of_day(times, days)
    told = " and ".join(filter(None, (unsure, unsure_halves)))
    return [_at(day, time, halves) for day, time in zip(days, times, strict=True)], told


def _order_of_date(dates: Sequence[tuple[int, int, int]], first: _Time) -> tuple[str, str]:
    """The order of day, month and year, which depends on the phone ("dmy", "mdy" or "ymd"), and what is unsure."""
    if max(date[0] for date in dates) > 31:
        return "ymd", ""
    if max(date[0] for date in dates) > 12:
        return "dmy", ""
    if max(date[1] for date in dates) > 12:
        return "mdy", ""
    in_orders = [(c, b, a) for a, b, c in dates], [(c, a, b) for a, b, c in dates]
    # Messages stand in the order of time: the wrong order has more steps back.
    by_day, by_month = (sum(after < before for before, after in pairwise(days)) for days in in_orders)
    if by_day == by_month:
        is_american = first.shape.startswith("/") and any(word in ("am", "pm") for word in first.words)
        order, told = ("mdy", "month before day") if is_american else ("dmy", "day before month")
        # With dots or dashes between them, the day comes first everywhere.
        is_open = first.shape.startswith("/") and any(date[0] != date[1] for date in dates)
        return order, f"the order of day and month in its dates is not sure ({told} is taken)" if is_open else ""
    return "dmy" if by_day < by_month else "mdy", ""


def _halves_of_day(lines: Sequence[_Time], days: Sequence[datetime | None]) -> tuple[dict[str, int], str]:
    """The words beside the times that say which half of the day it is, with its first hour; and what is unsure.

    Words that are not known are told by the order of the messages, or else by the hours in which people sleep.
    """
    if any(line.clock[0] > 12 for line in lines):
        return {}, ""
    words = Counter(word for line in lines for word in line.words)
    halves = {word: 0 for word in words if word in MORNING} | {word: 12 for word in words if word in AFTERNOON}
    unknown = [word for word in words if word not in halves and words[word] < len(lines)]
    if halves or len(unknown) < 2:
        return halves, ""

    def judge(each: dict[str, int]) -> tuple[int, int]:
        times = [_at(day, line, each) for day, line in zip(days, lines, strict=True)]
        back = sum(bool(before and after and after < before) for before, after in pairwise(times))
        return back, sum(bool(time and time.hour < WAKING) for time in times)

    first, second = ({one: 0, other: 12} for one, other in (unknown[:2], unknown[1::-1]))
    told = f"which of '{unknown[0]}' and '{unknown[1]}' is before noon is not sure"
    return min(first, second, key=judge), told if judge(first)[0] == judge(second)[0] else ""


def _at(day: datetime | None, line: _Time, halves: dict[str, int]) -> datetime | None:
    hour, minute = line.clock
    first = next((halves[word] for word in line.words if word in halves), None)
    if first is not None:
        hour = hour % 12 + first
        if first and "晚上" in line.words and hour == 12:  # midnight
            hour = 0
    return day.replace(hour=hour, minute=minute) if day and hour < 24 and minute < 60 else None
