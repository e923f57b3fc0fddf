"""Notes on a question: how they are asked for, their sizes, their lines, and those overwritten (MemAgent).

A line holds a fact, and names the pages that it stands on, as in "He sold the lamp [3, 7]". Sizes depend on settings
alone, so pages are cut once for all questions. What was overwritten is searched for the queries that the reader names
with each page, after "Look Back to Reason Forward" (Shi et al., 2025).
"""

import re
from collections.abc import Collection, Iterable, Sequence
from functools import cache
from typing import Annotated, Any, ClassVar, NamedTuple

from pydantic import BeforeValidator, Field, create_model, model_validator

from readgraph.features.overwrite.earlier_notes import EarlierNotes
from readgraph.language.sentences import sentence_spans
from readgraph.language.terms import content_words
from readgraph.library.search.okapi import rank
from readgraph.models.prompt import DATA_RULE, Prompt, declare_wording, fenced
from readgraph.models.rehearsed import RehearsedReply, fill_words
from readgraph.models.reply import LenientReply, Numbers, Texts
from readgraph.nodes.bounds import INSTRUCTION_WORDS
from readgraph.nodes.prompts import question_part
from readgraph.state.apart import compute
from readgraph.state.context import ReaderContext
from readgraph.state.words import count_words, first_words

TAKE_NOTES = declare_wording(
    "take_notes",
    "You read a long text page by page, to answer a question at its end. Of what you have read you keep nothing but "
    "your notes, which you write anew after each page: what you leave out is gone. " + DATA_RULE,
    "The passage is page {page}. Write {what} anew, in at most {most_words} words. Give each fact a line of its "
    "own, which ends with the numbers of its pages in brackets, such as [{page}]. {keep}Add what the passage says on "
    "the question, with names, numbers and dates, and its own words in quotation marks where they matter.{block}"
    "{earlier}{look_back}{update_gate}{exit_gate} Don't answer the question yet.",
    keep="Keep what the notes hold and bears on the question, with its page numbers. ",
    earlier=" What stands in earlier-notes you had noted, and left out since: take back what bears on the question.",
    look_back=" If you miss something that you had noted on an earlier page, name in look_back what to search for.",
    block=" The other blocks stay: don't repeat them. Name in used the blocks that bear on this passage.",
    update_gate=" If the passage says nothing on the question, say so in unchanged: then all notes stay as they are.",
    exit_gate=" Say in enough whether the notes, with this passage, hold the whole answer: then reading ends.",
)


def _lines(value: Any) -> list[str]:
    parts = value if isinstance(value, list) else [value]
    return [line.strip() for part in parts if isinstance(part, str) for line in part.splitlines() if line.strip()]


_PAGE, _MOST = re.compile(r"The passage is page (\d+)\."), re.compile(r"in at most (\d+) words")


class NotesAlone(LenientReply):
    """The notes after a page."""

    DECIDES: ClassVar[tuple[str, ...]] = ("notes",)
    NAMED: ClassVar[tuple[str, ...]] = ("notes",)
    notes: Annotated[
        list[str],
        BeforeValidator(_lines),
        Field(description="All notes, one fact in each, with its page numbers; empty if there are none."),
    ]

    @classmethod
    def rehearse(cls, reply: RehearsedReply) -> dict[str, Any]:
        """The notes before, and a fact more; for the most, as many words as they may have."""
        page, most = _PAGE.findall(reply.task)[-1], int(_MOST.findall(reply.task)[-1])
        if reply.longest:
            notes, look_back = [f"{fill_words(reply.shown, most - 1)} [{page}]"], [reply.question] * 3
        else:
            before = reply.fenced.get("notes", "").splitlines()
            notes, look_back = [*before, f"{reply.words(25)} [{page}]"][-6:], []
        return {"notes": notes, "look_back": look_back, "unchanged": False, "enough": False}


class NewNotes(NotesAlone):
    """The notes after a page, and what of the earlier ones is missed."""

    look_back: Annotated[
        Texts, Field(description="Words to search your earlier notes for, to see with the next page; mostly empty.")
    ]


class _Gate(LenientReply):
    """A decision beside the notes, which counts as no where it is missing."""

    @model_validator(mode="before")
    @classmethod
    def _take_missing_as_no(cls, value: Any) -> Any:
        return {"unchanged": False, "enough": False, **value} if isinstance(value, dict) else value


class UpdateGate(_Gate):
    """Whether a page changes the notes (GRU-Mem, arXiv 2602.10560)."""

    unchanged: bool = Field(description="true if the passage says nothing on the question; notes may then be empty.")


class ExitGate(_Gate):
    """Whether enough was read (GRU-Mem, arXiv 2602.10560)."""

    enough: bool = Field(description="true if the notes, with this passage, hold the whole answer; else false.")


