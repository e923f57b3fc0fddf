"""See `benchmarks.read_aloud`."""

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

FOLDER = Path(__file__).parent


def answer_of(question: str, text: Path, library: str) -> str:
    """What the command prints."""
    command = [sys.executable, "-m", "readgraph", "ask", question, str(text), "--quiet", "--library", library]
    without = {name: value for name, value in os.environ.items() if name not in ("READGRAPH_MODEL", "OPENAI_API_KEY")}
    return subprocess.run(command, env=without, capture_output=True, text=True, check=True).stdout.strip()


def run() -> None:
    """Print each question with its answer."""
    asked: dict[str, list[str]] = json.loads((FOLDER / "questions.json").read_text(encoding="utf-8"))
    with tempfile.TemporaryDirectory() as library:
        for name, questions in asked.items():
            for question in questions:
                print(f"{name}: {question}\n{answer_of(question, FOLDER / name, library)}\n")


if __name__ == "__main__":
    run()
