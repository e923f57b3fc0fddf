"""A model's reply: in its server's message, with why it ended, or from what replies in its place; and types of replies.

Fields of these types accept what a model meant, and schemas list what it may choose, as small models need it.
"""

import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from contextvars import ContextVar
from copy import copy
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Annotated, Any, ClassVar, Literal, Protocol, TypeAlias, TypeVar, get_args, get_origin

from langchain_core.messages import AIMessage
from pydantic import BaseModel, BeforeValidator, create_model, model_validator
from pydantic.fields import FieldInfo

from readgraph.models.prompt import Messages, Prompt
from readgraph.models.replies.broken_json import is_unclosed
from readgraph.state.errors import ModelUnavailable
from readgraph.state.reading import NO_TOKENS, Tokens
from readgraph.state.records import RecordedReply, digest
from readgraph.state.settings import ReplyForm
from readgraph.state.variables import set_variable

TRIES = 3  # for one answer
MOST_REPEATED = 100  # words of a refused reply, and of the reason, that the next try repeats
Said = TypeVar("Said")
Complaint: TypeAlias = Callable[[Said], str | None]  # says what is wrong with a well-formed reply, or None
CACHE_WRITES = ("ephemeral_5m_input_tokens", "ephemeral_1h_input_tokens")  # LangChain's names of what a cache took in
LONGEST_REPLY = 200_000  # characters of a reply that are used; a longer one counts as cut off there
ENDINGS = ("finish_reason", "stop_reason", "stopReason", "done_reason")  # of OpenAI, Google; Anthropic; Bedrock; Ollama

WHOLE = frozenset(
    {
        *("stop", "stopsequence", "stopstr", "stopstringfound", "stoptoken", "endturn", "turnend", "eos", "eostoken"),
        *("eosfound", "eostokenfound", "eot", "endoftext", "toolcalls", "toolcall", "tooluse", "functioncall"),
        *("complete", "completed", "finish", "finished", "done", "end", "normal", "natural", "success"),
    }
)
"""How a whole reply ends, by all providers, as `fold_ending` writes it. All other endings are those of a part of it."""

CUT = frozenset(
    {
        *("length", "limit", "maxtokens", "maxoutputtokens", "maxcompletiontokens", "maxlength", "tokenlimit"),
        *("modellength", "modelcontextwindowexceeded", "contextlengthreached", "maxpredictedtokensreached"),
    }
)
"""The reply is cut off: it reached the most tokens of a reply, or the end of the model's window."""

BLOCKED = frozenset(
    {
        *("contentfilter", "contentfiltered", "guardrailintervened", "refusal", "sensitive", "moderation", "flagged"),
        *("safety", "recitation", "blocklist", "prohibitedcontent", "spii", "imagesafety", "errortoxic"),
    }
)  # the provider kept the reply back

_NO_END = re.compile("error|malformed|fail|abort|cancel|timeout|incomplete|broken|insufficient")

Flaw = Literal["", "withheld by its server", "damaged on its way", "broken off by its server"]  # what a server did
NO_FLAW, WITHHELD, DAMAGED, BROKEN_OFF = FLAWS = get_args(Flaw)  # a retry may bring a better one
FLAWED = "the reply was {}"  # why a reply with a flaw is refused


@dataclass(frozen=True, slots=True)
class ModelReply:
    """A model's reply."""

    text: str  # none in a damaged reply, or what could be saved of it
    cut: bool  # the server stopped the model before it was done
    tokens: Tokens = NO_TOKENS  # as the server counts them
    flaw: Flaw = ""  # what the server did to it
    recorded: bool = False  # it is not new
    ending: str = ""  # why it ended, folded; "" if its server didn't say it, or it is recorded

    @classmethod
    def from_record(cls, record: RecordedReply) -> "ModelReply":
        """A reply of an earlier call."""
        flaw = next((flaw for flaw in FLAWS if flaw == record.flaw), NO_FLAW)
        return cls(record.said, record.cut, Tokens(*record.tokens), flaw, recorded=True)

    def to_record(self, asked: str, document: str) -> RecordedReply:
        """The reply as it is recorded: to the prompt of this name, for this document."""
        return RecordedReply(self.text, self.cut, asked, document, self.tokens[:2], self.flaw)


def reply_of(message: AIMessage, form: ReplyForm | None = None) -> ModelReply:
    """The reply in a message, of a typed reply in this form; raises `TypeError` if it holds neither text nor tokens."""
    ended, tokens = fold_ending(read_stop_reason(message.response_metadata)), _tokens(message)
    if ended in BLOCKED:
        return ModelReply("", False, tokens, WITHHELD, ending=ended)
    text = _text(message)
    if ended not in WHOLE | CUT and (ended or (form and is_unclosed(text))):
        return ModelReply("", False, tokens, BROKEN_OFF, ending=ended)
    if not text and not isinstance(message.content, str):
        if any(tokens):
            return ModelReply("", False, tokens, DAMAGED, ending=ended)
        raise TypeError
    whole = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")  # a lone surrogate can't be stored
    cut = ended in CUT or len(text) > LONGEST_REPLY
    damaged = whole != text or not (text or ended) or _is_damaged(whole, form)  # a broken stream has no end
    return ModelReply(whole[:LONGEST_REPLY], cut, tokens, DAMAGED if damaged else "", ending=ended)


