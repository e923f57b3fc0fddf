"""A reply without its model's thinking and without the marks of a chat template, whole or while it is streamed.

A thought that is opened and never closed takes the rest of the reply, and a close that nothing opened makes a thought
of all that stands before it. A text about such marks can be quoted: what also stands in the material of the prompt is
kept, unless it is the reply's frame. It is no frame if a sentence goes on beside it, or if the words that it touches
are those that it touches in the material.
"""

import json
import re
from contextlib import suppress
from functools import cached_property

from langchain_core.messages import AIMessage

from readgraph.models.replies.marks import CONTAINERS, Mark, names_thinking, next_mark

BEHIND = 100  # characters behind a mark that say what it means; while a reply is streamed, they are waited for
FIELD = "thinking_field"  # where a message's metadata says in which field its server sent thinking
MOST_OBJECTS = 64  # JSON objects of a reply whose values' marks are not taken for the reply's own
_SPACE = re.compile(r"\s+")
_SET_OFF = " \t`\"'“”‘’«»(*_"  # what stands beside a mark that is spoken of
_GOES_ON = re.compile(r"[ \t]+[a-zß-ÿ(]|[`\"'”’»)*_,;:.!?]")
_WENT_ON = re.compile(r"[\w,;:][ \t]+[`\"'“‘«(*_]*\Z|[`\"'“‘«(*_]\Z")
_TOUCHED, _TOUCHING = re.compile(r"\s*\S{0,30}"), re.compile(r"\S{0,30}\s*\Z")
_FRAMING = re.compile(r"\s*(?:```\w*\s*)?\Z")  # what may stand before the first mark of a frame
_BEGUN_MARK = re.compile(
    r"(?:<details[^<>]{0,200}>\s*(?:<[^<>]{0,50}(?:>[^<]{0,60})?)?|<[^<>\n]{0,300}"
    r"|&[lt;]{0,3}[^<>&\n]{0,60}|[\[【《〈⟨＜‹«◁]\s?/?\s?(?:[^\W\d_][\w ]{0,30})?|`+\w*)\Z"
)
_FIRST_WORDS = (  # of lines that are marks
    *("here", "my ", "the ", "chain", "think", "thought", "reason", "inner", "internal", "scratch", "analy", "comm"),
    *("assistant", "model", "思考", "推理"),
)
_ELEMENT = re.compile(r"\s*(?:```\w*\s*)?<(?P<name>[A-Za-z][\w:.-]{0,40})(?:\s[^<>]{0,200})?>")
_THOUGHT_ALONE = re.compile(r"here|process|trace|steps|(?:analysis|commentary)\Z|\.\.\.|…|过程", re.IGNORECASE)
"""What makes a line a mark also where no answer follows; a heading such as "Reasoning" may be one of the reply's."""

_LEFT_OVER = re.compile(
    r"<!--\s*/?(?:think|thought|reason)[\w ]{0,20}|(?<![<\w/|])/?(?:think|thinking|thought)>|\d>thought\b"
    r"|</?\|?(?:think|thought|reason)\w*\s*\Z"
    r"|\A\s*[\[【]\s?(?:start |begin )?(?:think(?:ing)?|thoughts?|reasoning|scratchpad)\s?[\]】]",
    re.IGNORECASE,
)
_HTML = frozenset(
    "a abbr address article aside b blockquote body br caption center cite code dd del details dfn div dl dt em figure "
    "font footer h1 h2 h3 h4 h5 h6 head header hr html i img ins kbd li link main mark meta nav ol p pre q s samp "
    "script section small span strong style sub summary sup svg table tbody td th thead title tr tt u ul var "
    "chapter gist note page passage poem quote scene speaker text verse".split()  # and of other texts
)


class Material:
    """What a reply is about: marks that stand in it may be quoted."""

    def __init__(self, text: str) -> None:
        self.given, self._known = text, dict[str, bool]()

    @cached_property
    def text(self) -> str:
        """The text as it is compared, made where a mark is looked for: few replies have one."""
        return _SPACE.sub(" ", self.given).casefold()

    def has(self, part: str) -> bool:
        """Whether a part of a reply stands in it, whatever the case and the white space."""
        if not self.text:
            return False
        small = _SPACE.sub(" ", part).strip().casefold()
        if small not in self._known:
            self._known[small] = small in self.text
        return self._known[small]

    def quotes(self, text: str, mark: Mark, *, frame: bool) -> bool:
        """Whether a mark in a reply's text is spoken of or quoted; `frame`: nothing stands before it."""
        if not self.has(text[mark.start : mark.end]):
            return False
        before, after = text[max(0, mark.start - 40) : mark.start], text[mark.end : mark.end + 40]
        set_off = frame or not before.strip() or before[-1] in _SET_OFF
        if set_off and (not after.strip() or after[0] in _SET_OFF or _GOES_ON.match(after)):
            alone = not before.strip() and not after.strip()
            return alone or bool(_GOES_ON.match(after) or (not frame and _WENT_ON.search(before)))
        touching, touched = _TOUCHING.search(before), _TOUCHED.match(after)
        left = touching[0] if touching and not set_off else ""
        return self.has(
            left + text[mark.start : mark.end] + (touched[0] if touched and after[:1] not in _SET_OFF else "")
        )


