"""Answers without a model: the sentences nearest to the question, quoted, or the words of one that it asks for."""

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from datetime import date
from itertools import pairwise
from operator import itemgetter
from typing import Literal, NamedTuple

from readgraph.library.search.okapi import rank
from readgraph.library.search.terms import content_words
from readgraph.nodes.contracts import AnswerDraft, AskedQuestion, AskedState, ReaderRuntime
from readgraph.nodes.extractive import dates
from readgraph.nodes.extractive.passages import (
    MOST_PASSAGES,
    PageSentence,
    Passage,
    is_said_by_others,
    nearest_sentences,
    passages_of,
    speakers_of,
)
from readgraph.nodes.prompts import PARAGRAPH_WORDS, answer_length
from readgraph.state.languages import DEFAULT, language_of
from readgraph.state.reading import Quote
from readgraph.state.records import Document
from readgraph.state.words import count_words

AnswerKind = Literal["time", "duration", "number", "person", "place", "yes or no"]  # what an answer must have

_BEGIN = r"^\W*+(?:\w++\W++)?"
_CUES: dict[AnswerKind, str] = {
    "duration": r"\b(?:how long|wie lange|combien de temps|cuánto tiempo|quanto tempo|hoe lang)\b",
    "time": r"^(?:\W*+\w++\W++){0,3}?(?:when|wann|quand|cuándo|quando|wanneer|когда)\b"
    r"|\b(?:what|which|welche[ms]?|quelle|qué|welk) "
    r"(?:year|date|day|month|time|jahr|tag|monat|année|date|año|fecha|jaar)\b",
    "number": r"\b(?:how (?:many|much|old|far|tall|often)|wie viele?|combien|cuánt[ao]s?|quant[aoie]s?|hoeveel"
    r"|сколько)\b",
    "person": rf"\b(?:who|whom|whose)\b|{_BEGIN}(?:we[rmn]|qui|quién(?:es)?|quem|chi)\b",
    "place": r"\bwhere\b|\b(?:what|which) (?:city|country|town|place|state)\b"
    rf"|{_BEGIN}(?:wo(?:hin|her)?|où|a?dónde|a?onde|dove|waar)\b",
    "yes or no": r"^\W*(?:is|are|was|were|do|does|did|has|have|had|can|could|would|will|should)\b",
}
"""Names are recognised by their capitals."""

_IN_GERMAN = re.compile(rf"{_BEGIN}(?:we[rmn]|wo(?:hin|her)?)\b", re.IGNORECASE)
"""Who and where in German, whose nouns all have capitals: a name of a person has two, of a place a preposition."""


def kind_of(question: str) -> AnswerKind | None:
    """What the answer must have; None where the question has no cue."""
    return next((kind for kind, cue in _CUES.items() if re.search(cue, question, re.IGNORECASE)), None)


def query_of(state: AskedState) -> str:
    """The query for a search of pages: the question and its options."""
    return " ".join([question_alone(state), *state["choices"].values()])


def question_alone(state: AskedQuestion) -> str:
    """The question without those before it; one without content words ("And why?") comes with the one before."""
    asked = [turn["question"] for turn in state.get("question_turns") or []] or [state["question_text"]]
    return asked[-1] if content_words(asked[-1]) else " ".join(asked[-2:])


MOST_WORDS = 8  # words of an answer where nothing says what it must be

