"""Formulas as text on a line: "3/4", "x_1", "√(b^2-4ac)", "∑_{i=1}^n x_i"; from MathML, and from Word's OMML."""

import re
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, NamedTuple

from readgraph.sources.parsing import local_name
from readgraph.sources.raised_text import RAISED, lower_text, raise_text

if TYPE_CHECKING:
    from lxml.etree import _Element

_DEEPEST = 120  # elements inside of each other, below which a formula is given as its words

_SKIPPED = frozenset("annotation annotation-xml mphantom mprescripts none maligngroup malignmark del movefrom".split())
_LEAVES = frozenset("mi mn mo mtext ms t csymbol ci cn".split())
_INVISIBLE = {"\u2061": "", "\u2062": "", "\u2063": "", "\u2064": " ", "\u200b": "", "\u00a0": " "}
_ONE_TERM = re.compile(r"[^\W_]+(?:[.,]\d+)*(?:[_^](?:\{[^{}]*\}|[-−]?[^\W_]+))*[′″]*|\S")
_PRODUCT = re.compile(r"\d\w*[^\W\d_]|.*[_^]")
_GROUPED = re.compile(r"[(\[][^()\[\]]*[)\]]")
_RELATION = re.compile(r"\s*[=<>≤≥≈≠≡∼≃≅→⇒⇔∈⊂⊆+−-]")
_PRIMES = re.compile(r"['′″‴⁗°∘]+")
_ACCENTS = {
    **dict.fromkeys("^ˆ\u0302", "\u0302"),
    **dict.fromkeys("~˜∼\u0303", "\u0303"),
    **dict.fromkeys("¯‾_ˉ―−\u0304\u0305", "\u0305"),
    **dict.fromkeys("→⃗\u20d7", "\u20d7"),
    **dict.fromkeys(".˙\u0307", "\u0307"),
    **{"¨": "\u0308", "\u0308": "\u0308", "ˇ": "\u030c", "\u030c": "\u030c", "´": "\u0301", "\u0301": "\u0301"},
    **{"`": "\u0300", "\u0300": "\u0300", "˘": "\u0306", "\u0306": "\u0306", "\u20db": "\u20db"},
}
_LOW_LINES = frozenset("_¯‾\u0332―")


class _Piece(NamedTuple):
    """A part of a formula, and whether it is a token (which stands beside the next one as it is drawn)."""

    text: str
    is_token: bool = False
    is_word: bool = False


def linear_math(element: "_Element") -> str:
    """A formula on a line; `element` is `math` of MathML, `oMath` or `oMathPara` of OMML, or a part of one.

    Nothing is lost: of an element that is not known, its parts stand beside each other.
    """
    text = " ".join(_read(element, 0).text.split())
    return text or element.get("alttext", "").strip()


def _read(element: "_Element", depth: int) -> _Piece:
    name = local_name(element.tag)
    if not name or name in _SKIPPED or name.endswith("pr"):
        return _Piece("")
    if depth > _DEEPEST:
        return _Piece(" ".join(part.strip() for part in element.itertext() if part.strip()))
    if name in _LEAVES and not len(element):
        return _leaf(element, name)
    parts = [child for child in element if local_name(child.tag)]
    texts = [_read(child, depth + 1) for child in parts]
    if write := _MATHML.get(name):
        return _Piece(write(element, [piece.text for piece in texts]))
    if write_named := _OMML.get(name):
        named: dict[str, list[str]] = {}
        for child, piece in zip(parts, texts, strict=True):
            named.setdefault(local_name(child.tag), []).append(piece.text)
        return _Piece(write_named(_Arguments(element, named)))
    is_token = name in ("r", "mstyle", "mpadded", "mrow") and len(texts) == 1 and texts[0].is_token
    own = [_Piece(" ".join((element.text or "").split()), is_token=True)]
    pieces = own + [each for child, piece in zip(parts, texts, strict=True) for each in (piece, _tail(child))]
    joined = _join(pieces)
    return _Piece(_root(joined) if name == "msqrt" else joined, is_token or name == "r")


def _leaf(element: "_Element", name: str) -> _Piece:
    text = element.text or ""
    text = text if name == "t" else " ".join(text.split())
    text = "".join(_INVISIBLE.get(sign, sign) for sign in text)
    text = f"“{text}”" if name == "ms" and text else text
    return _Piece(text, is_token=True, is_word=name in ("mtext", "ci", "cn") or (name == "mi" and len(text) > 1))


