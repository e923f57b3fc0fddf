"""Checks that the tests of `readgraph.sources` share."""

from pathlib import Path

import pytest

from readgraph.sources import load
from readgraph.state.errors import BadInput


def assert_file_refused(path: Path, reason: str) -> None:
    """Loading this file is refused in one line that names it."""
    with pytest.raises(BadInput, match=reason) as refused:
        load(path)
    message = str(refused.value)
    assert str(path) in message and len(message.splitlines()) == 1 and message.endswith((".", "?"))
