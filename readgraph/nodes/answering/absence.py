"""Where no answer was found: is there one in a part that was not read? A yes or no of the model for each part.

The likeliest parts come first, a few at once. Parts that may hold an answer are read, and answered from; where none
does, and every part was read or judged, the text is proven to hold none. What a proof costs once is saved with the
replies, so a text that has grown pays only for what is new.
"""

from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, TypeVar, cast

from pydantic import BaseModel, Field

from readgraph.library.search.hits import pages_of
from readgraph.models.asking import ask_reply, can_ask
from readgraph.models.metering import current_meter, suppress_streaming
from readgraph.models.prompt import DATA_RULE, Prompt, declare_wording, fenced
from readgraph.models.rehearsed import RehearsedReply
from readgraph.models.reply import current_stand_in
from readgraph.nodes.answering.answer import answer_from
from readgraph.nodes.answering.in_view import write_answer
from readgraph.nodes.bounds import content_room, groups_that_fit
from readgraph.nodes.contracts import CiteState, CiteUpdate, ReaderRuntime
from readgraph.nodes.memory import MemoryView, OpenedMemory, format_pages, load_memory
from readgraph.nodes.prompts import question_part
from readgraph.state.loops import all_finished
from readgraph.state.reading import Absence, WhyNot
from readgraph.state.records import Page
from readgraph.state.words import count_words, end_after_words, format_count, with_numbers, with_ranges

T = TypeVar("T")
JOINED, LONGEST = 600, 1500  # words: shorter neighbours are judged together, longer parts in pieces
AT_ONCE = 24  # pieces that are judged before those that may hold an answer are read

PART_HOLDS = declare_wording(
    "part_holds",
    "You look through one part of a long text for what answers a question. You trust nothing but what this part says. "
    + DATA_RULE,
    "Does the part above hold an answer to the question, or something that helps to give one{choose}? Where you are "
    "not sure, it does.",
    choose=", or speak for one of its options",
)


class PartHolds(BaseModel):
    """Whether a part holds an answer."""

    holds: bool = Field(description="true if it may hold an answer or a piece of one; else false.")

    @classmethod
    def rehearse(cls, reply: RehearsedReply) -> dict[str, Any]:
        """It doesn't; for the most, it does, and is read in vain."""
        return {"holds": reply.longest}


Piece = dict[int, str]  # what is judged in one call: texts of pages by their numbers, or a piece of one page


def part_holds_prompt(piece: Piece, question: str, choices: dict[str, str]) -> Prompt:
    """Ask whether a piece of a text holds an answer to a question."""
    return PART_HOLDS.ask(fenced("passage", format_pages(piece)), question_part(question, choices), choose=choices)


async def pieces_of(memory: OpenedMemory, numbers: Iterable[int], room: int, query: str) -> list[Piece]:
    """These pages in pieces, of which none has more words than fit, those first that share most with a query."""
    pages, most = await memory.pages(sorted({*numbers})), min(LONGEST, room)
    texts = await memory.texts([page.number for page in pages])
    ranked = pages_of(await (await memory.open_ranker()).find(query, memory.record.pages))
    places = {number: place for place, number in enumerate(ranked)}

    def place(piece: Piece) -> int:
        return min(places.get(number, len(places)) for number in piece)

    return sorted(_cut_and_join(pages, texts, most), key=place)


def _cut_and_join(pages: Sequence[Page], texts: Mapping[int, str], most: int) -> Iterator[Piece]:
    for group in groups_that_fit(pages, lambda page: page.words, min(JOINED, most)):
        text = texts[group[0].number]
        if len(group) > 1 or group[0].words <= most:
            yield {page.number: texts[page.number] for page in group}
            continue
        start = 0
        while start < len(text):
            end = end_after_words(text, start, most)
            end = len(text) if not text[end:].strip() else end
            yield {group[0].number: text[start:end]}
            start = end


def is_unanswered(state: CiteState) -> bool:
    """Whether no answer was found; an estimate takes it that none was."""
    return state.get("status") in ("no_answer", "nearest", "budget") or current_stand_in() is not None


async def prove_absence(state: CiteState, runtime: ReaderRuntime) -> tuple[Absence, CiteUpdate | None]:
    """Judge the parts that were not read, and answer from those that may hold an answer; None where none does.

    Where a reply couldn't be used, or the budget ended, parts may have been read in vain: then these are judged too.
    """
    memory = await load_memory(runtime, state)
    read = [] if state.get("fallbacks") or state["status"] == "budget" else state.get("pages_read") or []
    question, choices = state.get("question_text") or "", state.get("choices") or {}
    room, meter = content_room(runtime.context, question, choices), current_meter()
    proof = Proof(memory, [page.number for page in await memory.pages(read) if page.words <= room])
    if not can_ask(runtime):
        return proof.result(can_judge=bool(runtime.context.model)), None
    spent_before, update = meter.budget.spent, None

    async def ask(piece: Piece) -> PartHolds | None:
        prompt = part_holds_prompt(piece, question, choices)
        return await ask_reply(runtime, prompt, PartHolds, fallback="part_holds")

    pieces = await pieces_of(memory, proof.left, room, question)
    async for judged in proof.judge(pieces, ask):
        holding = [piece for piece, reply in judged if reply.holds]
        if update := await _answer_from_pieces(holding, room, proof, state, runtime):
            break
    absence = proof.result()
    meter.budget.spent = spent_before  # the answer was given within the budget; what was not judged says so itself
    return absence, update


