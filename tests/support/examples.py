"""The folder of the example texts, and the beginning of one of them, which is as much as most tests need."""

from pathlib import Path

EXAMPLES = Path(__file__).parents[2] / "examples"

WHOLE_STORY = EXAMPLES / "the-lamp-at-sarn-head.txt"

STORY = Path(__file__).parents[1] / "fixtures" / "the-lamp-at-sarn-head.txt"
"""The first third of the example story: each further page would cost calls of the model double in every test."""
