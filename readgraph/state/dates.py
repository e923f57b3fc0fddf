"""Dates of documents: found at the beginning of a text, checked, and as times in the local zone."""

import re
from contextlib import suppress
from datetime import UTC, date, datetime

from readgraph.state.calendars import fold_month_name, month_names
from readgraph.state.errors import BadInput

_DATE = re.compile(r"\d{4}(?:-\d\d(?:-\d\d)?)?(?!\d|([./])\d\d?\1\d)", re.ASCII)
_WRITTEN_DATES = (  # "2024/04/12"; "12.04.2024", "12. April 2024", "12th of April, 2024"; "April 12, 2024"
    re.compile(r"(?P<year>\d{4})(?P<mark>[./])(?P<month>\d\d?)(?P=mark)(?P<day>\d\d?)\b"),
    re.compile(
        r"(?P<day>\d\d?)\.?[a-zº]* ?(?:\w\w )?(?P<month>\d\d?(?=\.)|[^\W\d_]+)\W?\s?(?:\w\w )?(?P<year>\d{4})\b"
    ),
    re.compile(r"(?P<month>[^\W\d_]+)\.? (?P<day>\d\d?)\w{0,2},? (?P<year>\d{4})\b"),
)


def find_date(text: str) -> str:
    """The date with which a text of a file's own data begins, as YYYY-MM-DD, YYYY-MM or YYYY; "" where it is none."""
    text = text.strip()
    match = _DATE.match(text)
    with suppress(ValueError):
        if match:
            return match.group() if date.fromisoformat(f"{match.group()}-01-01"[:10]) else ""
        for parts in filter(None, (pattern.match(text) for pattern in _WRITTEN_DATES)):
            month = month_names("").get(fold_month_name(parts["month"]), parts["month"])
            return date(int(parts["year"]), int(month), int(parts["day"])).isoformat()
    return ""


def check_date(given: str, what: str = "The date") -> str:
    """A date as it is kept: YYYY-MM-DD, YYYY-MM or YYYY; raises `BadInput` for anything else."""
    if not isinstance(given, str) or not given or find_date(given) != given:
        raise BadInput(f"{what} '{given}' can't be read: write YYYY-MM-DD, such as 2024-03-01, or YYYY-MM, or YYYY.")
    return given


def at_local_time(time: datetime) -> datetime:
    """The time in the local zone; as it is, or in UTC, where the system knows no such time (Windows before 1970)."""
    try:
        return time.astimezone()
    except (ValueError, OverflowError, OSError):
        return time if time.tzinfo else time.replace(tzinfo=UTC)
