"""What some systems lack."""

import os

import pytest

needs_posix = pytest.mark.skipif(
    os.name != "posix", reason="Windows has no named pipes, no sed, and not everyone may make links there"
)