def _tokens(message: AIMessage) -> Tokens:
    if not (used := message.usage_metadata):
        return NO_TOKENS
    details: Mapping[str, Any] = used.get("input_token_details") or {}
    sent = used["input_tokens"]  # some servers count the cached ones apart: no more than these have their price
    read = min(sent, sum(count or 0 for name, count in details.items() if name.endswith("cache_read")))
    written = details.get("cache_creation") or sum(details.get(name) or 0 for name in CACHE_WRITES)
    return Tokens(sent, used["output_tokens"], read, min(sent - read, written))


def read_stop_reason(metadata: Mapping[str, Any]) -> str:
    """Why the model stopped, as its server says it; "" if the response does not say it."""
    said = next((metadata[field] for field in ENDINGS if metadata.get(field)), None)
    if said is None:  # OpenAI's newer protocol names a reason only for what is not complete
        said = (metadata.get("incomplete_details") or {}).get("reason") or metadata.get("status")
    return str(getattr(said, "value", said) or "")


_REPEATED = re.compile(r"(.+?)\1+")  # LangChain joins the endings that several pieces of a stream name


def fold_ending(said: str) -> str:
    """Why the model stopped, in small letters alone: "STOP_SEQUENCE", "stopSequence" and "stop-sequence" are one."""
    folded = "".join(filter(str.isalnum, said.lower())).removeprefix("finishreason")
    return repeated[1] if (repeated := _REPEATED.fullmatch(folded)) else folded


def names_no_end(said: str) -> bool:
    """Whether an ending is surely not that of a whole reply, whatever a gateway has made of it."""
    ended = fold_ending(said)
    return ended in CUT | BLOCKED or bool(_NO_END.search(ended))


def _text(message: AIMessage) -> str:
    """The arguments of the function call, or else the text."""
    raw_calls = message.additional_kwargs.get("tool_calls")
    if raw_calls:
        return str(raw_calls[0]["function"]["arguments"])
    if message.tool_calls:
        return json.dumps(message.tool_calls[0]["args"])
    if message.invalid_tool_calls:
        return message.invalid_tool_calls[0]["args"] or ""
    if isinstance(message.content, list):  # Gemini's thoughts are parts of text that say so
        parts = [part for part in message.content if not (isinstance(part, dict) and part.get("thought") is True)]
        return str(AIMessage(content=parts).text)
    return str(message.text)