def _tail(element: "_Element") -> _Piece:
    return _Piece(" ".join((element.tail or "").split()), is_token=True)


def _join(pieces: Iterable[_Piece]) -> str:
    """The pieces beside each other; with a space where words, or two numbers, would become one."""
    joined, last = "", _Piece("")
    for piece in filter(lambda piece: piece.text, pieces):
        meet = bool(joined) and joined[-1].isalnum() and piece.text[0].isalnum()
        drawn_apart = not (last.is_token and piece.is_token) and (
            joined[-1:].isdigit() == piece.text[0].isdigit() or "/" in piece.text
        )
        if meet and (drawn_apart or last.is_word or piece.is_word):
            joined += " "
        joined += piece.text
        last = piece
    return joined


def _enclose(text: str) -> str:
    """A text in brackets, unless it is a single term."""
    text = text.strip()
    return text if _ONE_TERM.fullmatch(text) or _GROUPED.fullmatch(text) else f"({text})"


def _divide(over: str, under: str) -> str:
    under = under.strip()
    return f"{_enclose(over)}/{f'({under})' if _PRODUCT.fullmatch(under) else _enclose(under)}"


def _add_scripts(base: str, low: str = "", high: str = "") -> str:
    base, low, high = base.strip(), low.strip(), high.strip()
    if not (low or high):
        return base
    base = f"({base})" if high and RAISED in base else _enclose(base) if base else ""
    if high and _PRIMES.fullmatch(high):
        base, high = base + high.replace("∘", "°"), ""
    return base + (lower_text(low) if low else "") + (raise_text(high) if high else "")


def _add_accent(base: str, sign: str, *, below: bool = False) -> str:
    sign, base = sign.strip(), base.strip()
    if below and sign in _LOW_LINES:
        return f"{_enclose(base)}\u0332"
    if not below and sign in _ACCENTS:
        return f"{base if len(base) == 1 else f'({base})'}{_ACCENTS[sign]}"
    if not sign.isalnum() and len(sign) == 1 and sign in "⏞⏟︷︸⏜⏝⎴⎵":
        return f"{sign}({base})"
    return _add_scripts(base, sign, "") if below else _add_scripts(base, "", sign)


def _root(base: str, degree: str = "") -> str:
    degree = degree.strip()
    sign = {"": "√", "2": "√", "3": "∛", "4": "∜"}.get(degree, f"√[{degree}]")
    return f"{sign}({base.strip()})"


def _rows(rows: Iterable[str]) -> str:
    return "; ".join(row.strip() for row in rows if row.strip())


def _cells(cells: Iterable[str]) -> str:
    """The cells of a row; one that begins with a relation goes on with the line before it."""
    row = ""
    for cell in map(str.strip, cells):
        row += (" " if _RELATION.match(cell) or not cell else ", ") + cell if row else cell
    return row


def _at(texts: list[str], number: int) -> str:
    return texts[number] if number < len(texts) else ""


def _fenced(element: "_Element", texts: list[str]) -> str:
    separators = element.get("separators", ",").split() or [""]
    inside = "".join(
        text + (f"{separators[min(number, len(separators) - 1)]} " if number + 1 < len(texts) else "")
        for number, text in enumerate(texts)
    )
    return f"{element.get('open', '(')}{inside}{element.get('close', ')')}"


def _multiscripts(element: "_Element", texts: list[str]) -> str:
    names = [local_name(child.tag) for child in element if local_name(child.tag)]
    parted = names.index("mprescripts") if "mprescripts" in names else len(names)
    pairs = [
        _add_scripts("", "".join(part[0::2]), "".join(part[1::2])) for part in (texts[parted + 1 :], texts[1:parted])
    ]
    return f"{pairs[0]} {_at(texts, 0)}{pairs[1]}".strip()


def _fraction(element: "_Element", texts: list[str]) -> str:
    over, under = _at(texts, 0), _at(texts, 1)
    is_stack = re.fullmatch(r"0\s*\w*", element.get("linethickness", "1"))
    return f"{over.strip()}; {under.strip()}" if is_stack else _divide(over, under)


def _apply(element: "_Element", texts: list[str]) -> str:
    """Content MathML: the operator's name, and what it is applied to."""
    children = [child for child in element if local_name(child.tag)]
    name = (_at(texts, 0) or local_name(children[0].tag)) if children else ""
    return f"{name}({', '.join(texts[1:])})"


