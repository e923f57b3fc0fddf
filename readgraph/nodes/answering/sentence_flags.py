"""Sentences of a summary or of a long answer as one text, and what stands in brackets after them."""

from collections.abc import Sequence
from typing import Any

from typing_extensions import TypedDict

from readgraph.state.reading import Sentence

UNSPACED_ENDS = "。！？…"  # ends of sentences after which no space stands


class SentenceFlag(TypedDict):
    """What is said of a sentence, at the offset where it ends; `doubted`: that it is not known to be supported."""

    at: int
    said: str
    doubted: bool


def joined_sentences(sentences: Sequence[Sentence]) -> tuple[str, list[int]]:
    """The text of the sentences, and the offset at which each ends."""
    text, ends = "", list[int]()
    for number, sentence in enumerate(sentences):
        if number:
            new = sentence["paragraph"] != sentences[number - 1]["paragraph"]
            text += "\n\n" if new else "" if text[-1:] in UNSPACED_ENDS else " "
        text += sentence["text"]
        ends.append(len(text))
    return text, ends


def sentence_flags(output: Any) -> list[SentenceFlag]:
    """What stands in brackets after sentences of a summary or of a long answer, in the text's order.

    Of a summary, the places of a sentence without quotes, or that they don't support, or, where others were checked,
    that was not; of an answer only the doubt.
    """
    sentences: list[Sentence] = output["sentences"]
    some_checked = any(sentence["supported"] is not None and not sentence["extracted"] for sentence in sentences)
    of_answer = any("end" in sentence for sentence in sentences)
    ends = [sentence["end"] for sentence in sentences] if of_answer else joined_sentences(sentences)[1]
    cited = {citation.get("mark_at") for citation in output["citations"]}
    flags = list[SentenceFlag]()
    for sentence, end in zip(sentences, ends, strict=True):
        doubt = "" if sentence["supported"] else "not supported"
        if sentence["supported"] is None:
            doubt = "not checked" if some_checked else ""
        doubt = sentence.get("doubt", doubt)
        named = [] if of_answer else zip(sentence["pages"], sentence["places"], strict=True)
        if doubt or not (of_answer or end in cited):
            where = "; ".join(dict.fromkeys(place or f"part {page}" for page, place in named))
            flag = ": ".join(filter(None, [where, doubt]))
            flags.append({"at": end, "said": flag, "doubted": bool(doubt)})
    return flags
