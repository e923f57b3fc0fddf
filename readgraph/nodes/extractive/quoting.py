"""Answers without a model: the sentences nearest to the question, quoted; no rule says which words answer it."""

from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence, Set
from itertools import accumulate, pairwise
from operator import itemgetter

from readgraph.language.asked import (
    asks,
    asks_without_mark,
    holds,
    is_of_kinds,
    read_question,
    remove_asking,
    widen_decided,
)
from readgraph.language.compare import compare_sentences
from readgraph.language.dates import date_in
from readgraph.language.detection import main_language
from readgraph.language.passages import PageSentence, Passage, passages_of, sentences_of
from readgraph.language.sentences import sentence_spans
from readgraph.language.talk import adds_nothing, find_named, find_speakers, is_filler, is_notice, remove_politeness
from readgraph.language.terms import content_words
from readgraph.library.page_store import page_store
from readgraph.library.search.okapi import rank
from readgraph.nodes.contracts import AnswerDraft, AskedState, ReaderRuntime
from readgraph.nodes.extractive.nearest import LINE_ENDS, MOST_PASSAGES, nearest_sentences
from readgraph.nodes.meaning import passage_cosines
from readgraph.nodes.prompts import PARAGRAPH_WORDS, answer_length, question_alone
from readgraph.state.reading import Quote
from readgraph.state.records import Document
from readgraph.state.words import count_words


def query_of(state: AskedState) -> str:
    """The query for a search of pages: the question and its options."""
    return " ".join([widen_decided(question_alone(state)), *state["choices"].values()])


MOST_QUOTES, MOST_TURNS, MOST_RANKED = 3, 5, 20
"""Sentences that are quoted, or turns of a talk, of those ranked first."""

HALF = 0.5
SPACES = 2  # most characters between two sentences that follow each other
FREE_WORDS = 200  # words of an answer that may be as long as it likes
MOST_BETWEEN, REPLY_WORDS = 8, 80  # passages from a question to its reply, and words of them and the reply
SHORT_TURN = 40  # words of a turn that is quoted whole: what it takes back is its own last sentence
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
    places = await dated_places({passage.page for passage in passages}, document, state["memory"], runtime)
    if places:
        passages = [passage._replace(place=place_at(places, passage.page, passage.start)) for passage in passages]
    spans = [(passage.page, passage.start, passage.end) for passage in passages]
    cosines = await passage_cosines(spans, document, state["memory"], question, runtime)
    length = None if state["choices"] else answer_length(context, question)
    if length in ("paragraph", "free"):
        usual = PARAGRAPH_WORDS if length == "paragraph" else FREE_WORDS
        return quote_at_length(passages, question, context.answer_words or usual, cosines)
    return quoted_answer(passages, state, await _documents_of(passages, document, state["memory"], runtime), cosines)


async def _documents_of(
    passages: Sequence[Passage], document: Document, memory: str, runtime: ReaderRuntime
) -> dict[int, str]:
    """The document in which each page begins, of documents that are read as one."""
    if not document.parts:
        return {}
    pages = await page_store(runtime).pages(memory, sorted({passage.page for passage in passages}))
    return {page.number: document.part_at(page.start).document for page in pages}


def quoted_answer(
    passages: Sequence[Passage],
    state: AskedState,
    documents: Mapping[int, str] | None = None,
    cosines: Sequence[float] = (),
) -> AnswerDraft:
    """The sentences that share most with the question, the best first; of a talk the nearest turns.

    With options, the answer is a guess: the best-supported one. `documents`: of each page, where they are several.
    """
    question, choice = question_alone(state), None
    query = widen_decided(question)
    if state["choices"]:
        choice = _best_supported(question, state["choices"], [passage.said for passage in passages])
        query = f"{question} {state['choices'][choice]}" if choice else question
    ranked = nearest_sentences(query, passages, cosines=cosines)[:MOST_RANKED]
    near = _as_near(query, ranked, documents or {})
    speakers = find_speakers(passage.speaker for passage in passages)
    if len(speakers) > 1:
        shown = _nearest_turns(_telling(query, near, passages, speakers, by_words=not cosines), passages)
    else:
        shown = _each_adding(query, _of_one_kind(query, near), documents or {})
    quotes = _quotes(shown, passages, question)
    if choice:
        return _draft_from_quotes(state["choices"][choice], quotes, choice)
    return _draft_from_quotes(quotes[0]["quote"] if quotes else None, quotes)


