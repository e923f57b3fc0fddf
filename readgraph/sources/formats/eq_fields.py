"""Formulas that Word keeps as fields, such as 3/4; phonetic readings above words are written so, too."""

import re
from typing import TYPE_CHECKING, Any

from readgraph.sources.linear_math import linear_math

if TYPE_CHECKING:
    from lxml.etree import _Element

_FIELD = re.compile(r"\s*EQ\b\s*(?:\\\*\s*(?:\"[^\"]*\"|\S+)\s*)*", re.IGNORECASE)  # and how it is set: \* jc2
_SWITCH = re.compile(r"\\([A-Za-z]{1,2})(?![A-Za-z])")
_OPTION = re.compile(r"\s*\\(?:([lrb]c)\s*\\(.)|([A-Za-z]+)\s*\d*)\s*")
_DEEPEST = 50  # parts inside of each other
_CLOSING = {"(": ")", "[": "]", "{": "}", "<": ">"}


def read_eq_field(code: str) -> str:
    """The formula of a field on a line; "" where the field is another one."""
    from lxml import etree

    if not (field := _FIELD.match(code)):
        return ""
    reader = _EqReader(code[field.end() :].rstrip(), etree.Element)
    return linear_math(reader.read_row(0))


class _EqReader:
    def __init__(self, code: str, element: Any) -> None:
        self._code, self._at, self._element = code, 0, element

    def read_row(self, depth: int) -> "_Element":
        """What stands beside each other, as far as the argument's end."""
        row, text, open_brackets = self._make("mrow"), "", 0
        while self._at < len(self._code):
            sign = self._code[self._at]
            switch = _SWITCH.match(self._code, self._at)
            if depth and not open_brackets and sign in ",;)":
                break
            if switch and depth < _DEEPEST:
                self._put(row, "mtext", text)
                text, self._at = "", switch.end()
                row.append(self._read_switch(switch[1].lower(), depth))
                continue
            open_brackets += {"(": 1, ")": -1}.get(sign, 0)
            self._at += 1
            if sign == "\\" and self._at < len(self._code):
                sign = self._code[self._at]
                self._at += 1
            text += sign
        self._put(row, "mtext", text)
        return row

    def _read_switch(self, name: str, depth: int) -> "_Element":
        options, brackets = list[str](), dict[str, str]()
        while option := _OPTION.match(self._code, self._at):
            self._at = option.end()
            options.append(option[3] or "")
            brackets[option[1]] = option[2]
        arguments: list[_Element] = []
        while self._code[self._at : self._at + 1].strip() and self._code[self._at] in ("(,;" if arguments else "("):
            self._at += 1
            arguments.append(self.read_row(depth + 1))
        self._at += bool(arguments)  # the closing bracket
        return self._write(name, options, brackets, arguments)

    def _write(
        self, name: str, options: list[str], brackets: dict[str, str], arguments: "list[_Element]"
    ) -> "_Element":
        if name == "f" and len(arguments) == 2:
            return self._make("mfrac", *arguments)
        if name == "r" and arguments:
            return self._make("mroot", arguments[1], arguments[0]) if arguments[1:] else self._make("msqrt", *arguments)
        if name == "s" and len(arguments) == 1 and {"up", "do"} & set(options):
            element = self._make("msup" if "up" in options else "msub", self._element("mrow"), *arguments)
        elif name == "o":  # one on the other: a reading above a word is left out, and a ring round a number is brackets
            on_line = [
                argument for argument in arguments if not (len(argument) == 1 and argument[0].tag in ("msup", "msub"))
            ]
            element = (
                self._enclose("(", ")", on_line[-1:])
                if "ac" in options
                else self._make("mrow", *(on_line or arguments))
            )
        elif name == "b":
            left = brackets.get("lc") or brackets.get("bc") or ("" if "rc" in brackets else "(")
            right = brackets.get("rc") or _CLOSING.get(brackets.get("bc", ""), brackets.get("bc", ""))
            element = self._enclose(left, right or ("" if "lc" in brackets else ")"), arguments)
        elif name == "i" and len(arguments) == 3:
            sign = self._make("mo")
            sign.text = {"su": "∑", "pr": "∏"}.get(next(iter(options), ""), "∫")
            element = self._make("mrow", self._make("msubsup", sign, *arguments[:2]), arguments[2])
        else:
            element = self._make("mtr", *arguments) if arguments[1:] else self._make("mrow", *arguments)
        return element

    def _enclose(self, left: str, right: str, inside: "list[_Element]") -> "_Element":
        element = self._make("mfenced", *inside)
        element.attrib.update({"open": left, "close": right})
        return element

    def _make(self, tag: str, *parts: "_Element") -> "_Element":
        element: _Element = self._element(tag)
        element.extend(parts)
        return element

    def _put(self, row: "_Element", tag: str, text: str) -> None:
        if text.strip():
            row.append(self._make(tag))
            row[-1].text = text.strip()
