"""Whether passages of a text say what the sentences of an answer say."""

from collections.abc import Sequence

from readgraph.models.prompt import DATA_RULE, Prompt, fenced
from readgraph.models.wording import wording

NAME, VERSION = "check_answer", 1

_SYSTEM = (
    "You check an answer to a question against passages of the text that it is about. You trust nothing but what these "
    "passages say. " + DATA_RULE
)


_WORDS = wording(
    "check_answer",
    NAME,
    VERSION,
    _SYSTEM,
    "Say of each numbered sentence of the answer whether the passages above, each after its page tag, support all that "
    "it says: a wrong name, number or order of events, or anything that they don't say, makes it not supported. Quote "
    "the words that show it.",
)


def check_answer_prompt(passages: str, question: str, sentences: Sequence[str]) -> Prompt:
    """Ask of each sentence of an answer whether these passages support it; sentences are numbered from 1."""
    numbered = "\n".join(f"{number}. {sentence}" for number, sentence in enumerate(sentences, 1))
    return _WORDS.ask(fenced("memory", passages), fenced("question", question), fenced("sentences", numbered))
