"""Several options that become one argument of a command."""

import inspect
from collections.abc import Callable
from dataclasses import MISSING, Field, fields
from functools import wraps
from typing import Any, get_args

Command = Callable[..., None]


def with_options(kind: type[Any]) -> Callable[[Command], Command]:
    """Add the fields of a dataclass to a command as its arguments and options; the command gets them as `options`."""
    declared = {
        each.name: inspect.Parameter(
            each.name, inspect.Parameter.KEYWORD_ONLY, annotation=each.type, default=_default(each)
        )
        for each in fields(kind)
    }
    return lambda command: _with_group(command, "options", declared, kind)


def _default(field: Field[Any]) -> Any:
    """The default of a field, as a parameter has it."""
    if field.default_factory is not MISSING:
        return field.default_factory()
    return inspect.Parameter.empty if field.default is MISSING else field.default


def added(command: Command, argument: str, options: dict[str, Any], convert: Callable[..., Any]) -> Command:
    """The command with these options, by their names; `convert` turns their values into the one `argument`."""
    declared = {
        name: inspect.Parameter(
            name, inspect.Parameter.KEYWORD_ONLY, annotation=annotation, default=False if is_flag(annotation) else None
        )
        for name, annotation in options.items()
    }
    return _with_group(command, argument, declared, convert)


def _with_group(
    command: Command, argument: str, options: dict[str, inspect.Parameter], convert: Callable[..., Any]
) -> Command:
    @wraps(command)
    def with_group(**values: Any) -> None:
        group = {name: values.pop(name) for name in options}
        command(**{argument: convert(**group)}, **values)

    own = inspect.signature(command).parameters.values()
    parameters = [*(parameter for parameter in own if parameter.name != argument), *options.values()]
    with_group.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    with_group.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    return with_group


def is_flag(annotation: Any) -> bool:
    """Whether an option is either on or off, with no third state."""
    return get_args(annotation)[0] is bool
