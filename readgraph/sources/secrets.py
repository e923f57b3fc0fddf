"""Secrets in a text: passwords, keys, tokens, cookies and codes, known by where they stand, or by chance in them.

A secret's shape stays ("sk-…(48 characters left out)"), so that the text around it reads as it did. Every rule takes
time in proportion to the text: what it may run over is bounded, and never given back.
"""

import re
from collections.abc import Callable

from readgraph.sources.secret_codes import CODES
from readgraph.sources.secret_forms import FORMS
from readgraph.sources.secret_names import NO_VALUES, PREFIXES
from readgraph.sources.secret_settings import NAMED, TOLD, group_of_named, group_of_told
from readgraph.sources.secret_values import SHORTEST_BY_CHANCE, is_by_chance, is_reference, is_wordy, lower

Found = re.Match[str]
LONG = 60  # characters of a secret that may go on where a rule stopped

_KEY_BLOCK = re.compile(
    r"(?P<begin>-{4,5} ?BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)? ?-{4,5})"
    r"(?P<v>(?:[^-]|-(?!-{3,4} ?(?:BEGIN|END) )){1,60000}+)(?P<end>-{4,5} ?END )?"
)
_KEY_LINES = re.compile(
    r"(?:\s|\\+[nr]|[\w+/=]{16,}+|(?:Proc-Type|DEK-Info|Version|Comment): ?[^\n]{0,100})*+[\w+/=]{0,64}+"
)
_PREFIXED = re.compile(rf"(?<![A-Za-z0-9])(?P<kept>{PREFIXES})(?P<v>[\w.~+/=-]{{10,4000}}+)")
_COOKIES = re.compile(
    r"(?P<name>\b(?:set-)?cookies?2?[\"'\]]{0,3}\s{0,4}[:=,]\s{0,4}[\"']?|\s(?:-b|--cookie)[ =]{1,2}[\"']?)"
    r"(?P<pairs>(?:[^\s=;\"',(){}]{1,100}+=(?:\"[^\"\n]{0,4000}+\"|[^\s;\"']{0,4000}+)"
    r"(?:;\s{0,4}(?:Secure|HttpOnly|Partitioned)?)?){1,50}+)",
    re.IGNORECASE,
)
_GOES_ON = re.compile(r"[\w+/=.~%-]*+")
_PAIR = re.compile(
    r"(?<![^\s;])(?!(?:path|domain|expires|max-age|samesite|version"
    r"|priority)=)([^\s=;\"']{1,100}=)\"?(?!…)([^\s;\"]{3,4000}+)",
    re.IGNORECASE,
)
_BY_CHANCE = re.compile(  # first what is public: certificates, keys for everybody, data in an address, checksums
    r"-----BEGIN (?:CERTIFICATE|PUBLIC KEY|RSA PUBLIC KEY|PGP [A-Z ]{1,30})-----[^-]{0,100000}+"
    r"|(?:;base64,|\bssh-[\w-]{2,20} |\becdsa-sha2-\w{1,12} |\b(?:sha|SHA)\d{1,3}[-:=_ ]|\bmd5[-:=_ ]"
    r"|\bh1:|/nix/store/)"
    r"[\w+/=-]++|(?<![\w+/=~])(?P<chance>[\w+/=~-]{20,}+)"
)


def without_secrets(text: str) -> str:
    """The text with how many characters were left out, for what looks like a key, a token, a password or a code."""
    low = lower(text)
    if "private key" in low:
        text = _KEY_BLOCK.sub(_cut_block, text)
    text = _PREFIXED.sub(_cut_prefixed, text)
    if "cookie" in low or " -b" in low:
        text = _COOKIES.sub(_cut_cookies, text)
    for form in (*FORMS, *CODES):
        if any(sign in low for sign in form.signs):
            text = _cut(form.pattern, _groups_of_form, text)
    return _BY_CHANCE.sub(_cut_by_chance, _cut(TOLD, group_of_told, _cut(NAMED, group_of_named, text)))


def _cut(pattern: re.Pattern[str], groups_of: Callable[[Found, str], list[str]], text: str) -> str:
    """The text without the groups that are secret; where none is, the next may begin in what follows `named`."""
    low, parts, kept, place = lower(text), list[str](), 0, 0
    while match := pattern.search(low, place):
        place = match.end("named") if "named" in pattern.groupindex else match.end()
        for begin, end in sorted(map(match.span, groups_of(match, text))):
            end = _GOES_ON.match(low, end).end() if end - begin > LONG or low[end : end + 1] == "=" else end  # type: ignore[union-attr]
            parts += [text[kept:begin], _mark(text[begin:end])]
            kept, place = end, max(end, place)
    return "".join([*parts, text[kept:]])


def _mark(value: str, kept: str = "") -> str:
    if len(value) >= SHORTEST_BY_CHANCE and (begins := re.match(r"(?:[A-Za-z]{2,8}\d{0,2}[-_]){1,2}", value)):
        kept, value = kept + begins[0], value[begins.end() :]
    return f"{kept}…({len(value):,} characters left out)"


def _groups_of_form(match: Found, text: str) -> list[str]:
    return [name for name in match.groupdict() if _is_secret_group(name, text[slice(*match.span(name))])]


def _is_secret_group(name: str, value: str) -> bool:
    if name[0] == "w" or not value:
        return bool(value)
    drawn = not is_wordy(value)
    fits = {"v": True, "p": drawn or not value.isalpha(), "c": drawn and len(value) >= 12}.get(name[0], False)
    return fits and not is_reference(value) and value.lower() not in NO_VALUES


def _cut_block(match: Found) -> str:
    value = match["v"]
    if is_reference(value):
        return match[0]
    lines = None if match["end"] else _KEY_LINES.match(value)
    end = lines.end() if lines else len(value)
    return f"{match['begin']}{_mark(value[:end])}{value[end:]}{match['end'] or ''}"


def _cut_prefixed(match: Found) -> str:
    value = match["v"]
    is_spelt = is_wordy(value) and (re.search("[-_.]", value) or value.islower())
    return match[0] if is_spelt else _mark(value, match["kept"])


def _cut_cookies(match: Found) -> str:
    return match["name"] + _PAIR.sub(lambda pair: f"{pair[1]}{_mark(pair[2])}", match["pairs"])


def _cut_by_chance(match: Found) -> str:
    return _mark(match[0]) if match["chance"] and is_by_chance(match[0]) else match[0]