_COUNT = rf"\d[\d,.]{{0,15}}|{'|'.join(dates.NUMBERS)}"
_SPAN = "(?:second|minute|hour|day|week|month|year|decade)s?"
_DURATION = re.compile(
    rf"\b(?:since (?:\w+ )?\d{{4}}|(?:{_COUNT}|an?|a few|several|a couple of)(?: more)? {_SPAN}"
    rf"(?:,? and (?:{_COUNT}|an?) {_SPAN})?(?: ago)?)\b",
    re.IGNORECASE,
)
_NUMERAL = rf"(?:{'|'.join(dates.NUMBERS)}|(?:twen|thir|for|fif|six|seven|eigh|nine)ty|hundred|thousand|million)"
_DIGITS = r"(?:\d{1,3}(?:[ \u00a0\u202f]\d{3})+(?!\d)|\d(?:[\d,.]*\d)?)"
_NUMBER = re.compile(
    rf"(?<![\w.])[$€£]?{_DIGITS}%?|\b(?:{_NUMERAL}(?:[ -](?:and )?{_NUMERAL}){{0,5}}|once|twice)\b", re.IGNORECASE
)
_CAPITAL = r"[^\W\d_a-zß-öø-ÿ]"
_NAME = re.compile(rf"(?<=[\w,;:'\"“(] ){_CAPITAL}[\w'’.-]*(?:(?: (?:of|de|van|von|the|and|&))? {_CAPITAL}[\w'’.-]*)*")
_GERMAN_PLACE = re.compile(
    r"\b(?:in|im|auf|am|an|bei|beim|nach|aus|zum|zur|hinter|neben|unter)(?: (?:de[rmn]|einem|einer))? (\w+)"
)
_TITLES = frozenset("mr mrs ms miss dr professor herr frau monsieur madame".split())
_NO_NAMES = _TITLES | {*dates.WEEKDAYS, *map(str.casefold, dates.MONTHS), *"i i'm i'll i've i'd".split()}
COUNTING = re.compile(
    r"\b(?:how many|wie viele|combien d(?:e\b|['’])|cuánt[ao]s|quant[aei]\b|hoeveel|сколько)", re.IGNORECASE
)
_PRICED = re.compile(r"\b(?:costs?|price|pay|paid|fee|spen[dt]|charged?|earn)\b", re.IGNORECASE)
_CURRENCY = re.compile(
    r" ?(?:euros?|dollars?|pounds?|francs?|crowns?|marks?|cents?|pence|shillings?|guilders?|kron(?:a|or|er)|zloty"
    r"|rou?bles?|pesos?|lira|lire|yen|rupees|EUR|USD|€|\$|£)(?!\w)"
)
_ROW = re.compile(r"[|;] ")  # between the cells of a table's row, whose heads say what is counted
NAMED_WITHIN = 2  # words after "how many", among which stands what is counted
AFTER_COUNT = 3  # words after a number among which what is counted stands
_DENIAL = re.compile(r"\b(?:not|no|never|nothing|none|nobody)\b|n['’]t\b", re.IGNORECASE)
_RUN, _AROUND = re.compile(r"\S+"), ' ,.;:!?"“”()[]-–—'
_CLOSING, _QUESTION_MARKS = "\"'”’»)", ("?", "？", "؟")


def extract_phrase(
    kind: AnswerKind, sentence: str, question: str, said_on: date | None, *, by_date: bool = False
) -> str | None:
    """What a sentence has of this kind that the question hasn't, or None; a time by the day on which it was said."""
    if kind == "yes or no":
        return "No" if _DENIAL.search(sentence) and not _DENIAL.search(question) else "Yes"
    asked = {*content_words(question)}
    if kind == "time":
        meant = dates.resolve_time_words(sentence, said_on, by_date=by_date) if said_on else None
        return meant or _first_new(dates.find_dates_as_written(sentence), asked)
    if kind == "number":
        in_dates = {*_NUMBER.findall(" ".join(dates.find_dates_as_written(sentence)))}
        return _first_new(sorted(_numbers_asked_for(sentence, question), key=in_dates.__contains__), asked)
    if kind == "duration":
        return _first_new((found.group() for found in _DURATION.finditer(sentence)), asked)
    names = [_whole_name(found) for found in _NAME.finditer(sentence)]
    if _IN_GERMAN.match(question):
        placed = {found[1] for found in _GERMAN_PLACE.finditer(sentence)}
        names = [
            name for name in names if (name.split()[0].strip(_AROUND) in placed if kind == "place" else " " in name)
        ]
    return _first_new(names, asked)


