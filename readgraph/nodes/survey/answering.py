"""Answering from the table of a survey: its rows, their number, or the model's sentences about them."""

from typing import NotRequired

from langgraph.runtime import Runtime

from readgraph.models.asking import ask
from readgraph.models.replies.offered_values import offering
from readgraph.nodes.answering.in_view import InView, answering, known
from readgraph.nodes.answering.said import choice_or_none, letter_of
from readgraph.nodes.answering.style import answer_style
from readgraph.nodes.bounds import content_room
from readgraph.nodes.contracts import AnswerUpdate, AskedState, SaidAnswer
from readgraph.nodes.memory_view import memory_pages
from readgraph.nodes.prompts.survey.table import TableAnswer, TableChoice, survey_prose_prompt
from readgraph.nodes.survey.table import markdown_of
from readgraph.state.context import ReaderContext
from readgraph.state.page_store import page_store
from readgraph.state.reading import Quote
from readgraph.state.survey import Programme, Row, Table, told_unread
from readgraph.state.words import count_words, counted

ROWS_SAID = 50
"""Rows that an answer lists; the table has them all."""

ROWS_QUOTED = 100
"""Rows whose quotes are the answer's citations."""


class TableState(AskedState):
    """What answering from a table reads."""

    programme: Programme | None
    records: str
    unread: NotRequired[list[int]]
    table: Table


class TableUpdate(AnswerUpdate):
    """What answering from a table writes: also whether the table's records were taken by patterns."""

    by_pattern: bool


async def table_in_view(state: TableState, runtime: Runtime[ReaderContext]) -> InView:
    """Answer with the table, or the number of its rows; where sentences are wanted, the model writes them from it.

    Without a model, and without a usable reply, the table itself is the answer. An answer without all records says how
    many parts are missing. Where none were found, and parts are missing, there is no answer: nobody knows it.
    """
    table, programme = state["table"], state["programme"]
    document, pages = await memory_pages(runtime, state["document"], state["memory"])
    read = {*state["pages_read"]}
    words = sum(page.words for page in pages if page.number in read)
    by_pattern = not (await page_store(runtime).memory(document.id, state["records"])).recipe.model
    missing = told_unread(len(read), len(unread)) if (unread := state.get("unread")) else ""
    if missing and not table["found"]:
        return known(document, SaidAnswer(None, None, [], words, missing, nearest=True), by_pattern=by_pattern)
    said = _said(table, programme, words, missing, by_rule=by_pattern)

    async def substitute() -> SaidAnswer:
        return said._replace(nearest=True, choice=None)

    async def ask_for_prose() -> SaidAnswer:
        prose = await _prose(state, runtime)
        return prose._replace(answer=_with_missing(prose.answer, missing), words=words)

    if table["found"] and (state["choices"] or (programme and programme["result"] == "prose")):
        return InView(document, substitute, ask_for_prose, "survey_prose", {"by_pattern": by_pattern})
    return known(document, said, by_pattern=by_pattern)


def _said(table: Table, programme: Programme | None, words: int, missing: str, *, by_rule: bool) -> SaidAnswer:
    quotes = _quotes(table["rows"][:ROWS_QUOTED])
    did = f"answered with {counted(table['found'], 'row')}"
    if programme and programme["result"] == "count":
        answer = f"at least {table['found']}; {missing}" if missing else str(table["found"])
        return SaidAnswer(answer, None, quotes, words, did, nearest=by_rule)
    return SaidAnswer(_with_missing(_text(table) or None, missing), None, quotes, words, did, nearest=by_rule)


def _with_missing(answer: str | None, missing: str) -> str | None:
    """The answer, which says below that records are missing."""
    return f"{answer}\n\n{missing}" if answer and missing else answer


def _text(table: Table) -> str:
    """The table in words: one column as a list in a line, one value as it is, else Markdown."""
    if not table["rows"]:
        return ""
    left = table["found"] - len(table["rows"][:ROWS_SAID])
    more = f"… and {counted(left, 'row')} more" if left > 0 else ""
    if len(table["columns"]) == 1:
        return "; ".join([*(row["values"][0] for row in table["rows"][:ROWS_SAID]), *filter(None, [more])])
    return "\n".join(filter(None, [markdown_of(table, ROWS_SAID), more]))


def _quotes(rows: list[Row]) -> list[Quote]:
    first = [cited for row in rows for cited in row["citations"][:1]]
    return [Quote(page=cited["page"], quote=cited["quote"], start=cited["start"]) for cited in first]


async def _prose(state: TableState, runtime: Runtime[ReaderContext]) -> SaidAnswer:
    """The model's answer from as many rows as fit the window, with the quotes of the rows that it names."""
    table, question, choices = state["table"], state["question_text"], state["choices"]
    head = f"{table['found']} rows.\n# | {' | '.join(table['columns'])}"
    room, lines = content_room(runtime.context, question, choices) - count_words(head), list[str]()
    for number, row in enumerate(table["rows"], 1):
        line = f"{number} | {' | '.join(row['values'])}"
        room -= count_words(line)
        if room < 0 and lines:
            break
        lines.append(line)
    style = answer_style(state, runtime)
    prompt = survey_prose_prompt("\n".join([head, *lines]), question, choices, len(lines), table["found"])
    if choices:
        chosen = await ask(runtime, prompt, offering(TableChoice, choice=choices), choice_or_none(choices))
        letter = letter_of(chosen.choice) if chosen.choice else None
        text, named = choices[letter] if letter else None, chosen.rows
    else:
        answered = await ask(runtime, prompt.adding(style.line), style.reply(TableAnswer))
        letter, text, named = None, (answered.answer or "").strip() or None, answered.rows
    rows = [table["rows"][number - 1] for number in dict.fromkeys(named) if 0 < number <= len(lines)]
    quotes = _quotes((rows or table["rows"])[:ROWS_QUOTED]) if text else []
    did = f"answered from {counted(len(lines), 'row')}" if text else "the table gives no answer"
    return SaidAnswer(text, letter, quotes, summary=did)


answer_from_table = answering(table_in_view, writes=TableUpdate)
