"""What a refusal of a model server says, by its code, its parameter and its words, whatever its status."""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal

LONGEST, MOST_FAULTS = 4000, 20  # characters of a refusal that are read, and faults in a list
Said = Literal["", "too long", "spent", "withheld", "form", "field", "unknown model", "key", "busy", "web page"]

FORM_FIELDS = ("response_format", "json_schema", "tool_choice", "tools", "functions", "function_call", "strict")
"""Fields of a request that ask for the form of its reply: without them it is asked for in a simpler one."""

OTHER_NAMES = {"max_tokens": "max_completion_tokens", "max_completion_tokens": "max_tokens"}
"""Fields that some servers know by the other name alone."""

NEEDED = frozenset({"model", "messages"})  # fields without which there is no request
COMMON_WORDS = frozenset({"stop", "stream", "n", "user", "seed", "store", "verbosity", "reasoning", "strict", "tools"})
"""Names of fields that may be other words of a message: they count only where they stand in quotes."""

_A_MINUTE = re.compile(r"limit:? ?([\d,]+).{0,40}?requested:? ?([\d,]+)")
_TOO_LONG = re.compile(
    r"context_?(length|window|size)_?(is_)?exceeded|exceed_context_size|contextwindowexceeded|string_above_max_length"
    r"|request_too_large|prompt_too_long"
    r"|(context|sequence|prompt|input|token|message|request|payload|entity|model_len|seq_len)s?\b.{0,160}"
    r"\b(too (long|large|many|big)|exceeds?|exceeded|exceeding|longer than|larger than|greater than|over limit"
    r"|must have less|must be (<|less|at most|shorter|no more)|should be \[|not fit|overflow(s|ed)?|no more than)"
    r"|(too (long|large|many|big)|exceeds?|exceeded|exceeding|maximum|max|longer than|larger than|greater than|reduce"
    r"|shorten|only)\b.{0,60}\b(context (length|window|size)|prompt|input length|(input )?tokens|your messages?)\b"
    r"|maximum (context|prompt|input) length|上下文.{0,12}(超|过长)|(输入|长度|tokens?|prompt).{0,12}(超[长过出限]"
    r"|过长)"
)
_SPENT = re.compile(
    r"insufficient[_ -]?(quota|credits?|balance|funds|account)|billing|budget[_ ]?(has been )?exceeded"
    r"|payment.?required"
    r"|credit balance|(more|enough|out of|no|remaining|purchase|buy|add) credits?\b|no credit|arrearage"
    r"|overdue|good standing"
    r"|exceeded your (current|monthly) (quota|usage|spend)|quota.?(exhausted|used up)|out of (quota"
    r"|funds)|free.?(tier|quota)"
    r"|(spend(ing)?|usage|credit|key|budget|monthly|hard|daily)[_ ]limit|per[-_ ]?(day|month)\b|\b(rpd|tpd)\b"
    r"|余额不足|欠费|额度"
)
_SOON = re.compile(r"per[-_ ]?(minute|second)|\b(rpm|tpm)\b|retry(ing)? (in|after)|retrydelay|try again in \d")
_WITHHELD = re.compile(
    r"content[_ -]?(filter|policy|management|moderation|risk)|responsible ?_?ai|data_?inspection"
    r"|\bmoderat(ion|ed)\b|\bflagged\b"
    r"|(usage|safety|acceptable use|content) polic(y|ies)|guardrail|unsafe|inappropriate"
    r"|prohibited_?content|sensitive_?content"
    r"|(block|reject|refus|violat|detect|trigger)\w* .{0,60}\b(safety|harmful|content|policy)\b"
    r"|safety (system|filter|reasons|settings)"
    r"|(sensitive|harmful) (content|information|words?|text)|敏感|违规|不安全|不合规"
)
_FORM = re.compile(
    r"response[_ ]?format|json[_ ]?(schema|mode|object|validate)|structured[_ ]?outputs?"
    r"|guided[_ ]?(decoding|json)|\bgrammar"
    r"|tool[_ ]?(choice|use|calls?|calling)|\btools\b|function[_ ]?call|support (the requested"
    r"|for) parameters|samplers"
    r"|requested parameters|invalid schema|reply mime|response.?schema|response.?mime"
)
_UNKNOWN = re.compile(
    r"model_?(not_?found|notfound|not_?exist|decommissioned|not_?available|not_?supported)"
    r"|invalid_?model|unknown_?model"
    r"|model\b.{0,120}(not found|not exist|not a valid|unknown|no longer|decommissioned|deprecated"
    r"|not available|isn't available"
    r"|not supported|is invalid|not loaded|not deployed)|(unknown|invalid|no such|unsupported|unrecognized) model\b"
    r"|not a valid model|模型不存在"
)
_KEY = re.compile(
    r"(invalid|incorrect|wrong|missing|expired|revoked|no|not valid|valid).{0,20}(api.?key"
    r"|access.?token|credentials?)"
    r"|api.?key.{0,40}(invalid|incorrect|not valid|expired|missing|revoked|not found|required)"
    r"|unauthori[sz]ed|unauthenticated"
)
_BUSY = re.compile(
    r"rate.?limit|too.?many.?requests|throttl|overloaded|over capacity|at capacity|resource_?exhausted"
    r"|server.?busy|queue is full"
)
_NUMBER = re.compile(r"(?<![\w.,-])\d{1,3}(?:,\d{3})+(?![\w-])|(?<![\w.,-])\d{3,12}(?![\w-])")
_REFUSED = re.compile(
    r"unsupported|not support|n't support|unknown|unrecogni[sz]ed|not (allowed|permitted|accepted|valid"
    r"|available|enabled)|invalid"
    r"|extra_?(inputs|forbidden|fields)|unexpected|unable|fail|requires?|cannot|can't|deprecated"
    r"|only the default|no endpoints"
)


