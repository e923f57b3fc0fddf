"""What was worked out from a text is kept for a while, since questions about a document look at the same pages."""

from collections import OrderedDict
from collections.abc import Callable
from functools import update_wrapper
from threading import Lock
from typing import Concatenate, Generic, ParamSpec, TypeVar

MOST_CHARACTERS = 2_000_000
"""Characters of all texts whose results one function keeps; a single text may have a twentieth of them."""

More = ParamSpec("More")
Result = TypeVar("Result")


class kept_by_text(Generic[More, Result]):
    """A pure function of a text, and of other hashable arguments, that keeps its newest results.

    Callers share a result, so it must not be changed.
    """

    def __init__(self, function: Callable[Concatenate[str, More], Result]) -> None:
        self._function = function
        self._kept = OrderedDict[tuple[object, ...], Result]()
        self._characters, self._lock = 0, Lock()
        update_wrapper(self, function)

    def __call__(self, text: str, *more: More.args, **named: More.kwargs) -> Result:
        """The function's result for this text."""
        if len(text) > MOST_CHARACTERS // 20:
            return self._function(text, *more, **named)
        key = (text, *more, *named.values())
        with self._lock:
            if key in self._kept:
                self._kept.move_to_end(key)
                return self._kept[key]
        result = self._function(text, *more, **named)
        with self._lock:
            if key not in self._kept:
                self._kept[key] = result
                self._characters += len(text)
            while self._characters > MOST_CHARACTERS:
                (oldest, *_), _ = self._kept.popitem(last=False)
                self._characters -= len(str(oldest))
        return result
