"""Dates and times as chats in lines have them, in many languages and calendars; and what is read of such a chat."""

import re
from datetime import datetime, timedelta
from typing import NamedTuple

from readgraph.language.calendars import fold_month_name, month_names
from readgraph.sources.formats.chat_turns import ChatTurn

CLOCK = re.compile(r"(?<!\d)(\d{1,2})(?:[:.٫٬]|시 ?|時|时)(\d\d?)(?:(?:[:.٫٬]|분 ?|分)(\d\d))?(?:분|分|초|秒)?(?!\d)")
DATE = re.compile(r"(?<!\d)(\d{1,4})(\W{1,4}|[年년]\W{0,3})(\d{1,2})(\W{1,4}|[月월]\W{0,3})(\d{1,4})(?!\d)")
MORNING = frozenset("a am 上午 早上 凌晨 清晨 오전 午前 ص قظ πμ sa öö de dop epd paradites पूर्वाह्न".split())
AFTERNOON = frozenset("p pm 下午 晚上 中午 오후 午後 م بظ μμ ch ös du odp pasdites अपराह्न".split())
_WRITTEN = re.compile(
    r"(?<!\d)(?P<day>\d{1,2})(?:\.|st|nd|rd|th)? ?-?(?:de )?(?P<month>[^\W\d_]{3,12})\.?,? ?-?(?:de )?"
    r"(?P<year>\d{4}|(?<=-)\d\d(?!\d))"
    r"|\b(?P<month_first>[^\W\d_]{3,12})\.? (?P<day_second>\d{1,2})(?:st|nd|rd|th)?,? (?P<year_last>\d{4})"
)
_LEFT_OUT = re.compile(
    r"[\u200e\u200f][^\n]*|<[^<>\n]{1,60}>"
)  # what stands for a picture that was not exported, and the like


class LineChat(NamedTuple):
    """The messages of a chat with their offsets, and what of their times is unsure ("" if nothing is)."""

    messages: list[tuple[int, ChatTurn]]
    unsure: str = ""

    @property
    def said(self) -> list[ChatTurn]:
        """What was said, without what only stands for pictures."""
        return [turn for _, turn in self.messages if turn.text and not _LEFT_OUT.fullmatch(turn.text)]


def write_months(text: str) -> str:
    """The text with dates whose months are words as numbers: "12 Mar 2024" as "2024-3-12"."""

    def write(found: re.Match[str]) -> str:
        month = month_names("").get(fold_month_name(found["month"] or found["month_first"]))
        day, year = found["day"] or found["day_second"], found["year"] or found["year_last"]
        return f"{f'20{year}'[-4:]}-{month}-{day}" if month else found[0]

    return _WRITTEN.sub(write, text)


def day_of(date: tuple[int, int, int], order: str) -> datetime | None:
    """The day of three numbers in an order ("dmy"); None where there is no such day."""
    year, month, day = (date[order.index(unit)] for unit in "ymd")
    now = datetime.now().year
    if year < 100:
        year += 2000 if 2000 + year <= now + 1 or 1957 + year > now + 1 else 2500
    if 2400 < year < 2700:  # of the Buddha
        year -= 543
    if 1300 < year < 1420:
        return _from_persian(year, month, day)
    try:
        return datetime(year, month, day)
    except ValueError:
        return None


def _from_persian(year: int, month: int, day: int) -> datetime | None:
    """The day of a date in the solar Hijri calendar, by its cycle of 33 years."""
    if not (1 <= month <= 12 and 1 <= day <= 31):
        return None
    leaps = sum(each % 33 in (1, 5, 9, 13, 17, 22, 26, 30) for each in range(1300, year))
    days = (year - 1300) * 365 + leaps + (month - 1) * 30 + min(month - 1, 6) + day - 1
    return datetime(1921, 3, 21) + timedelta(days)