def _numbers_asked_for(sentence: str, question: str) -> Iterator[str]:
    """The numbers of a sentence: of what is counted where that is asked, and with their currency of what is paid."""
    counted, priced = COUNTING.search(question), _PRICED.search(question)
    what = {*content_words(" ".join(question[counted.end() :].split()[:NAMED_WITHIN]))} if counted else set[str]()
    sentence = _with_named_cells_first(sentence, {*content_words(question)})
    for found in _NUMBER.finditer(sentence):
        behind = sentence[found.end() :]
        if priced and not counted:
            if currency := _CURRENCY.match(behind):
                yield found.group() + currency.group()
            elif found.group()[0] in "$€£":
                yield found.group()
        elif not what or _ROW.search(sentence) or what & {*content_words(" ".join(behind.split()[:AFTER_COUNT]))}:
            yield found.group()


def _with_named_cells_first(sentence: str, asked: Collection[str]) -> str:
    """A table's row with those cells first whose columns' names have most of the question's words."""
    cells = sentence.split(" | ")
    heads = [
        {*content_words(head)} if parted else set() for head, parted, _ in (cell.partition(": ") for cell in cells)
    ]
    order = sorted(range(len(cells)), key=lambda at: -len(heads[at].intersection(asked)))
    return " | ".join(cells[at] for at in order)


def _whole_name(found: re.Match[str]) -> str:
    """A name with its title, or all of one that begins a row; "" where only a day, a month or "I" is written large."""
    text, before = found.group(), found.string[: found.start()].strip()
    if before.isalpha() and before[0].isupper() and (before.casefold() in _TITLES or _ROW.search(found.string)):
        text = f"{before} {text}"
    return text if any(word.strip(_AROUND).casefold() not in _NO_NAMES for word in text.split()) else ""


def richest_words(sentence: str, question: str) -> str:
    """The at most eight words in a row that say most that the question doesn't, the last ones of several."""
    asked, words = {*content_words(question)}, [*_RUN.finditer(sentence)]
    news = [not {*content_words(word.group())} <= asked for word in words]
    starts = range(max(1, len(words) - MOST_WORDS + 1))
    start = max(starts, key=lambda start: (sum(news[start : start + MOST_WORDS]), start))
    window = slice(start, start + MOST_WORDS)
    told = [word for word, is_new in zip(words[window], news[window], strict=True) if is_new]
    return (sentence[told[0].start() : told[-1].end()] if told else sentence).strip(_AROUND)


def _first_new(found: Iterable[str], asked: Collection[str]) -> str | None:
    new = (text for text in found if (words := {*content_words(text)}) and words.isdisjoint(asked))
    return next((text.strip(_AROUND) for text in new), None)


MOST_QUOTES, MOST_TURNS, MOST_RANKED = 3, 5, 20
"""Sentences that are quoted, or turns of a talk, of those ranked first."""

MOST_LOOKED_AT = 4  # of those ranked first; one that has what is asked for gives the answer
SPACES = 2  # most characters between two sentences that follow each other
FREE_WORDS = 200  # words of an answer that may be as long as it likes
PASSAGE_WORDS = 10  # one more passage is ranked for each ten words of a long answer


async def quote_pages(
    texts: Mapping[int, str], document: Document, state: AskedState, runtime: ReaderRuntime
) -> AnswerDraft:
    """Quote the sentences of these pages that are nearest to the question, at the length that the settings want."""
    return await quote_passages(passages_of(texts), document, state, runtime)


async def quote_passages(
    passages: Sequence[Passage], document: Document, state: AskedState, runtime: ReaderRuntime
) -> AnswerDraft:
    """As `quote_pages`, of these passages."""
    question, context = question_alone(state), runtime.context
    places = await dates.dated_places({each.page for each in passages}, document, state["memory"], runtime)
    if places:
        passages = [each._replace(place=dates.place_at(places, each.page, each.start)) for each in passages]
    length = None if state["choices"] else answer_length(context, question)
    if length in ("paragraph", "free"):
        usual = PARAGRAPH_WORDS if length == "paragraph" else FREE_WORDS
        return quote_at_length(passages, question, context.answer_words or usual)
    if length != "phrase":
        return quoted_answer(passages, state, places)
    return phrase_answer(passages, question, places)


