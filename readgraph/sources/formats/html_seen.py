"""What a page shows by elements without words of their own: ticks, values of fields, and what a picture says."""

import re
from collections.abc import Mapping

TICKED, NOT_TICKED = "☒", "☐"
_HAVE_NO_VALUE = frozenset("hidden password submit button reset image file".split())
_NAME_OF_FILE = re.compile(r"\S+\.(?:png|jpe?g|gif|svg|webp|bmp|tiff?)", re.IGNORECASE)
_MEANINGLESS = frozenset("image picture photo img cover spacer logo icon figure illustration".split())
_BY_PROGRAM = re.compile(r"^.*(?:Description automatically generated|AI-generated content may be incorrect\.?).*$")
_TEX = re.compile(r"\{\\(?:displaystyle|textstyle) (.*)\}|\$+(.*?)\$+", re.DOTALL)
_GLYPH = 2  # characters of what a picture stands for within a word or line: an initial, a sign, an emoji


def value_of_field(attributes: Mapping[str, str]) -> str:
    """What a field holds, as it is filled in; "" for one without a value that is seen."""
    kind = attributes.get("type", "").lower()
    if kind in ("checkbox", "radio"):
        return f" {TICKED if 'checked' in attributes else NOT_TICKED} "
    value = "" if kind in _HAVE_NO_VALUE else attributes.get("value", "").strip()
    return f" {value} " if value else ""


def is_formula(attributes: Mapping[str, str]) -> bool:
    """Whether a picture is that of a formula."""
    alt, names = attributes.get("alt", ""), attributes.get("class", "").lower()
    return bool(_TEX.fullmatch(alt)) or "math" in names or {"tex", "latex"} & {*names.split()} != set()


def describe_image(attributes: Mapping[str, str]) -> str:
    """The words that stand for a picture: within the line for a sign or a formula, else set apart."""
    alt = _BY_PROGRAM.sub("", " ".join(attributes.get("alt", "").split()))
    if is_formula(attributes):
        tex = _TEX.fullmatch(alt)
        return f" {(tex[1] or tex[2] or '').strip() if tex else alt} " if alt else ""
    if not alt or _NAME_OF_FILE.fullmatch(alt) or alt.lower() in _MEANINGLESS:
        return ""
    return alt if len(alt) <= _GLYPH and not alt.isdecimal() else f" [picture: {alt}] "
