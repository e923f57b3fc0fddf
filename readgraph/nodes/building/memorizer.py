"""The memorizer: a memo and a header for each page, with the memory so far in view (GAM, section 2.2.1)."""

from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from math import log

from langgraph.runtime import Runtime

from readgraph.models.asking import ask, ask_text
from readgraph.models.metering import fell_back
from readgraph.nodes.building.even_pages import pages_of_sessions
from readgraph.nodes.building.interfaces import NotesSoFar, Paginate, WriteNote
from readgraph.nodes.extractive import extract_for, telling_words, without_labels
from readgraph.nodes.prompts.building.notes import MemoAndHeader, header_prompt, memo_prompt, memorize_prompt
from readgraph.nodes.prompts.style import note_line
from readgraph.nodes.purpose import purpose_of
from readgraph.state.context import ReaderContext
from readgraph.state.errors import NoUsableReply
from readgraph.state.histories import sessions_of
from readgraph.state.page_store import page_store
from readgraph.state.records import Document, Note, Page
from readgraph.state.search.terms import content_words
from readgraph.state.words import count_words

NEWEST_SHARE = 0.5
"""Share of the word budget for the newest memos; the rest is for older ones related to the page."""

QUERY_WORDS = 60
"""Most words of a page that are used to search for older memos."""


class Recalling:
    """Chooses among the memos of one memory.

    The index of their words grows with them; building it again for each page would take most of the time.
    """

    def __init__(self, budget: int) -> None:
        self.budget = budget
        self._indexed = 0
        self._holding: defaultdict[str, list[int]] = defaultdict(list)

    def near(self, memos: Sequence[Note], text: str) -> list[Note]:
        """The newest memos, then those most related to the text, as many as the budget allows; in page order.

        `memos` are those of all earlier pages; they begin with the memos of the previous call.
        """
        self._index(memos)
        if sum(memo.words for memo in memos) <= self.budget:
            return list(memos)
        newest = _fitting(reversed(memos), NEWEST_SHARE * self.budget, leave_out=False)
        nearest = [memos[number] for number in self._nearest(text, len(memos) - len(newest))]
        left = self.budget - sum(memo.words for memo in newest)
        return sorted([*_fitting(nearest, left, leave_out=True), *newest], key=lambda memo: memo.page)

    def _index(self, memos: Sequence[Note]) -> None:
        for number in range(self._indexed, len(memos)):
            for word in {*content_words(memos[number].text)}:
                self._holding[word].append(number)
        self._indexed = max(self._indexed, len(memos))

    def _nearest(self, text: str, older: int) -> list[int]:
        """The older memos that share words with the text, ranked by the sum of the shared words' rarity."""
        scores = [0.0] * older
        for word in {*content_words(" ".join(telling_words(text, QUERY_WORDS)))}:
            holding = self._holding.get(word, [])
            holding = holding[: bisect_left(holding, older)]
            rarity = log(1 + older / max(len(holding), 1))
            for number in holding:
                scores[number] += rarity
        sharing = [number for number in range(older) if scores[number]]
        return sorted(sharing, key=lambda number: (-scores[number], -number))


def _fitting(memos: Iterable[Note], words: float, *, leave_out: bool) -> list[Note]:
    """The memos, in this order, that fit into the words: up to the first that does not fit, or skipping such memos."""
    fit = []
    for memo in memos:
        if memo.words <= words:
            words -= memo.words
            fit.append(memo)
        elif not leave_out:
            break
    return fit


EXTRACTED_MEMO_WORDS = 60
TELLING_WORDS = 8

PageLocator = Callable[[Page], str]
"""Where a page stands in the document's own terms ("session 3, 12 March 2024, 19:40"); "" where it has none."""


