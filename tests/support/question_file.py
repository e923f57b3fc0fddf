"""The example texts with their questions as one file in the form that `readgraph evaluate` reads."""

import json
from typing import Any

from tests.support.examples import EXAMPLES

FILE = EXAMPLES / "questions.jsonl"


def question_lines() -> str:
    """The file's content: a line for each document, the story first."""
    paths = sorted(EXAMPLES.glob("*.questions.json"), reverse=True)
    kept = [json.loads(path.read_text(encoding="utf-8")) for path in paths]
    return "".join(json.dumps(_line(one), ensure_ascii=False) + "\n" for one in kept)


def _line(kept: dict[str, Any]) -> dict[str, Any]:
    name = kept["document"].removesuffix(".txt")
    return {
        "doc_id": name,
        "dataset": "examples",
        "title": kept["title"],
        "license": kept["license"],
        "questions": [_question(name, question) for question in _choices_first(kept["questions"])],
        "text": (EXAMPLES / kept["document"]).read_text(encoding="utf-8"),
    }


def _choices_first(questions: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Reorder the questions, so that the first few include some for every metric."""
    return sorted(questions, key=lambda question: "options" not in question)


def _question(document: str, question: dict[str, Any]) -> dict[str, Any]:
    unanswerable = question["answer"] is None
    told = {"answer": "", "unanswerable": True} if unanswerable else {}
    return {**question, "id": f"{document}-{question['id']}", **told}