def quote_at_length(
    passages: Sequence[Passage], question: str, words: int, cosines: Sequence[float] = ()
) -> AnswerDraft:
    """The nearest sentences, of about this many words together, the best first."""
    page_sentences, left, most = list[PageSentence](), words, MOST_PASSAGES + words // PASSAGE_WORDS
    for sentence in nearest_sentences(question, passages, most, cosines=cosines):
        length = count_words(sentence.text)
        if length < 2 * left:
            page_sentences.append(sentence)
            left -= length
    quotes = _quotes(page_sentences, passages, question)
    return _draft_from_quotes(" ".join(quote["quote"] for quote in quotes) or None, quotes)


def _draft_from_quotes(answer: str | None, quotes: list[Quote], choice: str | None = None) -> AnswerDraft:
    did = "quoted what is nearest to the question" if quotes else "found nothing near the question"
    return AnswerDraft(answer, choice, quotes, summary=did, nearest=True)


def _quotes(sentences: Sequence[PageSentence], passages: Sequence[Passage], question: str) -> list[Quote]:
    """Quotes of these sentences, of each question with its reply; those that follow each other in a passage are one."""
    first, replies = dict[PageSentence, int](), set[PageSentence]()
    language = main_language([passage.said for passage in passages])
    numbers = {(passage.page, passage.start): number for number, passage in enumerate(passages)}
    for order, sentence in enumerate(sentences):
        first.setdefault(sentence, order)
        for reply in _find_reply(sentence, passages[numbers[sentence.page, sentence.within] :], question, language):
            first.setdefault(reply, order)
            replies.add(reply)
    runs = list[list[PageSentence]]()
    for sentence in sorted(first):
        last = runs[-1][-1] if runs else None
        beside = last and last.within == sentence.within and 0 <= sentence.start - last.end <= SPACES
        if last and last.page == sentence.page and (beside or sentence in replies):
            runs[-1].append(sentence)
        else:
            runs.append([sentence])
    in_order = sorted(runs, key=lambda run: min(map(first.__getitem__, run)))
    return [_quote_of(run, {place: passages[number].text for place, number in numbers.items()}) for run in in_order]


def _quote_of(run: Sequence[PageSentence], texts: Mapping[tuple[int, int], str]) -> Quote:
    """A quote of sentences that follow each other; `texts`: of the passages."""
    text = run[0].text
    for one, other in pairwise(run):
        within = texts[one.passage][one.end - one.within : other.start - one.within]
        text += (within if one.within == other.within else "\n" * min(other.start - one.end, SPACES)) + other.text
    return Quote(page=run[0].page, quote=text)


def _find_reply(
    page_sentence: PageSentence, following: Sequence[Passage], question: str, language: str
) -> list[PageSentence]:
    """What stands after a question up to the reply to it, and the replies' first sentences; nothing after others.

    In a talk, a turn of somebody else is the reply unless it asks something too, with those of others up to the asker's
    next one; without any, what the asker says next. In other texts it is the next sentence, or the next paragraph.
    `following`: the passages of the page from that of the question on.
    """
    asker = following[0].speaker
    taken = [
        sentence for sentence in sentences_of(following[0], language=language) if sentence.start >= page_sentence.end
    ]
    if not _asks(page_sentence.said, question if asker else "", language):
        return [] if taken else _find_follow_up(following, language)
    if taken and not asker:
        return taken[:1]
    own = len(taken)
    begin, answered = _take_replies(taken, following, language)
    sizes = [*accumulate(count_words(sentence.text) for sentence in taken)]
    if begin is None or (begin and sizes[begin - 1] > REPLY_WORDS):
        return taken[: min(own, 1)]
    most = [REPLY_WORDS if number < answered else SHORT_TURN * bool(answered) for number in range(len(taken))]
    shown = [sentence for number, sentence in enumerate(taken) if number <= begin or sizes[number] <= most[number]]
    while len(shown) > begin + (not own) and is_filler(shown[-1].said, language):
        shown.pop()
    return shown


def _take_replies(taken: list[PageSentence], following: Sequence[Passage], language: str) -> tuple[int | None, int]:
    """Add what follows a question to the rest of its turn; where the reply begins, and where one that says much ends.

    An "Um." says nothing, unless the asker went on to say it.
    """
    asker, own = following[0].speaker, len(taken)
    begin, answered = None if asker else own, 0
    for one, other in pairwise(following[:MOST_BETWEEN]):
        is_next = other.speaker == asker or not asker or _begins_asking(other, language)
        if not _follows(one, other) or (answered and is_next):
            break
        says = False
        if other.speaker != asker and (other.speaker or begin is not None):
            begin = len(taken) if begin is None else begin
            says = bool(own) or not (_asks(other.said) or is_filler(other.said, language))
        taken += sentences_of(other, language=language)
        answered = answered or (len(taken) if says else 0)
    return begin, answered


