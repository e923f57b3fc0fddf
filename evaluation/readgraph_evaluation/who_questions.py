"""Questions made from summaries by a model, as for MemWalker (section 4.1): check them before you rely on figures."""

import asyncio
import re
from typing import Any

from langgraph.runtime import Runtime
from pydantic import BaseModel, Field

from readgraph import NoUsableReply, ReaderContext
from readgraph.models.asking import ask_reply
from readgraph.models.prompt import DATA_RULE, Prompt, declare_wording, fenced
from readgraph_evaluation.records import Dataset, Item

__all__ = ["who_questions"]

WHO_QUESTION = declare_wording(
    "who_question",
    "You write questions that test whether somebody has read a long text. You see a summary of it; who is asked sees "
    "the text itself, and not the summary. " + DATA_RULE,
    "Write one question that begins with 'Who' and has exactly one right answer, which stands in the summary above. "
    "Say in the question which event it is about, and don't give the answer away.",
)


class WhoQuestion(BaseModel):
    """A question with its answer."""

    question: str = Field(description="One question that begins with 'Who', clear without the summary.")
    answer: str = Field(description="The person or body it asks for, by the name that the summary uses, and no more.")


def who_question_prompt(summary: str) -> Prompt:
    """Ask for one question that the summary answers."""
    return WHO_QUESTION.ask(fenced("summary", summary))


async def who_questions(dataset: Dataset, runtime: Runtime[ReaderContext]) -> list[dict[str, Any]]:
    """Lines in the form `readgraph`: each text with a question from its summary (the first reference).

    A text is left out if three tries bring no usable question. Raises the errors of `ask` except `NoUsableReply`.
    """
    summed_up = [item for item in dataset.items if item.references]
    made = await asyncio.gather(*(_question_of(item, runtime) for item in summed_up))
    questions = {item.text: question for item, question in zip(summed_up, made, strict=True) if question}
    named = {"dataset": f"{dataset.name}-who", "license": dataset.licence}
    return [
        {**named, "doc_id": text.id, "title": text.title, "text": text.text, "questions": [questions[text.id]]}
        for text in dataset.texts
        if text.id in questions
    ]


async def _question_of(item: Item, runtime: Runtime[ReaderContext]) -> dict[str, Any] | None:
    summary = item.references[0]

    def complaint(made: WhoQuestion) -> str | None:
        question, answer = made.question.strip().casefold(), made.answer.strip().casefold()
        if not question.startswith("who") or not question.endswith("?"):
            return "the question must begin with 'Who' and end with a question mark"
        if not answer or answer not in summary.casefold():
            return "the answer must stand in the summary, in the same words"
        given_away = re.search(rf"\b{re.escape(answer)}\b", question)
        return "the question must not hold its answer" if given_away else None

    try:
        who_question = await ask_reply(runtime, who_question_prompt(summary), WhoQuestion, complaint)
    except NoUsableReply:
        return None
    question, answer = who_question.question.strip(), who_question.answer.strip()
    return {"id": f"{item.id}-who", "question": question, "answer": answer, "category": "who"}
