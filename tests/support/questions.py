"""A small dataset in readgraph's own format for questions, made of the example story."""

import json
from pathlib import Path
from typing import Any

from tests.support.examples import EXAMPLES

GOAT = {
    "id": "goat",
    "question": "What did the keeper's Remarks for 19 January say about a goat?",
    "answer": "It says so.",
    "category": "fact",
    "evidence": ["Goat on gallery. Do not know how."],
}
WELL = {"id": "well", "question": "How deep is the well under the tower?", "answer": "Thirty-one feet."}
CHOICE = {
    "id": "choice",
    "question": "Who took the log book?",
    "options": ["The keeper", "The inspector", "The goat"],
    "answer_index": 1,
    "answer": "The inspector",
}


def story_file(folder: Path, *questions: dict[str, Any], texts: int = 1, dataset: str = "") -> Path:
    """A file with this many parts of the example story, and questions about each; the goat is in the first part."""
    story = (EXAMPLES / "the-lamp-at-sarn-head.txt").read_text(encoding="utf-8")
    lines = [
        {
            "doc_id": f"lamp-{number}",
            "title": "The Lamp",
            "license": "MIT",
            "dataset": dataset,
            "text": story[4000 + 6000 * number : 13_000 + 6000 * number],
            "questions": [{**question, "id": f"{question['id']}-{number}"} for question in questions],
        }
        for number in range(texts)
    ]
    file = folder / "questions.jsonl"
    file.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return file
