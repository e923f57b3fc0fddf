"""Requests to one embedding model: tried again where that may help, and made smaller where a server refuses them.

How many texts a request may have, and how long a text may be, differs from server to server, and each words its
refusal in its own way and with its own status. So what is refused is halved: the texts of a request, then a single
text, whose vector is the mean of those of its halves; what is refused also alone, in few words, is left out of it. What
is found so is remembered as long as the process runs.
"""

import asyncio
import re
import sys
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import count
from typing import Any, Literal

import numpy as np
from langchain_core import exceptions as kinds
from langchain_core.embeddings import Embeddings

from readgraph.library.search.vector_index import Matrix
from readgraph.models.embeddings.vector_replies import DIFFER, NotEmbedded, UnusableVectors, read_vectors
from readgraph.models.failures.failure import Failure, is_of_network, own_error
from readgraph.models.failures.lines import explain_embedding
from readgraph.models.failures.refusals import read_refusal
from readgraph.models.metering import current_meter
from readgraph.models.waiting import RetryPauses, SharedPause, clock
from readgraph.models.watching import watch_embedding
from readgraph.state.certificates import explain_tls
from readgraph.state.errors import ModelUnavailable, ReadgraphError
from readgraph.state.variables import awaiting
from readgraph.state.words import count_words, end_after_words

Kind = Literal["document", "query"]

TRIES = 4  # of one request; searches go on by words, so less patience is needed than with chat calls
REFUSED = (400, 413, 422, 424)  # what servers say to too many texts, or one too long
LARGE = re.compile(r"too (large|long|big|many (?!requests))|batch.?size|context (length|size)|fewer|less than", re.I)
MEANT = ("key", "unknown model", "spent")  # what a server says that takes no text, also with such a status
FINAL = (kinds.ModelAuthenticationError, kinds.ModelPermissionDeniedError, kinds.ModelNotFoundError)
LEAST_WORDS = 8  # shorter texts are not halved: their length is not why they are refused
MOST_LEFT_OUT = 8  # refusals of such texts in one request; and where nothing has passed yet, fewer
LEFT_OUT_AT_FIRST = 2
NO_EMBEDDINGS = re.compile(
    r"(not|n't) (support|enable|provide|offer).{0,20}embedding|embeddings?.{0,20}not supported", re.I
)


class ErrorReply(Exception):
    """A server's error under the status 200; `status_code` is that which its body names, if it does."""

    def __init__(self, error: Any) -> None:
        super().__init__(str(error))
        code = str(error.get("code", error.get("status"))) if isinstance(error, dict) else ""
        self.status_code = int(code) if code.isdecimal() else None
        self.refusal = read_refusal(self.status_code or 400, error)


@dataclass
class EmbeddingCalls:
    """The requests to one model, and what is known of its server: the most texts of a request, in any event loop."""

    name: str
    identity: str
    most_texts: int
    timeout: float
    retry_seconds: float
    own: bool  # it is an object or a function of the caller's, or runs in this process
    too_long: float = float("inf")  # bytes of the shortest text that was refused, but whose halves were not
    hold: SharedPause = field(default_factory=SharedPause)

    async def embed(self, model: Embeddings, texts: Sequence[str], kind: Kind) -> Matrix:
        """The vectors of texts, shape (texts, dimension).

        Raises:
            NotEmbedded: Where a server gives none, now or for these texts.
            ModelUnavailable: Where it refuses the key or does not know the model, or where the caller's own code fails.
        """
        with awaiting(f"the embedding model '{self.identity}'", None if self.own else self.timeout, self.retry_seconds):
            return await _Request(self, model, kind).embed(texts)

    def line(self, problem: Exception, failure: Failure, times: int) -> str:
        """The failure in one line, without the server's own text, which may hold a part of the API key."""
        model = f"the embedding model '{self.identity}'"
        often = f"{times} times" if times > 1 else "once"
        if line := explain_tls(problem, f"The server of {model}"):
            return line
        if failure.status == 501 or NO_EMBEDDINGS.search(str(problem)):
            what = "gives no embeddings: start it with them (llama.cpp: --embeddings), or name another model."
            return f"The server of {model} {what}"
        if isinstance(problem, UnusableVectors):
            return f"The{model[3:]} gave no usable vectors {often} ({problem}): none of them is kept."
        if failure.status in REFUSED and failure.refusal.kind not in MEANT:
            what = f"refused {often} what it was sent ({failure.status}), also the least: see what its server takes."
            return f"The{model[3:]} {what}"
        return explain_embedding(model, failure, often, self.timeout)


