"""Cases for some methods by default, and for the others in the part that takes long."""

from collections.abc import Iterable
from typing import Any

import pytest

OF_THE_PAPERS = ("read-agent", "mem-walker", "gam", "mem-gpt")


def mostly_slow(methods: Iterable[Any], quick: Iterable[Any] = OF_THE_PAPERS) -> list[Any]:
    """A test's parameters: all these methods, or other cases, of which all but the quick ones are marked as slow.

    It is for what they have in common, since each has tests of its own too.
    """
    shown = [*quick]
    return [method if method in shown else pytest.param(method, marks=pytest.mark.slow) for method in methods]
