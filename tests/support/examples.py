"""Where the example texts are."""

from pathlib import Path

EXAMPLES = Path(__file__).parents[2] / "examples"