@dataclass
class _Request:
    """One request, or the smaller ones that are made of it."""

    calls: EmbeddingCalls
    model: Embeddings
    kind: Kind
    failures: int = 0
    most_passed: int = 0  # texts in one request
    text_refused: bool = False  # so the number of texts was not why
    left_out: int = 0  # refusals of texts that are not halved

    async def embed(self, texts: Sequence[str], tries: int = TRIES) -> Matrix:
        """The vectors of texts, by as many requests as it takes."""
        long = {text for text in texts if len(text.encode()) >= self.calls.too_long and _can_halve(text)}
        short = [text for text in texts if text not in long]
        rows = dict[str, Matrix]()
        while short:
            most = min(self.calls.most_texts, getattr(self.model, "chunk_size", None) or len(short))
            batch, short = short[:most], short[most:]
            rows |= zip(batch, await self._embed_batch(batch, tries), strict=True)
        for text in long:
            rows[text] = await self._embed_halves(text, tries)
        if len({len(row) for row in rows.values()}) > 1:
            raise NotEmbedded(f"The embedding model '{self.calls.identity}' gave no usable vectors: {DIFFER}.")
        return np.array([rows[text] for text in texts], np.float32)

    async def _embed_batch(self, texts: list[str], tries: int) -> Matrix:
        try:
            vectors = await self._try(texts, tries)
        except _TooLarge as refusal:
            refused = refusal
        else:
            self.most_passed = max(self.most_passed, len(texts))
            return vectors
        if len(texts) > 1:
            half = -(-len(texts) // 2)
            vectors = np.concatenate([await self.embed(part, refused.tries) for part in (texts[:half], texts[half:])])
            if refused.remembered and not self.text_refused:
                self.calls.most_texts = min(self.calls.most_texts, self.most_passed)
            return vectors
        self.text_refused = True
        if not _can_halve(texts[0]):
            self.left_out += 1
            raise _LeastRefused(str(refused))
        left_out = self.left_out
        vectors = (await self._embed_halves(texts[0], refused.tries))[None, :]
        if refused.remembered and self.left_out == left_out:
            self.calls.too_long = min(self.calls.too_long, len(texts[0].encode()))
        return vectors

    async def _embed_halves(self, text: str, tries: int) -> Matrix:
        """The mean of the vectors of a text's halves, of length 1."""
        middle = end_after_words(text, 0, count_words(text) // 2)
        halves = [text[:middle].strip(), text[middle:].strip()]
        try:
            vectors = await self.embed(halves, tries)
        except _LeastRefused as refusal:
            vectors = await self._embed_accepted(halves, tries, refusal)
        mean: Matrix = vectors.mean(axis=0)
        return mean / np.linalg.norm(mean)

    async def _embed_accepted(self, texts: list[str], tries: int, refusal: "_LeastRefused") -> Matrix:
        """The vectors of those of the texts that the server takes; raises the refusal where it takes none."""
        rows = list[Matrix]()
        for text in texts:
            if self.left_out <= (MOST_LEFT_OUT if self.most_passed else LEFT_OUT_AT_FIRST):
                with suppress(_LeastRefused):
                    rows.append(await self.embed([text], tries))
        if not rows:
            raise refusal
        return np.concatenate(rows)

    async def _try(self, texts: list[str], tries: int) -> Matrix:
        """The vectors of one request; raises `_TooLarge` where smaller ones may be taken."""
        calls, pauses = self.calls, RetryPauses(self.calls.retry_seconds)
        for number in count(1):
            await calls.hold.wait_until_over()
            try:
                with watch_embedding(calls.name, len(texts)):
                    async with asyncio.timeout(None if calls.own else calls.timeout):
                        return read_vectors(await ask_model(self.model, texts, self.kind), len(texts))
            except ReadgraphError:
                raise
            except Exception as problem:  # each provider's package raises its own
                if own := own_error(problem):
                    raise own from None
                failure, said = Failure.of(problem), str(problem)
                self.failures += 1
                line = calls.line(problem, failure, self.failures)
                ours = calls.own and not is_of_network(problem)
            if ours or failure.line or issubclass(failure.kind, FINAL):
                raise ModelUnavailable(line)
            if failure.refusal.kind == "spent" or NO_EMBEDDINGS.search(said):
                raise NotEmbedded(line)
            large = failure.status in REFUSED or bool(failure.too_long) or _is_large(failure, said)
            if large:
                raise _TooLarge(line, tries)
            limited = failure.status == 429
            pause, late = pauses.next(failure.retry_after)
            if not failure.passing or late or (number >= tries and not limited):
                break
            if limited or failure.retry_after:
                calls.hold.extend(pause)
            current_meter().wait(pause, f"the embedding server says {failure.status or 'nothing usable'}")
            await clock().sleep(pause)
        if failure.status == 500 and (len(texts) > 1 or self.most_passed):
            raise _TooLarge(line, 1, remembered=False)  # some say no more than that; each smaller one is tried once
        raise NotEmbedded(line)


class _LeastRefused(NotEmbedded):
    """A server refuses a text that is sent alone, and is too short to be halved."""


class _TooLarge(Exception):
    def __init__(self, line: str, tries: int, *, remembered: bool = True) -> None:
        super().__init__(line)
        self.tries, self.remembered = tries, remembered


def _can_halve(text: str) -> bool:
    return count_words(text) >= 2 * LEAST_WORDS


def _is_large(failure: Failure, said: str) -> bool:
    """Whether an error that servers also give for other reasons says that too much was sent at once."""
    if failure.status == 429:
        return "request too large" in said.lower()
    passing = failure.status and failure.status < 500
    return bool(not passing and LARGE.search(said))


async def ask_model(model: Embeddings, texts: list[str], kind: Kind) -> Any:
    """What a model says to texts: its vectors, or a server's whole reply, in which each has its index."""
    openai = sys.modules.get("langchain_openai")
    if openai and isinstance(model, openai.OpenAIEmbeddings):
        inherited = type(model).aembed_documents is openai.OpenAIEmbeddings.aembed_documents
        if inherited and type(model).aembed_query is openai.OpenAIEmbeddings.aembed_query:
            return await _post(model, texts)
    if kind == "query":
        return [await model.aembed_query(text) for text in texts]
    return await model.aembed_documents(texts)


async def _post(model: Any, texts: list[str]) -> Any:
    """A server's reply as it is, since LangChain drops the index; the form of the numbers is left to the server."""
    reply = await model.async_client._client.post(
        "/embeddings",
        body={**model._invocation_params, "input": texts},
        cast_to=object,
        options={"max_retries": 0, "security": {"bearer_auth": True}},
    )
    if isinstance(reply, dict) and reply.get("error"):
        raise ErrorReply(reply["error"])
    return reply
