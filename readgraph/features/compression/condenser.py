"""Fit texts into a budget: shortened again, round by round, until they fit; nothing is ever cut off.

Budgets are in tokens, sizes in words: three words are about four tokens, since each model has a tokenizer of its own.
"""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from operator import add
from typing import Annotated, Any

from langgraph.graph import END, START, StateGraph
from langgraph.runtime import Runtime
from typing_extensions import TypedDict

from readgraph.language.passages import FEWEST_WORDS, passages_of
from readgraph.language.sentences import sentence_spans
from readgraph.library.page_store import PageStore, page_store
from readgraph.models.metering import count_fallback
from readgraph.nodes.building.parts import WriteNote
from readgraph.nodes.building.recipes import apply_notes_language
from readgraph.nodes.extractive.gists import extract_gist
from readgraph.nodes.extractive.nearest import nearest_sentences
from readgraph.nodes.step import node
from readgraph.state.context import ReaderContext
from readgraph.state.errors import BadInput
from readgraph.state.loops import all_finished
from readgraph.state.reading import Status, Step, Usage, add_counts, add_usage
from readgraph.state.records import Memory, Page
from readgraph.state.words import count_words, format_count


def count_tokens(text: str) -> int:
    """About how many tokens a text has."""
    return tokens_in(count_words(text))


