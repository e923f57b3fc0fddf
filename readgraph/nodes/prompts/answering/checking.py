"""Whether a text says what the sentences of an answer or of a summary say."""

from collections.abc import Sequence

from pydantic import Field

from readgraph.models.prompt import DATA_RULE, Prompt, fenced
from readgraph.models.replies.lenient_fields import LenientReply
from readgraph.models.wording import wording
from readgraph.nodes.prompts.answering.answer import Quotes

_CHECK_ANSWER_SYSTEM = (
    "You check an answer to a question against passages of the text that it is about. You trust nothing but what these "
    "passages say. " + DATA_RULE
)

CHECK_ANSWER = wording(
    "check_answer",
    "check_answer",
    1,
    _CHECK_ANSWER_SYSTEM,
    "Say of each numbered sentence of the answer whether the passages above, each after its page tag, support all that "
    "it says: a wrong name, number or order of events, or anything that they don't say, makes it not supported. Quote "
    "the words that show it.",
)
"""Whether passages of a text say what the sentences of an answer say."""


def check_answer_prompt(passages: str, question: str, sentences: Sequence[str]) -> Prompt:
    """Ask of each sentence of an answer whether these passages support it; sentences are numbered from 1."""
    numbered = "\n".join(f"{number}. {sentence}" for number, sentence in enumerate(sentences, 1))
    return CHECK_ANSWER.ask(fenced("memory", passages), fenced("question", question), fenced("sentences", numbered))


_CHECK_SUMMARY_SYSTEM = (
    "You check a summary of a long text against the pages that it names. You trust nothing but what these pages say. "
    + DATA_RULE
)

CHECK_SUMMARY = wording(
    "check_summary",
    "check_summary",
    1,
    _CHECK_SUMMARY_SYSTEM,
    "Say of each numbered sentence whether the pages above support all that it says: a wrong name, number or order of "
    "events, or anything that they don't say, makes it not supported. Quote the words that show it.",
)
"""Whether the pages that sentences name say what the sentences say."""


class SentenceVerdict(LenientReply):
    """Whether a sentence is supported."""

    sentence: int = Field(description="The number of the sentence.")
    quotes: Quotes = Field(description="One or two quotes that show it; empty if nothing does.")
    supported: bool = Field(description="true if the pages say all of it, else false.")


class SentenceVerdicts(LenientReply):
    """What is to be said of each sentence."""

    verdicts: list[SentenceVerdict] = Field(description="One for each sentence.")


def check_summary_prompt(pages: str, sentences: Sequence[str]) -> Prompt:
    """Ask of each sentence whether these pages support it; sentences are numbered from 1."""
    numbered = "\n".join(f"{number}. {sentence}" for number, sentence in enumerate(sentences, 1))
    return CHECK_SUMMARY.ask(fenced("memory", pages), fenced("sentences", numbered))