def _is_damaged(text: str, form: ReplyForm | None) -> bool:
    """Whether a typed reply is JSON with a lone surrogate in it, or function arguments that are not an object."""
    if form is None or not (form == "function" or "\\u" in text):
        return False
    try:
        value = json.loads(text)
        json.dumps(value, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        return True
    except (ValueError, RecursionError):
        return False
    return form == "function" and "{" not in text


def prompt_key(model: str, asked: str, messages: Messages, sample: int) -> str:
    """The digest of a prompt's messages, its name, the model and the number of the sample."""
    return digest([model, asked, [list(message) for message in messages], sample], length=40)


@dataclass
class PublishedReplies:
    """Published replies by their prompts' digests; several of one prompt are given one after the other.

    They are found `by_name` where the names of prompts tell which of them answers what; with `kept_first`, those that
    the library keeps are found before. `vectors`: keys of kept vectors, with those under which a replay has them, which
    asks for no others; None: embedding models are asked.
    """

    replies: Mapping[str, Sequence[ModelReply]]
    by_name: bool = False
    given: dict[str, int] = field(default_factory=dict)
    kept_first: bool = False
    vectors: dict[str, str] | None = None

    def reply(self, key: str, asked: str) -> ModelReply:
        """The next reply to this prompt, then the last one again; raises `ModelUnavailable` where there is none."""
        key = asked if self.by_name else key
        if not (replies := self.replies.get(key)):
            raise ModelUnavailable(f"What was saved holds no reply to this prompt ('{asked}').")
        number = self.given.get(key, 0)
        self.given[key] = number + 1
        return replies[min(number, len(replies) - 1)]


@dataclass(frozen=True, slots=True)
class AskedReply:
    """What a model would be asked: the prompt, the messages with refused replies, and the type of the reply."""

    prompt: Prompt
    messages: Messages
    reply: type[BaseModel] | None  # None: a note
    words: int  # of the messages


class StandIn(Protocol):
    """What replies in the place of every model, to which nothing is sent."""

    finds_kept: bool
    """Whether replies may be kept that a model gave before, which count as they do in a real run."""

    def reply(self, asked: AskedReply) -> str:
        """The text of the reply; JSON where a type is asked for."""


_instead: ContextVar[PublishedReplies | StandIn | None] = ContextVar("readgraph_replies_instead", default=None)
"""What replies in the place of models, if anything does."""


def replay_published(published: PublishedReplies) -> AbstractContextManager[Any]:
    """Within, every model's replies come from the published ones."""
    return set_variable(_instead, published)


def replies_to_replay() -> PublishedReplies | None:
    """The replies that are to be replayed, or None where models are asked."""
    return instead if isinstance(instead := _instead.get(), PublishedReplies) else None


def use_stand_in(stand_in: StandIn) -> AbstractContextManager[Any]:
    """Within, this replies in the place of every model; nothing is sent, and no reply is kept."""
    return set_variable(_instead, stand_in)


def current_stand_in() -> StandIn | None:
    """What replies in the place of models, or None where models are asked."""
    return None if isinstance(instead := _instead.get(), PublishedReplies) else instead


_NUMBER = re.compile(r"(?<!\d)-?\d{1,9}")


class LenientReply(BaseModel):
    """A reply whose missing lists and reasons count as empty: strict schemas allow no defaults."""

    NAMED: ClassVar[tuple[str, ...]] = ()  # lists that it must name, even if they are empty: else it is another reply

    @model_validator(mode="before")
    @classmethod
    def _fill_missing(cls, value: Any) -> Any:
        fields = cls.model_fields.items()
        free = {name for name, field in fields if get_origin(field.annotation) is list or name == "reasoning"}
        return {**dict.fromkeys(free.difference(cls.NAMED)), **value} if isinstance(value, dict) else value


def texts_in(value: Any) -> list[str]:
    """The texts in a value (a list or a single one), each on one line."""
    parts = value if isinstance(value, list) else [value]
    return [" ".join(text.split()) for text in parts if isinstance(text, str) and text.strip()]


def numbers_in(value: Any) -> list[int]:
    """The numbers that are meant by 3, "3", "page 3", "3, 4", 3.0 or a list of these."""
    numbers: list[int] = []
    for part in value if isinstance(value, list) else [value]:
        if isinstance(part, str):
            numbers += map(int, _NUMBER.findall(part))
        elif isinstance(part, int | float) and not isinstance(part, bool) and part == part // 1:
            numbers.append(int(part))
    return numbers


Texts = Annotated[list[str], BeforeValidator(texts_in)]
"""A list of texts; also accepts a single text or null, and drops members that are not texts."""

Numbers = Annotated[list[int], BeforeValidator(numbers_in)]  # of pages; what is no number is dropped
NOTHING = {"none", "null", "nothing", "no", "stop", "not here"}  # words that stand for null in a reply


def is_nothing(text: str) -> bool:
    """Whether a reply's words stand for null."""
    return text.strip(" .!\"'“”*").casefold() in NOTHING


def number_or_none(value: Any) -> Any:
    """The number that is meant by "page 3", and None by a word that stands for it; any other value as it is."""
    if not isinstance(value, str):
        return value
    numbers = numbers_in(value)
    return None if is_nothing(value) else numbers[0] if len(numbers) == 1 else value


NumberOrNone = Annotated[int | None, BeforeValidator(number_or_none)]
Reply = TypeVar("Reply", bound=BaseModel)
MOST_OFFERED = 50  # the most values in a schema: servers take long to prepare a schema with more


def restrict_reply(reply: type[Reply], **offered: Iterable[int | str]) -> type[Reply]:
    """The reply's type with a schema that lists what these fields may be; some servers ignore it, so check values."""
    by_name = {name: tuple(values) for name, values in sorted(offered.items())}
    listed = tuple((name, values) for name, values in by_name.items() if 0 < len(values) <= MOST_OFFERED)
    return _make_restricted_type(reply, listed) if listed else reply


@lru_cache(512)
def _make_restricted_type(reply: type[Reply], offered: tuple[tuple[str, tuple[int | str, ...]], ...]) -> type[Reply]:
    fields = {name: _with_enum(reply.model_fields[name], values) for name, values in offered}
    narrowed: type[Reply] = create_model(reply.__name__, __base__=reply, __doc__=reply.__doc__, **fields)
    return narrowed


def _with_enum(field: FieldInfo, values: tuple[int | str, ...]) -> Any:
    def add_enum(schema: dict[str, Any]) -> None:
        for option in schema.get("anyOf", [schema]):
            if (value := option.get("items", option)).get("type") != "null":
                value["enum"] = [*values]

    narrowed = copy(field)
    narrowed.json_schema_extra = add_enum
    return field.annotation, narrowed