def tokens_in(words: int) -> int:
    """About how many tokens this many words have."""
    return -(-4 * words // 3)


def words_in(tokens: int) -> int:
    """How many words fit into this many tokens."""
    return 3 * tokens // 4


def check_budget(tokens: object) -> int:
    """The words that a budget of tokens holds; raises `BadInput` if it is no number, or holds no word."""
    if not isinstance(tokens, int) or isinstance(tokens, bool):
        raise BadInput(f"llm_token_budget must be a whole number of tokens, not {tokens!r}.")
    if words_in(tokens) < 1:
        raise BadInput(f"A budget of {format_count(tokens, 'token')} holds no word: give at least 2.")
    return words_in(tokens)


MOST_ROUNDS = 12
Levels = Callable[[PageStore, Memory], Awaitable[list[list[str]]]]  # a memory's texts, from the most detailed level up
Shorten = Callable[[int], WriteNote]  # makes what shortens a text to about this many words


class CondenseUpdate(TypedDict):
    """What condensing writes: the text within the budget, and how often it was shortened."""

    condensed: str
    rounds: int
    step_summary: str


class CondensingState(TypedDict):
    """The channels of the condensing graph; `passages` are the answer or the quotes for a query, None without one."""

    document: str
    memory: str
    passages: list[str] | None
    budget_words: int
    condensed: str
    rounds: int
    status: Status
    usage: Annotated[Usage, add_usage]
    fallbacks: Annotated[dict[str, int], add_counts]
    steps: Annotated[list[Step], add]


@dataclass(frozen=True)
class Condenser:
    """How texts are shortened, in groups of up to `group_words`; a round leaves at least `share` of the words."""

    levels: Levels
    shorten: Shorten
    group_words: int
    share: float

    def build(self) -> StateGraph[CondensingState, ReaderContext, CondensingState, CondensingState]:
        """The graph of one node that condenses."""
        builder = StateGraph(CondensingState, context_schema=ReaderContext)
        builder.add_node("condense", node(without_model=self.without_model)(self.condense))
        builder.add_edge(START, "condense")
        builder.add_edge("condense", END)
        return builder

    async def condense(self, state: CondensingState, runtime: Runtime[ReaderContext]) -> CondenseUpdate:
        """Shorten the texts, round by round, until they fit; if a round makes nothing shorter, extract sentences."""
        texts = await self._texts(state, runtime)
        if state["passages"] is None:  # notes are written in the language of the text's notes; an answer has its own
            store = page_store(runtime)
            document = await store.document(state["document"])
            memory = await store.memory(document.id, state["memory"])
            runtime = (await apply_notes_language(memory.recipe, document, runtime))[1]
        most, before, rounds = state["budget_words"], _words(texts), 0
        while (words := _words(texts)) > most:
            rounds += 1
            share = max(most / words, self.share)
            groups = enumerate(self._groups(texts))
            shorter = await all_finished(self._shorten_group(number, group, share, runtime) for number, group in groups)
            if _words(shorter) >= words or rounds > MOST_ROUNDS:
                count_fallback("compress")
                texts = [whole_sentences(texts, most)]
                break
            texts = shorter
        return _update(texts, before, rounds)

    async def without_model(self, state: CondensingState, runtime: Runtime[ReaderContext]) -> CondenseUpdate:
        """The most important sentences that fit."""
        texts = await self._texts(state, runtime)
        texts = without_repeats(texts)
        most, before = state["budget_words"], _words(texts)
        if before <= most:
            return _update(texts, before, 0)
        up_to_each = accumulate(map(count_words, texts))
        fitting = [text for text, words in zip(texts, up_to_each, strict=True) if words <= most]
        if state["passages"] and fitting:
            return _update(fitting, before, 1)
        return _update([whole_sentences(texts, most)], before, 1)

    async def _texts(self, state: CondensingState, runtime: Runtime[ReaderContext]) -> list[str]:
        """The passages; without a query, the most detailed level of the memory that fits, else the shortest one."""
        if state["passages"] is not None:
            return state["passages"]
        store = page_store(runtime)
        memory = await store.memory(state["document"], state["memory"])
        unread = list[str]()
        if not memory.complete:  # the important sentences of what has no notes
            document = await store.document(memory.document)
            noted = {note.page for note in await store.notes(memory.id, range(memory.pages))}
            pages = await store.pages(memory.id, range(memory.pages))
            spans = [(page.start, page.end) for page in pages if page.number not in noted]
            spans += [(memory.read_to, document.characters)] if memory.read_to < document.characters else []
            unread = [extract_gist(text) for text in await store.spans(document, spans)]
        levels = [[*level, *unread] for level in await self.levels(store, memory)]
        return next((level for level in levels if _words(level) <= state["budget_words"]), levels[-1])

    async def _shorten_group(self, number: int, text: str, share: float, runtime: Runtime[ReaderContext]) -> str:
        words = count_words(text)
        wanted = max(1, int(share * words))
        note = await self.shorten(wanted)(text, Page(number, 0, len(text), words, "rule"), runtime)
        return (_sentences_within(text, wanted) if note.fallback else "") or note.text

    def _groups(self, texts: Sequence[str]) -> list[str]:
        groups, room = list[list[str]](), 0
        for text in texts:
            words = count_words(text)
            if not groups or words > room:
                groups.append([])
                room = self.group_words
            groups[-1].append(text)
            room -= words
        return ["\n\n".join(group) for group in groups]


async def notes_of(store: PageStore, memory: Memory) -> list[list[str]]:
    """The notes of a memory as its only level."""
    return [[note.text for note in await store.notes(memory.id, range(memory.pages)) if note.text]]


def without_repeats(texts: Sequence[str]) -> list[str]:
    """The texts without sentences that stand in one before, such as a refrain that several pages' extracts hold."""
    seen, kept = set[str](), list[str]()
    for text in texts:
        sentences = [text[slice(*span)] for span in sentence_spans(text)]
        new = [sentence for sentence in sentences if " ".join(sentence.split()) not in seen]
        seen |= {" ".join(sentence.split()) for sentence in sentences}
        if new:
            kept.append(text if len(new) == len(sentences) else " ".join(sentence.strip() for sentence in new))
    return kept


def whole_sentences(texts: Sequence[str], most_words: int) -> str:
    """The most important sentences within the words, in order; raises `BadInput` if not even the shortest fits."""
    text = "\n\n".join(texts)
    if kept := _sentences_within(text, most_words):
        return kept
    shortest = min(count_words(text[slice(*span)]) for span in sentence_spans(text))
    raise BadInput(
        f"The budget holds no whole sentence of what was found, and none is cut: give at least {tokens_in(shortest)} "
        "tokens."
    )


def _sentences_within(text: str, most_words: int) -> str:
    """The most important sentences within the words; "" if none fits."""
    sentences = [text[slice(*span)] for span in sentence_spans(text)]
    if min(map(count_words, sentences)) > most_words:
        return ""
    extract = extract_gist(text, most_words)
    if extract.endswith(tuple(sentences)) and count_words(extract) <= most_words:
        return extract
    kept = list[str]()
    for sentence in sentences:  # nothing reads like prose, such as in a table
        if count_words(sentence) <= most_words:
            kept.append(sentence)
            most_words -= count_words(sentence)
    return " ".join(kept)


def _words(texts: Sequence[str]) -> int:
    return sum(map(count_words, texts))


def _update(texts: Sequence[str], before: int, rounds: int) -> CondenseUpdate:
    did = f"shortened {before:,} words to {_words(texts):,}" if rounds else f"kept all {before:,} words"
    times = f" in {format_count(rounds, 'round')}" if rounds > 1 else ""
    return {"condensed": "\n\n".join(texts), "rounds": rounds, "step_summary": did + times}


async def passages_for(store: PageStore, output: Mapping[str, Any], query: str, most_words: int) -> list[str]:
    """The answer of `found`; without a model's, quoted passages and others near the query, the best first."""
    if output["status"] != "nearest":
        return [output["answer"]] if output["answer"] else []
    quotes = [citation["quote"] for citation in output["citations"]] or list(filter(None, [output["answer"]]))
    pages = await store.pages(output["memory"], output["pages_read"])
    near = _sentences(query, await store.page_texts(await store.document(output["document"]), pages))
    if quotes and count_words(quotes[0]) > most_words:
        near = [*(part for quote in quotes for part in _sentences(query, {0: quote}, fewest_words=1)), *near]
    kept = list[str]()
    for passage in [*quotes, *near]:
        words = count_words(passage)
        if words <= most_words and not any(passage in known or known in passage for known in kept):
            kept.append(passage)
            most_words -= words
    return kept or quotes


def _sentences(query: str, texts: Mapping[int, str], fewest_words: int = FEWEST_WORDS) -> list[str]:
    """The sentences of these texts near the query, the best first."""
    passages = passages_of(texts)
    return [sentence.text for sentence in nearest_sentences(query, passages, len(passages), fewest_words)]