class ThinkingFilter:
    """Takes a reply in pieces, and gives what of it is meant for its reader.

    Args:
        material: What the reply is about.
        field: The text is a value within a reply, which has an end of its own.
        typed: The reply is JSON: a tool call may be the reply, and what stands in a JSON object belongs to its values.
        lines: Lines such as "Reasoning:" are marks.
    """

    def __init__(self, material: Material, *, field: bool = False, typed: bool = False, lines: bool = True) -> None:
        self.material, self.lines = material, lines
        self.field, self.typed = field, typed
        self.text, self.at, self.mode = "", 0, "shown"
        self.shown: list[str] = []
        self.thoughts: list[Mark] = []  # the open ones
        self.begun = self.left_out = self.unclosed = False  # text is shown, or left out; the rest is a thought
        self.form = ""  # the mark with which a thought first began, or ended
        self._kept = self._spoken = 0  # marks of the material that open a thought there, or would have closed this one
        self._objects, self._looked, self._object_end = MOST_OBJECTS, 0, 0
        self._closed: dict[str, bool] = {}

    @property
    def visible(self) -> str:
        """What is shown so far."""
        return "".join(self.shown)

    def feed(self, piece: str, *, last: bool = False) -> "ThinkingFilter":
        """Take a piece of the reply; what may be a mark waits for what comes behind it, unless this is the last."""
        self.text += piece
        place, end = self.at, len(self.text)
        while mark := next_mark(self.text, place):
            if not last and (mark.end > len(self.text) - BEHIND or (mark.weak and not self.begun)):
                end = mark.start
                break
            place = self._object_over(mark)
            if not place and self._counts(mark, last):
                self._show(mark.start)
                self.at = mark.end
                self._apply(mark)
            place = max(place, mark.end)
        self._show(end if last else max(self.at, min(end, self._unsettled())))
        if last:
            self._finish()
        return self

    def _unsettled(self) -> int:
        """Where a mark may have begun whose rest is still to come."""
        waiting = self.text[self.at :].lstrip(" \t\r\n#>*_").casefold()
        may_be_line = any(word.startswith(waiting) or waiting.startswith(word) for word in _FIRST_WORDS)
        if may_be_line and not self.begun and len(waiting) < BEHIND:
            return self.at
        begun = _BEGUN_MARK.search(self.text, max(self.at, len(self.text) - 320))
        return begun.start() if begun else len(self.text)

    def _show(self, end: int) -> None:
        part, self.at = self.text[self.at : end], max(self.at, end)
        if not self.thoughts and (self.mode == "shown" or (self.mode == "call" and self.typed)):
            self.shown.append(part)
            self.begun = self.begun or bool(part.strip())
        elif part.strip():
            self.left_out = True

    def _object_over(self, mark: Mark) -> int:
        """The end of a shown JSON object that a mark stands in; 0 where it stands in none."""
        if not self.typed or self.thoughts:
            return 0
        self._looked = max(self._looked, self.at)
        while self._object_end <= mark.start and self._objects:
            start = self.text.find("{", self._looked, mark.start)
            if start < 0:
                break
            self._objects -= 1
            self._looked = start + 1
            with suppress(ValueError, RecursionError):
                self._looked = self._object_end = json.JSONDecoder(strict=False).raw_decode(self.text, start)[1]
        return self._object_end if self._object_end > mark.start else 0

    def _counts(self, mark: Mark, last: bool) -> bool:
        """Whether a mark belongs to the reply's frame or to a thought, and not to its words."""
        frame = not self.begun and bool(_FRAMING.match(self.text, self.at, mark.start))
        key = self.thoughts[-1].key if self.thoughts else ""
        if mark.key in ("line", "role") and mark.kind != "end_think":
            return (
                self.lines and frame and not self.thoughts and not self.material.has(self.text[mark.start : mark.end])
            )
        if mark.kind == "end_think" and mark.key in ("line", "fence", *CONTAINERS) and mark.key != key:
            return False
        if self.thoughts:
            return self._counts_in_thought(mark, key)
        if mark.weak and not (mark.kind == "think" and self._closes_later(mark, last)):
            return False
        if mark.kind == "end_think" and self._kept and not self._stands_alone(mark):
            self._kept -= 1
            return False
        if mark.kind == "think" and not frame and self.material.has(self.text[mark.start : mark.end]):
            self._kept += 1
            return False
        return (frame and mark.kind == "think") or not self.material.quotes(self.text, mark, frame=frame)

    def _counts_in_thought(self, mark: Mark, key: str) -> bool:
        if mark.kind == "think":  # a thought may speak of marks
            again = not self.text[self.thoughts[-1].end : mark.start].strip()  # the template opened it too
            return self.text[mark.start - 1] not in _SET_OFF and key != "line" and not again
        if mark.kind in ("answer", "end_answer"):
            return key == "line"
        if mark.kind == "end_think" and self.text[mark.start - 1] in _SET_OFF and _GOES_ON.match(self.text, mark.end):
            spoken = self.material.has(self.text[mark.start : mark.end])
            self._spoken += spoken
            return not spoken
        return True

    def _stands_alone(self, mark: Mark) -> bool:
        """Whether a mark has a line of its own, with others around it than in the material."""
        alone = self.text[mark.start - 1 : mark.start] == "\n" and self.text[mark.end : mark.end + 1] in ("", "\n")
        return alone and not self.material.quotes(self.text, mark, frame=False)

    def _closes_later(self, mark: Mark, last: bool) -> bool:
        words = self.text[mark.start + 1 : mark.end - 1].casefold().split()
        name = re.escape(" ".join(word for word in words if word not in ("start", "begin")))
        if name not in self._closed or not last:
            close = re.compile(rf"[\[【《〈⟨＜‹«]\s?(?:/|end )\s?{name}", re.IGNORECASE)
            self._closed[name] = bool(close.search(self.text))
        return self._closed[name]

    def _apply(self, mark: Mark) -> None:
        kind = mark.kind
        if kind in ("think", "end_think") and not (
            kind == "end_think" and mark.key in ("number", "channel") and not self.thoughts
        ):
            self.form = self.form or self.text[mark.start : mark.end].strip()
        if kind == "think":
            self.thoughts.append(mark)
        elif kind == "end_think":
            self._end_thought(mark)
        elif kind in ("turn", "answer", "other"):
            if kind == "answer":
                self._leave_out()
            self.thoughts.clear()
            self.mode = "other" if kind == "other" else "shown"
        elif kind == "call":
            self.mode = "call" if self.mode != "other" else self.mode
        elif kind == "end_call":
            self.mode = "shown" if self.mode == "call" else self.mode
        elif kind in ("end", "end_answer"):
            if self.thoughts and not self.thoughts[-1].key:
                return
            self.mode = "over" if self.begun or self.left_out or self.thoughts else self.mode
            self.thoughts.clear()

    def _end_thought(self, mark: Mark) -> None:
        if not self.thoughts:
            if mark.key not in ("number", "channel"):
                self._leave_out()
                self.mode = "shown"
            return
        opened = self.thoughts.pop()
        if not self.thoughts:
            self.mode = "shown"
            if self.material.has(self.text[opened.start : mark.end]):
                self.shown.append(self.text[opened.start : mark.end])
                self.begun = True

    def _leave_out(self) -> None:
        self.left_out = self.left_out or self.begun
        self.shown.clear()
        self.begun = False

    def _finish(self) -> None:
        """Decide about a thought that is still open."""
        if not self.thoughts:
            return
        opened = self.thoughts[0]
        rest = self.text[opened.end :]
        spoken = self.field or self._spoken
        if self.material.has(self.text[opened.start : opened.end]) and (
            not rest.strip() or (spoken and _GOES_ON.match(rest))
        ):
            self.shown.append(self.text[opened.start :])
        else:
            self.unclosed = True


