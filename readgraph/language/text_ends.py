"""How far a text goes up to what is not a name in it: a time of a film, a day, a line, or a share of all."""

import re
from calendar import monthrange
from collections.abc import Sequence
from datetime import date
from functools import reduce

from readgraph.language.dates import date_in, dates_in
from readgraph.state.errors import BadInput

_CLOCK = re.compile(r"(\d{1,3}):(\d\d):(\d\d)(?:[.,]\d{1,3})?")  # as subtitles have it
_SHORT_CLOCK = re.compile(r"(\d{1,3}):(\d\d)")
_LASTING = re.compile(
    r"(?:(\d{1,3}) ?(?:h|hrs?|hours?|std|stunden?|heures?|horas?|ore|小时|時間)\.?,? ?)?"
    r"(?:(\d\d)(?<=h\d\d)|(\d{1,4}) ?(?:'|min|mins|m|minut\w*|分钟?)\.?,? ?)?(?:(\d{1,5}) ?(?:s|sec\w*|sek\w*|秒)\.?)?",
    re.I,
)
_TIME = re.compile(r"(\d{1,2}):(\d\d)(?:\s*([ap])\.?m)?", re.I)
_BESIDE_DAY = re.compile(r"(?:on|at|um|am|pm|[\s,.:T\d])*", re.I)
_LINE = re.compile(r"(?:line|zeile|ligne|línea|riga|linha|regel|строка|السطر|第) ?(\d{1,9})(?: ?行)?", re.I)
_SHARE = re.compile(r"(\d{1,2}(?:[.,]\d)?|100) ?[%٪％]|[%٪] ?(\d{1,2})", re.I)
_HALF = re.compile(
    r"(?:(?:die|zur|la|à la) )?(?:½|half|hälfte|moitié|mitad|metà)(?: ?way)?|половина|النصف|一半|半分", re.I
)
_SENTENCES = re.compile(r".*(?:[.!?؟…][\"'”’»)]*(?=\s)|[。！？])", re.DOTALL)


def end_of_time(places: Sequence[tuple[int, str]], end: int, wanted: str) -> int | None:
    """The end of what is said up to a time of a film or a chat, where all places have such names; else None.

    Raises:
        BadInput: It may be one of two times: "1:30" is 90 minutes, or 90 seconds.
    """
    clocks = [_seconds(*clock.groups()) for _, name in places if (clock := _CLOCK.fullmatch(name))]
    if not clocks or len(clocks) < len(places):
        return _end_of_day(places, end, wanted, fewest=len(places))
    times = _times_meant(wanted)
    meant = [time for time in times if time <= clocks[-1]] or times[-1:]
    if len(meant) > 1:
        one, other = (f"{time // 3600}:{time // 60 % 60:02}:{time % 60:02}" for time in meant)
        raise BadInput(f"'{wanted}' may be {one} or {other}: write one of them.")
    return _end_of_place(places, end, sum(time <= meant[0] for time in clocks)) if meant else None


def _seconds(hours: str | None, minutes: str | None, seconds: str | None) -> int:
    return 3600 * int(hours or 0) + 60 * int(minutes or 0) + int(seconds or 0)


def _times_meant(wanted: str) -> list[int]:
    """The seconds that a time of a film may stand for, the fewest last."""
    if short := _SHORT_CLOCK.fullmatch(wanted):
        return [_seconds(short[1], short[2], None), _seconds(None, short[1], short[2])]
    if clock := _CLOCK.fullmatch(wanted):
        return [_seconds(*clock.groups())]
    lasting = _LASTING.fullmatch(wanted)
    return [_seconds(lasting[1], lasting[2] or lasting[3], lasting[4])] if lasting else []


def end_by_measure(places: Sequence[tuple[int, str]], text: str, wanted: str) -> int | None:
    """The end of what a text has up to a day or a time of it, to a line or to a share of all; None for what is none."""
    line, share, half = _LINE.fullmatch(wanted), _SHARE.fullmatch(wanted), _HALF.fullmatch(wanted)
    if line and places and all(_LINE.fullmatch(name) for _, name in places):
        lines, number = text.split("\n"), int(line[1])
        return min(len("\n".join(lines[:number])) + 1, len(text)) * bool(number) if number <= len(lines) else None
    if share or half:
        part = text[: int(len(text) * float((share[1] or share[2]).replace(",", ".") if share else 50) / 100)]
        sentences = None if part == text else _SENTENCES.match(part)
        return sentences.end() if sentences else len(part)
    return _end_of_day(places, len(text), wanted)


def _end_of_day(places: Sequence[tuple[int, str]], end: int, wanted: str, fewest: int = 1) -> int | None:
    """The end of what was said up to a day, or a time of it, where places have such names in order; else None."""
    rest = reduce(lambda text, day: text[: day.start] + text[day.end :], reversed(dates_in(wanted)), wanted)
    until = (_moment(wanted, hours=24) or _last_moment(wanted)) if _BESIDE_DAY.fullmatch(rest) else None
    if not until:
        return None
    moments = [(moment, number) for number, (_, name) in enumerate(places, 1) if (moment := _moment(name))]
    if len(moments) < fewest or moments != sorted(moments):
        return None
    return _end_of_place(places, end, max((number for moment, number in moments if moment <= until), default=0))


def _end_of_place(places: Sequence[tuple[int, str]], end: int, number: int) -> int:
    """The end of the place with this number, from 1; of 0, the start of the first."""
    return [*(start for start, _ in places), end][number]


def _moment(text: str, hours: int = 0) -> tuple[int, int, int] | None:
    """A day, and a time of it: `hours`, where none is named."""
    day, time = date_in(text), _TIME.search(text)
    if day and time:
        hours = int(time[1]) % (12 if time[3] else 24) + 12 * ((time[3] or "").lower() == "p")
    return (day.toordinal(), hours, int(time[2]) if time else 0) if day else None


def _last_moment(text: str) -> tuple[int, int, int] | None:
    """The end of the month or the year that a text names alone: "03/06/2024" is one of two days, and no year."""
    named = next(iter(dates_in(text)), None)
    if named is None or named.year is None or not {*map(int, re.findall(r"\d+", text))} <= {named.year, named.month}:
        return None
    month = named.month or 12
    return (date(named.year, month, monthrange(named.year, month)[1]).toordinal(), 24, 0)
