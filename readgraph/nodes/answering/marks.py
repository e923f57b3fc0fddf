"""Numbered marks, which tie an answer to its citations: "Ben took the book. [1] He gave it to Ida. [2][3]"."""

from collections.abc import Mapping, Sequence
from typing import Any

from readgraph.state.reading import Citation
from readgraph.state.search.terms import content_words
from readgraph.state.sentences import sentence_spans
from readgraph.state.summary import SentenceFlag, sentence_flags

LEAST_SHARE = 0.5
"""The least share of a sentence's words that a quote holds if its mark stands after that sentence."""


def with_marks(found: Mapping[str, Any]) -> dict[str, Any]:
    """A graph's output with numbered citations, and the answer with their marks as `marked_answer`.

    Each citation gets its `number`, from 1, and `mark_at`, the offset in the answer where its mark stands; both
    `mark_at` and `marked_answer` are None where there is no answer. A summary has `flags` too: what is said of single
    sentences, with the offsets where it stands.
    """
    answer: str | None = found["answer"]
    places: Sequence[int | None] = (
        mark_offsets(answer, found["citations"]) if answer else [None] * len(found["citations"])
    )
    numbered = [
        {"number": number, **citation, "mark_at": place}
        for number, (citation, place) in enumerate(zip(found["citations"], places, strict=True), 1)
    ]
    flags = sentence_flags(found) if "sentences" in found else []
    more = {"flags": flags} if "sentences" in found else {}
    marked_answer = marked(answer, places, flags) if answer else None
    return {**found, "citations": numbered, "marked_answer": marked_answer, **more}


def mark_offsets(answer: str, citations: Sequence[Citation]) -> list[int]:
    """Where the mark of each citation stands: after the sentence of the answer whose words its quote holds most of.

    At the end of the answer where the quote holds less than half of the words of each sentence. A citation that says
    itself where its mark stands has it there.
    """
    sentences = [(end, {*content_words(answer[start:end])}) for start, end in sentence_spans(answer)]

    def end_of_supported(citation: Citation) -> int:
        quoted = {*content_words(citation["quote"])}
        shares = [(len(words & quoted) / len(words), end) for end, words in sentences if words]
        share, end = max(shares, default=(0, 0))
        return end if share >= LEAST_SHARE else len(answer)

    return [citation["mark_at"] if "mark_at" in citation else end_of_supported(citation) for citation in citations]


def marked(answer: str, places: Sequence[int | None], flags: Sequence[SentenceFlag] = ()) -> str:
    """The answer with the mark [1] at the first of these offsets, [2] at the second, and so on.

    `flags`: what else stands in brackets, after the marks.
    """
    text, before = "", 0
    for place in sorted({place for place in (*places, *(flag["at"] for flag in flags)) if place is not None}):
        marks = "".join(f"[{number}]" for number, at in enumerate(places, 1) if at == place)
        marks += "".join(f"[{flag['said']}]" for flag in flags if flag["at"] == place)
        text += f"{answer[before:place]} {marks}"
        before = place
    return text + answer[before:]
