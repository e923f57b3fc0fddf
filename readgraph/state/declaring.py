"""How settings are declared in groups and read from there: the building blocks of `readgraph.state.settings`."""

from collections.abc import Iterator
from dataclasses import MISSING, dataclass, field, fields, is_dataclass
from typing import Any, ClassVar, NamedTuple, Self, TypeAlias, cast, dataclass_transform, get_args, get_type_hints

from annotated_types import Ge, Le

from readgraph.state.errors import BadInput

__all__ = ["Help", "InRecipe", "Settings"]

LARGEST = 2**31 - 1  # the largest value of a setting: sizes go into stored records, whose integers are bounded


@dataclass(frozen=True, slots=True)
class Help:
    """The help of a setting."""

    text: str
    metavar: str = ""  # stands for its value in the command's help
    variable: str = ""  # the environment variable that sets it too
    option: bool = True  # the command has an option for it

    def __get_pydantic_json_schema__(self, schema: Any, handler: Any) -> Any:
        """Show the text as the field's description, such as in Studio's form."""
        return handler(schema) | {"description": self.text}


@dataclass(frozen=True, slots=True)
class InRecipe:
    """Marks a setting that shapes a memory: its value is a parameter of the memory's recipe.

    Attributes:
        name: The parameter's name, where existing memories have an earlier name of the setting; "" for its own.
        with_model: It has no effect without a model, so it is left out there.
        unless_default: It came later: it is left out where it has its default, so that existing memories stay in use.
    """

    name: str = ""
    with_model: bool = False
    unless_default: bool = False


@dataclass_transform(frozen_default=True, kw_only_default=True, field_specifiers=(field,))
@dataclass(frozen=True, kw_only=True)
class Settings:
    """A group of settings, each of which becomes a dataclass.

    `panel` is its heading in the command's help; `reads`: `readgraph read` takes it too, since a memory is built by it;
    `calls`: every step and command that asks a model takes it, as `Calls`.
    """

    panel: ClassVar[str] = ""
    reads: ClassVar[bool] = False
    calls: ClassVar[bool] = False

    def __init_subclass__(cls, panel: str = "", *, reads: bool = False, calls: bool = False) -> None:
        super().__init_subclass__()
        if panel:  # a group, and not a context that joins some
            cls.panel, cls.reads, cls.calls = panel, reads, calls
            dataclass(frozen=True, kw_only=True)(cls)

    @classmethod
    def of(cls, context: "Settings") -> Self:
        """The context of a run, as what has this group's settings: `Walk.of(runtime.context).max_hops`."""
        return cast(Self, context)

    def __post_init__(self) -> None:
        for name, value in vars(self).items():
            if isinstance(value, int) and value > LARGEST:
                raise BadInput(f"The setting '{name}' can't be used: {value} is too large.")


Groups: TypeAlias = tuple[type[Settings], ...]
RENAMED = {"block": "memorize_batch", "gist_purpose": "purpose", "session_page_words": "memo_page_words"}
"""Earlier names of settings, which are still accepted."""


class Declaration(NamedTuple):
    """One setting as it is declared; `least` and `most` are the bounds of a number, or None."""

    name: str
    kind: Any
    help: Help
    least: Any
    most: Any
    default: Any
    panel: str


def declarations_of(groups: Groups) -> Iterator[Declaration]:
    """The settings of the groups, in their order."""
    for group in groups:
        hints = get_type_hints(group, include_extras=True)
        for setting in fields(group):
            kind, *notes = get_args(hints[setting.name])
            (text,) = (note for note in notes if isinstance(note, Help))
            least = next((note.ge for note in notes if isinstance(note, Ge)), None)
            most = next((note.le for note in notes if isinstance(note, Le)), None)
            default = "" if setting.default is MISSING else setting.default
            yield Declaration(setting.name, kind, text, least, most, default, group.panel)


def fault_of_group(group: type[Settings]) -> str:
    """What another package's group lacks of what settings need; "" for nothing."""
    called = f"the settings '{group.__name__}'"
    if not group.panel:
        return f"{called} have no panel: write 'class {group.__name__}(Settings, panel=\"…\")'"
    try:
        list(declarations_of((group,)))
    except Exception as problem:  # such as an annotation with a name that is not there
        return f"{called} can't be used ({problem}): write 'name: Annotated[int, Help(\"…\")] = 3'"
    lacking = [setting.name for setting in fields(group) if setting.default is setting.default_factory is MISSING]
    return f"the setting '{lacking[0]}' has no default" if lacking else ""


def settings_in(context: type[Any]) -> tuple[str, ...]:
    """The names of the settings that a context of this type has: a dataclass, a model or a typed dictionary."""
    return tuple(field.name for field in fields(context)) if is_dataclass(context) else tuple(get_type_hints(context))


def format_default(default: Any) -> str:
    """A default as people write it; "" if there is none or a switch is off."""
    if default in (None, "") or default is False:
        return ""
    if isinstance(default, tuple):
        return ",".join(default)
    return "on" if default is True else str(default).removesuffix(".0")


def use_current_names(values: dict[str, Any]) -> dict[str, Any]:
    """The settings by their current names; an earlier name's value wins, since `dataclasses.replace` gives both."""
    renamed = {new: values[old] for old, new in RENAMED.items() if old in values}
    return {name: value for name, value in values.items() if name not in RENAMED} | renamed
