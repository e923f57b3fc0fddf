"""What a refusal of a model server says, by its code, its parameter and its words, whatever its status."""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal

LONGEST, MOST_FAULTS = 4000, 20  # characters of a refusal that are read, and faults in a list
Said = Literal[
    "", "too long", "spent", "withheld", "form", "field", "unknown model", "key", "busy", "web page", "picture"
]

FORM_FIELDS = ("response_format", "json_schema", "tool_choice", "tools", "functions", "function_call", "strict")
"""Fields of a request that ask for the form of its reply: without them it is asked for in a simpler one."""

OTHER_NAMES = {"max_tokens": "max_completion_tokens", "max_completion_tokens": "max_tokens"}
"""Fields that some servers know by the other name alone."""

NEEDED = frozenset({"model", "messages"})  # fields without which there is no request
COMMON_WORDS = frozenset({"stop", "stream", "n", "user", "seed", "store", "verbosity", "reasoning", "strict", "tools"})
"""Names of fields that may be other words of a message: they count only where they stand in quotes."""

ECHOED = ("input", "inputs", "failed_generation", "flagged_input")
"""Where an error repeats what was sent, or what the model wrote: its words say nothing of why it is an error."""

SHORTEST_ECHO = 20  # characters that an error repeats of a prompt; shorter parts may be its own words

_PAGE = re.compile(r"\s*<[a-z!?]")
_A_MINUTE = re.compile(r"limit:? ?([\d,]+).{0,40}?requested:? ?([\d,]+)")
_NO_WINDOW = re.compile(r"context (deadline exceeded|cancell?ed|manager)")  # what Go's and Python's own errors speak of
_TOO_LONG = re.compile(
    r"context_?(length|window|size)_?(is_)?exceeded|exceed_context_size|contextwindowexceeded|string_above_max_length"
    r"|request_too_large|prompt_too_long|context shift is disabled|expected maxlength"
    r"|(context|sequence|prompt|input|token|message|request|payload|entity|model_len|seq_len)s?\b.{0,160}"
    r"\b(too (long|large|many|big)|exceeds?|exceeded|exceeding|longer than|larger than|greater than|over limit|above"
    r"|must have less|must be (<|less|at most|shorter|no more)|should be \[|not fit|overflow(s|ed)?|no more than"
    r"|only supports|\d+ tokens but)"
    r"|(too (long|large|many|big)|exceeds?|exceeded|exceeding|maximum|max|longer than|larger than|greater than|reduce"
    r"|shorten|only)\b.{0,60}(\b(context (length|window|size)|prompt|input length|(input )?tokens|your messages?)\b"
    r"|max_(total|input|model|seq)_)"
    r"|maximum (context|prompt|input) length|上下文.{0,12}(超|过长)|(输入|长度|tokens?|prompt).{0,12}(超[长过出限]"
    r"|过长)"
    r"|(kontext|context|eingabe|entr[aé]|prompt|token|トークン|入力|문맥|입력|토큰|контекст|токен).{0,80}"
    r"(überschr|zu lang|dépass|trop long|exced|supera|demasiado larg|troppo lung|muito long|超え|長すぎ|초과|너무 길"
    r"|превыш|слишком длин)|(überschr|dépass|exced|supera|превыш).{0,60}(kontext|context|eingabe|token|контекст|токен)"
)
_SPENT = re.compile(
    r"insufficient.{0,20}(quota|credit|balance|funds|account)|balance (is |was )?(insufficient|too low|exhausted)"
    r"|billing|exceeded ?budget|over budget|budget[_ ]?(has been )?exceeded|no (remaining )?balance|top[- ]up|recharge"
    r"|payment.?required"
    r"|credit balance|(more|enough|out of|no|remaining|available|purchase|buy|add) credits?\b|arrearage"
    r"|overdue|good standing"
    r"|exceeded.{0,12} (current|monthly|daily) (quota|usage|spend)|quota.{0,12}(exhausted|used up|reached)"
    r"|out of (quota|funds)|free.?(tier|quota|usage|allocation)"
    r"|(spend(ing)?|usage|credit|key|budget|monthly|hard|daily)[_ ]limit|(per[-_ ]?|/ ?)(day|month)\b|\b(rpd|tpd)\b"
    r"|余额不足|欠费|额度|guthaben|crédit|crédito|saldo|残高|잔액|баланс"
)
_SOON = re.compile(
    r"per[-_ ]?(\d+ )?(min|sec)|/ ?(min|sec)|\b(rpm|tpm)\b|retrydelay|concurren|并发|retry(ing)? (in|after)"
    r"|\b(in|after|wait) (about )?\d{1,3}(\.\d+)? ?(s|sec|secs|seconds?|ms)\b|please wait"
)
PASSING = (408, 409, 425)  # statuses that are over soon by their meaning
_PASSING = re.compile(
    r"time[d-]? ?out|deadline|unavailable|(again|retry) (later|soon)|please retry|overload|capacity|crash|busy"
    r"|out of memory|\boom\b|unable to (reach|connect)|connection"
)
"""What the errors of a server itself (500 and more) say that may be over soon, whatever else they speak of."""