def _find_follow_up(following: Sequence[Passage], language: str) -> list[PageSentence]:
    """Somebody else's question about this turn that says little itself, such as "Why so long?", and the reply to it."""
    turn, other = (*following[:2], *following[:1])[:2]
    if not (turn.speaker and other.speaker not in ("", turn.speaker) and _follows(turn, other) and asks(other.said)):
        return []
    own = {*content_words(remove_politeness(other.said, language), language)} - {*content_words(turn.said, language)}
    is_open = read_question(other.said.strip(), language).is_open
    asking = sentences_of(other, language=language) if is_open and len(own) <= 1 else []
    reply = _find_reply(asking[-1], following[1:3], "", language) if asking else []
    return [*asking, *reply] if reply else []


def _begins_asking(passage: Passage, language: str) -> bool:
    """Whether a turn asks something before it says anything."""
    said = passage.said.strip()
    sentences = (said[start:end] for start, end in sentence_spans(said))
    return asks(next((sentence for sentence in sentences if not is_filler(sentence, language)), ""))


def _follows(one: Passage, other: Passage) -> bool:
    """Whether nothing but line ends, or the end of a page, is between two passages."""
    if one.page == other.page:
        return other.start - one.end <= LINE_ENDS
    return other.page == one.page + 1 and other.start <= LINE_ENDS


def _asks(text: str, question: str = "", language: str = "") -> bool:
    """Whether this asks something: by its mark; in a talk since it says nothing beside what the `question` says.

    There it may also have a word that asks, and no mark at all.
    """
    if asks(text) or not question:
        return asks(text)
    says_more = {*content_words(text, language)} - {*content_words(question, language)}
    return not says_more or asks_without_mark(text, language)


def _as_near(query: str, ranked: Sequence[PageSentence], documents: Mapping[int, str]) -> list[PageSentence]:
    """Those of these sentences that may stand beside the first.

    In another document, and beside one with all words of the query, their passage must share half as many words with
    the query as the best: others are there by a chance word.
    """
    if not ranked:
        return []
    language = main_language([sentence.text for sentence in ranked])
    words, shared = {*content_words(query, language)}, Counter[tuple[int, int]]()
    for sentence in ranked:
        own = len(words & {*content_words(sentence.text, language)})
        shared[sentence.passage] = max(shared[sentence.passage], own)
    most, first_document = max(shared.values()), documents.get(ranked[0].page)
    if most < len(words) and not holds(read_question(query, language), ranked[0].text, language):
        few = {passage for passage in shared if documents.get(passage[0]) != first_document}
    else:
        few = {*shared}
    few = {passage for passage in few if shared[passage] < HALF * most}
    return [sentence for sentence in ranked if sentence.passage not in few]


def _of_one_kind(query: str, ranked: Sequence[PageSentence]) -> list[PageSentence]:
    """These sentences; where the first names what is asked for, such as somebody for "who", only those that do."""
    language = main_language([sentence.text for sentence in ranked])
    asked = read_question(query, language)
    may_answer = [is_of_kinds(asked, sentence.text, language, besides="why") for sentence in ranked]
    return [sentence for sentence, may in zip(ranked, may_answer, strict=True) if may >= may_answer[0]]


def _telling(
    query: str, ranked: Sequence[PageSentence], passages: Sequence[Passage], speakers: Set[str], by_words: bool
) -> list[PageSentence]:
    """Those of these sentences of a talk that say something beside what is asked: "Take care!" doesn't.

    `by_words`: and whose turn has a word of what is asked, beside those that ask or name a speaker. Where one has, a
    question may have only words that ask, and what a speaker says whom the question names may have none.
    """
    language = main_language([passage.said for passage in passages])
    named = find_named(query, speakers, language)
    wanted = {*content_words(remove_asking(query, language), language)}
    wanted -= {*content_words(" ".join(named), language)}
    words, near = {*content_words(query, language)}, {sentence.passage for sentence in ranked}
    telling = [
        sentence
        for sentence in ranked
        if not is_filler(sentence.said, language, speakers) and not adds_nothing(sentence.said, words, wanted, language)
    ]
    if not (by_words and (wanted or read_question(query, language).kinds)):  # as in "What does Ann say?"
        return telling
    turns = {place: turn for turn in passages if (place := (turn.page, turn.start)) in near}
    asked = [word for word in remove_asking(query, language).split() if wanted & {*content_words(word, language)}]
    having = rank(" ".join(asked), [turn.known_words({turn.speaker}) for turn in turns.values()], language)
    places = {[*turns][number] for number, _ in having}
    said = {place: turn for place, turn in turns.items() if not is_notice(turn.text, 0)}
    may_have_none = {place for place, turn in said.items() if having and turn.speaker in named}
    return [
        sentence
        for sentence in telling
        if sentence.passage in places | may_have_none or (having and asks(sentence.said))
    ]