def filter_reply(text: str, material: Material, *, field: bool = False, typed: bool = False) -> ThinkingFilter:
    """A whole reply, or a value in one, read by a `ThinkingFilter`."""
    read = ThinkingFilter(material, field=field, typed=typed).feed(text, last=True)
    opened = read.thoughts[0] if read.unclosed else None
    if opened and opened.key == "line" and (field or typed or not _THOUGHT_ALONE.search(text, 0, opened.end)):
        # words before the reply, or its heading
        return ThinkingFilter(material, field=field, typed=typed, lines=False).feed(text, last=True)
    return read


def thinking_form(message: AIMessage) -> str:
    """In which field or parts of a server's message, or with which mark in its text, its model thinks; or ""."""
    if field := message.response_metadata.get(FIELD) or next(filter(names_thinking, message.additional_kwargs), ""):
        return f"in the field {field}"
    parts = message.content if isinstance(message.content, list) else []
    kinds = [str(part.get("type")) for part in parts if isinstance(part, dict)]
    if kind := next(filter(names_thinking, kinds), ""):
        return f"in parts of type {kind}"
    form = filter_reply(str(message.text), Material("")).form
    return f"in its text, with {form}" if form else ""


def has_marks(text: str) -> bool:
    """Whether any mark stands in a text."""
    return next_mark(text, 0) is not None


def drop_marks(text: str) -> str:
    """A text without its marks, thinking and all."""
    parts, place = [], 0
    while mark := next_mark(text, place):
        parts.append(text[place : mark.start])
        place = mark.end
    return "".join([*parts, text[place:]]).strip()


def looks_like_thinking(text: str, material: Material) -> str:
    """What in a text without marks still looks like thinking, such as an unknown element before the rest; or ""."""
    if "<" not in text and ">" not in text and not text.lstrip().startswith(("[", "【")):
        return ""
    if (left := _LEFT_OVER.search(text)) and not material.has(left[0]):
        return left[0].strip()
    if (element := _ELEMENT.match(text)) and (name := element["name"]).casefold() not in _HTML:
        end = text.casefold().find(f"</{name.casefold()}>", element.end())
        if end > 0 and text[end + len(name) + 3 :].strip(" \n`") and not material.has(element[0]):
            return f"<{name}>"
    return ""
