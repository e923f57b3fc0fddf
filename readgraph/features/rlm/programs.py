"""Look at a text by programs that the model writes (recursive language models, Zhang et al., 2025, section 2).

The text is a variable of an interpreter. A program searches, cuts and counts, and asks a model about pieces
(*sub-calls*, of depth 1: these don't call themselves); what it shows is cut, and seen by the model when it writes the
next one. Where the paper's interpreter goes on living, a program here keeps what it needs in `kept`, which the
checkpoint holds: so a reading can be resumed, repeated and edited between any two programs.
"""

import asyncio
import json
import math
import re
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, field

from readgraph.features.rlm.sandbox import ProgramEnd, SubCallRefused, check_sandbox, run_program
from readgraph.features.rlm.settings import Programs
from readgraph.features.rlm.state import FreshPrograms, ProgramRun
from readgraph.models.asking import ask_text
from readgraph.models.metering import count_fallback, current_meter
from readgraph.models.prompt import DATA_RULE, Prompt, declare_wording, fenced
from readgraph.models.rehearsed import RehearsedReply
from readgraph.nodes.answering.answer import quote_pages_read
from readgraph.nodes.answering.in_view import STYLE, answer_style, letter_of, write_answer
from readgraph.nodes.bounds import content_room
from readgraph.nodes.contracts import AnswerDraft, AnswerUpdate, AskedPages, ReaderRuntime, StepUpdate
from readgraph.nodes.memory import load_memory
from readgraph.nodes.opening import OpenState, OpenUpdate, open_document
from readgraph.nodes.prompts import question_part
from readgraph.nodes.step import node
from readgraph.state.channels import empty_channels
from readgraph.state.context import ReaderContext
from readgraph.state.reading import Finding, Quote, with_finding
from readgraph.state.settings import Window
from readgraph.state.words import LONGEST_WORD, count_words, first_words, format_count

BEGINNING_WORDS, MOST_SHOWN_WORDS, KEPT_WORDS = 100, 600, 100
"""Words of the text that the first prompt shows; that a program shows; that a prompt shows of what is kept."""

MOST_PROGRAM_WORDS, MOST_QUOTES = 400, 20
"""Words of a program that later prompts repeat; quotes that an answer may have."""

NOTHING_KEPT = "{}"  # as a question begins

READ_SHARE = 0.3
"""The share of the text about which usual programs ask: a question about one place needs little of it."""

_PIECE, _WORDS = re.compile(r"of at most ([\d,]+) words, and nothing"), re.compile(r"characters, ([\d,]+) words")
_LEFT = re.compile(r"may call ask ([\d,]+) times")


def _rehearse_program(reply: RehearsedReply) -> str:
    """A program that looks, one that asks about a part of the text, one that finishes; for the most, all ask on."""
    instructions = reply.asked.messages[0][1]
    piece, words, left = (
        int(match[1].replace(",", "")) if (match := pattern.search(text)) else 1
        for pattern, text in ((_PIECE, instructions), (_WORDS, reply.task), (_LEFT, reply.task))
    )
    size, share = piece - 20, words if reply.longest else READ_SHARE * words
    pieces = left if reply.longest else min(left, math.ceil(share / size))
    done = reply.fenced.get("programs", "").count("It showed:")
    if reply.longest or done == 1:
        lines = [
            f"const pieces = cut(text, {max(1, round(min(size, share)))});",
            f"const asked = Array.from({{length: {pieces}}}, (_, at) => pieces[at % pieces.length]);",
            "show(await Promise.all(asked.map(piece => ask('What does this say on the question?', piece))));",
        ]
    elif not done:
        lines = ["show(cut(text, 150)[0]);"]
    else:
        answer = '"B"' if "the letter of an option" in reply.task else json.dumps(reply.answer)
        lines = [f"finish({answer}, [text.trim().split(/\\s+/).slice(0, 16).join(' ')]);"]
    return f"{reply.words(25)}\n```js\n" + "\n".join(lines) + "\n```"


