"""What is asked of a survey's table: which names mean the same thing, and the answer in sentences."""

from collections import Counter
from collections.abc import Mapping
from typing import Any, ClassVar, NotRequired

from pydantic import Field

from readgraph.features.survey.matching import TABLES
from readgraph.features.survey.state import Programme
from readgraph.features.survey.table import RecordsState, distinct_names, entries_of, name_column
from readgraph.features.survey.values import same_as
from readgraph.library.page_store import page_store
from readgraph.models.asking import ask_reply, can_ask, say_budget_spent
from readgraph.models.metering import count_fallback
from readgraph.models.prompt import DATA_RULE, Prompt, declare_wording, fenced
from readgraph.models.rehearsed import RehearsedReply
from readgraph.models.reply import LenientReply, Numbers
from readgraph.nodes.answering.in_view import STYLE, answer_request, instead_of_reply, read_answer, write_answer
from readgraph.nodes.bounds import content_room
from readgraph.nodes.contracts import AnswerDraft, AnswerUpdate, AskedPages, ReaderRuntime, StepUpdate
from readgraph.nodes.memory import load_memory
from readgraph.nodes.prompts import question_part
from readgraph.nodes.step import node
from readgraph.state.reading import Quote
from readgraph.state.tables import Row, Table, format_unread_parts, markdown_of
from readgraph.state.words import count_words, first_words, format_count, take_fitting

SURVEY_SAME = declare_wording(
    "survey_same",
    "Records were taken from all pages of a long text. The same person or thing may be named in several ways in it: in "
    "full, by a part of the name, by a title, with another spelling. You see the names, each with a quote. "
    + DATA_RULE,
    "Each record is {record}. Which of these names mean the same one? Give a group of numbers for each that has "
    "several names, the fullest name first. Two that only share a part of their name, such as relatives, are not the "
    "same. "
    "Where the quotes don't show it, leave names apart.",
    prompt="survey-same",
)


class SameGroup(LenientReply):
    """Names that mean one thing."""

    numbers: Numbers = Field(description="The numbers of the names, the fullest name first.")


class SameNames(LenientReply):
    """Which names mean the same."""

    groups: list[SameGroup] = Field(description="May be empty.")

    @classmethod
    def rehearse(cls, reply: RehearsedReply) -> dict[str, Any]:
        """None does; for the most, some do."""
        return {"groups": [{"numbers": reply.numbered("names")[:10]}] if reply.longest else []}


def survey_same_prompt(names: Mapping[int, tuple[str, str]], record: str) -> Prompt:
    """Ask which names mean one thing; `names`: by their numbers, each with a quote."""
    listed = "\n".join(f"{number}. {name}: “{quote}”" for number, (name, quote) in names.items())
    return SURVEY_SAME.ask(fenced("names", listed), record=record)


SURVEY_PROSE = declare_wording(
    "survey_prose",
    "A long text was gone through from beginning to end, and what a question needs was put into a table. You answer "
    "the question from the table. Counts and sums that are given are exact: don't count again. " + DATA_RULE,
    "{free}{choose} Use nothing but the table{part}. Name the numbers of the rows that show it.",
    prompt="survey-prose",
    free="Answer the question.",
    choose="Choose the best option: {letters}.",
    part=", of which {shown} of {found} rows are shown",
)


class TableAnswer(LenientReply):
    """An answer from a table."""

    DECIDES: ClassVar[tuple[str, ...]] = ("answer",)
    answer: str | None = Field(description="The answer; null if the table doesn't give one.")
    rows: Numbers = Field(description="The numbers of the rows that show the answer.")


class TableChoice(LenientReply):
    """The option that a table speaks for."""

    DECIDES: ClassVar[tuple[str, ...]] = ("choice",)
    choice: str | None = Field(description="The letter of the best option; null if the table speaks for none.")
    rows: Numbers = Field(description="The numbers of the rows that show it.")


def survey_prose_prompt(table: str, question: str, choices: dict[str, str], shown: int, found: int) -> Prompt:
    """Ask for an answer from a table, of which `shown` of the `found` rows are in it."""
    parts = [fenced("table", table), question_part(question, choices)]
    values = {"free": not choices, "choose": choices, "letters": ", ".join(choices), "part": shown < found}
    return SURVEY_PROSE.ask(*parts, shown=shown, found=found, **values)


QUOTE_WORDS = 25  # words of the quote that is shown with a name


class SameUpdate(StepUpdate):
    same_names: list[list[str]]


APART: SameUpdate = {"same_names": [], "step_summary": "no names were joined"}


@node
async def join_names(state: RecordsState, runtime: ReaderRuntime) -> SameUpdate:
    """Ask which names mean the same, where a name decides which records are one; what doesn't fit stays apart."""
    if not can_ask(runtime):
        say_budget_spent(runtime)
        return APART
    shown = await _names_shown(state, runtime)
    if len(shown) < 2:
        return APART
    names = {number: name for number, (name, _) in shown.items()}

    def complaint(reply: SameNames) -> str | None:
        numbers = Counter(number for group in reply.groups for number in {*group.numbers})
        if unknown := [number for number in numbers if number not in names]:
            return f"there is no name {unknown[0]}"
        twice = [number for number, times in numbers.items() if times > 1]
        return f"name {twice[0]} is in two groups" if twice else None

    prompt = survey_same_prompt(shown, state["programme"]["record"])
    reply = await ask_reply(runtime, prompt, SameNames, complaint, fallback="same_names")
    if reply is None:
        return APART
    named = [[names[number] for number in dict.fromkeys(group.numbers)] for group in reply.groups]
    groups = [group for group in named if len(group) > 1]
    did = f"{sum(map(len, groups))} of {format_count(len(names), 'name')} mean {len(groups)}"
    return {"same_names": groups, "step_summary": did}


