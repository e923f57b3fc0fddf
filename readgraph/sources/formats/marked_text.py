"""Signs in Markdown and plain text that say what a passage is: deleted, inserted, a remark, a reading of words."""

import re
from bisect import bisect_right
from collections.abc import Sequence

_CODE = (
    r"(?P<code>^ {0,3}(?P<fence>`{3,}|~{3,})[^\n]*\n(?:.*\n)*?(?: {0,3}(?P=fence)[`~]*[ \t]*$|\Z)"
    r"|(?P<tick>`+)(?!`)[^`]+(?P=tick)(?!`)|<(?P<tag>pre|code|script|style)\b[^<>]*>[\s\S]*?</(?P=tag)>)"
)
_INSIDE = r"(?:(?!{0}|\n[ \t]*\n)[\s\S])*"
_DELETED = "|".join(
    (
        rf"\{{~~{_INSIDE.format('~>|~~')}~>(?P<new>{_INSIDE.format('~~')})~~\}}",
        rf"(?<!\{{)\{{--{_INSIDE.format('--')}--\}}",
        rf"(?<![~\\])~~(?=[^\s~]){_INSIDE.format('~~')}(?<=\S)~~(?!~)",
        *(rf"<{tag}(?:\s[^<>]*)?>{_INSIDE.format(f'</?{tag}')}</{tag}>" for tag in ("del", "s", "strike")),
    )
)
_MARKED = re.compile(
    rf"{_CODE}|(?P<deleted>{_DELETED})"
    rf"|(?P<remark>(?<!\{{)\{{>>{_INSIDE.format('<<')}<<\}})"
    rf"|\{{\+\+(?P<inserted>{_INSIDE.format(re.escape('++'))})\+\+\}}"
    rf"|\{{==(?P<lit>{_INSIDE.format('==')})==\}}",
    re.MULTILINE | re.IGNORECASE,
)
_SIGNS = re.compile(r"~~|\{(?:--|\+\+|>>|==)|</(?:del|s|strike)>", re.IGNORECASE)
# In Chinese, 《》 holds titles: they stay.
_KANA = r"《[\u3040-\u30ff・·\u3000 ]{1,40}》"
_READING = re.compile(
    rf"[｜|](?P<word>[^｜|《》\n]{{1,40}})(?:{_KANA}|《[\w ]{{1,40}}》(?=[\u3040-\u30ff]))"
    rf"|(?<=[\u3400-\u9fff々〆〇ヶ]){_KANA}"
)


def has_signs(text: str) -> bool:
    """Whether there are signs of deletions or remarks in a text."""
    return bool(_SIGNS.search(text))


def take_final_text(text: str, code: Sequence[tuple[int, int]] = ()) -> tuple[str, list[tuple[str, int]]]:
    """The final text of Markdown with deletions (also as CriticMarkup writes them), and what is left out of it, where.

    Code stays as it is, also in these spans. The offsets are those in the final text.
    """
    if not has_signs(text):
        return text, []
    parts, length, end, left_out = list[str](), 0, 0, list[tuple[str, int]]()
    for mark in _MARKED.finditer(text):
        if mark["code"] is not None or mark.start() < _end_before(code, mark.start()):
            continue
        kept = mark["new"] or mark["inserted"] or mark["lit"] or ""
        for part in (text[end : mark.start()], kept):
            parts.append(part)
            length += len(part)
        end = mark.end()
        if mark["deleted"] is not None or mark["remark"] is not None:
            left_out.append(("deleted passage" if mark["deleted"] is not None else "remark", length))
    return "".join([*parts, text[end:]]), left_out


def _end_before(spans: Sequence[tuple[int, int]], at: int) -> int:
    """The end of the last span that begins at or before a place; 0 where none does."""
    number = bisect_right(spans, at, key=lambda span: span[0])
    return spans[number - 1][1] if number else 0


def take_readings_out(text: str) -> tuple[str, int]:
    """Japanese text without the readings that stand in 《》 behind words, and how many they were."""
    return _READING.subn(lambda mark: mark["word"] or "", text) if "《" in text else (text, 0)