def quoted_answer(
    passages: Sequence[Passage], state: AskedState, places: dates.DatedPlaces | None = None
) -> AnswerDraft:
    """The sentences that share most with the question, of a talk the nearest turns.

    Before them stands what is asked for, where one of the nearest has it (see `find_phrase`). With options, the answer
    is a guess: the best-supported one.
    """
    question, choice = question_alone(state), None
    query = question
    if state["choices"]:
        choice = _best_supported(question, state["choices"], [passage.said for passage in passages])
        query = f"{question} {state['choices'][choice]}" if choice else question
    ranked, found = nearest_sentences(query, passages), None
    if ranked and not state["choices"]:
        found = find_phrase(question, ranked, passages, places or {}, by_date=True)
    if found and is_said_by_others(question, passages):
        found = None
    if found:
        ranked = [found.sentence, *(sentence for sentence in ranked if sentence is not found.sentence)]
        if not _shares_enough(question, found):
            found = None
    shown = _nearest_turns(ranked) if len(speakers_of(passages)) > 1 else _each_adding(query, ranked[:MOST_RANKED])
    quotes = _quotes(shown)
    if choice:
        return _draft_from_quotes(state["choices"][choice], quotes, choice)
    return _draft_from_quotes(found.words if found else quotes[0]["quote"] if quotes else None, quotes)


class FoundPhrase(NamedTuple):
    """The words of a sentence that are asked for; `dated`: whether it is known when it was said."""

    words: str
    sentence: PageSentence
    dated: bool


def find_phrase(
    question: str,
    ranked: Sequence[PageSentence],
    passages: Sequence[Passage],
    places: dates.DatedPlaces,
    *,
    by_date: bool = False,
) -> FoundPhrase | None:
    """What one of the nearest sentences has of the kind that is asked for; a time by the day on which it was said.

    None where nothing has it. Questions have no answer, and whether something is so can't be told by shared words.
    """
    kind = kind_of(question)
    if kind in (None, "yes or no"):
        return None
    asked = f"{question} {' '.join(speakers_of(passages))}"  # who is called by name in a talk is seldom who is meant
    for sentence in ranked[:MOST_LOOKED_AT]:
        said_on = dates.day_at(places, sentence.page, sentence.start)
        if not sentence.said.rstrip(_CLOSING).endswith(_QUESTION_MARKS) and (
            words := extract_phrase(kind, sentence.said, asked, said_on, by_date=by_date)
        ):
            return FoundPhrase(words, sentence, said_on is not None)
    return None


def _shares_enough(question: str, found: FoundPhrase) -> bool:
    """Whether a sentence has so many of the question's words that what was found in it is likely what is asked.

    A name or a number stands in most sentences: half of the words. So does a date, and it is often that of another
    thing: more than half; of a talk whose turns say themselves when they were said, one word beside the speaker's name.
    """
    asked, is_time = {*content_words(question)}, kind_of(question) == "time"
    if is_time and found.dated and asked & {*content_words(found.sentence.said)}:
        return True
    return 2 * len(asked & {*content_words(found.sentence.text)}) >= len(asked) + is_time


