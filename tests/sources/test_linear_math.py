"""Sources: formulas, and raised and lowered text, as text on a line."""

import pytest
from lxml import etree

from readgraph.sources.linear_math import linear_math
from readgraph.sources.raised_text import join_runs, lower_text, raise_text

pytestmark = pytest.mark.quick

_X_2 = "<msup><mi>x</mi><mn>2</mn></msup>"
_M = "http://schemas.openxmlformats.org/officeDocument/2006/math"


@pytest.mark.parametrize(
    "formula,text",
    [
        ("<mfrac><mn>3</mn><mn>4</mn></mfrac>", "3/4"),
        ("<mn>5</mn><mfrac><mn>1</mn><mn>2</mn></mfrac>", "5 1/2"),
        ("<mfrac><mn>1</mn><mrow><mn>2</mn><mi>a</mi></mrow></mfrac>", "1/(2a)"),
        ("<mfrac><mfrac><mn>1</mn><mn>2</mn></mfrac><mn>3</mn></mfrac>", "(1/2)/3"),
        ("<mi>y</mi><mo>=</mo><msqrt><mn>1</mn><mo>+</mo><mn>4</mn><mi>a</mi></msqrt>", "y=√(1+4a)"),
        ("<mroot><mi>x</mi><mn>3</mn></mroot>", "∛(x)"),
        (f"<mn>2</mn>{_X_2}<mo>+</mo><msub><mi>x</mi><mn>1</mn></msub>", "2x^2+x_1"),
        ("<msup><mn>10</mn><mrow><mo>-</mo><mn>3</mn></mrow></msup>", "10^-3"),
        ("<msup><mi>x</mi><mrow><mi>n</mi><mo>+</mo><mn>1</mn></mrow></msup>", "x^{n+1}"),
        ("<msup><mrow><mi>a</mi><mo>+</mo><mi>b</mi></mrow><mn>2</mn></msup>", "(a+b)^2"),
        ("<msup><mi>f</mi><mo>′</mo></msup><msup><mn>90</mn><mo>∘</mo></msup>", "f′90°"),
        ("<munderover><mo>∑</mo><mi>i</mi><mi>n</mi></munderover><mi>i</mi>", "∑_i^n i"),
        ("<mi>sin</mi><mo>&#x2061;</mo><mi>x</mi>", "sin x"),
        ("<mover><mi>x</mi><mo>¯</mo></mover>", "x\u0305"),
        ("<mover><mi>x</mi><mo>˙</mo></mover>", "x\u0307"),
        ("<mo>(</mo><mtable><mtr><mtd><mn>1</mn></mtd><mtd><mn>2</mn></mtd></mtr><mtr><mtd><mn>3</mn></mtd></mtr></mtable>"
         "<mo>)</mo>", "(1, 2; 3)"),
        ("<mfenced open='['><mi>a</mi><mi>b</mi></mfenced>", "[a, b)"),
        (f"<semantics>{_X_2}<annotation>x^2</annotation></semantics>", "x^2"),
        ("<mmultiscripts><mi>C</mi><mprescripts/><mn>6</mn><mn>14</mn></mmultiscripts>", "_6^14 C"),
        ("<apply><divide/><cn>3</cn><cn>4</cn></apply>", "divide(3, 4)"),
        ("<unknown>one<mn>2</mn></unknown>three", "one2three"),
        ("<mrow>" * 240 + "<mn>7</mn>" + "</mrow>" * 240, "7"),
    ],
)  # fmt: skip
def test_formulas_of_mathml(formula: str, text: str) -> None:
    assert linear_math(etree.fromstring(f'<math xmlns="http://www.w3.org/1998/Math/MathML">{formula}</math>')) == text


def _tag(name: str, *inside: str, properties: str = "") -> str:
    texts = "".join(each if each.startswith("<") else f"<m:r><m:t>{each}</m:t></m:r>" for each in inside)
    return f"<m:{name}>{properties}{texts}</m:{name}>"


def _e(*inside: str) -> str:
    return _tag("e", *inside)


_SUM = "<m:naryPr><m:chr m:val='∑'/></m:naryPr>"
_BRACE = "<m:dPr><m:begChr m:val='{'/><m:endChr m:val=''/></m:dPr>"


@pytest.mark.parametrize(
    "formula,text",
    [
        (_tag("f", _tag("num", "3"), _tag("den", "4"), properties="<m:fPr><m:ctrlPr/></m:fPr>"), "3/4"),
        (_tag("sSup", _e("10"), _tag("sup", "-3")), "10^-3"),
        (_tag("sSub", _e("x"), _tag("sub", "1")), "x_1"),
        (_tag("rad", "<m:deg/>", _e("2")), "√(2)"),
        (_tag("nary", _tag("sub", "i=1"), _tag("sup", "n"), _e("i"), properties=_SUM), "∑_{i=1}^n i"),
        (_tag("acc", _e("x")), "x\u0302"),
        (_tag("func", _tag("fName", "sin"), _e("x")), "sin x"),
        (_tag("d", _e(_tag("eqArr", _e("x, x&gt;0"), _e("0"))), properties=_BRACE), "{x, x>0; 0"),
        (_tag("d", _e(_tag("m", _tag("mr", _e("1"), _e("2")) * 2))), "(1, 2; 1, 2)"),
        ("<m:r><m:t>1</m:t></m:r><m:r><m:t>0</m:t></m:r>", "10"),
    ],
)
def test_formulas_of_word(formula: str, text: str) -> None:
    assert linear_math(etree.fromstring(f'<m:oMath xmlns:m="{_M}">{formula}</m:oMath>')) == text


@pytest.mark.parametrize(
    "runs,text",
    [
        *[("10|^6| people", "10^6 people"), ("10|^-|^3", "10^-3"), ("x|^n+1|y", "x^{n+1}y"), ("x|_1|2", "x_{1}2")],
        *[("H|_2|O and SO|_4|^2-", "H_2O and SO_4^2-"), ("25 m|^2| wide", "25 m^2 wide"), ("(a+b)|^2", "(a+b)^2")],
        *[("5|^1|⁄|_2| cups", "5 1/2 cups"), ("5|^1/|_2|cups", "5 1/2 cups"), ("e|^x|, 12.5|^a|", "e^x, 12.5^a")],
        *[("the 1|^st|, 2|^nd| and XIX|^e|", "the 1st, 2nd and XIXe"), ("N|^o| 4, M|^me| Curie", "No 4, Mme Curie")],
        *[("|^16|For God", "16 For God"), ("Done.|^3| So", "Done. [^3] So"), ("He left|^[12]|.", "He left [^12].")],
        *[("Lamp|^TM| and 20|^°|C", "Lamp™ and 20°C"), ("a |^line of small words| b", "a line of small words b")],
    ],
)
def test_raised_and_lowered_text(runs: str, text: str) -> None:
    parts = [(part[1:], part[0]) if part[:1] in ("^", "_") else (part, "") for part in runs.split("|")]
    assert join_runs(parts) == text


def test_a_part_of_a_formula_that_is_raised_or_lowered() -> None:
    assert (raise_text("6"), raise_text("n+1"), lower_text("2"), raise_text(" ")) == ("^6", "^{n+1}", "_2", "")
