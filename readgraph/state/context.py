"""The runtime context: what a reading may use and how far it may go."""

from collections.abc import Iterable, Mapping
from difflib import get_close_matches
from functools import cache
from typing import Any, Self, cast

from pydantic import ConfigDict, ModelWrapValidatorHandler, ValidationError, model_validator
from pydantic.dataclasses import dataclass
from pydantic_core import ArgsKwargs, ErrorDetails

from readgraph.state import settings as groups_of
from readgraph.state.declaring import Groups, Settings, as_now_named, settings_in
from readgraph.state.errors import BadInput
from readgraph.state.settings import GROUPS

_STRICT = ConfigDict(extra="forbid")


@dataclass(frozen=True, kw_only=True, config=_STRICT)
class GraphContext(Settings):
    """Settings of one reading; JSON-plain, so that LangGraph Studio shows them as configuration.

    Raises `BadInput` for a value out of its range, and for a setting that it does not have.
    """

    @model_validator(mode="wrap")
    @classmethod
    def _check(cls, given: Any, checked: ModelWrapValidatorHandler[Self]) -> Self:
        if isinstance(given, ArgsKwargs) and given.kwargs:
            given = ArgsKwargs(given.args, as_now_named(given.kwargs))
        try:
            return checked(given)
        except ValidationError as problem:
            raise BadInput(_complaint(problem.errors()[0], cls)) from None


@dataclass(frozen=True, kw_only=True, config=_STRICT)
class ReaderContext(  # dataclasses take the fields of the last base first
    GraphContext,
    groups_of.Excerpt,
    groups_of.Segments,
    groups_of.Chaining,
    groups_of.SearchTools,
    groups_of.Research,
    groups_of.Memorizing,
    groups_of.Walk,
    groups_of.Tree,
    groups_of.LookUp,
    groups_of.PagesRead,
    groups_of.Rebuilding,
    groups_of.Gists,
    groups_of.Pausing,
    groups_of.Paragraphs,
    groups_of.PageSizes,
    groups_of.Budget,
    groups_of.Calls,
    groups_of.Concurrency,
    groups_of.Window,
    groups_of.Embeddings,
    groups_of.ReadingModel,
    groups_of.Model,
):
    """All settings of one reading; JSON-plain.

    Defaults are those of ReadAgent on QuALITY (section 4 and appendix C). Raises `BadInput` for a value out of its
    range, and for a setting that does not exist.
    """


def context_with(groups: Iterable[type[Settings]]) -> type[ReaderContext]:
    """The context of a graph whose nodes read these groups of settings, and no others.

    It has a part of `ReaderContext`'s fields, and checks them alike. Raises `BadInput` for a group that is not one of
    `readgraph.state.settings.GROUPS`.
    """
    wanted = frozenset(groups)
    if strange := sorted(group.__name__ for group in wanted - {*GROUPS}):
        raise BadInput(f"There is no group of settings '{strange[0]}': take those of readgraph.state.settings.")
    return cast("type[ReaderContext]", _context_of(tuple(group for group in GROUPS if group in wanted)))


@cache
def _context_of(groups: Groups) -> type[GraphContext]:
    body = {"__doc__": "The settings that this graph reads.", "__module__": __name__}
    made: Any = type("GraphSettings", (GraphContext, *reversed(groups)), body)
    return cast("type[GraphContext]", dataclass(frozen=True, kw_only=True, config=_STRICT)(made))


def run_context(given: object) -> ReaderContext:
    """The context of a run: nothing given = the defaults; a dictionary has the settings by their names.

    A graph's own context is completed with the defaults. Raises `BadInput` for another thing, such as the context of a
    graph around this one.
    """
    if isinstance(given, ReaderContext):
        return given
    if given is None or isinstance(given, Mapping):
        return ReaderContext(**(given or {}))
    if isinstance(given, Settings):
        return ReaderContext(**vars(given))
    raise BadInput(
        f"The context must be a ReaderContext, not {type(given).__name__}: where a graph around this one has a "
        "context of its own, call this one in a node, with context=ReaderContext(…)."
    )


def _complaint(fault: ErrorDetails, context: type[Any]) -> str:
    name = "".join(map(str, fault["loc"][:1]))
    if fault["type"] == "unexpected_keyword_argument":
        if name in settings_in(ReaderContext):
            return f"This graph does not use the setting '{name}': leave it out."
        near = get_close_matches(name, settings_in(context), 1)
        return f"There is no setting '{name}'" + (f": do you mean '{near[0]}'?" if near else ".")
    if fault["type"] == "unexpected_positional_argument":
        return "Settings are given by their names, such as ReaderContext(model=…)."
    return f"The setting '{name}' can't be used: {fault['msg']}."


PROFILES: dict[str, dict[str, Any]] = {
    "quality": {
        "min_page_words": 280,
        "max_page_words": 600,
        "max_pages": 5,
        "retrieval_words": 600,
        "segment_words": 750,
        "children": 8,
    },
    "qmsum": {
        "min_page_words": 280,
        "max_page_words": 600,
        "max_pages": 6,
        "show_previous_page": True,
        "retrieval_words": 600,
        "baseline_words": 6000,
    },
    "gutenberg": {"min_page_words": 500, "max_page_words": 3000, "max_pages": 3, "retrieval_words": 3000},
    "movie": {
        "min_page_words": 600,
        "max_page_words": 1000,
        "max_pages": 3,
        "gist_words": 96,
        "retrieval_words": 1000,
    },
    "screenplay": {"segment_words": 750, "children": 5},
    "report": {"segment_words": 900, "children": 8},
    "nested-keys": {"min_page_words": 4, "max_page_words": 6},
}
"""The settings of the papers' experiments: ReadAgent's (section 4 and appendix C; retrieval ranks pages of its sizes,
and QMSum is cut to 6,000 words, section 4.2; movie gists had 128 tokens in the authors' code, about 96 words),
MemWalker's (section 4.2: QuALITY, SummScreenFD, GovReport; 1,000 tokens are about 750 words), and for MemGPT's nested
keys (section 3.2.2) a pair a page."""