_MATHML: dict[str, Callable[["_Element", list[str]], str]] = {
    "mfrac": _fraction,
    "mroot": lambda _, texts: _root(_at(texts, 0), _at(texts, 1)),
    "msup": lambda _, texts: _add_scripts(_at(texts, 0), "", _at(texts, 1)),
    "msub": lambda _, texts: _add_scripts(_at(texts, 0), _at(texts, 1)),
    "msubsup": lambda _, texts: _add_scripts(*texts[:3]),
    "munderover": lambda _, texts: _add_scripts(*texts[:3]),
    "munder": lambda _, texts: _add_accent(_at(texts, 0), _at(texts, 1), below=True),
    "mover": lambda _, texts: _add_accent(_at(texts, 0), _at(texts, 1)),
    "mmultiscripts": _multiscripts,
    "mfenced": _fenced,
    "mtable": lambda _, texts: _rows(texts),
    "mtr": lambda _, texts: _cells(texts),
    "mlabeledtr": lambda _, texts: f"{_cells(texts[1:])} {_at(texts, 0)}",
    "mspace": lambda _element, _texts: " ",
    "mglyph": lambda element, _: element.get("alt", ""),
    "semantics": lambda _, texts: _at(texts, 0),
    "maction": lambda _, texts: _at(texts, 0),
    "apply": _apply,
}


class _Arguments(NamedTuple):
    """An element of OMML: the texts of its parts by their names, and its properties."""

    element: "_Element"
    named: dict[str, list[str]]

    def text(self, name: str) -> str:
        """The text of the parts with this name."""
        return "".join(self.named.get(name, []))

    def property(self, name: str, default: str) -> str:
        """The value of a property."""
        for properties in self.element:
            if local_name(properties.tag).endswith("pr"):
                for element in properties:
                    if local_name(element.tag) == name:
                        return next((value for key, value in element.attrib.items() if local_name(key) == "val"), "")
        return default


def _stack_or_divide(of: _Arguments) -> str:
    over, under = of.text("num"), of.text("den")
    return f"{over.strip()}; {under.strip()}" if of.property("type", "bar") == "noBar" else _divide(over, under)


def _delimit(of: _Arguments) -> str:
    inside = f"{of.property('sepchr', '|')}".join(part.strip() for part in of.named.get("e", []))
    return f"{of.property('begchr', '(')}{inside}{of.property('endchr', ')')}"


def _sum(of: _Arguments) -> str:
    sign = of.property("chr", "∫") or "∫"
    return f"{_add_scripts(sign, of.text('sub'), of.text('sup'))} {of.text('e').strip()}"


def _call(of: _Arguments) -> str:
    name, argument = of.text("fname").strip(), of.text("e").strip()
    return f"{name}{'' if argument.startswith('(') else ' '}{argument}"


_OMML: dict[str, Callable[[_Arguments], str]] = {
    "f": _stack_or_divide,
    "rad": lambda of: _root(of.text("e"), of.text("deg")),
    "ssup": lambda of: _add_scripts(of.text("e"), "", of.text("sup")),
    "ssub": lambda of: _add_scripts(of.text("e"), of.text("sub")),
    "ssubsup": lambda of: _add_scripts(of.text("e"), of.text("sub"), of.text("sup")),
    "spre": lambda of: f"{_add_scripts('', of.text('sub'), of.text('sup'))} {of.text('e')}".strip(),
    "nary": _sum,
    "d": _delimit,
    "m": lambda of: _rows(of.named.get("mr", [])),
    "mr": lambda of: _cells(of.named.get("e", [])),
    "eqarr": lambda of: _rows(text.replace("&", "") for text in of.named.get("e", [])),
    "acc": lambda of: _add_accent(of.text("e"), of.property("chr", "\u0302")),
    "bar": lambda of: _add_accent(of.text("e"), "‾", below=of.property("pos", "bot") != "top"),
    "groupchr": lambda of: _add_accent(of.text("e"), of.property("chr", "⏟"), below=of.property("pos", "bot") != "top"),
    "limlow": lambda of: _add_scripts(of.text("e"), of.text("lim")),
    "limupp": lambda of: _add_scripts(of.text("e"), "", of.text("lim")),
    "func": _call,
    "phant": lambda of: "" if of.property("show", "1") in ("0", "off", "false") else of.text("e"),
}
