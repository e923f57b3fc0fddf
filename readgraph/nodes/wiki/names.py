"""What texts tell of, by rules: names, with several forms of one name joined, and things that are told of often.

A name is a word that is written large within sentences. "Lindqvist", "M. Lindqvist" and "Ms Lindqvist" are the one
person of that name whom the document names in full. Names are alike in any case, without accents, and where they are
spelled a little otherwise ("Kristian Holm", "Christian Holm").
"""

import re
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence, Set
from functools import cache
from typing import NamedTuple

from readgraph.library.search.terms import stop_words
from readgraph.nodes.extractive.passages import label_of, without_label
from readgraph.nodes.verifying.evidence import names_in, prose_sentences
from readgraph.nodes.verifying.tokens import NOUNS_LARGE, TITLES, Token, tokens_of
from readgraph.nodes.wiki import kinds
from readgraph.nodes.wiki.kinds import Mention, cues, word_at
from readgraph.sources.formats.plain_text import blank_markup
from readgraph.state.calendars import month_names
from readgraph.state.languages import language_of
from readgraph.state.wiki import Subject, SubjectKind

LEAST_SENTENCES = 2  # in which a name stands that has a page
LEAST_OFTEN, LEAST_FOLLOWED = 3, 2  # sentences with a thing that has a page, and different words that follow it
AFTER_ARTICLES = 0.8  # of the mentions of a thing without a capital
LONGEST_NAME = 6  # words

_POSSESSIVE = re.compile(r"(?:['’]s|['’])$")
_SOUNDS = (
    *(("ph", "f"), ("th", "t"), ("dt", "t"), ("tz", "z"), ("ck", "k")),
    *(("qu", "kv"), ("qv", "kv"), ("ch", "k"), ("c", "k"), ("y", "i")),
)
_TWICE = re.compile(r"(.)\1")


def fold_name(name: str) -> str:
    """A name as names are compared: small letters without accents, marks and what shows possession."""
    plain = "".join(each for each in unicodedata.normalize("NFKD", name) if not unicodedata.combining(each))
    words = (_POSSESSIVE.sub("", word) for word in plain.casefold().replace("-", " ").split())
    bare = (re.sub(r"[^\w]", "", word) for word in words)
    return " ".join(word for word in bare if word and word not in TITLES)


def _sound(key: str) -> str:
    """How a folded name of several words is said, roughly; one word alone is too little to go by."""
    for letters, as_said in _SOUNDS if " " in key else ():
        key = key.replace(letters, as_said)
    return _TWICE.sub(r"\1", key)


def sentences_of(text: str) -> list[tuple[int, int]]:
    """The spans of the sentences of a text that say something by themselves."""
    return [(each.start, each.end) for each in prose_sentences(blank_markup(text))]


def find_mentions(text: str) -> list[Mention]:
    """The names in a text, each where it stands; names joined by a word such as "of" count as one if that is usual."""
    language, known = language_of(text), names_in(text)
    sentences = [(span, _tokens_in(without_label(text[slice(*span)]), language)) for span in sentences_of(text)]
    small = {each.value for _, tokens in sentences for each in tokens if each.text[:1].islower()}
    runs = [(span, run) for span, tokens in sentences for run in _name_runs(tokens, known, small, language)]
    often, calls = Counter(fold_name(run.whole) for _, run in runs), cues("calls", language)
    runs = [(span, each) for span, run in runs for each in _split_run(run, often)]
    found = [
        kinds.name_it(run.around, name, language)._replace(start=span[0], end=span[1])
        for span, run in runs
        for name in ((run.whole,) if often[fold_name(run.whole)] > 1 else run.parts)
        if (key := fold_name(name)) and (len(key) > 1 or not key.isascii()) and key not in calls
        if len(name.split()) <= LONGEST_NAME
    ]
    labels = [(label_of(text[slice(*span)]), span) for span, _ in sentences]
    keys = {fold_name(each.name) for each in found}
    return found + [Mention(label, *span, titled=True) for label, span in labels if fold_name(label) in keys]


def _tokens_in(sentence: str, language: str) -> Sequence[Token]:
    """The tokens of a sentence, without a word that only asks: "Will Anna come?"."""
    tokens = tokens_of(sentence, language)
    asks = sentence.rstrip().endswith("?") and word_at(tokens, 0) in stop_words(language) | {*month_names(language)}
    return tokens[asks:]


class _Run(NamedTuple):
    """Names in a row, with the words that join them; `parts`: without these; `first`: they begin a sentence."""

    whole: str
    parts: tuple[str, ...]
    around: Mention
    first: bool = False