@dataclass(frozen=True, slots=True)
class Refusal:
    """What a refusal says: its `kind`, the field that is refused, and the tokens that a prompt may have at most."""

    kind: Said = ""
    field: str = ""
    most_tokens: int = 0
    tokens: int = 0  # that the prompt has, as its server counts them

    @property
    def is_final(self) -> bool:
        """Whether the same request can never pass, whatever its status says."""
        return self.kind not in ("", "busy")


def read_refusal(status: int, body: Any, fields: Iterable[str] = (), *, waits: bool = False) -> Refusal:
    """What a response with an error says.

    Args:
        status: Its HTTP status, or the one that its body names.
        body: The error in it: an object or a text.
        fields: The names of the fields that were sent.
        waits: Whether its headers ask to wait, as they do where it may soon be otherwise.
    """
    text, field = _words_of(body), _field_of(body)
    if text.lstrip().startswith("<") and status != 413:
        return Refusal("web page") if 400 <= status < 500 and status not in (408, 425, 429) else Refusal()
    if (limits := _A_MINUTE.search(text)) and _SOON.search(text):
        most, wanted = (int(each.replace(",", "")) for each in limits.groups())
        return Refusal("too long", most_tokens=most, tokens=wanted) if wanted > most else Refusal("busy")
    if status == 413 or (status != 429 and (status < 500 or "context" in text) and _TOO_LONG.search(text)):
        return _too_long(text)
    if status == 402 or (_SPENT.search(text) and not ((waits or _SOON.search(text)) and status in (429, 503))):
        return Refusal("spent")
    named = _named_field(text, field, fields) if _REFUSED.search(text) or field else ""
    if (named in FORM_FIELDS or _FORM.search(text)) and (status in (400, 404, 405, 415, 422, 500, 501)):
        return Refusal("form", named)
    if named and status in (400, 422):
        return Refusal("field", named)
    if status in (400, 403, 422, 451) and _WITHHELD.search(text):
        return Refusal("withheld")
    return _read_cause(status, text)


def _read_cause(status: int, text: str) -> Refusal:
    """Who or what is refused, where the status alone would tell something else."""
    if status in (400, 403, 404, 422) and _UNKNOWN.search(text):
        return Refusal("unknown model")
    if status in (400, 401) and _KEY.search(text):
        return Refusal("key")
    if status >= 400 and status not in (401, 404) and _BUSY.search(text):
        return Refusal("busy")
    return Refusal()


def _too_long(text: str) -> Refusal:
    """A prompt that is too long, with the numbers that most servers name first: what may be sent, and what was."""
    named = dict.fromkeys(int(each.replace(",", "")) for each in _NUMBER.findall(text))
    most, tokens = sorted([*named][:2]) if len(named) > 1 else (0, 0)
    return Refusal("too long", most_tokens=most, tokens=tokens)


def _words_of(body: Any) -> str:
    """The error in small letters: codes, types, parameters and messages, one after the other; without its keys."""
    return " | ".join(_values_of(body))[:LONGEST].lower()


def _values_of(body: Any) -> Iterator[str]:
    if isinstance(body, Mapping):
        for key, value in body.items():
            if key not in ("code", "status", "status_code") or isinstance(value, str):  # no number of tokens
                yield from _values_of(value)
    elif isinstance(body, list | tuple):
        for value in body[:MOST_FAULTS]:
            yield from _values_of(value)
    elif body is not None:
        yield str(body)


def _field_of(body: Any) -> str:
    """The field that an error names as such: OpenAI's `param`, or the place (`loc`) in a list of faults."""
    for error in body if isinstance(body, list) else [body]:
        if not isinstance(error, Mapping):
            continue
        if isinstance(param := error.get("param"), str) and param:
            return param.partition(".")[0]
        if isinstance(place := error.get("loc"), list | tuple) and place:
            return str(place[1] if place[0] == "body" and len(place) > 1 else place[0])
        for inner in ("detail", "error", "errors"):
            if isinstance(error.get(inner), Mapping | list) and (found := _field_of(error[inner])):
                return found
    return ""


def _named_field(text: str, field: str, fields: Iterable[str]) -> str:
    """The field that was sent and is refused; "" where none is named."""
    sent = [name for name in fields if name not in NEEDED]
    if field in sent:
        return field
    for name in sorted(sent, key=len, reverse=True):
        quoted = rf"""[\\"'`‘“(.]{re.escape(name)}[\\"'`’”)]"""
        if re.search(quoted if name in COMMON_WORDS else rf"(?<![a-z0-9_]){re.escape(name)}(?![a-z0-9_])", text):
            return name
    return ""
