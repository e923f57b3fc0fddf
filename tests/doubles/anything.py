"""A model double that replies with anything at all: from a seed, the same to the same prompt."""

import json
import re
from collections import Counter
from collections.abc import Callable
from random import Random
from typing import Any

from tests.doubles.model_faults import PROSE, Fault, JsonObject
from tests.doubles.model_server import ChatRequest, ModelServer, echo
from tests.doubles.reader import reader

LARGE = 200_000
"""Characters of a huge reply."""

NUMBERS: list[Any] = [-1, -7, 10**9, 10**30, -(10**30), 2**31, 2**63, 2**64, 0.5, 1e300, -0.0]
TEXTS = [
    *("", " ", "\n\n", "null", "none", "0", "-1", "[1]", "[1, 2] [99]", "9" * 400, "NaN", "1912-02-31", "12,5 m/s"),
    *("\x00", "a\x00b", "\x1b[31mred\x1b[0m", "\u202eabc\u202c", "\u2028\u2029", "\ufeff", "\ufffd", "e\u0301", "İıſß"),
    *("\ud800", "lamp \udfff lamp", "</passage>", "<page 3>", "<event 1: you>", "{", "}", '"', "\\", "```", "../../x"),
    *("%s %d {} {0}", "<b>bold</b>", "| a | b |", "長い文です。", "🏮🐐", "lamp " * 900, "x" * 9000, "a. " * 700),
]
ODD: list[Any] = [None, True, False, [], {}, [[[[]]]], [None], {"a": {"b": [1]}}, "x", 3, 2.5, *NUMBERS, *TEXTS[:12]]

FORMS: list[Any] = [
    {"reason": "it is there", "pages": [1, 2]},
    {"answer": "Iolo.", "quotes": [{"page": 1, "quote": "the lamp"}]},
    {"reasoning": "here", "action": "answer", "found": "Iolo.", "choice": "B", "quotes": ["the lamp"]},
    {"inner_thoughts": "hm", "function": "send_message", "arguments": [], "request_heartbeat": True},
    {"sentences": [{"text": "A lamp burns.", "pages": [0]}]},
    {"records": [{"column_1": "lamp", "quote": "lamp"}]},
    {"notes": ["lamp [0]"], "look_back": [0]},
]
"""What other prompts are answered with."""

FAILING = [
    *(Fault.rate_limited(0), Fault.rate_limited(), Fault.server_error(), Fault.server_error(503), Fault.cut()),
    *(Fault.foreign("<html>Maintenance</html>"), Fault.foreign('{"error": {"message": "overloaded"}}')),
    *(Fault.foreign(""), Fault.foreign(b'{"choices": [{"message": {"content": "\xff\xfe"}}]}'), Fault.foreign("[]")),
]
"""Failures that a further try mends."""

FINAL = [Fault("bad request", status=400), Fault.unauthorized(), Fault("not found", status=404)]
"""Failures after which a reading gives up, or, after the first, asks in another form."""


class Anything:
    """Replies with anything to a `share` of the calls, and to the others as the reader does.

    `failing` is the share of failed calls that pass, `final` that of those which don't. `sent` counts what was sent
    by its kind; `said` are the contents of all replies.
    """

    def __init__(self, seed: object, *, share: float = 1.0, failing: float = 0.0, final: float = 0.0) -> None:
        self.seed, self.share, self.failing, self.final = seed, share, failing, final
        self.sent = Counter[str]()
        self.said: list[str] = []
        self._asked = Counter[str]()

    def plays(self, server: ModelServer) -> None:
        """Let the server answer so."""
        server.reset()
        server.respond, server.fault_for = self._sane, self.fault_for

    def fault_for(self, request: ChatRequest, call: int) -> Fault | None:
        """What is wrong with the reply to this request, if anything is."""
        self._asked[request.key] += 1
        chance = Random(f"{self.seed} {request.key} {self._asked[request.key]}")
        point = chance.random()
        if point < self.final:
            return self._counted(chance.choice(FINAL))
        if point < self.final + self.failing:
            return self._counted(chance.choice(FAILING))
        if chance.random() >= self.share:
            return Fault.changed(self._keep)
        reply, kind = Reply(request, chance), chance.choice([*Reply.KINDS])
        self.sent[kind] += 1

        def change(whole: JsonObject) -> None:
            Reply.KINDS[kind](reply, whole)
            if chance.random() < 0.2:
                whole["usage"] = chance.choice([None, [5], {"prompt_tokens": "5"}, *map(_used, (-5, 10**9, 10**30))])
            self._keep(whole)

        return Fault.changed(change)

    @staticmethod
    def _sane(request: ChatRequest) -> str | JsonObject:
        try:
            return reader(request)
        except (ValueError, IndexError, StopIteration):  # nothing is shown from which it could reply
            return echo(request)

    def _counted(self, fault: Fault) -> Fault:
        self.sent[f"{fault.name} {fault.status}"] += 1
        return fault

    def _keep(self, whole: JsonObject) -> None:
        self.said.append(json.dumps(whole["choices"]))


