"""The runtime context: what a reading may use and how far it may go."""

from collections.abc import Iterable, Mapping
from difflib import get_close_matches
from functools import cache
from typing import TYPE_CHECKING, Any, Self, cast

from pydantic import ConfigDict, ModelWrapValidatorHandler, ValidationError, model_validator
from pydantic.dataclasses import dataclass
from pydantic_core import ArgsKwargs, ErrorDetails

from readgraph.state.declaring import Groups, Settings, settings_in, use_current_names
from readgraph.state.errors import BadInput
from readgraph.state.files import read_package_toml
from readgraph.state.providers import GivenModel, name_given
from readgraph.state.settings import GROUPS

__all__ = ["PROFILES"]

OWN_STORE = "__readgraph_own_store"  # a key of a run's `configurable`, which is not checkpointed, like LangGraph's own
_STRICT = ConfigDict(extra="forbid")
OBJECTS = ("model", "reading_model", "embeddings")  # what may be given as an object (`providers`)
_PLAIN = (str, bytes, bool, int, float, type(None))


@dataclass(frozen=True, kw_only=True, config=_STRICT)
class GraphContext(Settings):
    """Settings of one reading, as plain JSON values, so that LangGraph Studio can show them as configuration.

    Raises `BadInput` for a value out of its range and for an unknown setting.
    """

    @model_validator(mode="wrap")
    @classmethod
    def _check(cls, arguments: Any, validate: ModelWrapValidatorHandler[Self]) -> Self:
        names = dict[str, GivenModel]()
        if isinstance(arguments, ArgsKwargs) and arguments.kwargs:
            given = use_current_names(arguments.kwargs)
            names = {key: name_given(key, given[key]) for key in OBJECTS if not isinstance(given.get(key), _PLAIN)}
            names |= {key: name for key in OBJECTS if isinstance(name := given.get(key), GivenModel)}
            arguments = ArgsKwargs(arguments.args, given | {key: str(name) for key, name in names.items()})
        try:
            context = validate(arguments)
        except ValidationError as problem:
            raise BadInput(_complaint(problem.errors()[0], cls)) from None
        for key, name in names.items():
            object.__setattr__(context, key, name)
        return context


if TYPE_CHECKING:
    from readgraph.features import FeatureSettings
    from readgraph.state.settings import CoreSettings

    @dataclass(frozen=True, kw_only=True)
    class ReaderContext(GraphContext, FeatureSettings, CoreSettings):
        """All settings of one reading, as plain JSON values; those of another package: `Group.of(context)`.

        Defaults are those of ReadAgent on QuALITY (section 4 and appendix C). Raises `BadInput` for a value out of its
        range and for an unknown setting.
        """

else:

    @dataclass(frozen=True, kw_only=True, config=_STRICT)
    class ReaderContext(GraphContext, *reversed(GROUPS)):
        """All settings of one reading, as plain JSON values.

        Defaults are those of ReadAgent on QuALITY (section 4 and appendix C). Raises `BadInput` for a value out of its
        range and for an unknown setting.
        """


def context_with(groups: Iterable[type[Settings]]) -> type[ReaderContext]:
    """The context of a graph whose nodes read these groups of settings; raises `BadInput` for an unknown group."""
    wanted = frozenset(groups)
    if unknown := sorted(group.__name__ for group in wanted - {*GROUPS}):
        raise BadInput(f"There is no group of settings '{unknown[0]}': take those of readgraph.state.settings.")
    return cast("type[ReaderContext]", _context_of(tuple(group for group in GROUPS if group in wanted)))


@cache
def _context_of(groups: Groups) -> type[GraphContext]:
    body = {"__doc__": "The settings that this graph reads.", "__module__": __name__}
    plain_class: Any = type("GraphSettings", (GraphContext, *reversed(groups)), body)
    return cast("type[GraphContext]", dataclass(frozen=True, kw_only=True, config=_STRICT)(plain_class))


def run_context(context: object) -> ReaderContext:
    """The full context of a run, from None, settings by name or a graph's own context; raises `BadInput` for others."""
    if isinstance(context, ReaderContext):
        return context
    if context is None:
        return ReaderContext()
    if isinstance(context, Settings):
        return ReaderContext(**vars(context))
    what = f"The context must be a ReaderContext, not {type(context).__name__}."
    if isinstance(context, Mapping):
        try:
            return ReaderContext(**context)
        except (BadInput, TypeError) as problem:
            what = str(problem)
    raise BadInput(
        f"{what} Where the graph around has a context of its own, give it a function as node that calls this graph: "
        "lambda state: graph.invoke(state, context=ReaderContext(…))."
    )


def _complaint(fault: ErrorDetails, context: type[Any]) -> str:
    name = "".join(map(str, fault["loc"][:1]))
    if fault["type"] == "unexpected_keyword_argument":
        if name in settings_in(ReaderContext):
            return f"This graph does not use the setting '{name}': leave it out."
        similar = get_close_matches(name, settings_in(context), 1)
        return f"There is no setting '{name}'" + (f": do you mean '{similar[0]}'?" if similar else ".")
    if fault["type"] == "unexpected_positional_argument":
        return "Give settings by name, such as ReaderContext(model=…)."
    return f"The setting '{name}' can't be used: {fault['msg']}."


PROFILES: dict[str, dict[str, Any]] = read_package_toml(__package__, "profiles.toml")
"""The settings of the papers' experiments."""
