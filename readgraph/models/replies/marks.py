"""The marks of thinking, turns and tool calls that chat templates leave in replies: known by their shapes and names.

A mark has the shape of a special token (`<|word|>`, `<｜word｜>`, `<|word>`, `<word|>`), of a tag, of a word in
brackets, or of a line that says what follows. What it means is read from the words of its name, so that a new model's
mark is known too: `<|START_THINKING|>`, `<seed:think>`, `◁think▷`, `[THINK]` and `<antThinking>` all begin a thought.
"""

import re
from dataclasses import dataclass
from typing import Literal

Kind = Literal["think", "end_think", "answer", "end_answer", "turn", "other", "call", "end_call", "end", "none"]
"""What begins at a mark, or ends there: a thought, an answer, the model's own turn (`turn`), another's (`other`), a
tool call; `end` ends a turn, and `none` has no meaning."""

_QUOTING = "[«‹《〈【"  # what also encloses titles and headings
_OPEN, _SHUT = "[【《〈⟨＜‹«◁", "]】》〉⟩＞›»▷"
_THOUGHT_LINE = (
    r"(?:here(?:'s|’s|\ is|\ are)\ (?:my|the|a)\ )?(?:my\ |the\ |chain\ of\ )?"
    r"(?:think(?:ing)?|thoughts?|reasoning|(?:inner|internal)\ monologue|scratchpad|思考|推理)"
    r"(?:\ ?(?:process|trace|steps?)|过程)?"
)
_ANSWER_LINE = r"(?:here(?:'s|’s|\ is)\ (?:my|the)\ )?(?:my\ |the\ )?(?:final\ )?(?:answer|response|reply|output)"
_LINE_ENDS = r"[*_]{0,3}\ ?(?:[:：][*_]{0,3}|\.{3}|…|(?=\n))"
_SHAPES = re.compile(
    rf"""
      (?P<special> <(?P<s1>/?)[|｜]\ ?(?P<name1>[/\w▁:.\-]{{1,60}})\ ?(?:[|｜](?:[\w:]{{1,40}}[^<>\n]{{0,200}})?)?>
                 | <(?P<name2>[\w▁]{{1,40}})[|｜]> )
    | (?P<system> <</?SYS>> )
    | (?P<tag> (?:<|&lt;)\s?(?P<s3>/?)\s?(?P<name3>[^\W_][\w:.=\-]{{0,60}})(?P<attributes>\s[^<>]{{0,200}}?)?
               \s?(?P<alone>/?)(?:>|&gt;) )
    | (?P<bracket> [{re.escape(_OPEN)}]\s?(?P<s4>/?)\s?(?P<name4>[^\W_][\w\ ]{{0,30}}?)\s?[{re.escape(_SHUT)}] )
    | (?P<fence> ^```\ ?(?P<name5>\w{{3,20}})[ \t]*\n | ^```[ \t]*(?:\n|\Z) )
    | (?P<role> \A\s*(?:(?:assistant|model)[ \t]*\n | (?-i:assistantfinal)) )
    | (?P<done> \.\.\.done\ thinking\.? | here(?:'s|’s|\ is)\ my\ response[ \t]*:?
              | ^[#>*_ \t]{{0,6}}{_ANSWER_LINE}{_LINE_ENDS} | (?-i:assistantfinal) )
    | (?P<line> ^[#>*_ \t]{{0,6}}{_THOUGHT_LINE}{_LINE_ENDS} | here(?:'s|’s|\ is)\ my\ thought\ process[ \t]*:?
              | ^(?-i:(?:assistant)?(?:analysis|commentary))(?-i:(?=[A-Z"'“(\[{{\d])) )
    """,
    re.VERBOSE | re.IGNORECASE | re.MULTILINE,
)
_BEGINNINGS = re.compile(rf"[<&\n{re.escape(_OPEN)}]|\.(?=\.\.[dD])|[hH](?=[eE][rR][eE])|a(?=ssistantfinal)")
"""Where a shape may begin, but at the beginning of a text: it takes longer to try them all at each character."""

