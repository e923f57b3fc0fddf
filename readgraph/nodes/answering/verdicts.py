"""What a model says of sentences that it sees with the texts they rest on; shared by summaries and long answers."""

from collections.abc import Collection, Mapping, Sequence
from typing import Any, NamedTuple

from pydantic import Field

from readgraph.models.asking import ask_reply
from readgraph.models.metering import count_fallback
from readgraph.models.prompt import DATA_RULE, Prompt, Wording, declare_wording, fenced
from readgraph.models.rehearsed import RehearsedReply
from readgraph.models.reply import LenientReply
from readgraph.nodes.answering.in_view import Quotes, quotes_from
from readgraph.nodes.contracts import ReaderRuntime
from readgraph.nodes.memory import format_pages
from readgraph.state.errors import NoUsableReply
from readgraph.state.reading import Quote, Sentence
from readgraph.state.words import count_words, format_count

CHECK_SUMMARY = declare_wording(
    "check_summary",
    "You check a summary of a long text against the pages that it names. You trust nothing but what these pages say. "
    + DATA_RULE,
    "Say of each numbered sentence whether the pages above support all that it says: a wrong name, number or order of "
    "events, or anything that they don't say, makes it not supported. Quote the words that show it.",
)


class SentenceVerdict(LenientReply):
    """Whether a sentence is supported."""

    sentence: int = Field(description="The number of the sentence.")
    quotes: Quotes = Field(description="One or two quotes that show it; empty if nothing does.")
    supported: bool = Field(description="true if the pages say all of it, else false.")


class SentenceVerdicts(LenientReply):
    """What is to be said of each sentence."""

    verdicts: list[SentenceVerdict] = Field(description="One for each sentence.")

    @classmethod
    def rehearse(cls, reply: RehearsedReply) -> dict[str, Any]:
        """One for each."""
        said = {"quotes": reply.quotes(1, of_pages=True), "supported": True}
        return {"verdicts": [{"sentence": number, **said} for number in reply.numbered("sentences")]}


def check_sentences_prompt(words: Wording, texts: str, sentences: Sequence[str], question: str | None = None) -> Prompt:
    """Ask of each sentence (of an answer, with its `question`) what these texts say; they are numbered from 1."""
    numbered = "\n".join(f"{number}. {sentence}" for number, sentence in enumerate(sentences, 1))
    asked = "" if question is None else fenced("question", question)
    return words.ask(fenced("memory", texts), asked, fenced("sentences", numbered))


MOST_SENTENCES = 5
TAG_WORDS = 2


class SupportVerdict(NamedTuple):
    """Whether a sentence is supported, and quotes that show it, not yet looked up."""

    supported: bool
    quotes: list[Quote]


class SentenceToCheck(NamedTuple):
    """A sentence to check, and the numbers of the texts that it rests on."""

    text: str
    pages: Collection[int]


def make_sentence(text: str, pages: Sequence[int], quotes: Sequence[Quote] = ()) -> Sentence:
    """A sentence of a summary or an answer; one with a quote is the text's own, others are not checked yet."""
    return {
        "text": text,
        "pages": [*pages],
        "places": [None for _ in pages],
        "quotes": [*quotes],
        "supported": True if quotes else None,
        "extracted": bool(quotes),
        "paragraph": 0,
    }


def describe_verdicts(sentences: Sequence[Sentence]) -> tuple[int, int, str]:
    """How many of these sentences the text doesn't support, how many are unchecked, and a line on all of them."""
    unsupported = sum(sentence["supported"] is False for sentence in sentences)
    unchecked = sum(sentence["supported"] is None for sentence in sentences)
    did = f"{len(sentences) - unsupported - unchecked} of {format_count(len(sentences), 'sentence')} supported"
    return unsupported, unchecked, did + (f", {unchecked} not checked" if unchecked else "")


Batch = dict[int, SentenceToCheck]  # sentences by their numbers


def in_batches(sentences: Batch, texts: Mapping[int, str], room: int) -> list[Batch]:
    """The sentences in order, a few at a time whose texts fit the room together."""
    sizes = {page: count_words(text) + TAG_WORDS for page, text in texts.items()}
    batches, shown, words = list[Batch](), set[int](), 0
    for number, sentence in sentences.items():
        pages, own = {*sentence.pages}, count_words(sentence.text) + 1
        more = own + sum(sizes.get(page, 0) for page in pages - shown)
        if not batches or len(batches[-1]) >= MOST_SENTENCES or words + more > room:
            batches.append({})
            shown, words = set(), 0
            more = own + sum(sizes.get(page, 0) for page in pages)
        batches[-1][number] = sentence
        shown |= pages
        words += more
    return batches


async def verdicts_on(
    batch: Batch, texts: Mapping[int, str], words: Wording, runtime: ReaderRuntime, question: str | None = None
) -> dict[int, SupportVerdict]:
    """What one call says of these sentences, by their numbers; nothing without a usable reply, which is counted."""
    pages = sorted({page for sentence in batch.values() for page in sentence.pages} & texts.keys())

    def complaint(reply: SentenceVerdicts) -> str | None:
        missing = {*range(1, len(batch) + 1)} - {verdict.sentence for verdict in reply.verdicts}
        return f"there is no verdict on sentence {min(missing)}" if missing else None

    shown = format_pages({page: texts[page] for page in pages})
    prompt = check_sentences_prompt(words, shown, [check.text for check in batch.values()], question)
    try:
        reply = await ask_reply(runtime, prompt, SentenceVerdicts, complaint)
    except NoUsableReply:
        count_fallback("check")
        return {}
    support_verdicts = dict[int, SupportVerdict]()
    for place, number in enumerate(batch, 1):
        sentence_verdicts = [verdict for verdict in reply.verdicts if verdict.sentence == place]
        quotes = quotes_from(quoted for sentence_verdict in sentence_verdicts for quoted in sentence_verdict.quotes)
        support_verdicts[number] = SupportVerdict(
            all(sentence_verdict.supported for sentence_verdict in sentence_verdicts), quotes
        )
    return support_verdicts
