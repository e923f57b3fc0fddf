"""What is kept of an element's tag and attributes, which elements can be acted on, and which are not shown."""

import re
from collections.abc import Mapping

from readgraph.state.web.lines import cut

HIDDEN = "data-readgraph-hidden"
"""An attribute with which whoever renders a page marks what is not shown: it is left out, with all that is in it."""

LEFT_OUT = frozenset(
    "script style template noscript iframe frame object embed canvas audio video svg math base link meta".split()
)
INLINE = frozenset(
    "abbr b bdi bdo big cite code data del dfn em font i ins kbd mark nobr q s samp small span strong sub sup text time"
    " tt u var".split()
)
"""Elements that don't interrupt a sentence; `text` is what Mind2Web puts around each text."""

_RECORDED = {
    "aria_label": "aria-label",
    "aria_role": "role",
    "input_checked": "checked",
    "input_value": "value",
    "text_value": "value",
    "option_selected": "selected",
}
"""Names under which Mind2Web records what a browser knew of an element."""

TELLING = frozenset(
    "h1 h2 h3 h4 h5 h6 p li td th dt dd caption legend form fieldset dialog nav main table tr details blockquote"
    " pre option optgroup".split()
)
"""Elements whose tag says something, so that it is kept; others have a line only where several things are in them."""

FRAMES = frozenset("form fieldset dialog nav main details".split())
"""Elements that have a line also around a single other one."""

_ROLES = frozenset(
    "button link checkbox radio switch tab menuitem menuitemcheckbox menuitemradio option combobox textbox searchbox"
    " spinbutton slider treeitem".split()
)
_CONTROLS = frozenset("button input select textarea summary".split())
_STATES = {"aria-checked": "checked", "aria-selected": "selected", "aria-expanded": "expanded"}
_SWITCHES = ("checked", "selected", "disabled", "readonly", "required", "multiple")
_TEXTS = ("role", "name", "placeholder", "title", "alt")
_OF_PASSWORDS = frozenset(("current-password", "new-password"))
_NOT_SHOWN = re.compile(r"display\s*:\s*none|visibility\s*:\s*(?:hidden|collapse)", re.IGNORECASE)
_NOWHERE = re.compile(r"\s*(?:#|javascript:)", re.IGNORECASE)

LONGEST_ADDRESS = 60
"""Most characters of a link's address that are shown."""


def as_in_html(attributes: Mapping[str, str]) -> Mapping[str, str]:
    """The attributes by the names that HTML has for them, where a page was recorded with others."""
    if _RECORDED.keys().isdisjoint(attributes):
        return attributes
    recorded = {_RECORDED[name]: value for name, value in attributes.items() if name in _RECORDED}
    return {**attributes, **{name: value for name, value in recorded.items() if value.lower() != "false"}}


def is_hidden(tag: str, attributes: Mapping[str, str]) -> bool:
    """Whether an element is not shown, as far as the page itself says so."""
    return (
        attributes.get("hidden", "until-found") != "until-found"
        or HIDDEN in attributes
        or "inert" in attributes
        or attributes.get("aria-hidden", "").lower() == "true"
        or (tag == "input" and attributes.get("type", "").lower() == "hidden")
        or (tag == "dialog" and "open" not in attributes)
        or bool(_NOT_SHOWN.search(attributes.get("style", "")))
    )


def can_be_acted_on(tag: str, attributes: Mapping[str, str]) -> bool:
    """Whether an element is a link or a control, or behaves as one."""
    return (
        tag in _CONTROLS
        or (tag in ("a", "area") and "href" in attributes)
        or role_of(attributes) in _ROLES
        or is_editable(attributes)
        or "onclick" in attributes
        or attributes.get("tabindex", "-1").strip().isdecimal()
    )


def is_editable(attributes: Mapping[str, str]) -> bool:
    """Whether an element's text can be edited in its place."""
    return attributes.get("contenteditable", "false").lower() in ("", "true", "plaintext-only")


def role_of(attributes: Mapping[str, str]) -> str:
    """The first role that an element says it has; "" for none."""
    return next(iter(attributes.get("role", "").lower().split()), "")


def kept_attributes(tag: str, attributes: Mapping[str, str]) -> dict[str, str]:
    """The attributes that matter to whoever reads or acts, without the label; those that are merely on have ""."""
    kind = "password" if _takes_password(attributes) else attributes.get("type", "").lower().strip()
    kept = {"type": kind} if tag == "input" and kind not in ("", "text") else {}
    kept |= {name: cut(attributes[name]) for name in _TEXTS if attributes.get(name, "").strip()}
    if tag not in _CONTROLS:
        kept.pop("name", None)
    if "role" in kept:
        kept["role"] = role_of(attributes)
    if tag in ("a", "area") and not _NOWHERE.match(href := attributes.get("href", "#")):
        kept["href"] = cut(href, LONGEST_ADDRESS)
    kept |= {name: "" for name in _SWITCHES if name in attributes}
    kept |= {name: "" for aria, name in _STATES.items() if attributes.get(aria, "").lower() == "true"}
    if attributes.get("aria-disabled", "").lower() == "true":
        kept["disabled"] = ""
    if is_editable(attributes):
        kept["editable"] = ""
    return kept | _value(tag, kind, attributes)


def _takes_password(attributes: Mapping[str, str]) -> bool:
    """Whether a field of texts says that a password belongs into it, as one does that shows what is typed."""
    return not _OF_PASSWORDS.isdisjoint(attributes.get("autocomplete", "").lower().split())


def _value(tag: str, kind: str, attributes: Mapping[str, str]) -> dict[str, str]:
    """What stands in a field; of a password only that it is filled."""
    if tag != "input" or not (value := attributes.get("value", "")):
        return {}
    return {"filled": ""} if kind == "password" else {"value": cut(value)}
