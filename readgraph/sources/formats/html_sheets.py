"""Style sheets of a page: which rules are for an element, and the words and signs that they add beside its own."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from readgraph.sources.formats.html_styles import read_declarations, stands

LONGEST_STYLE = 2_000_000  # characters of styles that are read
LONGEST_CONTENT = 2_000  # characters of a rule that are looked at for what it adds
MOST_RULES = 300  # for elements of one name
COUNTED = "\0"  # in what a sheet adds: a number that it counts
_COMMENT = re.compile(r"/\*.*?(?:\*/|\Z)|<!--|-->", re.DOTALL)
_PARTS = re.compile(r"(\"[^\"\n]*\"|'[^'\n]*'|[{}])")
_ON_SCREEN = re.compile(r"@media\s+(?:only\s+)?(?:screen|all)|@layer\b.*", re.IGNORECASE | re.DOTALL)
_COMPOUND = re.compile(r"([\w-]+|\*)?((?:[.#][\w-]+|\[[\w-]+(?:=[\"']?[\w-]*[\"']?)?\])*)")
_NAME = re.compile(r"[.#][\w-]+|\[[^\]]*\]")
_BESIDE = re.compile(r"::?(before|after)$")
_CONTENT = re.compile(r"(?<![\w-])content\s*:\s*((?:\"(?:[^\"\\]|\\.)*\"|'(?:[^'\\]|\\.)*'|[^;\"'])*)", re.DOTALL)
_PIECE = re.compile(
    r"\"((?:[^\"\\]|\\.)*)\"|'((?:[^'\\]|\\.)*)'|attr\(\s*([\w-]+)[^)]*\)|(counters?)\([^)]*\)|(open|close)-quote|(/)",
    re.DOTALL,
)
_ESCAPE = re.compile(r"\\(?:([0-9a-fA-F]{1,6})\s?|(.))", re.DOTALL)
_UNSEEN = re.compile(
    r"visibility:hidden|display:none|opacity:0(?!\.)|font-size:0(?!\.)|[;{]height:0|font-family:[^;]*icon"
)
_OF_ICON_FONTS = re.compile("[\ue000-\uf8ff]")
_FARTHEST = 100  # elements around one that are looked at

Names = frozenset[str]  # of an element: "p", ".old", "#top", "[lang]", "[lang=de]"


class _Rule(NamedTuple):
    """A rule for elements with these names; `around`, from the nearest: those that they stand in, maybe directly."""

    weight: tuple[int, int, int]
    names: Names
    around: tuple[tuple[Names, bool], ...]
    declared: Mapping[str, str]


class StyleSheets:
    """The rules for elements that are chosen by their names, ids, classes and attributes, and by those around them."""

    def __init__(self) -> None:
        self._rules: dict[str, list[_Rule]] = {}
        self._left, self._count = LONGEST_STYLE, 0

    def add(self, sheet: str) -> None:
        """Take the rules of a sheet."""
        sheet, self._left = sheet[: self._left], max(0, self._left - len(sheet))
        for selectors, body in _rules_in(_COMMENT.sub("", sheet)):
            declared = {place: _added(place, body[:LONGEST_CONTENT]) for place in ("before", "after")}
            declared[""] = read_declarations(body)
            for selector in selectors.split(",") if any(declared.values()) else ():
                beside = _BESIDE.search(selector := selector.strip())
                said = declared[beside[1] if beside else ""]
                if said and (chosen := _chain(_BESIDE.sub("", selector))):
                    (names, _), *around = chosen
                    signs = [name[0] for each, _ in chosen for name in each]
                    self._count += 1
                    weight = signs.count("#"), signs.count(".") + signs.count("["), self._count
                    rules = self._rules.setdefault(min(names, default="*"), [])
                    if len(rules) < MOST_RULES:
                        rules.append(_Rule(weight, names, tuple(around), said))

    def names_of(self, tag: str, attributes: Mapping[str, str]) -> Names:
        """What rules may call an element."""
        if not self._rules or not attributes:
            return frozenset((tag,))
        classes = (f".{name}" for name in attributes.get("class", "").split())
        valued = (name for key, value in attributes.items() for name in (f"[{key}]", f"[{key}={value}]"))
        return frozenset((tag, f"#{attributes.get('id', '')}", *classes, *valued))

    def of(self, names: Names, attributes: Mapping[str, str], around: Sequence[Names]) -> dict[str, str]:
        """What is declared for an element: by the sheets, then by itself.

        "before" and "after" are what the sheets add there, and "before-stands" and "after-stands" where that stands.
        """
        own = read_declarations(attributes["style"]) if "style" in attributes else {}
        if not self._rules:
            return own
        rules = (rule for name in (*names, "*") for rule in self._rules.get(name, ()))
        style = dict[str, str]()
        for rule in sorted(each for each in rules if each.names <= names and _stands_in(each.around, around)):
            style |= rule.declared
        style.pop("visibility", None)  # what a class hides is often shown by a script
        if style.get("display") == "none":
            del style["display"]
        for place in ("before", "after"):
            if place in style:
                style[place] = _text_of(style[place], attributes)
        return style | own


def _rules_in(sheet: str) -> Iterator[tuple[str, str]]:
    """The rules for all screens, each as its selectors and its declarations."""
    around, parts = list[str](), list[str]()
    for part in _PARTS.split(sheet):
        if part == "{":
            around.append("".join(parts).rpartition(";")[2].strip())
            parts.clear()
        elif part == "}":
            selectors = around.pop() if around else "@"
            if not selectors.startswith("@") and all(_ON_SCREEN.fullmatch(each) for each in around):
                yield selectors, "".join(parts)
            parts.clear()
        else:
            parts.append(part)


def _chain(selector: str) -> list[tuple[Names, bool]]:
    """What a selector names, from the element outwards, each with whether it stands directly around; [] if unknown."""
    chain, direct = list[tuple[Names, bool]](), False
    for part in reversed(selector.replace(">", " > ").split()):
        if part == ">":
            direct = True
            continue
        compound = _COMPOUND.fullmatch(part)
        if compound is None:
            return []
        tag = {compound[1].lower()} - {"*"} if compound[1] else set[str]()
        named = (re.sub("[\"']", "", name) for name in _NAME.findall(compound[2]))
        chain.append((frozenset((*tag, *named)), direct))
        direct = False
    return chain


def _stands_in(wanted: Iterable[tuple[Names, bool]], around: Sequence[Names]) -> bool:
    at = len(around)
    farthest = max(0, at - _FARTHEST)
    for names, direct in wanted:
        at -= 1
        while at > farthest and not direct and not names <= around[at]:
            at -= 1
        if at < farthest or not names <= around[at]:
            return False
    return True


def _added(place: str, declarations: str) -> dict[str, str]:
    """What a rule says of the text before or after an element."""
    content = _CONTENT.search(declarations)
    if _UNSEEN.search("".join(f";{declarations}".lower().split())):
        return {place: ""}
    return {place: content[1], f"{place}-stands": stands(read_declarations(declarations))} if content else {}


def _text_of(content: str, attributes: Mapping[str, str]) -> str:
    """The text that `content` stands for; `COUNTED` for each number that is counted."""
    text = ""
    for double, single, attribute, counter, quote, alternative in _PIECE.findall(content):
        if alternative:  # what follows is read aloud
            break
        text += attributes.get(attribute.lower(), "") if attribute else COUNTED if counter else ""
        text += {"open": "“", "close": "”"}.get(quote, "") or _ESCAPE.sub(_sign_of, double or single)
    return _OF_ICON_FONTS.sub("", text)


def _sign_of(escape: "re.Match[str]") -> str:
    code = int(escape[1], 16) if escape[1] else 0
    return chr(code) if 0 < code < 0xD800 or 0xE000 <= code < 0x110000 else (escape[2] or "").strip("\n")