class BlocksUsed(LenientReply):
    """Which blocks of the notes a page has to do with (MHM-LRU, arXiv 2607.01523)."""

    used: Numbers = Field(description="The numbers of the blocks of notes that bear on this passage; may be empty.")


@cache
def notes_reply(look_back: bool, update_gate: bool, exit_gate: bool, in_blocks: bool) -> type[NotesAlone]:
    """The type of the reply after a page; gates stand around the notes, in the order in which they are decided."""
    own = NewNotes if look_back else NotesAlone
    added = [gate for gate, on in ((ExitGate, exit_gate), (BlocksUsed, in_blocks)) if on]
    bases: Any = (*added, own, *([UpdateGate] if update_gate else []))
    if bases == (own,):
        return own
    made: type[NotesAlone] = create_model(own.__name__, __base__=bases, __doc__=own.__doc__)
    return made


def take_notes_prompt(
    passage: str,
    notes: str,
    earlier: str,
    question: str,
    choices: dict[str, str],
    *,
    page: int,
    most_words: int,
    look_back: bool = True,
    update_gate: bool = False,
    exit_gate: bool = False,
    block: int | None = None,
) -> Prompt:
    """Ask for the notes after a page, or for one block of them.

    `earlier`: lines of earlier notes that were found for what was missed.
    """
    parts = [
        fenced("passage", passage),
        fenced("notes", notes) if notes else "",
        fenced("earlier-notes", earlier) if earlier else "",
        question_part(question, choices),
    ]
    values = {"page": page, "most_words": most_words, "keep": notes, "earlier": earlier, "look_back": look_back}
    values |= {"what": "the notes" if block is None else f"block {block} of the notes", "block": block is not None}
    return TAKE_NOTES.ask(*parts, **values, update_gate=update_gate, exit_gate=exit_gate)


REPLY_WORDS = 100  # kept free for the form of the reply
NOTES_SHARE, QUESTION_SHARE, LEAST_SHARE = 5, 10, 4  # a share is one in so many; a page may have the last