class Proof:
    """How far a proof has come: the parts that are left, and those that could not be judged."""

    def __init__(self, memory: OpenedMemory, read: Iterable[int]) -> None:
        self.memory, self.left = memory, {*memory.unread(read)}
        self.to_judge, self.unjudged, self.found = len(self.left), set[int](), list[int]()

    async def judge(
        self, pieces: Sequence[Piece], ask: Callable[[Piece], Awaitable[T | None]]
    ) -> AsyncIterator[list[tuple[Piece, T]]]:
        """Ask about the pieces, a few at once, until the budget is over; gives those with a reply, notes the others."""
        for first in range(0, len(pieces), AT_ONCE):
            asked, judged = pieces[first : first + AT_ONCE], list[tuple[Piece, T]]()
            with suppress_streaming():
                replies = await all_finished(map(ask, asked))
            for piece, reply in zip(asked, replies, strict=True):
                if reply is None:
                    self.unjudged |= {*piece}
                else:
                    judged.append((piece, reply))
            self.left -= {number for piece, _ in judged for number in piece}
            yield judged
            if current_meter().budget.is_over or not judged:  # nor would the others get a usable reply
                return

    def result(self, *, can_judge: bool = True) -> Absence:
        """What is known: proven is that no part holds an answer, where each was read or judged."""
        left = sorted(self.left | self.unjudged)
        why: WhyNot = ""
        if self.found:
            pass
        elif not can_judge:
            why = "model"
        elif not self.memory.whole:
            why = "unread"
        elif left:
            why = "budget" if current_meter().budget.is_over else "replies"
        return Absence(
            parts=self.memory.record.pages,
            judged=self.to_judge - len(left),
            to_judge=self.to_judge,
            unjudged=left,
            found=self.found,
            proven=not (self.found or why),
            why_not=why,
        )


async def _answer_from_pieces(
    pieces: Sequence[Piece], room: int, proof: Proof, state: CiteState, runtime: ReaderRuntime
) -> CiteUpdate | None:
    """The answer from the first of these pieces, as many at once as fit, that give one."""
    memory: OpenedMemory = proof.memory
    asked: Any = {**state, "choices": state.get("choices") or {}, "pages_read": [*(state.get("pages_read") or [])]}
    sized = [(piece, sum(map(count_words, piece.values()))) for piece in pieces]
    for group in groups_that_fit(sized, lambda each: each[1], room):
        full = Piece()
        for piece, _ in group:
            full |= {number: f"{full[number]}\n\n{text}" if number in full else text for number, text in piece.items()}
        view = MemoryView(memory.document, await memory.pages(full), {}, full)
        draft = await answer_from(view, asked, runtime)
        asked["pages_read"] += [number for number in full if number not in asked["pages_read"]]
        if draft.nearest:  # no usable reply
            proof.unjudged |= {*full}
        elif draft.answer:
            proof.found = sorted({quote["page"] for quote in draft.quotes} & {*full}) or sorted(full)
            update: Any = await write_answer(draft, memory.document, asked, runtime)
            update["pages_read"] = asked["pages_read"]
            return cast(CiteUpdate, update)
    return None


def describe_absence(absence: Absence) -> str:
    """A proof in a line: "In none of 260 parts (12 were read, 248 judged)."."""
    parts, judged = format_count(absence["parts"], "part"), f"{absence['judged']:,} of {absence['to_judge']:,}"
    if absence["found"]:
        where = with_numbers("part", absence["found"])
        return f"Found by looking through the parts that had not been read: in {where} of {absence['parts']:,}."
    if absence["proven"]:
        read = absence["parts"] - absence["to_judge"]
        return f"In none of {parts} ({read:,} read, {absence['to_judge']:,} judged)."
    unjudged = with_ranges("part", absence["unjudged"])
    left = f"; not judged: {unjudged}" if absence["unjudged"] else ""
    return {
        "model": "Not proven: only a model can judge the parts that were not read, and none is set.",
        "budget": f"Not proven: the budget ended when {judged} unread parts were judged{left}.",
        "replies": f"Not proven: {judged} unread parts were judged, but no usable reply came for {unjudged}.",
        "unread": f"Not proven: {judged} unread parts were judged, and the text goes on behind them, unread{left}.",
    }[absence["why_not"]]
