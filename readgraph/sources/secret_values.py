"""What a value looks like: words, a reference to what stands elsewhere, or chance."""

import re

SHORTEST_BY_CHANCE = 20  # characters of a secret that nothing but chance in it tells
MEAN_RUN = 2.7  # characters of one kind in a row: words have more, chance has fewer
_RUNS = re.compile(r"[A-Z]?[a-z]+|[A-Z]+|[0-9]+")
_PART = re.compile(r"[A-Za-z0-9]+")
_KNOWN = re.compile(r"(?:0x)?(?:[0-9a-f]+|[0-9A-F]+)|01[0-9A-HJKMNP-TV-Z]{24}")  # hexadecimal, or an ULID
_REFERENCE = re.compile(  # to a value that stands elsewhere, or that was left out
    r"\$(?:[{(]|[A-Z_]+\d?$|[a-z_:.]+$|\d$)|<[^<>]*>$|\{\{|\{[^{}]*\}|%[(%sdv]|%\w+%$|[*•.x]+$|@\w+@$|&[a-z]+$"
    r"|[(\[][\w -]+[)\]]$|\.\.\.|…|.{0,20}…\(|(?:xxx|your|my[_-]|insert|replace|example|process\.|os\.|self\."
    r"|env\."
    r"|config\.|settings\.|var\.|args?\.|data\.|secrets\.|vault)(?!\w{0,3}\d)"
    r"|[\w.]+\(|(?:https?|file)://[^@]*$|[~.]?/[\w.-]+(?:/[\w.-]+)+$|[\w-]+\.(?:json|ya?ml|txt|pem|key|py|env|md)$",
    re.IGNORECASE,
)


def lower(text: str) -> str:
    """The text in small letters, each at its place."""
    low = text.lower()
    return low if len(low) == len(text) else "".join(sign.lower() if len(sign.lower()) == 1 else sign for sign in text)


def is_reference(value: str) -> bool:
    """Whether a value only says where the value is, or that there is none here."""
    return bool(_REFERENCE.match(value)) or not any(map(str.isalnum, value))


def is_wordy(value: str) -> bool:
    """Whether somebody wrote a value as words, such as names in programs, versions and model names are."""
    return not re.search(r"[^\w\s./:+-]", value) and all(map(_is_wordy_part, _PART.findall(value)))


def _is_wordy_part(part: str) -> bool:
    if len(part) <= 3 or part.isdigit() or not part.isascii():
        return True
    runs = _RUNS.findall(part)
    digits = [number for number, run in enumerate(runs) if run.isdigit()]
    ends = not digits or (digits in ([0], [len(runs) - 1]) and len(runs[digits[0]]) <= 4)
    return ends and len(part) / len(runs) >= MEAN_RUN


def is_by_chance(value: str) -> bool:
    """Whether most of a value is letters and digits in no order, and no checksum or UUID."""
    drawn = [part for part in _PART.findall(value) if len(part) >= 6 and not _KNOWN.fullmatch(part) and _is_drawn(part)]
    return sum(map(len, drawn)) >= max(16, len(value) / 2)


def _is_drawn(part: str) -> bool:
    runs = _RUNS.findall(part)
    kinds = len({run.isdigit() or run.islower() or 2 for run in runs}) + any(map(str.isdigit, part))
    return len(part) / max(1, len(runs)) < MEAN_RUN and kinds > 1