def _nearest_turns(ranked: Sequence[PageSentence], passages: Sequence[Passage]) -> list[PageSentence]:
    """The nearest turns: the whole of a short one, else all up to the last of these sentences, or the nearest one."""
    begun = {(passage.page, passage.start): passage for passage in passages}
    turns = dict[tuple[int, int], list[PageSentence]]()
    for sentence in ranked:
        turns.setdefault(sentence.passage, []).append(sentence)
    language = main_language([passage.said for passage in passages])
    shown = list[PageSentence]()
    for turn, near in [*turns.items()][:MOST_TURNS]:
        whole = sentences_of(begun[turn], language=language)
        if sum(count_words(sentence.text) for sentence in whole) > SHORT_TURN:
            whole = [sentence for sentence in whole if sentence.start <= max(near).start]
        shown += whole if sum(count_words(sentence.text) for sentence in whole) <= REPLY_WORDS else near[:1]
    return shown


def _each_adding(query: str, ranked: Sequence[PageSentence], documents: Mapping[int, str]) -> list[PageSentence]:
    """The best of these sentences, and those after it with words of the query that the ones before them lack.

    And those of another document that say otherwise: another number, date or name, or that it is not so.
    """
    missing, page_sentences = {*content_words(query)}, list[PageSentence]()
    language = main_language([sentence.said for sentence in ranked])
    for sentence in ranked:
        others = [one for one in page_sentences if documents.get(one.page) != documents.get(sentence.page)]
        adds = not page_sentences or {*content_words(sentence.said)} & missing
        if adds or any(compare_sentences(one.said, sentence.said, language).differs for one in others):
            page_sentences.append(sentence)
            missing -= {*content_words(sentence.text)}
    return page_sentences[:MOST_QUOTES]


def _best_supported(question: str, choices: dict[str, str], texts: list[str]) -> str | None:
    """The letter of the option whose words, together with the question's, match the best passages; None without any."""
    only_in = {letter: {*content_words(option)} - {*content_words(question)} for letter, option in choices.items()}

    def support(letter: str) -> tuple[bool, float]:
        ranked = rank(f"{question} {choices[letter]}", texts)[:MOST_QUOTES]
        scores = [score for number, score in ranked if only_in[letter] & {*content_words(texts[number])}]
        return bool(scores), sum(scores)  # a score may be negative, where a text is alone

    (shares_words, _), best = max(((support(letter), letter) for letter in choices), key=itemgetter(0))
    return best if shares_words else None


DatedPlaces = dict[int, list[tuple[int, str]]]
"""For each page the offsets in it at which a dated place begins, such as a session, and its name; ascending."""


async def dated_places(pages: Iterable[int], document: Document, memory: str, runtime: ReaderRuntime) -> DatedPlaces:
    """The places on these pages; empty where they have no dates."""
    if not document.places and not document.parts:
        return {}
    store = page_store(runtime)
    cut = await store.pages(memory, pages)
    places = await store.places_in(document, [(page.start, page.end) for page in cut])
    starts, dated = [start for start, _ in places], DatedPlaces()
    for page in cut:
        first, end = max(bisect_right(starts, page.start) - 1, 0), bisect_right(starts, page.end)
        dated[page.number] = [(start - page.start, name) for start, name in places[first:end]]
    return dated if any(date_in(name) for begun in dated.values() for _, name in begun) else {}


def place_at(places: DatedPlaces, page: int, offset: int) -> str:
    """The name of the dated place that holds at this offset of a page; "" where there is none."""
    begun = places.get(page, [])
    number = bisect_right(begun, offset, key=itemgetter(0)) - 1
    return begun[number][1] if number >= 0 else ""