def most_note_words(context: ReaderContext) -> int:
    """Most words of the notes, with their page numbers: `note_words`, and a fifth of the window."""
    return min(context.note_words, context.window_words // NOTES_SHARE)


def most_block_words(context: ReaderContext) -> int:
    """Most words of a block of the notes: an even share of all."""
    return max(1, most_note_words(context) // context.heads)


def most_found_words(context: ReaderContext) -> int:
    """Most words of earlier notes that are shown with a page: half as many as of the notes."""
    return most_note_words(context) // 2


def chunk_words(context: ReaderContext) -> int:
    """Most words of a page: `chunk_words`, or as many as the window holds beside all else."""
    window = context.window_words
    beside = INSTRUCTION_WORDS + REPLY_WORDS + most_note_words(context) + most_found_words(context)
    return min(context.chunk_words, max(window - window // QUESTION_SHARE - beside, window // LEAST_SHARE))


MOST_PAGES = 8  # most pages that a line names: else the numbers would grow with the text, and the notes must not
ALIKE = 0.6  # the share of a line's content words that an earlier line must have, to pass its page numbers on
_NUMBERS = r"(\d{1,9}(?:\s*(?:,|;|and|&)\s*\d{1,9})*)"
_NAMED = re.compile(rf"\s*(?:\[\s*(?:p\w*\.?\s*)?{_NUMBERS}\s*\]|\(\s*(?:pages?|pp?\.|parts?)\s*{_NUMBERS}\s*\))", re.I)
_NEXT_FACT = re.compile(r"(?<=[0-9]\])\.?\s+(?=[^\W\d_a-z]|[\"“«])")
"""Where a fact begins after the page numbers of another: some models write all facts on one line."""

_BULLET = re.compile(r"^\s*[-*•]\s+")


class NoteLine(NamedTuple):
    """A fact and the pages that it stands on."""

    text: str
    pages: tuple[int, ...]

    @property
    def text_with_pages(self) -> str:
        """The line as notes have it."""
        return f"{self.text} [{', '.join(map(str, self.pages))}]" if self.pages else self.text


def format_notes(lines: Iterable[NoteLine]) -> str:
    """Notes as one text."""
    return "\n".join(line.text_with_pages for line in lines)


def format_blocks(blocks: Sequence[Sequence[NoteLine]]) -> str:
    """Notes as one text; where there are several blocks, each after its number, and "" where all are empty."""
    if len(blocks) == 1 or not any(blocks):
        return format_notes(blocks[0])
    return "\n".join(f"Block {number}:\n{format_notes(lines) or '(empty)'}" for number, lines in enumerate(blocks, 1))


def count_note_words(lines: Iterable[NoteLine]) -> int:
    """The words of notes, with their page numbers."""
    return sum(count_words(line.text_with_pages) for line in lines)


def pages_named(*notes: Iterable[NoteLine]) -> list[int]:
    """The pages that these notes name, in the order of the text."""
    return sorted({page for lines in notes for line in lines for page in line.pages})


def lines_in(notes: str, pages: int) -> list[NoteLine]:
    """The lines of notes as the state keeps them; a number from `pages` on, which somebody typed in, doesn't count."""
    return [line for text in notes.splitlines() if (line := _line(text, range(pages), within=False)).text]


def lines_from_reply(texts: Iterable[str], page: int, seen: Sequence[NoteLine]) -> list[NoteLine]:
    """The lines of a reply after this page; a line names pages known, else has those of the line most like it."""
    known, lines = {page, *pages_named(seen)}, dict[str, NoteLine]()
    for fact in (fact for text in texts for part in text.splitlines() for fact in _NEXT_FACT.split(part)):
        line = _line(_BULLET.sub("", fact), known)
        if line.text:
            pages = line.pages or _pages_of_alike(line.text, seen) or (page,)
            earlier = lines[line.text].pages if line.text in lines else ()
            lines[line.text] = NoteLine(line.text, _few([*earlier, *pages]))
    return [*lines.values()]


def fit_lines(lines: Sequence[NoteLine], most_words: int) -> list[NoteLine]:
    """As many lines as fit; the first that doesn't is cut at the end of a sentence, and the rest is left out."""
    note_lines, room = list[NoteLine](), most_words
    for line in lines:
        words = count_words(line.text_with_pages)
        if words > room:
            room -= words - count_words(line.text)
            ends = [end for _, end in sentence_spans(line.text) if count_words(line.text[:end]) <= room]
            text = line.text[: ends[-1]] if ends else "" if note_lines else first_words(line.text, max(room, 1))
            return [*note_lines, NoteLine(text, line.pages)] if text else note_lines
        note_lines.append(line)
        room -= words
    return note_lines


def _line(text: str, known: Collection[int], *, within: bool = True) -> NoteLine:
    """The line in a text. Page numbers stand at its end, or `within` it too, if they are known: a text has brackets."""
    text, pages = text.strip(), list[int]()

    def collect_pages(named: re.Match[str]) -> str:
        last = not text[named.end() :].strip(" .;,")
        numbers = [number for number in map(int, re.findall(r"\d+", named[0])) if number in known]
        if not (last or (within and numbers)):
            return named[0]
        pages.extend(numbers)
        return ""

    return NoteLine(" ".join(_NAMED.sub(collect_pages, text).split()), _few(pages))


def _few(pages: Iterable[int]) -> tuple[int, ...]:
    return tuple(sorted({*pages})[:MOST_PAGES])


def _pages_of_alike(text: str, note_lines: Sequence[NoteLine]) -> tuple[int, ...]:
    words = {*content_words(text)}
    shares = [len(words & {*content_words(line.text)}) / max(len(words), 1) for line in note_lines]
    best = max(shares, default=0.0)
    return note_lines[shares.index(best)].pages if best >= ALIKE else ()


AT_ONCE = 500  # lines that are searched in a moment; more are searched in a thread, so that other readings go on
FEWEST_WORDS = 3  # where fewer words of room are left, nothing more is looked for


class OverwrittenNotes:
    """The earlier notes of one reading; they are read from the store when they are searched for the first time."""

    def __init__(self, store: EarlierNotes, reading: str) -> None:
        self._store, self._reading = store, reading
        self._lines: dict[NoteLine, None] | None = None

    async def keep(self, page: int, before: Sequence[NoteLine], now: Sequence[NoteLine]) -> None:
        """Keep what is new in the notes after a page."""
        new = [line for line in now if line not in {*before}]
        await self._store.put_lines(self._reading, page, [line.text_with_pages for line in new])
        if self._lines is not None:
            self._lines |= dict.fromkeys(new)

    async def find(
        self, queries: Sequence[str], notes: Sequence[NoteLine], read: int, most_words: int
    ) -> list[NoteLine]:
        """The lines nearest to the queries by Okapi, that say what neither the notes nor a better one say."""
        if not queries:
            return []
        if self._lines is None:
            stored = await self._store.lines(self._reading, read)
            self._lines = dict.fromkeys(lines_in("\n".join(stored), read))
        lines = [*self._lines]
        if len(lines) <= AT_ONCE:
            return _nearest(queries, lines, notes, most_words)
        return await compute(_nearest, queries, lines, notes, most_words)


def _nearest(
    queries: Sequence[str], lines: Sequence[NoteLine], notes: Sequence[NoteLine], most_words: int
) -> list[NoteLine]:
    note_lines, room, noted = list[NoteLine](), most_words, [{*content_words(line.text)} for line in notes]
    for number, _ in rank(" ".join(queries), [line.text for line in lines]):
        if room < FEWEST_WORDS:
            break
        size, words = count_words(lines[number].text_with_pages), {*content_words(lines[number].text)}
        if size <= room and not any(words <= other for other in noted):
            note_lines.append(lines[number])
            noted.append(words)
            room -= size
    return note_lines