def phrase_answer(passages: Sequence[Passage], question: str, places: dates.DatedPlaces) -> AnswerDraft:
    """The words of the nearest sentences that are asked for, else the most telling, with the sentence that has them."""
    ranked, kind = nearest_sentences(question, passages, fewest_words=1), kind_of(question)
    if not ranked or is_said_by_others(question, passages):
        return _draft_from_quotes(None, [])
    found = find_phrase(question, ranked, passages, places)
    best = found.sentence if found else ranked[0]
    if found:
        answer = found.words
    elif kind == "time" and (said_on := dates.day_at(places, best.page, best.start)):
        answer = dates.day_name(said_on)
    elif kind == "yes or no":
        answer = extract_phrase(kind, best.said, question, None) or best.said
    else:
        spoken = language_of(" ".join(sentence.said for sentence in ranked[:MOST_RANKED]))
        answer = richest_words(best.said, question) if spoken == DEFAULT else best.said
    others = [sentence for sentence in ranked[:MOST_RANKED] if sentence is not best]
    return _draft_from_quotes(answer, _quotes(_each_adding(question, [best, *others])))


def quote_at_length(passages: Sequence[Passage], question: str, words: int) -> AnswerDraft:
    """The nearest sentences, of about this many words together, in the order of the text."""
    kept, left = list[PageSentence](), words
    for sentence in nearest_sentences(question, passages, MOST_PASSAGES + words // PASSAGE_WORDS):
        length = count_words(sentence.text)
        if length < 2 * left:
            kept.append(sentence)
            left -= length
    quotes = _quotes(sorted(kept, key=lambda sentence: (sentence.page, sentence.start)))
    return _draft_from_quotes(" ".join(quote["quote"] for quote in quotes) or None, quotes)


def _draft_from_quotes(answer: str | None, quotes: list[Quote], choice: str | None = None) -> AnswerDraft:
    did = "quoted what is nearest to the question" if quotes else "found nothing near the question"
    return AnswerDraft(answer, choice, quotes, summary=did, nearest=True)


def _quotes(sentences: Sequence[PageSentence]) -> list[Quote]:
    """Quotes of these sentences; those that follow each other in a passage are one."""
    first = {each: number for number, each in enumerate(sentences)}
    runs = list[list[PageSentence]]()
    for each in sorted(sentences):
        last = runs[-1][-1] if runs else None
        if last and (last.page, last.within) == (each.page, each.within) and 0 <= each.start - last.end <= SPACES:
            runs[-1].append(each)
        else:
            runs.append([each])
    quotes = list[Quote]()
    for run in sorted(runs, key=lambda run: min(map(first.__getitem__, run))):
        gaps = ["", *(" " * (other.start > one.end) for one, other in pairwise(run))]  # in Chinese there are none
        text = "".join(gap + each.text for gap, each in zip(gaps, run, strict=True))
        quotes.append(Quote(page=run[0].page, quote=text))
    return quotes


def _nearest_turns(ranked: Sequence[PageSentence]) -> list[PageSentence]:
    """The sentences of the nearest turns."""
    turns = [*dict.fromkeys((sentence.page, sentence.within) for sentence in ranked)][:MOST_TURNS]
    return [sentence for sentence in ranked[:MOST_RANKED] if (sentence.page, sentence.within) in turns]


def _each_adding(query: str, ranked: Sequence[PageSentence]) -> list[PageSentence]:
    """The best of these sentences, and those after it with words of the query that the ones before them lack."""
    missing, kept = {*content_words(query)}, list[PageSentence]()
    for sentence in ranked:
        if not kept or {*content_words(sentence.said)} & missing:
            kept.append(sentence)
            missing -= {*content_words(sentence.text)}
    return kept[:MOST_QUOTES]


def _best_supported(question: str, choices: dict[str, str], texts: list[str]) -> str | None:
    """The letter of the option whose words, together with the question's, match the best passages; None without any."""
    only_in = {letter: {*content_words(option)} - {*content_words(question)} for letter, option in choices.items()}

    def support(letter: str) -> tuple[bool, float]:
        ranked = rank(f"{question} {choices[letter]}", texts)[:MOST_QUOTES]
        scores = [score for number, score in ranked if only_in[letter] & {*content_words(texts[number])}]
        return bool(scores), sum(scores)  # a score may be negative, where a text is alone

    (shares_words, _), best = max(((support(letter), letter) for letter in choices), key=itemgetter(0))
    return best if shares_words else None