WRITE_PROGRAM = declare_wording(
    "write_program",
    "You answer a question about a text that is too long to be shown. You write short JavaScript programs that look at "
    "it, and see what each one showed. A program is the body of an async function, which has:\n"
    "- text: the whole text, a string.\n"
    "- cut(string, words): an array of pieces of at most so many words.\n"
    "- await ask(question, piece): what a model says that sees this piece, of at most {piece_words} words, and nothing "
    "else; null where that can't be used. For several pieces use Promise.all.\n"
    "- show(value): what you see afterwards, about {shown_words} words in all.\n"
    "- kept: an object that the next program has too; other variables are gone.\n"
    "- finish(answer, quotes): ends the reading, with short exact quotes that show the answer; finish(null) if the "
    "text doesn't hold it.\n"
    "Search, count and sort in code; ask about what must be read to be understood. " + DATA_RULE,
    "The text has {characters} characters, {words} words. You may write {programs_left} more, which may call ask "
    "{calls_left} times.{options}{last} Write the next program between ```js and ```.",
    options=" The answer is the letter of an option.",
    last=" This is the last one: finish in it.",
    rehearse=_rehearse_program,
)
ASK_PIECE = declare_wording(
    "ask_piece",
    "You read one piece of a long text for a program that works on the whole of it. Reply with what is asked for and "
    "nothing else, as briefly as it can be said. " + DATA_RULE,
    "Answer the question from this piece alone.",
)


class ProgramsOpenUpdate(OpenUpdate, FreshPrograms):
    """What opening writes where programs look at the text."""


@node(starts_question=True)
async def open_for_programs(state: OpenState, runtime: ReaderRuntime) -> ProgramsOpenUpdate:
    """Open a question for programs, and reset those of earlier questions."""
    return {**await open_document(state, runtime), **empty_channels(FreshPrograms, kept=NOTHING_KEPT)}


class WriteState(AskedPages):
    programs: list[ProgramRun]
    kept: str


class WriteUpdate(StepUpdate):
    """What writing a program writes: the program that runs next, "" where there is none."""

    program: str


async def write_program_without_model(state: WriteState, runtime: ReaderRuntime) -> WriteUpdate:
    """Without a model there are no programs: the nearest pages are looked up instead."""
    return {"program": "", "step_summary": "wrote no program without a model"}


@node(without_model=write_program_without_model, settings=(*STYLE, Programs, Window))
async def write_program(state: WriteState, runtime: ReaderRuntime) -> WriteUpdate:
    """Ask for the next program; of earlier ones, the newest are shown that fit the window."""
    await asyncio.to_thread(check_sandbox)
    context, runs, memory = runtime.context, state["programs"], await load_memory(runtime, state)
    document, asked = memory.document, (state["question_text"], state["choices"])
    (beginning,) = await memory.store.spans(document, [(0, min(document.characters, BEGINNING_WORDS * LONGEST_WORD))])
    prompt = write_program_prompt(
        first_words(beginning, BEGINNING_WORDS),
        format_programs(runs, content_room(context, *asked) - BEGINNING_WORDS - KEPT_WORDS),
        "" if state["kept"] == NOTHING_KEPT else first_words(state["kept"], KEPT_WORDS),
        *asked,
        size=(document.characters, document.words),
        left=(programs_left(runs, context), sub_calls_left(runs, context)),
        most_words=(most_piece_words(context), most_shown_words(context)),
    )
    prompt = prompt.adding(answer_style(state, runtime).line)

    def complaint(reply: str) -> str | None:
        return None if program_in(reply) else "there is no program between ```js and ```"

    written = await ask_text(runtime, prompt, complaint, fallback="write_program")
    program = program_in(written) if written else ""
    did = f"wrote program {len(state['programs']) + 1}: {summarise_program(program)}" if program else "wrote no program"
    return {"program": program, "step_summary": did}


def write_program_prompt(
    beginning: str,
    programs: str,
    kept: str,
    question: str,
    choices: dict[str, str],
    *,
    size: tuple[int, int],
    left: tuple[int, int],
    most_words: tuple[int, int],
) -> Prompt:
    """Ask for the next program.

    Args:
        beginning: The first words of the text.
        programs: Earlier programs and what they showed.
        kept: What they kept, as JSON.
        question: The question.
        choices: Its options by their letters.
        size: Characters and words of the text.
        left: How many programs may still run, and how often they may ask.
        most_words: Most words of a piece, and of what a program shows.
    """
    parts = [fenced("beginning", beginning), question_part(question, choices)]
    parts += [fenced(name, shown) for name, shown in (("programs", programs), ("kept", kept)) if shown]
    return WRITE_PROGRAM.ask(
        *parts,
        characters=f"{size[0]:,}",
        words=f"{size[1]:,}",
        programs_left=format_count(left[0], "program"),
        calls_left=left[1],
        piece_words=most_words[0],
        shown_words=most_words[1],
        options=choices,
        last=left[0] == 1,
    )


