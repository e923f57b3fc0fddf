"""Plan a survey: a typed programme of its records and table, by the model or by the question's words."""

import re
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field

from readgraph.features.survey.matching import match_tables
from readgraph.features.survey.patterns import CUES, columns_without_pattern
from readgraph.features.survey.settings import Surveying
from readgraph.features.survey.state import Column, Extent, Programme, Result
from readgraph.features.survey.values import same_as
from readgraph.library.page_store import page_store
from readgraph.models.asking import ask_reply, can_ask, say_budget_spent
from readgraph.models.metering import count_fallback
from readgraph.models.names import HOW_TO_NAME
from readgraph.models.prompt import DATA_RULE, Prompt, declare_wording
from readgraph.models.rehearsed import RehearsedReply
from readgraph.models.reply import LenientReply, Texts
from readgraph.nodes.contracts import AskedPages, ReaderRuntime, StepUpdate
from readgraph.nodes.prompts import question_alone, question_part
from readgraph.nodes.step import node
from readgraph.state.channels import empty_channels
from readgraph.state.errors import BadInput
from readgraph.state.tables import ColumnKind
from readgraph.state.words import first_words

MOST_COLUMNS = 8  # columns that a table may have

SURVEY_PLAN = declare_wording(
    "survey_plan",
    "You plan how a question about a whole long text is answered. You don't see the text. Readers will go through it "
    "page by page and write down records, each with a quote that shows it; a program then joins, counts, groups and "
    "sorts the records exactly as you plan. " + DATA_RULE,
    "Plan the survey. Say what one record is, in a few words that somebody who doesn't know the question understands, "
    "and which columns each record has: at most {most}, no more than the question needs.{fixed} "
    "same_by: the columns by which you see that two records mean the same thing, such as a person's name; leave it "
    "empty where each mention counts, as in 'how often'. "
    "extent: 'all' unless the question names a part of the text ('part', with its name in sought) or concerns "
    "something so rare that a search finds every place ('search', with its words in sought), or something of which a "
    "summary of each page tells whether the page is about it ('notes'). "
    "group_by: only to count or add up by the values of one column. result: 'count' for how many and how often, "
    "'table' for lists, 'prose' where sentences are wanted.",
    prompt="survey-plan",
    fixed=" The columns are given, take them as they are: {columns}.",
)

KINDS: tuple[ColumnKind, ...] = ("text", "number", "date")


def _kind(value: Any) -> Any:
    """The kind that is meant; anything unknown is text."""
    known = {"integer": "number", "float": "number", "amount": "number", "money": "number", "time": "date"}
    word = str(value).strip().casefold()
    word = known.get(word, word)
    return word if word in KINDS else "text"


def _one(value: Any) -> Any:
    """The one name in a value: some models give a list of it, or a word for nothing."""
    value = value[0] if isinstance(value, list) and value else value
    return value if isinstance(value, str) and value.strip().casefold() not in ("", "none", "null") else None


Name = Annotated[str | None, BeforeValidator(_one)]


class PlannedColumn(LenientReply):
    """A column of the records."""

    name: str = Field(description="One word, or two.")
    kind: Annotated[ColumnKind, BeforeValidator(_kind)] = Field(description="What its values are.")
    meaning: str = Field(description="What is to be written there, in a few words.")


class SurveyPlan(LenientReply):
    """How the question is answered from the whole text."""

    record: str = Field(description="What one record is.")
    columns: list[PlannedColumn] = Field(description="The columns of each record.")
    extent: Extent = Field(description="Which pages give records.")
    sought: str | None = Field(description="The words to search for, or the name of the part; else null.")
    same_by: Texts = Field(description="Names of columns; may be empty.")
    group_by: Name = Field(description="The name of a column, or null.")
    total: Name = Field(description="With group_by: a column of numbers to add up, or null.")
    sort_by: Name = Field(
        description="The name of a column, 'count' for the size of groups, or null for the text's order."
    )
    order: Literal["ascending", "descending"] = Field(description="How sort_by sorts.")
    first: int | None = Field(description="Keep only so many rows, such as 1 for 'the largest'; null for all.")
    compare: bool = Field(description="Whether several documents are compared with each other.")
    result: Result = Field(description="What answers the question.")

    @classmethod
    def rehearse(cls, reply: RehearsedReply) -> dict[str, Any]:
        """Two columns of words from all pages; half of the questions join names, and half want sentences."""
        number = MOST_COLUMNS if reply.longest else 2
        columns = [{"name": f"column {n}", "kind": "text", "meaning": reply.words(3)} for n in range(number)]
        joins, sentences = reply.longest or reply.chance % 2, reply.longest or reply.chance // 2 % 2
        return {
            **dict.fromkeys(("sought", "group_by", "total", "sort_by", "first")),
            **{"record": reply.words(6, reply.question), "columns": columns, "extent": "all", "compare": False},
            **{"same_by": ["column 0"] if joins else [], "result": "prose" if sentences else "table"},
        }