_SEGMENT = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[^\W\dA-Z_▁]+|\d+")
_THINKS = re.compile(
    r".*(?:think|thought)|reason|reflect|analy[sz]|scratch|monolog|ponder|deliberat|contemplat|ruminat|introspect|"
    r"cogitat|rationale|brainstorm|cot$|inner$|思|推理|推論|分析|考え|생각|추론|размышл|рассужд|мысл|réfl|raisonn|pensée|"
    r"pensamient|razonam|denk|gedank|überleg|ragionam|pensier|raciocín"
)
_PLAIN_THOUGHT = re.compile(r"(?:think(?:ing)?|thoughts?|reason(?:ing)?|analysis|reflections?|scratchpad)")
_ENDS = {"end", "close", "stop", "finish", "suffix"}
_LAST = {"eot", "eos", "eom", "eod", "eop", "return", "call", "endoftext", "endofturn", "endofsentence"}
_FRAMES = {"header", "role", "box", "prompt", "image", "vision"}  # what ends with these is no turn
_OPENERS = {"start", "channel", "open", "turn", "begin", "header", "role", "im", "constrain", "recipient"}
_TEXT = {"text", "sentence", "document", "image", "box"}  # what begins with these has no word behind it that names it
_CALLS = {"tool", "tools", "function", "functions", "python", "dsml", "invoke", "plugin", "arg", "parameter"}
_RESULTS = {"response", "output", "outputs", "result", "results"}
_ANSWERS = {"answer", "response", "solution", "final", "content", "output"}
_OWN = {"assistant", "chatbot", "model", "bot", "ai"}
_OTHERS = {"user", "human", "system", "developer", "observation", "environment", "ipython", "context"}
_ANSWER_TAG = re.compile(r"(?:final[_-]?)?(?:answer|response|reply|output|solution)|final")
_CALL_TAG = re.compile(
    r"(?:\w+:)?(?:tool|function)_(?:calls?|use|code)|(?:\w+:)?invoke|(?:function|parameter)=.+|arg_\w+"
)
_RESULT_TAG = re.compile(r"(?:\w+:)?(?:tool|function)_(?:response|result|output)s?")
_TOKEN_TAG = re.compile(r"(?:start|begin|end)_of_\w+|im_(?:start|end)|eot(?:_id)?|eos|endoftext", re.IGNORECASE)
_BARE_TAG = re.compile(r"s|bos|pad|unk|sop|eop|extra_id_\d+|0x[\da-f]{2}|(?P<number>unused|ctrl)_?\d+", re.IGNORECASE)
CONTAINERS = {"details", "div", "section", "block", "part", "aside"}  # that say in an attribute what they hold
_SUMMARY = re.compile(r"\s*<summary[^<>]{0,40}>([^<]{0,60})", re.IGNORECASE)
_BRACKETS: dict[str, Kind] = {
    **dict.fromkeys(("INST", "SYSTEM_PROMPT", "AVAILABLE_TOOLS", "TOOL_RESULTS"), "other"),
    **dict.fromkeys(("ARGS", "CALL_ID", "TOOL_CONTENT", "gMASK", "BOS", "EOS", "PAD", "UNK", "CLS", "SEP"), "none"),
    "TOOL_CALLS": "call",
}
_ANSWER_BRACKET = re.compile(r"(BEGIN|START|END) (?:OF )?(?:FINAL )?(?:ANSWER|RESPONSE|OUTPUT|SOLUTION)")
_WORD_END = re.compile(r"\w\Z")
_WORD = re.compile(
    r"\s*(?P<word>[^\W_]\w{1,30})"
    r"(?:(?P<rest>[ \t]+(?:to=\S{1,60}|\w{1,20}))?[ \t]*(?:(?P<token>(?=<[|｜]))|(?P<line>\n)))?"
)


@dataclass(frozen=True, slots=True)
class Mark:
    """A mark in a text. One that is `weak` may be an ordinary word: it counts at a beginning, or where it is closed."""

    start: int
    end: int
    kind: Kind
    key: str = ""  # what must have been begun with the same key, if anything: a kind of line or tag
    weak: bool = False


def next_mark(text: str, start: int) -> Mark | None:
    """The first mark at or after a position; None where there is none."""
    while shape := _find_shape(text, start):
        if mark := _read(text, shape):
            return mark
        start = max(shape.end(), shape.start() + 1) if not shape["fence"] else shape.end()
    return None


def _find_shape(text: str, start: int) -> re.Match[str] | None:
    """The first shape at or after a position, as `_SHAPES.search` would find it."""
    if (start == 0 or text[start - 1 : start] == "\n") and (match := _SHAPES.match(text, start)):
        return match
    for begins in _BEGINNINGS.finditer(text, start):
        place = begins.end() if begins[0] == "\n" else begins.start()
        if match := _SHAPES.match(text, place):
            return match
    return None


def names_thinking(name: str) -> bool:
    """Whether a name, such as a field's, is one of thinking: `reasoning`, `inner_thoughts`."""
    return _thinks(_segments(name))


def _read(text: str, match: re.Match[str]) -> Mark | None:
    start, end = match.span()
    if match["special"]:
        return _read_token(text, match, match["name1"] or match["name2"], bool(match["s1"] or match["name2"]))
    if match["tag"]:
        return _read_tag(text, match)
    if match["bracket"]:
        return _read_bracket(match)
    if match["fence"]:
        thinks = bool(match["name5"] and _thinks([match["name5"].casefold()]))
        return Mark(start, end, "think", "fence") if thinks else Mark(start, end, "end_think", "fence")
    if match["system"]:
        return Mark(start, end, "other")
    if match["role"]:
        return Mark(start, end, "none", "role", weak=True)
    return Mark(start, end, "think", "line", weak=True) if match["line"] else Mark(start, end, "end_think", "line")


def _segments(name: str) -> list[str]:
    return [segment.casefold() for segment in _SEGMENT.findall(name)]


def _thinks(segments: list[str]) -> bool:
    return any(map(_THINKS.match, segments))