def ask_piece_prompt(piece: str, question: str) -> Prompt:
    """Ask a program's question about a piece of the text, or of what it made of it."""
    return ASK_PIECE.ask(fenced("piece", piece) if piece.strip() else "", fenced("question", question))


def most_piece_words(context: ReaderContext) -> int:
    """Most words of a piece that a sub-call reads: as many as the window holds beside a question of usual length."""
    return content_room(context) * 9 // 10


def most_shown_words(context: ReaderContext) -> int:
    """Most words that the model sees of what a program showed: a tenth of the window, and not more than is useful."""
    return min(MOST_SHOWN_WORDS, context.window_words // 10)


def programs_left(runs: Sequence[ProgramRun], context: ReaderContext) -> int:
    """How many programs may still run."""
    return max(0, context.max_programs - len(runs))


def sub_calls_left(runs: Sequence[ProgramRun], context: ReaderContext) -> int:
    """How often the programs may still ask."""
    return max(0, context.max_sub_calls - sum(run["asked"] for run in runs))


def format_programs(runs: Sequence[ProgramRun], room: int) -> str:
    """The newest programs that fit these words, in order, each with what it showed and why it ended early."""
    parts, left = list[str](), room
    for number, run in reversed([*enumerate(runs, 1)]):
        fault = f"\nIt ended early: {run['fault']}" if run["fault"] else ""
        shown = run["shown"] or "(nothing)"
        part = f"Program {number}:\n{first_words(run['program'], MOST_PROGRAM_WORDS)}\nIt showed:\n{shown}{fault}"
        left -= count_words(part)
        if parts and left < 0:
            parts.append("(earlier programs are left out)")
            break
        parts.append(part)
    return "\n\n".join(reversed(parts))


_CODE = re.compile(r"```[ \t]*\w*[ \t]*\r?\n(.*?)(?:```|\Z)", re.DOTALL)


def program_in(reply: str) -> str:
    """The program in a reply: what stands between its fences, or all of a reply that is code alone."""
    if found := _CODE.findall(reply):
        return "\n".join(part.strip() for part in found).strip()
    return reply.strip() if re.search(r"\b(?:show|finish|ask|kept)\b\s*[(.]", reply) else ""


def summarise_program(program: str) -> str:
    """A program's first line, and how long it is, for the trajectory."""
    lines = program.splitlines()
    return f"{lines[0].strip()}{f' … ({len(lines)} lines)' if len(lines) > 1 else ''}"


class RunState(WriteState):
    program: str
    findings: list[Finding]


class RunUpdate(StepUpdate):
    """What running a program writes; an answer is the last finding, and ends the search."""

    programs: list[ProgramRun]
    kept: str
    pages_read: list[int]
    findings: list[Finding]
    continue_search: bool


async def run_without_model(state: RunState, runtime: ReaderRuntime) -> RunUpdate:
    """Without a model, or where the budget is spent: no program runs."""
    return {**_ran(state, state["programs"], state["pages_read"]), "step_summary": "ran no program"}


@node(without_model=run_without_model, builds=True, settings=(Programs, Window))
async def run(state: RunState, runtime: ReaderRuntime) -> RunUpdate:
    """Run the program that was written; its sub-calls go to the reading model, all at once as the settings allow."""
    if not state["program"]:
        return await run_without_model(state, runtime)
    memory = await load_memory(runtime, state)
    text = await memory.store.text(memory.document)
    calls = SubCalls(runtime, sub_calls_left(state["programs"], runtime.context))
    end = await run_program(state["program"], text, state["kept"], calls.ask)
    end.fault = complain_of_answer(end, state["choices"]) or end.fault
    shown = first_words(end.shown.strip(), most_shown_words(runtime.context))
    words = sum(calls.pieces.values())
    ran = ProgramRun(program=state["program"], shown=shown, fault=end.fault, asked=calls.asked, words=words)
    runs, pages = [*state["programs"], ran], await memory.pages()
    read = sorted({*state["pages_read"], *calls.pages_in(text, [page.start for page in pages])})
    update = _ran(state, runs, read, kept=end.kept)
    if end.finished:
        update["findings"] = with_finding(state["findings"], finding_of(end, state["choices"]))
    elif programs_left(runs, runtime.context):
        update["continue_search"] = True
    else:
        count_fallback("unfinished")
    return {**update, "step_summary": describe_run(ran, len(runs), finished=end.finished)}


def _ran(state: RunState, runs: list[ProgramRun], pages: list[int], *, kept: str | None = None) -> RunUpdate:
    return {
        "programs": runs,
        "kept": state["kept"] if kept is None else kept,
        "pages_read": pages,
        "findings": state["findings"],
        "continue_search": False,
        "step_summary": "",
    }


@dataclass
class SubCalls:
    """The sub-calls of one program: at most `left`; what they were about."""

    runtime: ReaderRuntime
    left: int
    asked: int = 0
    pieces: dict[str, int] = field(default_factory=dict)  # with their words

    async def ask(self, question: str, piece: str) -> str | None:
        """What a model says of a piece; None where no usable reply came, which is counted."""
        words, most = count_words(piece), most_piece_words(self.runtime.context)
        if words + (asking := count_words(question)) > most:
            raise SubCallRefused(f"the piece has {words:,} words and the question {asking:,}; {most:,} fit: cut it")
        if self.asked >= self.left:
            raise SubCallRefused("no call of ask is left: go on with what you have")
        self.asked += 1
        self.pieces[piece] = words
        said = await ask_text(self.runtime, ask_piece_prompt(piece, question), fallback="ask_piece")
        current_meter().report(asked=self.asked)
        return said

    def pages_in(self, text: str, starts: list[int]) -> set[int]:
        """The pages, by where they start, on which pieces stand that are the text's own."""
        pages = set[int]()
        for piece in filter(str.strip, self.pieces):
            if (at := text.find(piece)) >= 0:
                last = bisect_right(starts, at + len(piece.rstrip()) - 1)
                pages |= {*range(bisect_right(starts, at) - 1, last)}
        return pages


def complain_of_answer(end: ProgramEnd, choices: dict[str, str]) -> str:
    """What is wrong with an answer that is none of the options, which then counts for nothing; "" where all is well."""
    if not end.finished or not choices or end.answer is None:
        return ""
    if letter_of(end.answer) in choices or end.answer.strip() in choices.values():
        return ""
    end.finished = False
    return f"finish wants one of the letters {', '.join(choices)}"


def finding_of(end: ProgramEnd, choices: dict[str, str]) -> Finding:
    """The answer of a program: of an option, its letter and its text; quotes are looked for in the text later."""
    text, letter = (end.answer or "").strip(), None
    if text and choices:
        same = [key for key, option in choices.items() if option == text]
        letter = same[0] if same else letter_of(text)
        text = choices[letter]
    quotes = [Quote(page=-1, quote=quote) for quote in end.quotes[:MOST_QUOTES] if quote.strip()]
    return Finding(page=-1, answers=bool(text), text=text, choice=letter, quotes=quotes if text else [])


def describe_run(ran: ProgramRun, number: int, *, finished: bool) -> str:
    """What a program did, for the trajectory."""
    did = f"ran program {number}: {format_count(ran['asked'], 'sub-call')} on {format_count(ran['words'], 'word')}"
    did += f"; {ran['fault']}" if ran["fault"] else ""
    return f"{did}; it finished" if finished else did


class ProgramAnswerState(AskedPages):
    programs: list[ProgramRun]
    findings: list[Finding]


@node(settings=STYLE)
async def answer(state: ProgramAnswerState, runtime: ReaderRuntime) -> AnswerUpdate:
    """The answer of the program that finished; without one, the best passages of the pages read."""
    if not state["findings"]:
        return await quote_pages_read(state, runtime)
    finding, document = state["findings"][-1], (await load_memory(runtime, state)).document
    words = sum(run["words"] + count_words(run["shown"]) for run in state["programs"])
    did = "took the program's answer" if finding["answers"] else "the program found no answer"
    draft = AnswerDraft(finding["text"] or None, finding["choice"], finding["quotes"], words, did)
    return await write_answer(draft, document, state, runtime)
