"""Cut a text into pages: at pauses that the model chooses, evenly, into segments, or where sessions end.

Pauses: ReadAgent, section 3.1 (even pages: table 5). Segments: MemWalker, section 3. Sessions: GAM, section 2.2.1.
"""

import asyncio
import re
from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from typing import Any, ClassVar, Literal

from pydantic import BaseModel, Field

from readgraph.models.asking import ask_reply
from readgraph.models.prompt import DATA_RULE, Prompt, declare_wording, fenced, find_unused_name
from readgraph.models.rehearsed import RehearsedReply
from readgraph.models.reply import LenientReply, Numbers, restrict_reply
from readgraph.nodes.building.parts import Pages, Paginate, candidate_ends, even_page_words, pages_after, paragraph_ends
from readgraph.nodes.contracts import ReaderRuntime
from readgraph.state.context import ReaderContext
from readgraph.state.records import Note, Page, PageEnd
from readgraph.state.settings import ParagraphBreak
from readgraph.state.words import count_words, end_after_words

__all__ = ["pages_at_pauses"]


_LAST_LABEL = re.compile(r"to <[\w-]+ (\d+)>")


class PausePoint(BaseModel):
    """Where to pause."""

    DECIDES: ClassVar[tuple[str, ...]] = ("label",)
    reason: str = Field(description="A few words: what ends there.")
    label: int = Field(description="The number of the label to pause at.")

    @classmethod
    def rehearse(cls, reply: RehearsedReply) -> dict[str, Any]:
        """Anywhere; for the most pages, at once."""
        return {"label": reply.one_of(range(1, 1 + int(_LAST_LABEL.findall(reply.task)[-1])))}


PAUSE = declare_wording(
    "pause",
    "You read a long text piece by piece and decide where each piece ends. Good places to pause are a change of "
    "scene, time or speaker, the end of a dialogue, of an argument, of a section. " + DATA_RULE,
    "The passage above holds numbered labels, written <{label} 1> to <{label} {last}>. At which one is it most natural "
    "to pause reading? Give its number.",
)


def pause_prompt(pieces: Sequence[str], before: str = "", after: str = "") -> Prompt:
    """Ask for one of the labels 1 … n; label k comes after piece k. `before` and `after` stand around the passage."""
    label = find_unused_name("pause", [*pieces, before, after])
    labelled = "\n".join(f"{piece.strip()}\n<{label} {number}>" for number, piece in enumerate(pieces, 1))
    parts = [fenced("before", before) if before else "", fenced("passage", labelled)]
    return PAUSE.ask(*parts, fenced("after", after) if after else "", label=label, last=len(pieces))


MERGE = declare_wording(
    "merge",
    "You see gists of neighbouring pages of a long text, in their order, and decide which pages belong together. "
    + DATA_RULE,
    "With which of these pages does a new chapter, a new section or a new book begin? Name them, without the first "
    "page, whose beginning is not asked for. Don't name a page that goes on with what the page before it is about, nor "
    "one of which you are not sure.",
    version=2,
)


class BeginAnew(LenientReply):
    """Which pages begin a new part of the text."""

    DECIDES: ClassVar[tuple[str, ...]] = ("begin_anew",)
    NAMED: ClassVar[tuple[str, ...]] = ("begin_anew",)
    begin_anew: Numbers = Field(description="The numbers of these pages; empty if there is none.")

    @classmethod
    def rehearse(cls, reply: RehearsedReply) -> dict[str, Any]:
        """None does, so that as many pages are joined as may be."""
        return {"begin_anew": []}


def merge_prompt(gists: str) -> Prompt:
    """Ask with which pages a chapter, section or book begins; `gists`: each after the tag of its page."""
    return MERGE.ask(fenced("memory", gists))


LAST_PAGE_WORDS = 350  # if fewer words are left, they become the last page without a call, as in the reference code


async def pages_at_pauses(text: str, last: Page | None, runtime: ReaderRuntime) -> Pages:
    """Pages that end where the model would pause; after three unusable replies, at the last label offered."""
    context = runtime.context
    number, start = (last.number + 1, last.end) if last else (0, 0)
    before = text[last.start : last.end] if last else ""
    ends = paragraph_ends(text, context.paragraph_break) if start < len(text) else []
    while start < len(text):
        offered = candidate_ends(text, ends, start, context.min_page_words, context.max_page_words)
        ended_by: PageEnd = "rule"
        end = offered[0]
        if offered[-1] == len(text) and count_words(text[start:]) < LAST_PAGE_WORDS:
            end, ended_by = len(text), "rest"
        elif len(offered) > 1:
            pieces = [text[begin:stop] for begin, stop in zip([start, *offered], offered, strict=False)]
            behind = bisect_right(ends, offered[-1])
            after = text[offered[-1] : ends[behind]] if behind < len(ends) else ""
            shown = (before if context.show_previous_page else "", after if context.show_next_paragraph else "")
            label = await _choose_label(runtime, pause_prompt(pieces, *shown), len(offered))
            end, ended_by = (offered[label - 1], "model") if label else (offered[-1], "fallback")
        yield Page(number, start, end, count_words(text[start:end]), ended_by)
        before = text[start:end]
        number, start = number + 1, end


