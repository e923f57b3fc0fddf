"""Answer from each page by itself and weigh the answers: a text longer than the window, read chunk by chunk."""

from langgraph.runtime import Runtime

from readgraph.nodes import extractive
from readgraph.nodes.answering import answer
from readgraph.nodes.contracts import AnswerState, AnswerUpdate
from readgraph.nodes.evidence import tagged
from readgraph.nodes.memory_text import memory_pages
from readgraph.nodes.metering import fell_back
from readgraph.nodes.step import step_with
from readgraph.nodes.tasks import all_finished
from readgraph.nodes.weighing import weigh
from readgraph.state.context import ReaderContext
from readgraph.state.errors import NoUsableReply
from readgraph.state.words import first_words

LONGEST_FINDING = 120
"""Words of one page's answer and quotes that are weighed."""

Answers = dict[int, AnswerUpdate]
"""The answers that were found, by page."""


@step_with(without_model=extractive.answer)
async def answer_from_each(state: AnswerState, runtime: Runtime[ReaderContext]) -> AnswerUpdate:
    """Answer from each page that is read, all at once; where the answers differ, the model weighs them in one call.

    GAM's long-LLM baseline takes the best score over the chunks (section 3.1), which needs the gold answer; a reader
    has none. Where the replies to the weighing can't be used, the first answer is taken.
    """
    pages = state["pages_read"]
    each: list[AnswerUpdate] = await all_finished(
        answer.work({**state, "pages_read": [page]}, runtime) for page in pages
    )
    found = {page: one for page, one in zip(pages, each, strict=True) if one["status"] == "answered"}
    update = await _weighed(found, state, runtime)
    return {**update, "compression_rate": await _compression_rate(state, runtime)}


async def _weighed(found: Answers, state: AnswerState, runtime: Runtime[ReaderContext]) -> AnswerUpdate:
    total = len(state["pages_read"])
    if len({one["answer"] for one in found.values()}) < 2:
        return _agreed([*found.values()], f"answered from {len(found)} of {total} pages, each by itself")
    try:
        answered, letter, pages = await weigh(runtime, _shown(found), state["asked"], state["choices"])
    except NoUsableReply:
        fell_back("weigh")
        return _agreed([*found.values()][:1], f"gave no usable weighing of {len(found)} answers: took the first")
    backing = [one for page, one in found.items() if page in pages] or [*found.values()]
    told = f"weighed {len(found)} answers from {total} pages"
    return {**_agreed(backing if answered else [], told), "answer": answered, "choice": letter}


def _agreed(answers: list[AnswerUpdate], told: str) -> AnswerUpdate:
    """One answer that several pages gave, or none."""
    return {
        "answer": answers[0]["answer"] if answers else None,
        "choice": answers[0]["choice"] if answers else None,
        "quotes": [quote for one in answers for quote in one["quotes"]],
        "status": "answered" if answers else "no_answer",
        "compression_rate": 0.0,
        "did": told if answers else "found no answer in the text",
    }


def _shown(found: Answers) -> str:
    """Each answer with its quotes, behind the tag of its page."""
    return tagged({page: first_words(_told(one), LONGEST_FINDING) for page, one in found.items()})


def _told(one: AnswerUpdate) -> str:
    letter = f"{one['choice']}. " if one["choice"] else ""
    return "\n".join([f"{letter}{one['answer']}", *(f'"{quote["quote"]}"' for quote in one["quotes"])])


async def _compression_rate(state: AnswerState, runtime: Runtime[ReaderContext]) -> float:
    """By the words of all chunks together, whichever gave the answer."""
    document, pages = await memory_pages(runtime, state["document"], state["memory"])
    words = sum(page.words for page in pages if page.number in state["pages_read"])
    return max(0.0, round(100 * (1 - words / max(document.words, 1)), 2))