def survey_plan_prompt(question: str, choices: dict[str, str], columns: str = "") -> Prompt:
    """Ask for the programme without showing the text, which may change; `columns`: those that the user fixed."""
    return SURVEY_PLAN.ask(question_part(question, choices), most=MOST_COLUMNS, fixed=columns, columns=columns)


MOST_RECORD_WORDS, MOST_MEANING_WORDS, MOST_NAME_WORDS = 25, 12, 4  # of what stands in each page's prompt
SOUGHT = ("search", "part")  # extents that need to know what is sought
COUNT = "count"  # what rows are sorted by to have the largest groups, or what is mentioned most, first
_COUNTS = re.compile(
    r"\b(?:how (?:many|often)|number of|wie (?:viele?|oft)|combien|cuánt[ao]s|quant[aei]|hoeveel|сколько)\b", re.I
)
_WORD = re.compile(r"\b(?:word|term|phrase|name)s? [\"'“‘«]([^\"'”’»]+)[\"'”’»]|[\"“«]([^\"”»]+)[\"”»]", re.I)
_LISTED = re.compile(r"\w[^:]*:\s*([^:?!\"“«]+?)[\s.]*$")  # behind a colon: "every payment: day, payer"


class SurveyPlanUpdate(StepUpdate):
    programme: Programme


async def _plan_by_words(state: AskedPages, runtime: ReaderRuntime, columns: list[Column]) -> SurveyPlanUpdate:
    """Plan by the question's words. Raises `BadInput` where nothing can fill a column, and there is no model."""
    programme, store = by_rule(question_alone(state), columns), page_store(runtime)
    tables = await match_tables(store, await store.document(state["document"]), programme)
    if tables.rows:
        return _make_plan_update({**programme, "same_by": []})  # each row of a table counts
    without = columns_without_pattern(programme["columns"])
    if len(without) == len(programme["columns"]) and not runtime.context.model:
        asked = ", ".join(f"'{name}'" for name in without)
        raise BadInput(
            f"Patterns find only names, dates and amounts, and no table of the text has such columns: to fill {asked}, "
            "a table needs a model. "
            f"Give --model, or set READGRAPH_MODEL: {HOW_TO_NAME}"
        )
    return _make_plan_update(programme)


@node(settings=(Surveying,))
async def plan(state: AskedPages, runtime: ReaderRuntime) -> SurveyPlanUpdate:
    """Plan what one record is, its columns (or `fields`), which pages give records, and how they make the answer."""
    columns = columns_named(runtime.context.fields)
    if not can_ask(runtime):
        say_budget_spent(runtime)
        return await _plan_by_words(state, runtime, columns)
    named = ", ".join(f"{column['name']} ({column['kind']})" for column in columns)
    prompt = survey_plan_prompt(state["question_text"], state["choices"], named)
    reply = await ask_reply(
        runtime, prompt, SurveyPlan, lambda reply: _complaint(reply, columns), fallback="survey_plan"
    )
    if reply:
        return _make_plan_update(_programme(reply, columns))
    return await _plan_by_words(state, runtime, columns)


@node(settings=(Surveying,))
async def plan_table(state: AskedPages, runtime: ReaderRuntime) -> SurveyPlanUpdate:
    """Plan the records as for an answer, but of a table, whatever the question's words sound like."""
    return _make_plan_update({**(await plan(state, runtime))["programme"], "result": "table"})


def columns_named(fields: str) -> list[Column]:
    """The columns in "name:text,amount:number,date:date"; a column without a kind holds text. Raises `BadInput`."""
    columns = list[Column]()
    for part in filter(None, (part.strip() for part in fields.split(","))):
        name, _, kind = (piece.strip() for piece in part.partition(":"))
        if not name or (kind or "text") not in KINDS:
            raise BadInput(
                f"'{part}' is no column: give NAME:KIND with a kind of {', '.join(KINDS)}, and commas between."
            )
        if same_as(name) in {same_as(column["name"]) for column in columns}:
            raise BadInput(f"There are two columns '{name}': give each a name of its own.")
        columns.append(Column(name=name, kind=next(each for each in KINDS if each == (kind or "text")), meaning=""))
    if len(columns) > MOST_COLUMNS:
        raise BadInput(f"A table has at most {MOST_COLUMNS} columns, and {len(columns)} are given.")
    return columns