_WITHHELD = re.compile(
    r"content[_ -]?(filter|policy|management|moderation|risk|exists risk)|responsible ?_?ai|data_?inspection"
    r"|contentpolicy|\bmoderat(ion|ed)\b|\bflagged\b|inhaltsfilter|filtre de contenu|filtro de conte"
    r"|(usage|safety|acceptable use|content) (polic(y|ies)|guidelines)|guardrail|unsafe|inappropriate"
    r"|prohibited_?content|sensitive_?content|new_sensitive|safety_check"
    r"|(block|reject|refus|violat|detect|trigger)\w* .{0,60}\b(safety|harmful|content|policy|high risk)\b"
    r"|safety (system|filter|reasons|settings)"
    r"|(sensitive|harmful) (content|information|words?|text)|敏感|违规|不安全|不合规"
)
_WALL = re.compile(r"firewall|\bwaf\b|your (region|country|location|ip)\b")  # what keeps out a client, and no text
_FILTERED = re.compile(r"content_filter|data_inspection_failed|prohibited_content|responsibleaipolicyviolation")
_FORM = re.compile(
    r"response[_ ]?format|json[_ ]?(schema|mode|object|validate)|structured[_ ]?outputs?"
    r"|guided[_ ]?(decoding|json)|grammar"
    r"|tool[_ ]?(choice|use|calls?|calling)|\btools\b|function[_ ]?call|support (the requested"
    r"|for) parameters|samplers"
    r"|requested parameters|(invalid|specified|unsupported|your) schema|reply mime|response.?schema|response.?mime"
)
_PICTURE = re.compile(r"\b(image|picture|vision|multi-?modal|modalit|mmproj)|image_url|input_image")
_UNKNOWN = re.compile(
    r"model_?(not_?found|notfound|not_?exist|decommissioned|not_?available|not_?supported)"
    r"|invalid_?model|unknown_?model|no models? (is |are )?loaded"
    r"|model\b.{0,120}(not found|not exist|not a valid|unknown|no longer|decommissioned|deprecated"
    r"|not available|isn't available"
    r"|not supported|is invalid|not loaded|not deployed)|(unknown|invalid|no such|unsupported|unrecognized) model\b"
    r"|not a valid model|模型不存在"
)
_KEY = re.compile(
    r"(invalid|incorrect|wrong|missing|expired|revoked|no|not valid|valid).{0,20}(api.?key"
    r"|(access|server|bearer|auth).?token|credentials?)"
    r"|api.?key.{0,40}(invalid|incorrect|not valid|expired|missing|revoked|not found|required)"
    r"|unauthori[sz]ed|unauthenticated"
)
_BUSY = re.compile(
    r"rate.?limit|too.?many.?(requests|tokens, please wait)|throttl|overloaded|capacity|resource_?exhausted"
    r"|server.?busy|queue is full|(again|retry) (later|soon)|please wait"
)
_SUM = re.compile(r"(\d+) ?\+ ?(\d+) ?> ?(\d+)")  # input and output, and what both may have
_DIFFERENCE = re.compile(r"(\d+) ?> ?(\d+) ?- ?(\d+)")  # output, what both may have, and input
_NUMBER = re.compile(
    r"(?<![\w.,-])(?!(?<=<)\d+>|(?<=\()\d+\)\s*(?:\||\Z))(?:\d{1,3}(?:,\d{3})+|\d{3,12})(?![\w-])"
)  # in brackets at the end it is a code
_INPUT = re.compile(r"prompt|input|messages|in your request|\btext\b")
_REFUSED = re.compile(
    r"unsupported|not support|n't support|unknown|unrecogni[sz]ed|not (allowed|permitted|accepted|valid"
    r"|available|enabled)|invalid"
    r"|extra_?(inputs|forbidden|fields)|unexpected|unable|fail|requires?|cannot|can't|deprecated"
    r"|only the default|no endpoints|too (large|small|high|many states)|must be|should be|range|maximum"
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
        fields: The fields that were sent, with their values or without: an error may repeat them.
        waits: Whether its headers ask to wait, as they do where it may soon be otherwise.
    """
    text, field = _words_of(body, fields), _field_of(body)
    soon, own = _SOON.search(text) is not None, status >= 500
    if _PAGE.match(text) and status != 413:
        return Refusal("web page") if 400 <= status < 500 and status not in (408, 425, 429) else Refusal()
    if (limits := _A_MINUTE.search(text)) and (soon or _SPENT.search(text)):
        most, wanted = (int(group.replace(",", "")) for group in limits.groups())
        if wanted > most or soon:
            return Refusal("too long", most_tokens=most, tokens=wanted) if wanted > most else Refusal("busy")
    if status in PASSING or (own and _PASSING.search(text)):
        return Refusal("busy") if _BUSY.search(text) else Refusal()
    named = _named_field(text, field, fields) if _REFUSED.search(text) or field else ""
    if named in OTHER_NAMES and status in (400, 422) and not _INPUT.search(text):
        return Refusal("field", named)  # too large a number of tokens for the reply
    if status == 413 or (status != 429 and not soon and _TOO_LONG.search(text)):
        return _too_long(text)
    if status == 402 or (_SPENT.search(text) and not ((waits or soon) and status in (429, 503))):
        return Refusal("spent")
    refused = not own or status == 501 or _REFUSED.search(text)
    if refused and (named in FORM_FIELDS or _FORM.search(text)) and status in (400, 404, 405, 415, 422, 500, 501):
        return Refusal("form", named)
    if named and status in (400, 422):
        return Refusal("field", named)
    can_be_filter = 400 <= status < 500 and status not in (401, 404, 429) and not _WALL.search(text)
    if (can_be_filter and _WITHHELD.search(text)) or (own and _FILTERED.search(text)):
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
    if status in (400, 404, 415, 422, 500, 501) and _PICTURE.search(text) and _REFUSED.search(text):
        return Refusal("picture")
    return Refusal()


def _too_long(text: str) -> Refusal:
    """A prompt that is too long, with the numbers that most servers name first: what may be sent, and what was."""
    text = re.sub(r"(?<=\d),(?=\d{3}\b)", "", text)
    if total := _SUM.search(text):
        sent, added, most = map(int, total.groups())
        return Refusal("too long", most_tokens=most, tokens=sent + added)
    if left := _DIFFERENCE.search(text):
        added, most, sent = map(int, left.groups())
        return Refusal("too long", most_tokens=most, tokens=sent + added)
    named = dict.fromkeys(int(each) for each in _NUMBER.findall(text))
    most, tokens = sorted([*named][:2]) if len(named) > 1 else (0, 0)
    return Refusal("too long", most_tokens=most, tokens=tokens)


def _words_of(body: Any, sent: Iterable[str]) -> str:
    """The error in small letters: codes, types, parameters and messages, without keys, and without what was sent."""
    text = _NO_WINDOW.sub("", " | ".join(_values_of(body))[:LONGEST].lower())
    messages = sent.get("messages") if isinstance(sent, Mapping) else None
    if not messages:
        return text
    asked = " ".join(_values_of(messages)).lower()
    parts = re.split(r"""(['"\\|{}\[\]]\s*n?)""", text)
    return "".join("" if len(part) >= SHORTEST_ECHO and part.strip() in asked else part for part in parts)


def _values_of(body: Any) -> Iterator[str]:
    if isinstance(body, Mapping):
        for key, value in body.items():
            number = key in ("code", "status", "status_code", "http_code") and str(value).lstrip("-").isdecimal()
            if not number and key not in ECHOED:  # a code is no number of tokens
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
        quoted = rf"""[\\"'`‘“(.\[]{re.escape(name)}[\\"'`’”)\]]|: {re.escape(name)}(?= \||\.?\Z)"""
        if re.search(quoted if name in COMMON_WORDS else rf"(?<![a-z0-9_]){re.escape(name)}(?![a-z0-9_])", text):
            return name
    return ""