async def _names_shown(state: RecordsState, runtime: ReaderRuntime) -> dict[int, tuple[str, str]]:
    programme, store = state["programme"], page_store(runtime)
    if (named := name_column(programme)) is None:
        return {}
    document = await store.document(state["document"])
    entries = await entries_of(store, document, state["records"], programme)
    names = distinct_names(entries, [column["name"] for column in programme["columns"]].index(named))
    spans = [(entry.mentions[0].start, entry.mentions[0].end) for entry in names.values()]
    quotes = await store.spans(document, spans)
    lines = {name: first_words(" ".join(quote.split()), QUOTE_WORDS) for name, quote in zip(names, quotes, strict=True)}
    room = content_room(runtime.context)

    def size(line: tuple[str, str]) -> int:
        return count_words(" ".join(line)) + 1

    if sum(map(size, lines.items())) > room:
        shared = Counter(word for name in lines for word in {*same_as(name).split()})
        lines = {name: lines[name] for name in lines if any(shared[word] > 1 for word in same_as(name).split())}
    shown = take_fitting(sorted(lines.items(), key=lambda line: same_as(line[0])), size, room)
    if left_out := len(lines) - len(shown):
        count_fallback("names_left_out", left_out)
    return dict(enumerate(shown))


ROWS_SAID = 50  # rows that an answer lists; the table has them all
ROWS_QUOTED = 100  # rows whose quotes are the answer's citations


class TableState(AskedPages):
    programme: Programme
    records: str
    unread: NotRequired[list[int]]
    table: Table


class TableUpdate(AnswerUpdate):
    """What answering from a table writes: also whether its records were taken by patterns, or are rows of tables."""

    by_pattern: bool
    by_table: bool


@node(settings=STYLE)
async def answer_from_table(state: TableState, runtime: ReaderRuntime) -> TableUpdate:
    """Answer with the table, the number of its rows, or the model's sentences; it says how many parts are missing."""
    memory, table = await load_memory(runtime, state), state["table"]
    recipe = (await memory.store.memory(state["document"], state["records"])).recipe
    by_table = TABLES in recipe.parameters
    by_pattern = not recipe.model and not by_table
    result = state["programme"]["result"]
    read = {*state["pages_read"]}
    words = sum(page.words for page in await memory.pages(read))
    missing = format_unread_parts(len(read), len(unread)) if (unread := state.get("unread")) else ""
    answer = _with_missing(_text(table) or None, missing)
    if result == "count":
        answer = f"at least {table['found']}; {missing}" if missing else str(table["found"])
    did = f"answered with {format_count(table['found'], 'row')}"
    draft = AnswerDraft(answer, None, _quotes(table["rows"][:ROWS_QUOTED]), words, did, nearest=by_pattern)
    if missing and not table["found"]:
        draft = AnswerDraft(None, None, [], words, missing, nearest=True)
    if table["found"] and (state["choices"] or result == "prose"):
        prose = await _prose(state, runtime) if can_ask(runtime) else None
        if prose:
            draft = prose._replace(answer=_with_missing(prose.answer, missing), words=words)
        else:
            draft = instead_of_reply(draft._replace(nearest=True), runtime, "survey_prose")
    update = await write_answer(draft, memory.document, state, runtime)
    return {**update, "by_pattern": by_pattern, "by_table": by_table}


def _with_missing(answer: str | None, missing: str) -> str | None:
    """The answer, which says below that records are missing."""
    return f"{answer}\n\n{missing}" if answer and missing else answer


def _text(table: Table) -> str:
    """The table in words: one column as a list in a line, one value as it is, else Markdown."""
    rows = table["rows"][:ROWS_SAID]
    left = table["found"] - len(rows)
    more = [f"… and {format_count(left, 'row')} more"] if rows and left > 0 else []
    if len(table["columns"]) == 1:
        return "; ".join([*(row["values"][0] for row in rows), *more])
    return "\n".join([markdown_of(table, ROWS_SAID), *more]) if rows else ""


def _quotes(rows: list[Row]) -> list[Quote]:
    first = [cited for row in rows for cited in row["citations"][:1]]
    return [Quote(page=cited["page"], quote=cited["quote"], start=cited["start"]) for cited in first]


async def _prose(state: TableState, runtime: ReaderRuntime) -> AnswerDraft | None:
    """The model's answer from as many rows as fit the window, with quotes of those that it names; None without one."""
    table, question, choices = state["table"], state["question_text"], state["choices"]
    head = f"{table['found']} rows.\n# | {' | '.join(table['columns'])}"
    room = content_room(runtime.context, question, choices) - count_words(head)
    rows_shown = [f"{number} | {' | '.join(row['values'])}" for number, row in enumerate(table["rows"], 1)]
    lines = take_fitting(rows_shown, count_words, room) or rows_shown[:1]
    prompt = survey_prose_prompt("\n".join([head, *lines]), question, choices, len(lines), table["found"])
    request = answer_request(prompt, state, runtime, (TableAnswer, TableChoice))
    reply = await ask_reply(runtime, *request, fallback="survey_prose")
    if reply is None:
        return None
    text, letter = read_answer(reply, choices)
    rows = [table["rows"][number - 1] for number in dict.fromkeys(reply.rows) if 0 < number <= len(lines)]
    quotes = _quotes((rows or table["rows"])[:ROWS_QUOTED]) if text else []
    did = f"answered from {format_count(len(lines), 'row')}" if text else "the table gives no answer"
    return AnswerDraft(text, letter, quotes, summary=did)
