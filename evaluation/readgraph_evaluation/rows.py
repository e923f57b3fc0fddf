"""The rows of an evaluation: methods, or the `summary`, each with settings of its own, such as `gam@rounds=1`."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from difflib import get_close_matches
from typing import Any

from readgraph import BadInput, ReaderContext
from readgraph.graphs.method import Method
from readgraph.graphs.method_facts import settings_of
from readgraph.graphs.methods import METHODS, ROWS, WEB_METHODS, method_typed, web_method_named
from readgraph.state.declaring import declarations_of, format_default, use_current_names
from readgraph.state.installed import list_extras
from readgraph.state.settings import GROUPS, LONG
from readgraph_evaluation.records import Dataset, Item
from readgraph_evaluation.sweeps import NAMED_ROWS

__all__ = ["EvaluationRow", "rows_to_run"]

SUMMARY = ROWS["summary"]
"""A row that sums a text up, and answers no other question."""


def row_method(name: str) -> Method:
    """The method of a row: the summary, or the method that a user typed."""
    return SUMMARY if name == SUMMARY.name else method_typed(name)


def with_answers_length(method: Method, context: ReaderContext, own: Iterable[str]) -> ReaderContext:
    """The context with summaries as long as answers are to be (20 words at least), where a row has no own length."""
    if method is not SUMMARY or "summary_words" in own or not context.answer_words:
        return context
    return replace(context, summary_words=max(context.answer_words, 20))


def takes_question(method: Method, item: Item, answer_length: str | None) -> bool:
    """Whether a row asks a question, where answers have this length; only the summary leaves some out."""
    if method.name != SUMMARY.name:
        return True
    return not (item.options or item.step) and (item.summary or answer_length in LONG)


def count_left_out(name: str, what: Mapping[str, Any], items: Iterable[Item]) -> int:
    """How many of the questions the row of this name leaves out, by the record of what is run."""
    if what.get("rows", {}).get(name, {"method": name})["method"] != SUMMARY.name:
        return 0
    return sum(not takes_question(SUMMARY, item, what["settings"]["answer_length"]) for item in items)


OF_ALL_ROWS = ("sample", "concurrency", "batch", "timeout", "retry_seconds", "rebuild", "again")
"""Settings that no row has of its own: they are the evaluation's, or no answer depends on them."""


@dataclass(frozen=True)
class EvaluationRow:
    """A method with the settings that it runs with. `own` are those that only this row has, by their names."""

    name: str
    method: Method
    context: ReaderContext
    own: Mapping[str, Any] = field(default_factory=dict)

    def line(self) -> dict[str, Any]:
        """The row as a plain JSON value."""
        values = {name: list(value) if isinstance(value, tuple) else value for name, value in self.own.items()}
        return {"method": self.method.name, "settings": values}


def row_named(text: str, context: ReaderContext, named: Callable[[str], Method] = row_method) -> EvaluationRow:
    """The row `method@setting=value,…`, of a method or of one in `NAMED_ROWS`; raises `BadInput` for a wrong value."""
    text = text.strip()
    called, at, given = text.partition("@")
    name, _, fixed = NAMED_ROWS.get(called.strip(), called).partition("@")
    method = named(name.strip())
    if not (at or fixed):
        return EvaluationRow(method.name, method, with_answers_length(method, context, ()))
    meant = use_current_names(dict(_pairs(text, fixed))) if fixed else {}
    texts = use_current_names(dict(_pairs(text, given))) if at else {}
    _check_known(text, method, texts)
    if twice := [setting for setting in texts if setting in meant]:
        raise BadInput(f"'{called.strip()}' stands for {name}@{fixed}: leave {twice[0]} out of the row '{text}'.")
    default, values = ReaderContext(), dict[str, Any](meant | texts)
    for each, value in values.items():
        if isinstance(getattr(default, each), tuple):  # names with commas between them; the context converts the others
            values[each] = tuple(part.strip() for part in value.split(","))
    try:
        with_own = replace(context, **values)
    except BadInput as problem:
        raise BadInput(f"The row '{text}' can't be run: {problem}") from None
    if bool(with_own.model) != bool(context.model):
        raise BadInput(f"The row '{text}' can't be run: all rows have a model, or none has; name one with --model.")
    own = {each: getattr(with_own, each) for each in values}
    with_own = with_answers_length(method, with_own, own)
    shown = ",".join(f"{each}={'off' if own[each] is False else format_default(own[each])}" for each in texts)
    row = "@".join(filter(None, [called.strip() if meant else method.name, shown]))
    return EvaluationRow(row, method, with_own, own)