def _kind_of(segments: list[str], shut: bool) -> Kind:
    """What a special token with these words in its name begins or ends."""
    words = {*segments}
    shut = shut or bool(words & _ENDS)
    if _thinks(segments) or "commentary" in words:
        return "end_think" if shut else "think"
    if words & _FRAMES:
        return "none"
    if words & _CALLS:
        if segments == ["tool"] or words & _RESULTS:
            return "turn" if shut else "other"
        return "end_call" if shut else "call"
    if words & _ANSWERS:
        return "end_answer" if shut else "turn"
    if words & _OWN:
        return "end" if shut else "turn"
    if words & _OTHERS:
        return "end" if shut else "other"
    return "end" if (shut and "suffix" not in words) or words & _LAST else "none"


def _read_token(text: str, match: re.Match[str], name: str, shut: bool) -> Mark | None:
    """A special token, with the words behind it that name a turn or a channel: `<|channel|>analysis`."""
    shut, segments = shut or name.startswith("/"), _segments(name)
    words, kind = {*segments}, _kind_of(segments, shut)
    if (kind in ("none", "turn", "other") or words == {"close"}) and (named := _read_named(text, match, words, kind)):
        return named
    if shut and words & {"channel", "turn"}:
        return Mark(*match.span(), "end_think", "channel") if "channel" in words else Mark(*match.span(), "end")
    if kind == "none" and " " in match[0]:  # an operator: `f <| g |> h`
        return None
    return Mark(*match.span(), kind, "token" if kind == "think" else "")


def _read_named(text: str, match: re.Match[str], words: set[str], kind: Kind) -> Mark | None:
    """A token with the words behind it, if these name what begins or ends: a role, a channel, a form."""
    behind = _WORD.match(text, match.end())
    if not behind:
        return None
    before_token, more = behind["token"] is not None, behind["rest"] or ""
    meant = _kind_of(_segments(behind["word"]), "close" in words)
    alone = (before_token or behind["line"]) and (
        meant != "none" or (before_token and not more and behind.start("word") == match.end())
    )
    opener = bool(words & _OPENERS) and not words & _TEXT and not words & (_ENDS - {"close"})
    if not ((alone and (opener or (before_token and not more))) or ("channel" in words and meant in ("think", "turn"))):
        return None
    if meant == "think" and "to=" in more:
        meant = "call"
    key = "" if meant not in ("think", "end_think") or "close" in words else "turn"
    if key and "channel" in words and not match[0].endswith(("|>", "｜>")):
        key = "channel"
    return Mark(match.start(), behind.end() if alone else behind.end("word"), meant if meant != "none" else kind, key)


def _read_tag(text: str, match: re.Match[str]) -> Mark | None:
    span, name, shut = match.span(), match["name3"], bool(match["s3"])
    small, segments = name.casefold(), _segments(name)
    if not shut and _WORD_END.search(text, max(0, span[0] - 1), span[0]) and (name[0].isupper() or ":" in name):
        return None  # a type in code: `List<Thought>`
    if bare := _BARE_TAG.fullmatch(name):
        if not bare["number"]:
            return Mark(*span, "none")
        behind = _WORD.match(text, match.end())
        if behind and _thinks(_segments(behind["word"])):
            return Mark(match.start(), behind.end("word"), "think", "number")
        return Mark(*span, "end_think", "number")
    if _TOKEN_TAG.fullmatch(name):
        return _read_token(text, match, name, shut)
    if small in CONTAINERS:
        if shut:
            return Mark(*span, "end_think", small)
        headed = _SUMMARY.match(text, match.end())
        said = f"{match['attributes'] or ''} {headed[1] if headed else ''}"
        return Mark(*span, "think", small) if _thinks(_segments(said)) else None
    if _thinks(segments):
        ends = shut or segments[0] in _ENDS or segments[-1] in _ENDS
        return Mark(*span, "none" if match["alone"] else "end_think" if ends else "think")
    for pattern, begins, ends_as in (
        (_ANSWER_TAG, "answer", "end_answer"),
        (_CALL_TAG, "call", "end_call"),
        (_RESULT_TAG, "other", "turn"),
    ):
        if pattern.fullmatch(small):
            kind: Kind = ends_as if shut else begins  # type: ignore[assignment]
            return Mark(*span, kind)
    return None


def _read_bracket(match: re.Match[str]) -> Mark | None:
    span, name, shut = match.span(), match["name4"], bool(match["s4"])
    if match[0][0] == "[" and name in _BRACKETS:
        kind = _BRACKETS[name]
        return Mark(*span, kind if not shut or kind == "none" else "end_call" if kind == "call" else "turn")
    if (answer := _ANSWER_BRACKET.fullmatch(name)) and match[0][0] == "[":
        return Mark(*span, "answer" if answer[1] != "END" else "end_answer")
    segments = [segment for segment in _segments(name) if segment not in ("start", "begin")]
    if not segments or len(segments) > 2 or not _thinks(segments):
        return None
    ends = shut or bool({*segments} & _ENDS)
    plain = bool(_PLAIN_THOUGHT.fullmatch(segments[0]))
    strong = match[0][0] == "◁" or (plain and (name.isupper() or match[0][0] not in _QUOTING))
    return Mark(*span, "end_think" if ends else "think", weak=not strong)
