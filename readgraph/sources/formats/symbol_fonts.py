"""Fonts whose letters are signs (Symbol, Wingdings): the sign for each of their codes, in Unicode."""

_SYMBOL = {
    0x20: " !∀#∃%&∋()∗+,−./0123456789:;<=>?≅ΑΒΧΔΕΦΓΗΙϑΚΛΜΝΟΠΘΡΣΤΥςΩΞΨΖ[∴]⊥_‾αβχδεφγηιϕκλμνοπθρστυϖωξψζ{|}∼",
    0xA0: "€ϒ′≤⁄∞ƒ♣♦♥♠↔←↑→↓°±″≥×∝∂•÷≠≡≈…⏐⎯↵ℵℑℜ℘⊗⊕∅∩∪⊃⊇⊄⊂⊆∈∉∠∇®©™∏√⋅¬∧∨⇔⇐⇑⇒⇓◊〈®©™∑⎛⎜⎝⎡⎢⎣⎧⎨⎩⎪",
    0xF1: "〉∫⌠⎮⌡⎞⎟⎠⎤⎥⎦⎫⎬⎭",
}
_WINGDINGS = {
    **{0x21: "✏✂✁", 0x28: "☎✆✉", 0x32: "📄", 0x36: "⌛", 0x3F: "✍", 0x41: "✌", 0x43: "👍👎☜☞☝☟✋☺😐☹💣☠"},
    **{0x51: "✈☼💧❄", 0x58: "✠✡☪☯ॐ☸♈♉♊♋♌♍♎♏♐♑♒♓", 0x6C: "●❍■□", 0x71: "❑❒⬧⧫◆❖⬥☒", 0x7A: "⌘"},
    **{0x80: "⓪①②③④⑤⑥⑦⑧⑨⑩⓿❶❷❸❹❺❻❼❽❾❿", 0x9E: "·•", 0xA1: "○", 0xA7: "▪□", 0xAB: "★✶✴✹"},
    **{0xD5: "⌫⌦", 0xD8: "➢", 0xDC: "➲", 0xDF: "←→↑↓↖↗↙↘", 0xE8: "➔", 0xEF: "⇦⇨⇧⇩⬄", 0xFB: "✗✓☒☑"},
}
_WINGDINGS_2 = {0x4F: "✗✓☒☑☒☒", 0x75: "⓪①②③④⑤⑥⑦⑧⑨⑩⓿", 0x97: "●", 0xA3: "☐"}
_WINGDINGS_3 = {0x66: "←→↑↓", 0x70: "▲▼△▽◀▶◁▷", 0x7D: "▶"}
_WEBDINGS = {0x61: "✓", 0x63: "□", 0x67: "■", 0x6E: "●", 0x72: "✗", 0x34: "▶"}
_ZAPF = {0x21: "✁✂✃✄☎✆✇✈✉", 0x33: "✓✔✕✖✗✘", 0x6C: "●❍■❏❐❑❒▲▼◆❖", 0xAC: "①②③④⑤⑥⑦⑧⑨⑩❶❷❸❹❺❻❼❽❾❿"}
_TABLES = {"symbol": _SYMBOL, "wingdings": _WINGDINGS, "wingdings 2": _WINGDINGS_2, "wingdings 3": _WINGDINGS_3}
_TABLES |= {"webdings": _WEBDINGS, "zapf dingbats": _ZAPF, "zapfdingbats": _ZAPF, "itc zapf dingbats": _ZAPF}
_SIGNS = {
    font: {code + at: sign for code, signs in table.items() for at, sign in enumerate(signs)}
    for font, table in _TABLES.items()
}
PRIVATE = range(0xF000, 0xF100)  # where Windows puts the letters of such fonts


def is_symbol_font(font: str) -> bool:
    """Whether the letters of a font are signs."""
    return font.strip().lower() in _SIGNS


def sign_of(font: str, code: int) -> str:
    """The sign with this code in a font; "" where it is not known. In other fonts it is the character itself."""
    signs = _SIGNS.get(font.strip().lower())
    if signs is None:
        return "" if code in PRIVATE or not 0 < code < 0x110000 or 0xD800 <= code < 0xE000 else chr(code)
    return signs.get(code - PRIVATE.start if code in PRIVATE else code, "")


def signs_of(font: str, text: str) -> str:
    """A text in a font of signs as these signs; characters that it has not stay. Other fonts' text is unchanged."""
    if is_symbol_font(font):
        return "".join(sign if sign.isspace() else sign_of(font, ord(sign)) or sign for sign in text)
    return text
