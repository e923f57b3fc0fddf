"""Replies of a stand-in for every model: of usual length, the longest that count, or such that none can be used.

A typed reply is made from its schema, a note from the words that its prompt asks for. What moves a loop is said beside
the type of the reply (`rehearse`), or beside the words of a prompt for a note.
"""

import json
import re
import zlib
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal, TypeVar

from readgraph.models.reply import AskedReply
from readgraph.state.words import count_words, first_words, on_one_line

Kind = Literal["usual", "longest", "useless"]
"""Replies of usual length; the longest that count, with decisions that go on; or such that none can be used."""

T = TypeVar("T")

WORDS = {"reasoning": 36, "reason": 12, "inner_thoughts": 20, "content": 120, "quote": 16, "quotes": 16}
ANSWER_WORDS, OTHER_WORDS = 15, 8
"""Usual words of a field, of an answer whose length nobody asks for, and of any other field."""

LONGEST = 4
"""How many times as long as usual the longest reply is, in words and in items."""

MOST_CHOSEN = 50
"""Most options that the longest reply chooses."""

NOTE_SHARE, LIMIT_SHARE = 1 / 5, 2 / 3
"""The usual note has this share of its passage's words, or of the words that its prompt allows."""

FREE_WORDS, SENTENCE_WORDS = 150, 18
"""Usual words of an answer as long as the question wants, and of a sentence."""

FEWEST_HELD, REMEMBERED = 800, 8
"""The fewest words with which prompts begin alike, of those that providers' caches keep (about 1,024 tokens); with how
many of the newest prompts each is compared."""

_FENCED = re.compile(r"^<(?P<tag>[a-z-]+?(?:-\d+)?)>\n(?P<text>.*?)\n</(?P=tag)>", re.DOTALL | re.MULTILINE)
_NUMBERED_PAGE = re.compile(r"^<page(?:-\d+)? (\d+)(?: in full)?>", re.MULTILINE)
_FULL_PAGE = re.compile(r"^<page(?:-\d+)? (\d+) in full>", re.MULTILINE)
_TAG_LINE = re.compile(r"^<[^>\n]*>\n", re.MULTILINE)
_NUMBERED_LINE = re.compile(r"^(\d+)\. ", re.MULTILINE)
_MOST_WORDS, _ABOUT_WORDS = re.compile(r"at most (\d+) words"), re.compile(r"about (\d+) words\.")


