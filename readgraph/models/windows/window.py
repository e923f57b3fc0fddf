"""How long a prompt may be for its model: what the server tells, and what its counts show of prompts that it cut.

Some servers cut a prompt that is too long without a word. Their count of its tokens is then smaller than any tokenizer
could make it; but so is that of servers that count only what their cache lacks, or that count nothing real. A count is
believed only if the same server counts a shorter prompt as a tokenizer would.

Tokens are counted without a vocabulary: what no tokenizer in use goes below, and what few go above.
"""

import asyncio
import re
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple, TypeAlias

from readgraph.models.prompt import Prompt, fit_prompt
from readgraph.models.reply import replies_to_replay
from readgraph.models.windows.told import FEWEST, Told, ask_server
from readgraph.state.errors import BadInput
from readgraph.state.variables import warn_caller

TOKENS_PER_WORD = 4 / 3  # on average
SHORT = 1700  # tokens of a prompt that fits any window in use, so that no server is asked for it
ROOM_SHARE, MOST_ROOM = 8, 1000  # the reply has this part of the window, and not more tokens than this
LEAST_WINDOW_WORDS = 1000  # the smallest `window_words`
STEPS = (250, 256)  # windows are multiples of these
NEAR = 4  # tokens by which a count may differ from the window that it shows
FILLED_BY, LENGTHS_VARY = 3, 1.01  # prompts, of such lengths, that have the same count where that is the window's
LEAST_FILLED = 2000  # tokens of the smallest window that servers have if nothing is set, or a little less
TRULY_LESS = 0.95  # a shorter prompt that was read whole has at most this share of the window's tokens
CLEARLY_MORE = 3.0  # and so many times as many tokens for the same words; with two shorter ones, where
MORE = 1.5  # the words between those have so many times as many tokens as the words that may have been cut
SETTINGS = {
    "Ollama": "set num_ctx in the model's Modelfile, or OLLAMA_CONTEXT_LENGTH for the server",
    "llama.cpp": "start the server with a larger -c",
    "LM Studio": "load the model with a larger context length",
    "vLLM": "start the server with a larger --max-model-len",
    "SGLang": "start the server with a larger --context-length",
    "TGI": "start the server with a larger --max-input-tokens",
    "LiteLLM": "raise max_input_tokens in its model_info, if the model can hold more",
}
ANY_SETTING = (
    "raise the server's window (Ollama: OLLAMA_CONTEXT_LENGTH, or num_ctx in a Modelfile; llama.cpp: -c; LM Studio: "
    "the context length; vLLM: --max-model-len)"
)
told_windows: dict[tuple[str, str], Told] = {}  # by server and model


class TokenCounts(NamedTuple):
    """A prompt's tokens as its server counted them, and the fewest that any tokenizer would count."""

    counted: int
    fewest: int


CountShorter: TypeAlias = Callable[[int], Awaitable[TokenCounts | None]]
"""Sends a prompt's form of at most so many tokens, and gives their counts; None where it has no such form."""


