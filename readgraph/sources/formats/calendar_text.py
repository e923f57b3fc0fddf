"""Invitations (iCalendar) as lines that people read: what, when, where, who."""

import re
from collections.abc import Iterator
from datetime import datetime
from typing import NamedTuple

from readgraph.sources.formats.chat_turns import day, minute

_FOLD = re.compile(r"\r?\n[ \t]")
_LINE = re.compile(r"([\w-]+)((?:;[\w-]+=(?:\"[^\"]*\"|[^;:\"]*)(?:,\"[^\"]*\")*)*):(.*)")
_PARAMETER = re.compile(r";([\w-]+)=(\"[^\"]*\"|[^;:\"]*)")
_ESCAPE = re.compile(r"\\([\\;,nN])")
_KINDS = {"CANCEL": "Cancelled", "REPLY": "Answer to an invitation", "REQUEST": "Invitation"}
_TOLD = {"URL": "Link", "STATUS": "Status", "RRULE": "Repeats", "COMMENT": "Comment"}
MOST_EVENTS = 100


class _Field(NamedTuple):
    """A line of a calendar."""

    name: str
    parameters: dict[str, str]
    value: str

    @property
    def text(self) -> str:
        return _ESCAPE.sub(lambda sign: "\n" if sign[1] in "nN" else sign[1], self.value).strip()

    @property
    def person(self) -> str:
        """Such as "Anna Ohm <anna@example.org> (accepted)"."""
        name, address = self.parameters.get("CN", ""), re.sub(r"(?i)^mailto:", "", self.value).strip()
        told = self.parameters.get("PARTSTAT", "NEEDS-ACTION").replace("-", " ").lower()
        shown = f"{name} <{address}>" if name and name != address and "@" in address else name or address
        return shown + (f" ({told})" if told != "needs action" and self.name == "ATTENDEE" else "")


def describe_calendar(text: str) -> str:
    """The events and tasks of a calendar, a block for each; "" where it holds none."""
    fields, method, blocks, depth = list[_Field](), "", list[str](), list[str]()
    for line in _FOLD.sub("", text).splitlines():
        match = _LINE.fullmatch(line.strip())
        if not match:
            continue
        parameters = {name.upper(): value.strip('"') for name, value in _PARAMETER.findall(match[2])}
        field = _Field(match[1].upper(), parameters, match[3])
        if field.name == "BEGIN":
            depth.append(field.value.strip().upper())
            fields = [] if depth[-1] in ("VEVENT", "VTODO") else fields
        elif field.name == "END" and depth:
            if depth.pop() in ("VEVENT", "VTODO") and len(blocks) < MOST_EVENTS:
                blocks.append("\n".join(_lines_of(fields, method)))
        elif field.name == "METHOD":
            method = field.value.strip().upper()
        elif depth and depth[-1] in ("VEVENT", "VTODO"):
            fields.append(field)
    return "\n\n".join(dict.fromkeys(filter(None, blocks)))


def _lines_of(fields: list[_Field], method: str) -> Iterator[str]:
    of = {field.name: field for field in reversed(fields)}
    yield f"{_KINDS.get(method, 'Event')}: {of['SUMMARY'].text if 'SUMMARY' in of else 'without a title'}"
    if when := _when(of):
        yield f"When: {when}"
    if "LOCATION" in of and of["LOCATION"].text:
        yield f"Where: {of['LOCATION'].text}"
    for label, name in (("Organizer", "ORGANIZER"), ("Attendees", "ATTENDEE")):
        if people := [field.person for field in fields if field.name == name]:
            yield f"{label}: {', '.join(people)}"
    for name, label in _TOLD.items():
        if name in of and of[name].text:
            yield f"{label}: {of[name].text}"
    if "DESCRIPTION" in of and (described := of["DESCRIPTION"].text):
        yield described


def _when(of: dict[str, _Field]) -> str:
    """Such as "12 March 2024, 19:00 to 20:30 (Europe/Berlin)"."""
    starts, ends = of.get("DTSTART"), of.get("DTEND") or of.get("DUE")
    first, zone = _moment(starts)
    last, last_zone = _moment(ends)
    if last and first.rpartition(", ")[0] == last.rpartition(", ")[0] != "" and zone == last_zone:
        last = last.rpartition(", ")[2]
    if not last and "DURATION" in of:
        return f"{first}{zone}, for {of['DURATION'].value.strip()}"
    first += "" if last and zone == last_zone else zone
    return " to ".join(filter(None, (first, last + last_zone)))


def _moment(field: _Field | None) -> tuple[str, str]:
    """A time or day, and its zone in brackets."""
    value = field.value.strip() if field else ""
    name = "UTC" if value.endswith("Z") else field.parameters.get("TZID", "") if field else ""
    zone = f" ({name})" if name else ""
    for form, write in (("%Y%m%dT%H%M%S", minute), ("%Y%m%dT%H%M", minute), ("%Y%m%d", day)):
        try:
            return write(datetime.strptime(value.rstrip("Z"), form)), zone
        except ValueError:
            continue
    return value, zone