def _split_run(run: _Run, often: Mapping[str, int]) -> list[_Run]:
    """A place and the person behind it, which stand in a row ("In Saltby Anna Bell slept"), as two names.

    A word with which sentences begin is none ("Later Anna Bell slept").
    """
    first, *rest = run.whole.split()
    tail = " ".join(rest)
    if (
        run.first
        and len(rest) > 1
        and often[fold_name(tail)] > often[fold_name(run.whole)]
        and not often[fold_name(first)]
    ):
        return [_Run(tail, (tail,), run.around)]
    words = run.whole.split()
    if len(run.parts) > 1 or len(words) > 2 * LONGEST_NAME:
        return [run]
    pairs = [(" ".join(words[:at]), " ".join(words[at:])) for at in range(1, len(words) - 1)]
    known = [pair for pair in pairs if often[fold_name(pair[0])] or often[fold_name(pair[1])]]
    if often[fold_name(run.whole)] > 1 or not known:
        return [run]
    place, person = known[0]
    behind = Mention(person, personal=run.around.personal)
    return [_Run(place, (place,), run.around._replace(personal=False)), _Run(person, (person,), behind)]


def _name_runs(tokens: Sequence[Token], known: Set[str], small: Set[str], language: str) -> Iterator[_Run]:
    joins = cues("joins", language)
    at = 0
    while at < len(tokens):
        begin, parts, whole = at, [list[str]()], list[str]()
        while (
            at < len(tokens)
            and _is_name_at(tokens, at, begin, known, small, language)
            and tokens[at].clause == tokens[begin].clause
        ):
            name = _POSSESSIVE.sub("", tokens[at].text)
            parts[-1].append(name)
            whole.append(name)
            at += 1
            if name != tokens[at - 1].text:  # "Marta's Halden"
                break
            joined = at
            while joined < len(tokens) and tokens[joined].value in joins and joined - at < 2:
                joined += 1
            if at < joined < len(tokens) and _is_name(tokens[joined], known, small, language):
                whole += [each.text for each in tokens[at:joined]]
                parts.append([])
                at = joined
        if len(whole) > 1 and _is_no_part(tokens, begin, language):
            whole, parts[0] = whole[1:], parts[0][1:]
            begin += 1
        is_word_too = bool(whole) and whole[0].casefold() in cues("words", language)
        if len(whole) > 1 or is_word_too or (whole and tokens[begin].value not in small):
            if len(whole) == 1 and word_at(tokens, begin - 1) in cues("discoveries"):
                whole = [tokens[begin - 1].text, *whole]  # "comet Marwitz" is not Anna Marwitz
            is_one = whole[0].casefold() in cues("things")  # "Ministry of Culture"
            names = (" ".join(whole),) if is_one else tuple(" ".join(part) for part in parts if part)
            yield _Run(" ".join(whole), names, kinds.mention_at(tokens, begin, at, language), tokens[begin].first)
        at += not whole


def _is_no_part(tokens: Sequence[Token], begin: int, language: str) -> bool:
    """Whether the first word of a row is none of its name: "Hello Marta", "der Wärter Emil Brandt"."""
    word, following = word_at(tokens, begin), word_at(tokens, begin + 1)
    noun = language in NOUNS_LARGE and begin and tokens[begin - 1].value in cues("articles", language)
    if noun and not {word, following} & cues("things"):
        return True
    return word in cues("kin", language) or (tokens[begin].first and word in cues("calls", language))


def _is_name_at(tokens: Sequence[Token], at: int, begin: int, known: Set[str], small: Set[str], language: str) -> bool:
    """Whether a name stands there; of a word or a month that is a name too, whether it is one there."""
    word = _POSSESSIVE.sub("", tokens[at].text).casefold()
    if tokens[at].text[:1].isupper() and (word in month_names(language) or word in cues("words", language)):
        return kinds.is_person(tokens, at, begin, language)
    return _is_name(tokens[at], known, small, language)


def _is_name(token: Token, known: Set[str], small: Set[str], language: str) -> bool:
    if token.text.casefold() in month_names(language):
        return False
    if token.text.replace("’", "'").casefold().partition("'")[0] in stop_words(language):  # "He'd"
        return False
    if token.first:  # any word is written large there
        return token.value in known or (token.kind == "name" and token.value not in small)
    return token.kind == "name"


