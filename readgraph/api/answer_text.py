"""An answer in words, with what is said before it where no model wrote it, or where there is none."""

from collections.abc import Mapping
from typing import Any

from readgraph.nodes.persons import REFUSED
from readgraph.sources.places import place_in_words
from readgraph.state.tables import format_unread_parts

NEAREST, NEAREST_ONE, SAYS = "Nearest sentences:", "Nearest sentence:", "The text says:"
EXTRACTED = "Extracted, the text's own sentences: "
BY_PATTERN = "Filled by patterns, without a model: names and amounts as they are written, dates as YYYY-MM-DD."
GUESSED = "A guess by shared words, no better than chance"
NOTHING_NEAR = "No sentence that was looked at is near your question."


def place_or_part(place: str | None, page: int) -> str:
    """The source's own place; where it names none, the number of our page, which people see as a part."""
    return place_in_words(place) if place else f"part {page}"


def stands_for_answer(output: Mapping[str, Any]) -> bool:
    """Whether the nearest sentence stands in the place of an answer: no option, and no table."""
    quote = output["citations"][0]["quote"] if output["status"] == "nearest" and output["citations"] else ""
    return bool(quote) and " ".join((output["answer"] or "").split()).startswith(" ".join(quote.split()))


def quote_in_words(citation: Mapping[str, Any]) -> str:
    """A quote in one line, with the sentences around it if they were asked for, and what its words for a time mean."""
    parts = [citation.get("before", ""), f"“{citation['quote'].strip()}”", citation.get("after", "")]
    meant = "; ".join(f"“{words}” = {meaning}" for words, meaning in citation.get("dates", {}).items())
    parts += [f"({meant})" if meant else "", SEEN.get(citation.get("seen", ""), "")]
    return " ".join(" ".join(parts).split())


SEEN = {
    "with the text": "(the model saw the page, too)",
    "in the picture": "(as the model read the picture of the page; its text does not say so: not checked)",
}
"""What is said of a quote from a page that was shown as a picture."""


def plain_answer(output: Mapping[str, Any]) -> str:
    """The answer of a graph's output with its marks; of sentences that are only nearest, what stands above them."""
    answer = output["marked_answer"] or None
    if output.get("table") and answer and not output["choice"]:
        lead = answer_lead(output)
        return f"{lead}\n{answer}" if lead else answer
    if output["choice"]:
        answer = f"{output['choice']}. {answer}"
    if output["status"] == "budget":
        guessed = output["choice"] and output["by_rule"]
        lead = f"The budget ran out first. {GUESSED if guessed else 'Nearest in what was read'}: "
        return lead + answer if answer else "The budget ran out before anything was found."
    if output["status"] == "researched":
        return str(output["context"])
    if output["status"] == "nearest":
        return _nearest(output)
    if output["status"] == "extracted" and answer:
        return f"{EXTRACTED}{answer}"
    nothing = "The text doesn't say." if output["steps"][-1]["model"] else NOTHING_NEAR
    if output["by_rule"] and output["steps"][-1]["model"]:
        nothing = "The model gave no answer that could be used."
    if output["steps"][-1]["summary"] == REFUSED:
        return "A person refused the answer, and gave no other."
    if unread := output.get("unread"):
        read = output["pages_read"]
        nothing = "Nothing was found in what was read" if read else nothing.removesuffix(".")
        nothing += f": {format_unread_parts(len(read), len(unread))}."
    return answer or nothing


def answer_lead(output: Mapping[str, Any]) -> str:
    """What stands above an answer from a table that isn't the model's own, or isn't of the whole text; else ""."""
    if output["status"] == "budget":
        of_all = "In what was read until then:" if output.get("unread") else "The table:"
        return f"The budget ran out first. {BY_PATTERN if output.get('by_pattern') else of_all}"
    if output["status"] != "nearest":
        return ""
    return BY_PATTERN if output.get("by_pattern") else "The model wrote no answer that could be used. The table:"


def _nearest(output: Mapping[str, Any]) -> str:
    if output["choice"]:
        return f"{GUESSED}: {output['choice']}. {output['marked_answer']}"
    one = len(output["citations"]) <= 1
    if not output["citations"]:
        return f"{NEAREST_ONE} {output['answer']}"
    return SAYS if output["says"] else NEAREST_ONE if one else NEAREST
