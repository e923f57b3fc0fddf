"""What is kept of a page: its gist (ReadAgent, section 3.1), or a memo with a header (GAM, section 2.2.1)."""

from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Callable, Sequence
from math import log
from operator import attrgetter

from pydantic import BaseModel, Field

from readgraph.language.passages import without_labels
from readgraph.language.terms import content_words
from readgraph.library.histories import sessions_of
from readgraph.library.page_store import page_store
from readgraph.models.asking import ask_reply, ask_text
from readgraph.models.prompt import DATA_RULE, Prompt, Wording, declare_wording, fenced
from readgraph.nodes.building.paging import pages_of_sessions
from readgraph.nodes.building.parts import NotesSoFar, Paginate, Parts, in_parts
from readgraph.nodes.building.recipes import purpose_line, purpose_of
from readgraph.nodes.building.unfit_notes import why_unfit
from readgraph.nodes.contracts import ReaderRuntime
from readgraph.nodes.extractive import extract_for
from readgraph.nodes.extractive.gists import telling_words
from readgraph.nodes.prompts import note_line
from readgraph.state.context import ReaderContext
from readgraph.state.records import FEWEST_NOTE_WORDS, Document, Note, Page
from readgraph.state.words import count_words, take_fitting

__all__ = ["gist_page"]

GIST = declare_wording(
    "gist",
    "You shorten passages of a longer text so that somebody who reads only your versions, one after the other, "
    "can follow it. Keep who does what, full names, numbers, times and places, and the order of events. " + DATA_RULE,
    "{known}Shorten the passage above{limit}{keep}. Reply with the shortened version only.",
    limit=" to at most {most_words} words",
    keep=", and keep above all what serves that",
)


def gist_prompt(page: str, most_words: int | None = None, purpose: str = "") -> Prompt:
    """Ask for the page, shortened: "summarise" breaks the narrative flow (section 3.1). `purpose`: see appendix G."""
    known = purpose_line("shortened text", purpose)
    values = {"known": known, "keep": known, "limit": most_words, "most_words": most_words}
    return GIST.ask(fenced("passage", page), **values)


MEMO_WORDS, HEADER_WORDS = 120, 40

_MEMORIZE_SYSTEM = (
    "You keep the memory of a long history that you read page by page. Somebody will later use your notes to find the "
    "page that holds a fact, without having read any of it. " + DATA_RULE
)
_MEMO = (
    f"The memo is one paragraph of at most {MEMO_WORDS} words that stands on its own: who did, said, planned or "
    "decided what, with full names, numbers, dates and places; open questions too. State only what the passage says. "
    "Use the memory to name people and things as before, and the place to turn words like 'yesterday' into dates."
)
_HEADER = (
    f"The header is one line of at most {HEADER_WORDS} words that stands in front of the passage when it is searched: "
    "where in the history it is, what it goes on with, and whom or what its 'he', 'she' and 'it' mean."
)


class MemoAndHeader(BaseModel):
    """What is kept of a page."""

    memo: str = Field(description=f"One paragraph of at most {MEMO_WORDS} words: what the passage says.")
    header: str = Field(description=f"One line of at most {HEADER_WORDS} words: the context of the passage.")


_KEEP = " In the memo, keep above all what serves what it is for."
MEMORIZE = declare_wording(
    "memorize",
    _MEMORIZE_SYSTEM,
    f"{{known}}Write the memo and the header of the passage. {_MEMO}{{keep}} {_HEADER}",
    keep=_KEEP,
)
MEMO = declare_wording(
    "memo",
    _MEMORIZE_SYSTEM,
    f"{{known}}Write the memo of the passage. {_MEMO}{{keep}} Reply with the memo only.",
    prompt="memorize",
    keep=_KEEP,
)
HEADER = declare_wording(
    "header",
    _MEMORIZE_SYSTEM,
    f"Write the header of the passage. {_HEADER} Reply with the header only.",
    prompt="memorize",
)


def memorize_prompt(memory: str, place: str, passage: str, purpose: str = "", words: Wording = MEMORIZE) -> Prompt:
    """Ask for memo and header at once, or (`words`) for one of them alone, as plain text.

    `memory`: memos of earlier pages; `place`: where the passage stands.
    """
    known, parts = purpose_line("memo", purpose), [("memory", memory), ("place", place), ("passage", passage)]
    return words.ask(*(fenced(name, text) for name, text in parts if text), known=known, keep=known)


async def ask_gist(
    prompt: Prompt,
    text: str,
    page: Page,
    runtime: ReaderRuntime,
    extract: Callable[[ReaderContext, str], str] = extract_for,
    fallback: str = "gist",
) -> Note:
    """The gist that the prompt asks for, never longer than the page; after three unusable replies, an extract."""
    most = max(page.words, FEWEST_NOTE_WORDS)

    def complaint(gist: str) -> str | None:
        too_long = "it is longer than the passage" if count_words(gist) > most else None
        return too_long or why_unfit(gist, text, prompt)

    gist = await ask_text(runtime, prompt.adding(note_line(runtime.context.language)), complaint, fallback=fallback)
    note = extract(runtime.context, text) if gist is None else gist
    return Note(page.number, note, count_words(note), fallback=gist is None)