def fill_words(text: str, words: float) -> str:
    """So many words of a text, which begins again where it is too short; at least one."""
    number = max(1, round(words))
    beginning = on_one_line(text[: 12 * number + 200]) or "word"
    repeated = " ".join([beginning] * (number // count_words(beginning) + 1))
    return first_words(repeated, number)


@dataclass
class RehearsedReply:
    """A reply in the making: what `rehearse` beside a type of reply knows of the prompt, and what it may take."""

    asked: AskedReply
    kind: Kind
    seed: int

    @property
    def longest(self) -> bool:
        """Whether it is the longest that counts, and decides to go on."""
        return self.kind == "longest"

    @cached_property
    def text(self) -> str:
        """What the model would see after its instructions."""
        return self.asked.messages[1][1]

    @cached_property
    def chance(self) -> int:
        """A number that depends on the prompt alone, by which usual replies are chosen."""
        return zlib.crc32(self.text[-2000:].encode(errors="replace"), self.seed)

    @cached_property
    def fenced(self) -> dict[str, str]:
        """The texts between tags, by the tags' names without their numbers."""
        return {re.sub(r"-\d+$", "", match["tag"]): match["text"] for match in _FENCED.finditer(self.text)}

    @cached_property
    def task(self) -> str:
        """What stands after the texts between tags."""
        return self.text.rpartition("\n</")[2]

    @cached_property
    def shown(self) -> str:
        """The longest of the texts between tags, without the question."""
        longest = max((text for name, text in self.fenced.items() if name != "question"), key=len, default="word")
        return _TAG_LINE.sub("", longest)

    @property
    def question(self) -> str:
        """The question of the prompt."""
        return self.fenced.get("question", "word")

    @cached_property
    def pages(self) -> list[int]:
        """The numbers of the pages that are shown, in their order."""
        return [*dict.fromkeys(map(int, _NUMBERED_PAGE.findall(self.text)))]

    @cached_property
    def pages_in_full(self) -> list[int]:
        """The numbers of those pages that stand there in full."""
        return [*map(int, _FULL_PAGE.findall(self.text))]

    @cached_property
    def schema(self) -> dict[str, Any]:
        """The schema of the typed reply."""
        assert self.asked.reply is not None
        from readgraph.models.replies.forms import reply_schema  # with the parsers, which an answer may not need

        return reply_schema(self.asked.reply)

    def offered(self, name: str) -> list[Any]:
        """The values that the schema lists for a field, or for the items of a list; none where it lists none."""
        part = self.schema["properties"].get(name, {})
        options = part.get("anyOf", [part])
        return next((listed for option in options if (listed := option.get("items", option).get("enum"))), [])

    def numbered(self, name: str) -> list[int]:
        """The numbers with which lines of the text between these tags begin."""
        return [*map(int, _NUMBERED_LINE.findall(self.fenced.get(name, "")))]

    def one_of(self, options: Sequence[T]) -> T:
        """One of the options, by chance; the first where the reply is the longest."""
        return options[0 if self.longest else self.chance % len(options)]

    def some_of(self, options: Sequence[T]) -> list[T]:
        """One to three of the options, by chance; as many as replies have where it is the longest."""
        if self.longest or not options:
            return [*options[:MOST_CHOSEN]]
        first = self.chance % len(options)
        return [*options[first:], *options[:first]][: 1 + self.chance % 3]

    def quotes(self, number: int, *, of_pages: bool = False) -> list[Any]:
        """So many quotes of what is shown, or more; with the pages that they name, where the form has these."""
        quotes = [self.words(WORDS["quote"]) for _ in range(number * (LONGEST if self.longest else 1))]
        return [{"page": self.one_of(self.pages or [0]), "quote": quote} for quote in quotes] if of_pages else quotes

    def words(self, usual: float, text: str = "") -> str:
        """So many words, or as many times more as the longest reply has; of this text, else of what is shown."""
        return fill_words(text or self.shown, usual * (LONGEST if self.longest else 1))

    @cached_property
    def answer_words(self) -> int:
        """The usual words of an answer to this prompt."""
        told = self.task.rpartition("Give the answer ")[2] if "Give the answer " in self.task else ""
        if about := _ABOUT_WORDS.search(told):
            return int(about[1])
        if told.startswith("in one sentence"):
            return SENTENCE_WORDS
        return FREE_WORDS if told.startswith("in as many words") else ANSWER_WORDS

    @property
    def answer(self) -> str:
        """An answer in sentences, of what is shown."""
        return ". ".join(
            fill_words(self.shown[at * 200 :], SENTENCE_WORDS)
            if self.answer_words > SENTENCE_WORDS
            else self.words(self.answer_words)
            for at in range(max(1, round(self.answer_words / SENTENCE_WORDS) * (LONGEST if self.longest else 1)))
        )

    def note(self) -> str:
        """A note, as long as its prompt allows, else in proportion to its passage."""
        passage = self.fenced.get("passage") or self.shown
        limit = _MOST_WORDS.search(self.task)
        if self.longest:
            shown = count_words(passage)
            return fill_words(passage, min(shown, LONGEST * int(limit[1])) if limit else shown)
        return fill_words(passage, LIMIT_SHARE * int(limit[1]) if limit else NOTE_SHARE * count_words(passage))

    def typed(self) -> dict[str, Any]:
        """A typed reply: its fields by its schema, and what its type says of what moves a loop."""
        made = {name: self._value(name, part) for name, part in self.schema.get("properties", {}).items()}
        rehearse = getattr(self.asked.reply, "rehearse", None)
        return {**made, **{name: value for name, value in rehearse(self).items() if name in made}} if rehearse else made

    def _value(self, name: str, part: dict[str, Any]) -> Any:
        """A value of a field: of its listed ones, or as long as its description allows."""
        if "$ref" in part:
            inner = self.schema["$defs"][part["$ref"].rpartition("/")[2]]
            return {each: self._value(each, of) for each, of in inner.get("properties", {}).items()}
        if "anyOf" in part:
            described = {key: value for key, value in part.items() if key != "anyOf"}
            options = [option for option in part["anyOf"] if option.get("type") != "null"]
            return self._value(name, {**described, **options[0]})
        if "enum" in part:
            return self.one_of(part["enum"])
        kind = part.get("type")
        if kind == "array":
            return self._items(name, part)
        if kind == "boolean":
            return not self.longest
        if kind in ("integer", "number"):
            return self.one_of(self.pages) if self.pages and name == "page" else 1
        if name in ("answer", "found"):
            return self.answer
        limit = _MOST_WORDS.search(part.get("description", ""))
        return self.words(LIMIT_SHARE * int(limit[1]) if limit else WORDS.get(name, OTHER_WORDS))

    def _items(self, name: str, part: dict[str, Any]) -> list[Any]:
        """Items of a list: of what is offered, a few; else one, or where the list is of quotes or sources, two."""
        item = part.get("items", {})
        if "enum" in item:
            return self.some_of(item["enum"])
        number = (2 if name == "quotes" else 1) * (LONGEST if self.longest else 1)
        if item.get("type") == "integer":
            return self.pages[:number]
        return [self._value(name, item) for _ in range(number)]


USELESS = "useless " * 120
"""No form of reply; a retry repeats as many of its words as of any refused reply."""


class TooManyCalls(Exception):
    """The rehearsal takes more calls than it was allowed."""


@dataclass
class RehearsedReplies:
    """The stand-in: it replies to every prompt with replies of one kind, and counts prompts and replies."""

    kind: Kind = "usual"
    seed: int = 0
    finds_kept: bool = False
    most_calls: int | None = None
    calls: int = 0
    input_words: int = 0
    output_words: int = 0
    held_words: int = 0
    """Words of prompts that begin as an earlier prompt did, so that a provider's cache can hold them."""
    _newest: list[str] = field(default_factory=list)

    def reply(self, asked: AskedReply) -> str:
        """A reply of this kind."""
        if self.calls == self.most_calls:
            raise TooManyCalls
        self.calls += 1
        self.input_words += asked.words
        text = self._write(asked)
        self.output_words += count_words(text)
        return text

    def _write(self, asked: AskedReply) -> str:
        if self.kind == "useless":
            return USELESS if asked.reply else ""
        if self.kind == "usual":
            self._count_held(asked)
        rehearsed_reply = RehearsedReply(asked, self.kind, self.seed)
        if asked.reply:
            return json.dumps(rehearsed_reply.typed(), ensure_ascii=False)
        words = asked.prompt.worded.words if asked.prompt.worded else None
        return words.rehearse(rehearsed_reply) if words and words.rehearse else rehearsed_reply.note()

    def _count_held(self, asked: AskedReply) -> None:
        whole = "\n".join(text for _, text in asked.messages[:2])
        length = max((_common(whole, before) for before in self._newest), default=0)
        if length > FEWEST_HELD and (words := count_words(whole[:length])) >= FEWEST_HELD:
            self.held_words += words
        self._newest = [*self._newest[1 - REMEMBERED :], whole]


def _common(one: str, other: str) -> int:
    """Characters with which both begin, by bisection: comparing slices is faster than comparing characters."""
    low, high = 0, min(len(one), len(other))
    if one[:FEWEST_HELD] != other[:FEWEST_HELD]:
        return 0
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if one[low:middle] == other[low:middle] else (low, middle - 1)
    return low