def find_things(text: str) -> list[Mention]:
    """Things that a text tells of often, such as "old mill": two words after an article."""
    language, stands_in_text = language_of(text), cache(text.casefold().__contains__)
    articles = cues("articles", language)
    found, before, after = defaultdict[str, list[Mention]](list), Counter[str](), defaultdict[str, set[str]](set)
    for start, end in sentences_of(text):
        tokens = tokens_of(text[start:end], language)
        for at in range(1, len(tokens) - 1):
            words = tokens[at : at + 2]
            name = " ".join(each.text for each in words)
            if any(each.kind != "word" for each in words) or name != name.casefold() or not stands_in_text(name):
                continue  # or a mark stands between them
            key = " ".join(each.value for each in words)
            found[key].append(Mention(name, start, end, kind="thing"))
            before[key] += tokens[at - 1].text.casefold() in articles
            following = tokens[at + 2] if at + 2 < len(tokens) else None
            after[key].add("" if following is None else "1" if following.kind == "number" else str(following.value))
    things = list[Mention]()
    for key, mentions in found.items():
        is_often = len({each.start for each in mentions}) >= LEAST_OFTEN and len(after[key]) >= LEAST_FOLLOWED
        if is_often and before[key] >= AFTER_ARTICLES * len(mentions):
            [(name, _)] = Counter(each.name for each in mentions).most_common(1)
            things += [each._replace(name=name) for each in mentions]
    return things


def join_mentions(
    documents: Sequence[tuple[int, Sequence[Mention]]], common: Set[str], fewest: int = LEAST_SENTENCES
) -> list[Subject]:
    """What the documents of a collection tell of, each once.

    Args:
        documents: Of each document the offset at which it begins in the collection, and its mentions.
        common: Words that the documents write small.
        fewest: Sentences that tell of what has a page, at least.

    Returns:
        Those of which enough sentences tell, by their names.
    """
    every = [each for _, mentions in documents for each in mentions]
    forms, sounds, placed = Counter(fold_name(each.name) for each in every), dict[str, str](), Counter[str]()
    placed.update(fold_name(each.name) for each in every if each.placed)
    for key, _ in forms.most_common():
        sounds.setdefault(_sound(key), key)
    whole = {
        key for each in every if each.kind != "thing" and " " in each.name and _is_whole(key := fold_name(each.name))
    }
    by_key = defaultdict[str, list[tuple[int, Mention]]](list)
    for start, mentions in documents:
        keys = {fold_name(each.name) for each in mentions}
        same = {fold_name(other): fold_name(each.name) for each in mentions for other in each.also}
        for each in mentions:
            key = same.get(fold_name(each.name), fold_name(each.name))
            if key not in whole:
                alone = placed[key] >= kinds.PLACE_SHARE * forms[key]
                known = _long_forms(key, keys & whole, common) or _long_forms(key, whole, common)
                known = set() if alone and " " not in key else known  # a place: "Halden" is not Halden Mill
                key = next(iter(known)) if len(known) == 1 else key
            by_key[sounds.get(_sound(key), key)].append((start, each))
    subjects = (_make_subject(key, found, common) for key, found in by_key.items() if key)
    return sorted((each for each in subjects if len(each["spans"]) >= fewest), key=lambda each: each["name"])


def _is_whole(key: str) -> bool:
    """Whether a folded name is of several words, none of them an initial."""
    words = key.split()
    return len(words) > 1 and all(len(word) > 1 for word in words)


def _long_forms(key: str, whole: Set[str], common: Set[str]) -> set[str]:
    """The whole names that a part of a name, or one with initials, may stand for; of no "Comet Marwitz"."""
    *before, last = key.split()
    if before:
        return {
            each
            for each in whole
            if each.endswith(f" {key}")  # "Müller-Schmidt"
            or (each.split()[-1] == last and all(map(str.startswith, each.split(), before)) and len(before) < 3)
        }
    alike = {each for each in whole if kinds.is_thing_name(each) == (last in cues("things"))}
    named = {each for each in alike if last in cues("words") or not common & {*each.split()}}
    return {each for each in named if last == each.split()[0]} | {each for each in alike if last == each.split()[-1]}


def _make_subject(key: str, found: Sequence[tuple[int, Mention]], common: Set[str]) -> Subject:
    names = Counter(each.name for _, each in found)
    own = [name for name, _ in names.most_common() if fold_name(name) == key] or [names.most_common(1)[0][0]]
    given = Counter(each.kind for _, each in found if each.kind != "name")
    mentions, forms = [each for _, each in found], map(fold_name, names)
    kind: SubjectKind = given.most_common(1)[0][0] if given else kinds.guess_kind(key, forms, mentions, common)
    also = {fold_name(name): name for name in [*names, *(other for _, each in found for other in each.also)]}
    spans = sorted({(start + each.start, start + each.end) for start, each in found})
    return Subject(
        name=own[0], kind=kind, also=sorted(name for form, name in also.items() if form != key), spans=spans, of=""
    )


def common_words(text: str) -> set[str]:
    """The words that a text writes small, folded."""
    return {fold_name(word) for word in re.findall(r"[^\W\d_]+", text) if word.islower()}