def rows_to_run(
    texts: Sequence[str], dataset: Dataset, context: ReaderContext, *, full_text: bool = True
) -> list[EvaluationRow]:
    """The rows with these names ("all": every method), and with `full_text` that of the full text, if all texts fit."""
    web = on_web_pages(dataset.items)
    named, methods = (web_method_named, WEB_METHODS) if web else (row_method, METHODS)
    every = [name for name, method in methods.items() if context.embeddings or not method.needs_embeddings]
    every = [name for name in every if not missing_extra(methods[name], context)]
    wanted = [name for text in texts for name in (every if text == "all" else [text])]
    if not wanted:
        raise BadInput("There is no method to evaluate: run 'readgraph methods' to list the methods.")
    if full_text and not web and max(text.words for text in dataset.texts) <= context.window_words:
        wanted.append("full-text")
    rows = [row_named(text, context, named) for text in wanted]
    if lacking := [row.name for row in rows if needs_embeddings(row) and not row.context.embeddings]:
        raise BadInput(f"No embedding model is named for {' and '.join(lacking)}: name one with --embeddings.")
    for row in rows:
        if extra := missing_extra(row.method, context):
            raise BadInput(f"{row.name} needs more packages: pip install 'readgraph[{extra}]'.")
        if not any(takes_question(row.method, item, row.context.answer_length) for item in dataset.items):
            longer = any(takes_question(row.method, item, LONG[0]) for item in dataset.items)
            hint = f", or give --answer-length {LONG[0]}: then a summary is about each question" if longer else ""
            raise BadInput(f"No question asks for a summary: leave '{row.name}' out{hint}.")
    return list({row.name: row for row in rows}.values())


def on_web_pages(items: Iterable[Item]) -> bool:
    """Whether the questions are steps on web pages, which only the methods for these can take."""
    return any(item.step for item in items)


def needs_embeddings(row: EvaluationRow) -> bool:
    """Whether the row ranks by embeddings, and can't be run without."""
    return row.method.needs_embeddings or (row.method.name == "retrieved-pages" and row.context.ranking != "keywords")


def missing_extra(method: Method, context: ReaderContext) -> str:
    """The extra that the method needs and that is not installed, or ""; without a model it needs none."""
    return method.needs_extra if context.model and not list_extras().get(method.needs_extra, True) else ""


def _pairs(row: str, given: str) -> Iterable[tuple[str, str]]:
    """The settings' names with their values as text; a comma before what is no setting belongs to the value."""
    pairs = list[tuple[str, str]]()
    for piece in given.split(","):
        name, equals, value = piece.partition("=")
        if equals:
            pairs.append((name.strip().replace("-", "_"), value.strip()))
        elif pairs:
            pairs[-1] = (pairs[-1][0], f"{pairs[-1][1]},{piece}")
        else:
            raise BadInput(f"The row '{row}' has no settings after '@': write METHOD@SETTING=VALUE.")
    return pairs


def _check_known(row: str, method: Method, names: Iterable[str]) -> None:
    known, used = {declaration.name for declaration in declarations_of(GROUPS)}, settings_of(method, asks=True)
    for name in names:
        if name not in known:
            near = get_close_matches(name, known, 1)
            hint = f": do you mean '{near[0]}'?" if near else ": 'readgraph evaluate --help-all' lists the settings."
            raise BadInput(f"The row '{row}' names an unknown setting '{name}'{hint}")
        if name in OF_ALL_ROWS:
            raise BadInput(f"'{name}' is the same for all rows of an evaluation: leave it out of the row '{row}'.")
        if name not in used:
            raise BadInput(f"{name} has no effect with {method.name}: leave it out of the row '{row}'.")