async def memorized(
    document: Document, notes: NotesSoFar, runtime: Runtime[ReaderContext]
) -> tuple[Paginate, WriteNote]:
    """The parts of a build with a model: pages are memorised in blocks, each with the memory before it in view.

    Blocks are counted from the document's beginning, so that a resumed build sends the same prompts.
    """
    paginate, place = await _laid_out(document, runtime)
    recalling, block = Recalling(runtime.context.memory_words), runtime.context.memorize_batch

    async def write(text: str, page: Page, runtime: Runtime[ReaderContext]) -> Note:
        memos = await notes.before(page.number - page.number % block)
        shown = recalling.near(memos, text)
        memory = "\n\n".join(f"Page {memo.page}: {memo.text}" for memo in shown)
        return await memorize_page(memory, place(page), text, page, runtime)

    return paginate, write


async def extracted(
    document: Document, notes: NotesSoFar, runtime: Runtime[ReaderContext]
) -> tuple[Paginate, WriteNote]:
    """The parts of a build without a model: memos of the pages' own sentences, headers of their own words."""
    paginate, place = await _laid_out(document, runtime)

    async def write(text: str, page: Page, runtime: Runtime[ReaderContext]) -> Note:
        return _note(page, extracted_memo(text, runtime.context), extracted_header(place(page), text))

    return paginate, write


def asked_apart(context: ReaderContext) -> bool:
    """Whether memo and header need separate calls: in plain words, each reply is a single text."""
    return context.two_calls or context.reply_form == "plain"


async def memorize_page(memory: str, place: str, text: str, page: Page, runtime: Runtime[ReaderContext]) -> Note:
    """Memo and header of a page, from one call or two; an unusable one is replaced by an extractive one."""
    asking = _by_two_calls if asked_apart(runtime.context) else _by_one_call
    memo, header = await asking(memory, place, text, runtime)
    fallback = not (memo and header)
    memo = memo or extracted_memo(text, runtime.context)
    return _note(page, memo, header or extracted_header(place, text), fallback=fallback)


async def _by_one_call(memory: str, place: str, text: str, runtime: Runtime[ReaderContext]) -> tuple[str, str]:
    def complaint(reply: MemoAndHeader) -> str | None:
        return next((f"the {name} is empty" for name, said in reply if not said.strip()), None)

    prompt = memorize_prompt(memory, place, text, purpose_of(runtime.context))
    prompt = prompt.adding(note_line(runtime.context.language))
    try:
        reply = await ask(runtime, prompt, MemoAndHeader, complaint)
    except NoUsableReply:
        fell_back("memo")
        return "", ""
    return reply.memo.strip(), reply.header.strip()


async def _by_two_calls(memory: str, place: str, text: str, runtime: Runtime[ReaderContext]) -> tuple[str, str]:
    said, line = [], note_line(runtime.context.language)
    memo, header = memo_prompt(memory, place, text, purpose_of(runtime.context)), header_prompt(memory, place, text)
    for name, prompt in (("memo", memo), ("header", header)):
        try:
            said.append(await ask_text(runtime, prompt.adding(line)))
        except NoUsableReply:
            fell_back(name)
            said.append("")
    return said[0], said[1]


def extracted_memo(text: str, context: ReaderContext) -> str:
    """The page's most important sentences."""
    return extract_for(context, without_labels(text), EXTRACTED_MEMO_WORDS)


def extracted_header(place: str, text: str) -> str:
    """The page's place in the document, and its most important words."""
    return ": ".join(filter(None, [place, ", ".join(telling_words(without_labels(text), TELLING_WORDS))]))


def _note(page: Page, memo: str, header: str, *, fallback: bool = False) -> Note:
    return Note(page.number, memo, count_words(memo), fallback, " ".join(header.split()))


async def _laid_out(document: Document, runtime: Runtime[ReaderContext]) -> tuple[Paginate, PageLocator]:
    """How the document is cut, and the place of each page in it."""
    store = page_store(runtime)
    ends = [session.end for session in await sessions_of(store, document)]
    places = await store.places(document)
    starts = [start for start, _ in places]

    def place(page: Page) -> str:
        at = bisect_right(starts, page.start) - 1
        return places[at][1] if at >= 0 else ""

    return pages_of_sessions(ends), place