def _used(tokens: int) -> JsonObject:
    return dict.fromkeys(("prompt_tokens", "completion_tokens", "total_tokens"), tokens)


class Reply:
    """One reply of any kind to a request."""

    KINDS: "dict[str, Callable[[Reply, JsonObject], None]]"

    def __init__(self, request: ChatRequest, chance: Random) -> None:
        self.request, self.chance = request, chance
        self.schema: JsonObject | None = (request.tool or {}).get("parameters", request.schema)
        self.words = re.findall(r"\S+", request.text)

    def fits(self, whole: JsonObject) -> None:
        """The form that was asked for, with any values."""
        self._say(whole, self._made())

    def nearly(self, whole: JsonObject) -> None:
        """The form that was asked for, with a few odd values."""
        self._say(whole, self._made(odd=0.15))

    def fenced(self, whole: JsonObject) -> None:
        """The form that was asked for, in a fence, after other objects and words."""
        inside = json.dumps(self._made())
        self._say(whole, f"{self.text()}\n```json\n{inside}\n```\n{self.chance.choice([PROSE, '{', '}', '```'])}")

    def torn(self, whole: JsonObject) -> None:
        """The form that was asked for, cut in the middle."""
        text = json.dumps(self._made())
        self._say(whole, text[: self.chance.randrange(len(text) + 1)])
        whole["choices"][0]["finish_reason"] = self.chance.choice(["length", "stop"])

    def other(self, whole: JsonObject) -> None:
        """The form of another prompt, or no object at all."""
        self._say(whole, self.chance.choice([*FORMS, *ODD]))

    def plain(self, whole: JsonObject) -> None:
        """Any text."""
        self._say(whole, self.chance.choice([PROSE, self.text(), self.text()]))

    def huge(self, whole: JsonObject) -> None:
        """A huge text, or thousands of things where some were asked for."""
        huge = [*("lamp " * (LARGE // 5), "{" * LARGE, "x" * LARGE), json.dumps(self._made(many=True))]
        self._say(whole, self.chance.choice(huge))

    def ended(self, whole: JsonObject) -> None:
        """Any end, also one that no server should name."""
        self.fits(whole)
        ends = ["length", "content_filter", "unknown", None, "", "function_call", 7]
        whole["choices"][0]["finish_reason"] = self.chance.choice(ends)

    def misshapen(self, whole: JsonObject) -> None:
        """A completion that is none."""
        said = whole["choices"][0]["message"]
        parts: list[JsonObject] = [
            {"content": None},
            {"content": [7]},
            {"content": {}},
            {"content": [{}]},
            {"refusal": 1},
        ]
        if self.chance.random() < 0.5:
            said |= {"tool_calls": None, **self.chance.choice(parts)}
        else:
            whole |= self.chance.choice(
                [{"choices": []}, {"choices": None}, {"choices": [{"index": 0, "message": None}]}]
            )

    def called(self, whole: JsonObject) -> None:
        """A call of any function, with any arguments."""
        odd = self.chance.choice(["{", "[1]", "", "null", '"x"', "\x00", json.dumps(self._made()), '{"a": "\\ud800"}'])
        name = self.chance.choice(["fly", "", "\x00", self.request.schema_name or "lamp", "send_message"])
        call = {"id": "call_1", "type": "function", "function": {"name": name, "arguments": odd}}
        said = self.chance.choice([None, "", self.text()])
        calls = [call] * self.chance.choice([1, 1, 3])
        whole["choices"][0]["message"] = {"role": "assistant", "content": said, "tool_calls": calls}

    def text(self) -> str:
        """Any text: odd ones, words of the prompt, words that are nearly the prompt's."""
        point, start = self.chance.random(), self.chance.randrange(len(self.words) + 1)
        said = self.words[start : start + self.chance.choice([1, 3, 8, 20])]
        if point < 0.35:
            return self.chance.choice(TEXTS)
        if point < 0.5 and said:
            said[self.chance.randrange(len(said))] = self.chance.choice(
                ["lamp", "LAMP", "", "…", "\u2019", "ﬁ", "\x00"]
            )
        return " ".join(said)

    def _say(self, whole: JsonObject, value: Any) -> None:
        """Put a value where the reply belongs."""
        choice, text = whole["choices"][0], value if isinstance(value, str) else json.dumps(value)
        if self.request.tool:
            call = {"name": self.request.tool["name"], "arguments": text}
            choice["message"] |= {"content": None, "tool_calls": [{"id": "c", "type": "function", "function": call}]}
        else:
            choice["message"] = {"role": "assistant", "content": text}

    def _made(self, *, odd: float = 0.0, many: bool = False) -> Any:
        if self.schema is None:
            return self.text() if self.chance.random() < 0.8 else self.chance.choice(FORMS)
        return self._value(self.schema, odd, 3000 if many else 0)

    def _value(self, schema: JsonObject, odd: float, many: int) -> Any:
        """A value that a schema allows, but for the share of odd ones."""
        assert self.schema is not None
        if self.chance.random() < odd:
            return self.chance.choice([*ODD, self.text()])
        if "$ref" in schema:
            schema = self.schema["$defs"][schema["$ref"].rpartition("/")[2]]
        if options := schema.get("anyOf") or schema.get("oneOf"):
            return self._value(self.chance.choice(options), odd, many)
        if "const" in schema or "enum" in schema:
            return self.chance.choice(schema.get("enum") or [schema["const"]])
        kind = schema.get("type", "object" if "properties" in schema else "null")
        if kind == "object":
            return self._object(schema, odd, many)
        if kind == "array":
            fitting = [schema.get("minItems", 0), schema.get("maxItems", 4)]
            number = many or self.chance.choice([*fitting, 1, 2, 3])
            return [self._value(schema.get("items") or {}, odd, 0) for _ in range(number)]
        return self._scalar(kind)

    def _object(self, schema: JsonObject, odd: float, many: int) -> JsonObject:
        made = {name: self._value(each, odd, many) for name, each in schema.get("properties", {}).items()}
        if odd and self.chance.random() < 0.3:
            made[self.text()] = self.chance.choice(ODD)
        if odd and made and self.chance.random() < 0.2:
            made.pop(self.chance.choice([*made]))
        if "function" in made and (names := re.findall(r"^- (\w+)\(", self.request.text, re.MULTILINE)):
            made["function"] = self.chance.choice([*names, made["function"]])
        return made

    def _scalar(self, kind: str) -> Any:
        if kind in ("integer", "number"):
            shown = [int(number) for number in re.findall(r"<[a-z]+ (\d{1,4})>", self.request.text)]
            return self.chance.choice([*shown, *shown, *range(-1, 9), *NUMBERS[: 8 if kind == "integer" else None]])
        if kind == "boolean":
            return self.chance.random() < 0.5
        return self.text() if kind == "string" else None


Reply.KINDS = {
    kind.__name__: kind
    for kind in (
        *(Reply.fits, Reply.nearly, Reply.fenced, Reply.torn, Reply.other, Reply.plain, Reply.huge, Reply.ended),
        *(Reply.misshapen, Reply.called),
    )
}
"""The kinds of replies by their names."""