def _complaint(reply: SurveyPlan, fixed: list[Column]) -> str | None:
    columns = fixed or _columns(reply)
    if not columns:
        return "columns must name at least one column"
    if not reply.record.strip():
        return "record must say what one record is"
    names = [column["name"] for column in columns]
    folded_names = {same_as(name) for name in names}
    mentioned = [("same_by", name) for name in reply.same_by]
    mentioned += [("group_by", reply.group_by or ""), ("total", reply.total or ""), ("sort_by", reply.sort_by or "")]
    for field, name in mentioned:
        counts = field == "sort_by" and same_as(name) == COUNT
        if name and not counts and same_as(name) not in folded_names:
            return f"{field} must name a column of {', '.join(names)}, not '{name}'"
    if reply.extent in SOUGHT and not (reply.sought or "").strip():
        return f"with extent '{reply.extent}', sought must say what is sought"
    return None


def _columns(reply: SurveyPlan) -> list[Column]:
    columns = dict[str, Column]()
    for column in reply.columns:
        name = _line(column.name.replace("_", " "), MOST_NAME_WORDS)
        if same_as(name):
            meaning = _line(column.meaning, MOST_MEANING_WORDS)
            columns.setdefault(same_as(name), Column(name=name, kind=column.kind, meaning=meaning))
    return [*columns.values()][:MOST_COLUMNS]


def _line(text: str, most: int) -> str:
    """At most this many words of a model's text, in one line: they stand among the instructions of other prompts."""
    return " ".join(first_words(text, most).split())


def _programme(reply: SurveyPlan, fixed: list[Column]) -> Programme:
    columns = fixed or _columns(reply)
    if not fixed and (left_out := len({same_as(column.name) for column in reply.columns} - {""}) - len(columns)) > 0:
        count_fallback("columns_left_out", left_out)
    names = {same_as(column["name"]): column["name"] for column in columns}

    def find_column_name(name: str | None) -> str | None:
        return names.get(same_as(name)) if name else None

    return Programme(
        record=_line(reply.record, MOST_RECORD_WORDS),
        columns=columns,
        extent=reply.extent,
        sought=(reply.sought or "").strip() if reply.extent in SOUGHT else "",
        same_by=[name for each in reply.same_by if (name := find_column_name(each))],
        group_by=find_column_name(reply.group_by),
        total=find_column_name(reply.total),
        sort_by=COUNT if same_as(reply.sort_by or "") == COUNT else find_column_name(reply.sort_by),
        descending=reply.order == "descending",
        first=reply.first if reply.first and reply.first > 0 else None,
        compare=reply.compare,
        result=reply.result,
    )


def by_rule(question: str, fixed: list[Column]) -> Programme:
    """The programme that the question's words give."""
    word = _WORD.search(question)
    kinds = [name for name, cue in CUES.items() if re.search(cue, question, re.IGNORECASE)]
    counts = bool(_COUNTS.search(question))
    names = ["word"] if word else kinds[:1] if "heading" in kinds else kinds or ["sentence"]
    columns = fixed or ([] if word else _columns_in_question(question))
    columns = columns or [Column(name=name, kind="date" if name == "date" else "text", meaning="") for name in names]
    named = [column["name"] for column in columns if column["kind"] == "date" or column["name"] in ("name", "heading")]
    return empty_channels(
        Programme,
        record=first_words(question, MOST_RECORD_WORDS),
        columns=columns,
        extent="all",
        sought=next(filter(None, word.groups()), "") if word else question,
        same_by=[column["name"] for column in columns] if named and not word else [],
        result="count" if counts else "table",
    )


def _columns_in_question(question: str) -> list[Column]:
    """The columns that stand behind the question's colon, if they are a list of short names."""
    behind = _LISTED.match(question)
    parts = re.split(r",|;|\s(?:and|und|et|y|e|en)\s", behind[1]) if behind else []
    names = {same_as(part): " ".join(part.split()) for part in parts if part.strip()}
    if len(names) > MOST_COLUMNS or any(len(name.split()) > MOST_NAME_WORDS for name in names.values()):
        return []
    dated = re.compile(CUES["date"], re.IGNORECASE)
    return [Column(name=name, kind="date" if dated.search(name) else "text", meaning="") for name in names.values()]


def _make_plan_update(programme: Programme) -> SurveyPlanUpdate:
    columns = ", ".join(column["name"] for column in programme["columns"])
    where = {
        "all": "all pages",
        "search": f"pages found by '{programme['sought']}'",
        "notes": "pages that notes keep",
        "part": programme["sought"],
    }
    did = f"a {programme['result']} of '{programme['record']}' ({columns}) from {where[programme['extent']]}"
    return {"programme": programme, "step_summary": did}