@dataclass
class ModelWindow:
    """What is known of a model's window; `chat` is asked for it where it speaks OpenAI's protocol."""

    name: str = ""
    server: str = ""
    chat: Any = None
    told: Told | None = None  # by the server; None as long as it was not asked
    cut_at: int = 0  # to how many tokens it has cut a prompt, as its counts show
    refused_at: int = 0  # the most tokens after it has refused a longer prompt
    cuts_now: bool = False  # it has done so in this process
    doubted: bool = False  # its counts are not those of a tokenizer
    too_low: dict[int, int] = field(default_factory=dict)  # counts that are too low, with the fewest tokens there were
    asking: asyncio.Lock = field(default_factory=asyncio.Lock)
    filling: dict[int, set[int]] = field(default_factory=dict)  # counts that may be the window's, with these too
    highest: int = 0  # the highest count
    deciding: asyncio.Lock = field(default_factory=asyncio.Lock)
    said: set[int] = field(default_factory=set)

    @property
    def tokens(self) -> int:
        """The tokens that a prompt and its reply may have; 0 if that is not known."""
        told = self.told.tokens if self.told else 0
        return min(filter(None, (told, self.cut_at, self.refused_at)), default=0)

    async def ask(self, *, again: bool = False) -> None:
        """Ask the server for its window, once in a process; `again` where it may not have been known before."""
        if not self.server or not hasattr(self.chat, "root_async_client"):
            self.told = self.told or Told(getattr(self.chat, "num_ctx", None) or 0)
            return
        known = (self.server, self.chat.model_name)
        async with self.asking:
            if again or known not in told_windows:
                told_windows[known] = await ask_server(self.chat, self.chat.model_name)
            self.told = told_windows[known]

    def may_have_cut(self, counted: int, cached: int, fewest: int) -> bool:
        """Whether the server's count of a prompt with at least so many tokens shows that it may have cut it.

        Tokens of its cache are added, since some servers count them apart.
        """
        if self.doubted or counted < FEWEST:
            return False
        self.highest = max(self.highest, counted)
        if counted + cached >= fewest:
            return self._is_filled_by(counted, fewest)
        before = self.too_low.setdefault(counted, fewest)
        known = self.is_exceeded_by(fewest) or counted == self.cut_at
        return known or (counted == self.highest and (_is_round(counted) or before != fewest))

    async def finds_cut(self, prompt: TokenCounts, cached: int, count_shorter: CountShorter) -> bool:
        """Whether the server cut a prompt without a word: it counts fewer tokens than any tokenizer would.

        Where that is not sure, the server is asked a shorter one by `count_shorter`, which gives None if there is none.
        """
        counted, fewest = prompt
        if not counted or not self.may_have_cut(counted, cached, fewest):
            return False
        async with self.deciding:
            if not (self.doubted or self.was_cut(counted, fewest)):
                await self._decide_by_shorter(prompt, count_shorter)
        return self.was_cut(counted, fewest)

    async def _decide_by_shorter(self, prompt: TokenCounts, count_shorter: CountShorter) -> None:
        """Decide whether a server cuts prompts to so many tokens: it then counts a shorter one as a tokenizer would."""
        if not replies_to_replay():
            await self.ask(again=True)  # some servers know it only once the model is loaded
        if self.is_exceeded_by(prompt.fewest):
            return
        counted, counts = prompt.counted, [prompt]
        for most in (counted, counted // 2):
            if (shorter := await count_shorter(most)) is None:
                break
            counts.append(shorter)
            if shows_cut(counts):
                self.cut_at = counted
                return
        self.cut_at = counted if most == counted and is_power_of_two(counted) else 0
        self.doubted = not self.cut_at

    def shrink(self, sent: int, share: float, fits: Callable[[int], bool]) -> bool:
        """Take so much of the tokens that the server refused for its window; False where no prompt `fits` that."""
        before = self.refused_at
        self.refused_at = min(int(sent * share), (self.tokens if 0 < self.tokens <= sent else sent) - 1)
        if not fits(self.tokens):
            self.refused_at = before
            return False
        return True

    def may_bound(self, text: str) -> bool:
        """Whether a prompt with this text may be too long, so that the window is to be known before it is sent."""
        if self.told is not None and not self.tokens:  # there is no window to look for, or to fit
            return False
        return 0 < self.refused_at < SHORT or likely_tokens(text) > SHORT

    def _is_filled_by(self, counted: int, fewest: int) -> bool:
        """Whether prompts of several lengths have this one count, which is a power of two, and none has a higher one.

        It need not be too low for any of them. Prompts that have one count by chance are of about one length.
        """
        if counted == self.cut_at or counted < max(self.highest, LEAST_FILLED) or not is_power_of_two(counted):
            return counted == self.cut_at
        lengths = self.filling.setdefault(counted, set())
        lengths.add(fewest)
        return len(lengths) >= FILLED_BY and max(lengths) > LENGTHS_VARY * min(lengths)

    def was_cut(self, counted: int, fewest: int) -> bool:
        """Whether a prompt with this count, and at least so many tokens, is known to have been cut."""
        return not self.doubted and (self.is_exceeded_by(fewest) or counted == self.cut_at)

    def is_exceeded_by(self, fewest: int) -> bool:
        """Whether a prompt of at least so many tokens is known to be too long."""
        return 0 < self.tokens < fewest

    def holds(self, prompt: Prompt) -> bool:
        """Whether the server tells a window for this prompt, and was not seen to cut prompts by this process."""
        told = self.told.tokens if self.told and not self.cuts_now else 0
        return _tokens_of(prompt) <= room_for_prompt(told)

    def fit(self, prompt: Prompt, most: int, tokens: int, beside: int) -> tuple[Prompt, int, int]:
        """`fit_prompt` for at most so many words, and for a window of `tokens` (0: any), `beside` of them taken.

        Raises `BadInput` if the instructions alone don't fit.
        """
        fitted = fit_prompt(prompt, most)
        room = room_for_prompt(tokens) - beside
        while tokens and (needed := _tokens_of(fitted[0])) > room:
            try:
                fitted = fit_prompt(prompt, min(int(fitted[1] * room / needed), fitted[1] - 1))
            except BadInput:
                raise BadInput(
                    f"{self._server()} takes {tokens:,} tokens, which is too small for the prompt '{prompt.name}': "
                    f"{self.setting()}."
                ) from None
        return fitted

    def setting(self) -> str:
        """What to do for a larger window."""
        kind = "Ollama" if type(self.chat).__module__.startswith("langchain_ollama") else ""
        return SETTINGS.get(kind or (self.told.kind if self.told else ""), ANY_SETTING)

    def warn(self, prompt: Prompt) -> None:
        """Say once for each size of the window that it bounds prompts, such as this one, and what to do."""
        if self.tokens in self.said:
            return
        self.said.add(self.tokens)
        cuts, again = f"takes {self.tokens:,} tokens", ""
        if self.tokens == self.refused_at:  # as we count them
            cuts = f"refuses prompts of more than about {max(10, self.tokens // 10 * 10):,} tokens"
        if self.tokens == self.cut_at:
            cuts = f"read only {self.tokens:,} tokens of a longer prompt, and did not say so"
            again = ", and run the same with --again"
        words = int(prompt.words / max(1, _tokens_of(prompt)) * room_for_prompt(self.tokens)) // 10 * 10
        ours = f"; or give --window-words {words}" if words >= LEAST_WINDOW_WORDS else ""
        warn_caller(
            f"{self._server()} {cuts}: what does not fit is left out of prompts. To show all, "
            f"{self.setting()}{again}{ours}."
        )

    def _server(self) -> str:
        return f"The model server at {self.server}" if self.server else f"The server of '{self.name}'"


def shows_cut(counts: Sequence[TokenCounts | tuple[int, int]]) -> bool:
    """Whether the counts of a prompt and of one or two shorter forms of it show that it was cut to so many tokens.

    The longest prompt comes first. The shortest one is counted as a tokenizer would, and the longest as none: not by
    the share in which this server counts any text.
    """
    (cut, long), (middle, between), (whole, short) = counts[0], counts[1], counts[-1]
    if not short <= whole <= TRULY_LESS * cut:
        return False
    if whole * long > CLEARLY_MORE * cut * short:
        return True
    return (middle - whole) * (long - between) > MORE * (cut - middle) * (between - short)


def _tokens_of(prompt: Prompt) -> int:
    return likely_tokens(f"{prompt.system}\n{prompt.user}")


def room_for_prompt(window: int) -> int:
    """The tokens that a prompt may have in a window, beside a reply."""
    return window - min(window // ROOM_SHARE, MOST_ROOM)


def _is_round(count: int) -> bool:
    """Whether a count is as many tokens as a window may have, or two more, as Ollama cuts to in some versions."""
    return any(min(count % step, -count % step) <= NEAR for step in STEPS)


def is_power_of_two(count: int) -> bool:
    """Whether a count is as near to a power of two as hardly any prompt's is by chance."""
    return count > FEWEST and abs(count - (1 << (count + NEAR).bit_length() - 1)) <= NEAR


_LETTER, _DIGIT, _MARK = b"a", b"0", b"."


def _shape(character: str) -> bytes:
    if character.isspace():
        return b" "
    return _LETTER if character.isalpha() else _DIGIT if character.isdigit() else _MARK


_SHAPES = b"".join(_shape(chr(code)) for code in range(128)) + _MARK * 128
_WORDS, _MARKS = _SHAPES.replace(_DIGIT, _LETTER), bytes(code for code in range(256) if _SHAPES[code] == ord(_MARK))
_NO_ASCII = re.compile(r"[^\x00-\x7f]+")
_IDEOGRAPHS = re.compile("[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uff66-\uff9f\U00020000-\U0003ffff]+")
_ALPHABETS = re.compile("[\u00c0-\u06ff]+")  # of European languages, Hebrew and Arabic: vocabularies know their words
IDEOGRAPHS_A_TOKEN = 4  # at most, on average: some vocabularies hold common phrases
LETTERS_A_TOKEN = 12  # at most, on average, of scripts without spaces between words


def fewest_tokens(text: str) -> int:
    """A number of tokens that no tokenizer in use goes below on a text of this length.

    A token may hold a long run of spaces, of one character, or of punctuation, but not two words with a space between
    them. What has no spaces is counted by its characters, where its script has no letters of one byte.
    """
    beside = 0
    if not text.isascii():
        runs = _NO_ASCII.findall(text)
        if ideographs := sum(map(len, _IDEOGRAPHS.findall("".join(runs)))):
            beside, text = ideographs // IDEOGRAPHS_A_TOKEN, _IDEOGRAPHS.sub(" ", text)
            runs = _NO_ASCII.findall(text)
        beside += sum(len(run) // LETTERS_A_TOKEN for run in runs)
        text = _NO_ASCII.sub("a", text)
    return (b" " + text.encode().translate(_WORDS, _MARKS)).count(b" a") + beside


def likely_tokens(text: str) -> int:
    """A number of tokens that today's tokenizers seldom go above: prose has fewer, and so has most code."""
    tokens = 0.0
    if not text.isascii():
        others = "".join(_NO_ASCII.findall(text))
        known = sum(map(len, _ALPHABETS.findall(others)))
        tokens = known / 1.5 + 1.3 * (len(others) - known)
        text = _NO_ASCII.sub("", text)
    shape = text.encode().translate(_SHAPES).replace(3 * _MARK, _MARK)
    words = (b" " + shape).count(b" a")
    letters, digits, marks = (shape.count(kind) for kind in (_LETTER, _DIGIT, _MARK))
    return round(tokens + max(words, letters / 3.4) + digits + marks)