async def gist_page(text: str, page: Page, runtime: ReaderRuntime) -> Note:
    """The page's gist, never longer than the page; after three unusable replies, an extractive gist."""
    context = runtime.context
    return await ask_gist(gist_prompt(text, context.gist_words, purpose_of(context)), text, page, runtime)


NEWEST_SHARE = 0.5  # share of the word budget for the newest memos; the rest is for older ones related to the page
QUERY_WORDS = 60  # most words of a page that are used to search for older memos


class MemoRecall:
    """Chooses among the memos of one memory, by an index of their words that grows with them."""

    def __init__(self, budget: int) -> None:
        self.budget = budget
        self._indexed = 0
        self._holding: defaultdict[str, list[int]] = defaultdict(list)

    def near(self, memos: Sequence[Note], text: str) -> list[Note]:
        """The newest of all earlier pages' memos, then those most related to the text, as many as the budget allows."""
        while self._indexed < len(memos):
            for word in {*content_words(memos[self._indexed].text)}:
                self._holding[word].append(self._indexed)
            self._indexed += 1
        if sum(memo.words for memo in memos) <= self.budget:
            return list(memos)
        size: Callable[[Note], int] = attrgetter("words")
        newest = take_fitting(reversed(memos), size, int(NEWEST_SHARE * self.budget))
        nearest = [memos[number] for number in self._nearest(text, len(memos) - len(newest))]
        older = take_fitting(nearest, size, self.budget - sum(map(size, newest)), skips=True)
        return sorted([*older, *newest], key=attrgetter("page"))

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


EXTRACTED_MEMO_WORDS, TELLING_WORDS = 60, 8


async def memorizer_parts(document: Document, notes: NotesSoFar, runtime: ReaderRuntime) -> Parts:
    """The parts of a build with a model: pages are memorised in blocks, each with the memory before it in view."""
    paginate, place = await _lay_out_pages(document, runtime)
    recalling, block = MemoRecall(runtime.context.memory_words), runtime.context.memorize_batch

    async def write(text: str, page: Page, runtime: ReaderRuntime) -> Note:
        memos = await notes.before(page.number - page.number % block)  # so that a resumed build sends the same prompts
        shown = recalling.near(memos, text)
        memory = "\n\n".join(f"Page {memo.page}: {memo.text}" for memo in shown)
        return await memorize_page(memory, place(page), text, page, runtime)

    return paginate, write


async def extractive_parts(document: Document, notes: NotesSoFar, runtime: ReaderRuntime) -> Parts:
    """The parts of a build without a model: memos of the pages' own sentences, headers of their own words."""
    paginate, place = await _lay_out_pages(document, runtime)

    async def write(text: str, page: Page, runtime: ReaderRuntime) -> Note:
        return _note(page, extract_memo(text, runtime.context), extract_header(place(page), text))

    return paginate, write


def needs_two_calls(context: ReaderContext) -> bool:
    """Whether memo and header need separate calls: in plain words, each reply is a single text."""
    return context.two_calls or context.reply_form == "plain"


async def memorize_page(memory: str, place: str, text: str, page: Page, runtime: ReaderRuntime) -> Note:
    """Memo and header of a page, from one call or two; an unusable one is replaced by an extractive one."""
    context, shown = runtime.context, (memory, place, text)
    purpose, line = purpose_of(context), note_line(context.language)
    prompt = memorize_prompt(*shown, purpose, MEMO if needs_two_calls(context) else MEMORIZE).adding(line)

    def unfit(memo: str) -> str | None:
        return why_unfit(memo, text, prompt)

    def complaint(reply: MemoAndHeader) -> str | None:
        return next((f"the {name} is empty" for name, said in reply if not said.strip()), None) or unfit(reply.memo)

    if needs_two_calls(context):
        memo = await ask_text(runtime, prompt, unfit, fallback="memo") or ""
        header = await ask_text(runtime, memorize_prompt(*shown, words=HEADER).adding(line), fallback="header") or ""
    else:
        reply = await ask_reply(runtime, prompt, MemoAndHeader, complaint, fallback="memo")
        memo, header = (reply.memo.strip(), reply.header.strip()) if reply else ("", "")
    fallback = not (memo and header)
    memo = memo or extract_memo(text, context)
    return _note(page, memo, header or extract_header(place, text), fallback=fallback)


def extract_memo(text: str, context: ReaderContext) -> str:
    """The page's most important sentences."""
    return extract_for(context, without_labels(text), EXTRACTED_MEMO_WORDS)


def extract_header(place: str, text: str) -> str:
    """The page's place in the document, and its most important words."""
    return ": ".join(filter(None, [place, ", ".join(telling_words(without_labels(text), TELLING_WORDS))]))


def _note(page: Page, memo: str, header: str, *, fallback: bool = False) -> Note:
    return Note(page.number, memo, count_words(memo), fallback, " ".join(header.split()))


async def _lay_out_pages(document: Document, runtime: ReaderRuntime) -> tuple[Paginate, Callable[[Page], str]]:
    """How the document is cut, and what gives the place of a page in its own terms, such as a session; or ""."""
    store = page_store(runtime)
    ends = [session.end for session in await sessions_of(store, document)]
    places = await store.places(document)
    starts = [start for start, _ in places]

    def place(page: Page) -> str:
        at = bisect_right(starts, page.start) - 1
        return places[at][1] if at >= 0 else ""

    return in_parts(pages_of_sessions(ends), document.parts), place