async def _choose_label(runtime: ReaderRuntime, prompt: Prompt, labels: int) -> int | None:
    def complaint(reply: PausePoint) -> str | None:
        return None if 1 <= reply.label <= labels else f"there is no label {reply.label}"

    wanted = restrict_reply(PausePoint, label=range(1, labels + 1))
    reply = await ask_reply(runtime, prompt, wanted, complaint, fallback="pause")
    return reply.label if reply else None


FEWEST_SHARE = 0.5  # least share of its word limit with which a page may end at a paragraph; else one is cut
Size = Callable[[ReaderContext], int]  # gives a number of words for a context


def even_ends(text: str, start: int, most: int, how: ParagraphBreak = "auto") -> Iterator[tuple[int, int]]:
    """(end, words) of each page after an offset: as few as possible, each ending near an even share of what is left."""
    if start >= len(text):
        return
    if (left := count_words(text[start:])) <= most:
        yield len(text), left
        return
    ends = paragraph_ends(text, how)
    while start < len(text):
        pages = max(-(-left // most), 1)
        offered = candidate_ends(text, ends, start, max(1, round(FEWEST_SHARE * most)), most)
        even = end_after_words(text, start, -(-left // pages))
        end = offered[-1] if pages == 1 else min(offered, key=lambda offset: abs(offset - even))
        words = count_words(text[start:end])
        yield end, words
        start, left = end, left - words


def even_pages(most: Size) -> Paginate:
    """Paging into even pages of at most this many words."""

    async def paginate_evenly(text: str, last: Page | None, runtime: ReaderRuntime) -> Pages:
        number, start = (last.number + 1, last.end) if last else (0, 0)
        for end, words in even_ends(text, start, most(runtime.context), runtime.context.paragraph_break):
            yield Page(number, start, end, words, "rest" if end == len(text) else "rule")
            number, start = number + 1, end

    return paginate_evenly


def pages_of_sessions(session_ends: Sequence[int]) -> Paginate:
    """Paging that ends a page where a session ends, and cuts longer ones evenly; one stream where there are none."""

    async def paginate_sessions(text: str, last: Page | None, runtime: ReaderRuntime) -> Pages:
        context = runtime.context
        number, read_to = (last.number + 1, last.end) if last else (0, 0)
        for begin, border in pairwise([0, *session_ends] if session_ends else [0, len(text)]):
            session, start = text[begin:border], max(read_to - begin, 0)
            for end, words in even_ends(session, start, context.memo_page_words, context.paragraph_break):
                ended_by: PageEnd = "rule" if session_ends or end < len(session) else "rest"
                yield Page(number, begin + start, begin + end, words, ended_by)
                number, start = number + 1, end

    return paginate_sessions


def cut_in_two(words: Size, behind: Literal["first", "last"]) -> Paginate:
    """Paging into two: the first (or last) words, as many as `words` gives, and the rest; a short text is one page."""

    async def paginate_in_two(text: str, last: Page | None, runtime: ReaderRuntime) -> Pages:
        kept = words(runtime.context)
        cut = end_after_words(text, 0, kept if behind == "first" else count_words(text) - kept)
        bounds = [0, *({cut} - {0, len(text)}), len(text)]
        for number in range(last.number + 1 if last else 0, len(bounds) - 1):
            start, end = bounds[number : number + 2]
            yield Page(number, start, end, count_words(text[start:end]), "rest" if end == len(text) else "rule")

    return paginate_in_two


async def one_page(text: str, last: Page | None, runtime: ReaderRuntime) -> Pages:
    """The whole text as one page."""
    if last is None:
        yield Page(0, 0, len(text), count_words(text), "rest")


async def no_note(text: str, page: Page, runtime: ReaderRuntime) -> Note:
    """An empty note, for pages that are not summarised."""
    await asyncio.sleep(0)  # so that the page can be stored meanwhile
    return Note(page.number, "", 0)


def words_kept(context: ReaderContext) -> int:
    """Words that a truncated text keeps: `baseline_words`, or as many as fit the window."""
    return min(context.baseline_words or context.window_words, context.window_words)


def pages_as_set(text: str, last: Page | None, runtime: ReaderRuntime) -> Pages:
    """Pages that end at pauses, or pages of about the same length on average, which need no call."""
    paginate = even_pages(even_page_words) if runtime.context.paging == "even" else pages_at_pauses
    return paginate(text, last, runtime)


NEAR = 0.25  # share by which a segment may deviate from the set size; the last one of a text may be smaller


def fewest_and_most(context: ReaderContext) -> tuple[int, int]:
    """The fewest and the most words of a segment; the last one of a text may have fewer."""
    wanted = context.segment_words
    return max(1, round(wanted * (1 - NEAR))), round(wanted * (1 + NEAR))


async def segments(text: str, last: Page | None, runtime: ReaderRuntime) -> Pages:
    """Segments that end with the paragraph nearest to the context's size, or with the text if its end is near."""
    context = runtime.context

    def nearest_to_size(offered: Sequence[int], start: int) -> int:
        size = end_after_words(text, start, context.segment_words)
        return offered[-1] if offered[-1] == len(text) else min(offered, key=lambda offset: abs(offset - size))

    for page in pages_after(last, text, context.paragraph_break, fewest_and_most(context), nearest_to_size):
        yield page
