"""The folder of the example texts."""

from pathlib import Path

EXAMPLES = Path(__file__).parents[2] / "examples"
