"""The names in a text, by rules, each with the sentence that says something of it.

A name is a row of words that are written large within sentences; at the begin of one, where any word is, of words that
the text writes so elsewhere. A sentence that only calls a name ("Bridie?", "Thanks, Bridie.") says nothing of it, nor
does one by whom it is.
"""

import re
import unicodedata
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence, Set
from functools import lru_cache
from typing import NamedTuple

from readgraph.features.wiki.kinds import Mention, add_signs, cues, is_thing_name, read_signs, word_at
from readgraph.language.calendars import month_names
from readgraph.language.detection import language_of
from readgraph.language.terms import stop_words
from readgraph.language.tokens import NOUNS_LARGE, TITLES, Token, tokens_of
from readgraph.nodes.evidence import prose_sentences
from readgraph.sources.formats.plain_text import blank_markup
from readgraph.state.words import on_one_line

LONGEST_NAME, LONGEST_SENTENCE = 6, 2000  # words; characters
FEWEST_TURNS = 3  # whose label is the name of a speaker
ADDED_S = frozenset("da de nb nl nn no sv".split())  # languages that write "Annas" for "Anna's"

_POSSESSIVE = re.compile(r"(?:['’]s|['’])$")
_IN_BRACKETS = re.compile(r"\(([^\W\d_]{2,10})\)")
_CALLED = re.compile(r"[\"“„«»‘']\s*([^\"“”„«»‘’'.,!?…]{1,80})\s*(?:[.,!?]|…)+\s*[\"“”«»‘’']")
_POINTS = re.compile(r"[.,]")
_SPEAKER = re.compile(r"[^\n:!?]{1,80}:\s+")
_WORD, _ASIDE = re.compile(r"[^\W\d_][\w'’-]*"), re.compile(r"\([^()]*\)")


@lru_cache(65_536)  # a text has the same names again and again
def fold_name(name: str) -> str:
    """A name as names are compared: small letters without accents, marks and what shows possession."""
    plain = "".join(each for each in unicodedata.normalize("NFKD", name) if not unicodedata.combining(each))
    words = (_POSSESSIVE.sub("", word) for word in plain.casefold().replace("-", " ").split())
    bare = (re.sub(r"[^\w]", "", word) for word in words)
    return " ".join(word for word in bare if word and word not in TITLES)


def sentences_of(text: str) -> list[tuple[int, int]]:
    """The spans of the sentences of a text that say something by themselves."""
    return [(sentence.start, sentence.end) for sentence in prose_sentences(blank_markup(text))]


class _Sentence(NamedTuple):
    """The characters `[start, end)` of a text: what is said there, by whom, and the tokens of it.

    `flat`: what is said, on one line and without points. `telling`: the numbers of tokens that say something; `you`: of
    those that speak to somebody.
    """

    start: int
    end: int
    label: str
    said: str
    flat: str
    tokens: Sequence[Token]
    telling: Set[int]
    you: Set[int]


class _Run(NamedTuple):
    """Names in a row, the tokens `[begin, end)` of a sentence; `parts`: without the words that join them."""

    whole: str
    parts: tuple[str, ...]
    begin: int
    end: int


def _read_sentences(text: str, language: str) -> Iterator[_Sentence]:
    asking = stop_words(language) | {*month_names(language)}
    calls, you, verbs = cues("calls", language) | TITLES, cues("you", language), cues("verbs", language)
    for start, end in sentences_of(text):
        if end - start > LONGEST_SENTENCE:  # such as a table
            continue
        label, said = _split_label(text[start:end].rstrip(), language)
        tokens = tokens_of(said, language)
        tokens = tokens[said.endswith("?") and word_at(tokens, 0) in asking :]  # "Will Anna come?"
        telling = {
            at
            for at, token in enumerate(tokens)
            if (token.kind in ("number", "date") or token.text[:1].islower())
            and (token.kind != "small" or token.text in verbs)
            and token.text.casefold() not in calls
        }
        addressed = {at for at, token in enumerate(tokens) if token.text.casefold() in you}
        flat = _POINTS.sub("", on_one_line(said))
        yield _Sentence(start, end, label, said, flat, tokens, telling, addressed)


class _Reader:
    """Reads the names in sentences of a language; `known`: words that the text writes large within sentences alone."""

    def __init__(self, language: str, sentences: Sequence[_Sentence]) -> None:
        self.language, self.months, self.stopped = language, month_names(language), stop_words(language)
        tokens = [token for sentence in sentences for token in sentence.tokens]
        labels = Counter(each.label for each in sentences)
        speakers = [label for label, count in labels.items() if label and count >= FEWEST_TURNS]
        self.speakers = {*map(fold_name, speakers)}
        self.small = {token.value for token in tokens if token.text[:1].islower()}
        large = {token.value for token in tokens if token.kind == "name" and not token.first}
        self.known = (large | {token.value for label in speakers for token in tokens_of(label, language)}) - self.small
        self.particles = cues("joins") - self.stopped  # "von der" and "de la" in an English text
        self.joins, self.roles = cues("joins", language) | self.particles, cues("things") | cues("firms")
        self.calls, self.called = cues("calls", language), cues("calls", language) | TITLES

    def runs(self, tokens: Sequence[Token]) -> Iterator[_Run]:
        """The names in a sentence."""
        at = 0
        while at < len(tokens):
            begin, parts, at = at, *self._read_run(tokens, at)
            if at == begin:
                at += 1
                continue
            while begin < at and self._is_no_part(tokens, begin):  # "Hello Marta", "der Wärter Emil Brandt"
                begin += 1
                parts[0] = parts[0][1:]
            words = [_POSSESSIVE.sub("", token.text) for token in tokens[begin:at]]
            is_after_thing = len(words) == 1 and word_at(tokens, begin - 1) in cues("things")
            if is_after_thing and word_at(tokens, begin - 2) in cues("articles", self.language):
                begin -= 1
                words = [tokens[begin].text, *words]  # "the comet Marwitz" is not Anna Marwitz
                parts = [words]
            is_alone = len(words) == 1 and (tokens[begin].value in self.small or word_at(tokens, begin) in self.roles)
            if words and not is_alone:
                names = tuple(" ".join(part) for part in parts if part)
                yield _Run(" ".join(words), (" ".join(words),) if is_thing_name(words[0]) else names, begin, at)

    def _read_run(self, tokens: Sequence[Token], at: int) -> tuple[list[list[str]], int]:
        begin, parts = at, [list[str]()]
        while at < len(tokens) and self._is_name(tokens, at, begin):
            name = _POSSESSIVE.sub("", tokens[at].text)
            parts[-1].append(name)
            at += 1
            if name != tokens[at - 1].text:  # "Marta's Halden"
                break
            if at < len(tokens) and word_at(tokens, at) in cues("suffixes"):  # also behind a comma
                parts[-1].append(tokens[at].text)
                return parts, at + 1
            joined, is_part = at, True
            while joined < len(tokens) and joined - at < 2 and tokens[joined].text in self.joins:
                is_part = is_part and tokens[joined].text in self.particles
                joined += 1
            if at < joined < len(tokens) and self._is_name(tokens, joined, begin):
                if is_part:
                    parts[-1] += [token.text for token in tokens[at:joined]]
                else:
                    parts.append([])
                at = joined
        return parts, at

    def _is_name(self, tokens: Sequence[Token], at: int, begin: int) -> bool:
        token, before = tokens[at], word_at(tokens, at - 1)
        word = _POSSESSIVE.sub("", token.text).casefold().replace("’", "'")
        if at > begin and token.clause != tokens[begin].clause:
            return False
        if not token.text[:1].isupper():
            return at > begin and bool(re.match(r"\w{1,2}['’][^\W\d_a-zß-ÿ]", token.text))  # "Ana d'Arco"
        if word in cues("suffixes"):
            return False
        goes_on = at + 1 < len(tokens) and tokens[at + 1].kind == "name" and tokens[at + 1].clause == token.clause
        if word in self.months or word in cues("words"):
            return before in TITLES or at > begin or (goes_on and before not in cues("before_months", self.language))
        if word.partition("'")[0] in self.stopped:  # "He'd"
            return False
        if token.first:
            return token.value in self.known or (token.kind == "name" and token.value not in self.small)
        return token.kind == "name"

    def _is_no_part(self, tokens: Sequence[Token], begin: int) -> bool:
        word, before = word_at(tokens, begin), word_at(tokens, begin - 1)
        is_noun = self.language in NOUNS_LARGE and before in cues("articles", self.language)
        if is_noun and not is_thing_name(f"{word} {word_at(tokens, begin + 1)}"):
            return True
        return word in cues("kin", self.language) or word in cues("calls", self.language)

    def says_of(self, sentence: _Sentence, run: _Run, *, is_speaker: bool) -> bool:
        """Whether a sentence says something of a name, and doesn't only call it, as speakers are called."""
        tokens, first = sentence.tokens, run.begin
        if (called := _CALLED.match(sentence.said)) and called[1] == run.whole:  # "Bridie?" she said.
            return False
        if len(sentence.telling) <= sum(at in sentence.telling for at in range(run.begin, run.end)):
            return False
        while first and word_at(tokens, first - 1) in self.called:
            first -= 1
        is_apart = not first or tokens[first].clause != tokens[first - 1].clause
        if first and is_apart and tokens[first - 1].kind == "name":  # of a list
            return True
        ends = run.end == len(tokens)
        closes = ends or run.end in sentence.you or tokens[run.end].clause != tokens[run.end - 1].clause
        greets = word_at(tokens, run.begin - 1) in self.calls
        addresses = greets or sentence.you or (ends and is_apart) or sentence.said.endswith(("!", "?"))
        return not (closes and (is_apart or is_speaker) and addresses)

    def mentions(self, sentence: _Sentence, run: _Run, often: Mapping[str, int]) -> Iterator[Mention]:
        """The names of a row, with what the sentence tells of them; of several, the whole where it is usual."""
        short = _short_form(sentence.said, run.whole)
        signs = read_signs(sentence.tokens, run.begin, run.end, self.language)
        for name in (run.whole,) if short or often[fold_name(run.whole)] > 1 else run.parts:
            key = fold_name(name)
            if (len(key) < 2 and key.isascii()) or key in self.roles or len(name.split()) > LONGEST_NAME:
                continue
            if self.language in ADDED_S and key.endswith("s") and often[key[:-1]]:
                name = name[:-1]
            is_speaker = key in self.speakers
            said = self.says_of(sentence, run, is_speaker=is_speaker)
            yield add_signs(signs, name, self.language)._replace(
                start=sentence.start,
                end=sentence.end,
                titled=signs.titled or is_speaker,
                also=short,
                told=said and signs.told,
                said=said,
            )


def find_mentions(text: str) -> list[Mention]:
    """The names in a text, each where it stands in a sentence of up to 2,000 characters.

    Names joined by a word such as "of" count as one if that is usual. "Nordic Sea Union (NSU)" has a short form.
    """
    language = language_of(text)
    sentences = [*_read_sentences(text, language)]
    reader = _Reader(language, sentences)
    rows = [
        (sentence, run) for sentence in sentences for run in reader.runs(sentence.tokens) if run.whole in sentence.flat
    ]  # tokens stand without the marks between them
    often = Counter(fold_name(name) for _, run in rows for name in {run.whole, *run.parts})
    inner = {fold_name(run.whole) for sentence, run in rows if not sentence.tokens[run.begin].first}
    return [
        mention
        for sentence, row in rows
        for run in _split_run(row, sentence.tokens, often, inner)
        for mention in reader.mentions(sentence, run, often)
    ]


def _split_label(sentence: str, language: str) -> tuple[str, str]:
    """Who says a sentence, without what stands in brackets behind it ("" where none is named), and what is said."""
    match = _SPEAKER.match(sentence)
    label = _ASIDE.sub("", match[0]).strip(" :") if match else ""
    words, small = _WORD.findall(label), stop_words(language) | cues("joins")
    if not match or not words or any(word.islower() and word not in small for word in words):
        return "", sentence
    return label, sentence[match.end() :]


def _short_form(sentence: str, name: str) -> tuple[str, ...]:
    """The short form of a name that stands behind it in brackets, and consists of its initials."""
    words = name.split()
    initials = {"".join(word[0] for word in some).casefold() for some in (words, [w for w in words if w[0].isupper()])}
    return tuple(
        match[1]
        for match in _IN_BRACKETS.finditer(sentence)
        if match[1].casefold() in initials and sentence[: match.start()].rstrip().endswith(words[-1])
    )


def _split_run(run: _Run, tokens: Sequence[Token], often: Mapping[str, int], inner: Set[str]) -> list[_Run]:
    """A place and the person behind it, which stand in a row ("In Saltby Anna Bell slept"), as two names.

    A word with which sentences begin is none ("Later Anna Bell slept", "Bye Anna"); `inner`: names within sentences.
    """
    words, whole = run.whole.split(), fold_name(run.whole)
    if len(run.parts) > 1 or len(words) < 2 or len(words) != run.end - run.begin:
        return [run]
    one, other = words[0], " ".join(words[1:])
    is_first = tokens[run.begin].first and whole not in inner and one.casefold() not in cues("given")
    if is_first and not often[fold_name(one)] and often[fold_name(other)] >= often[whole]:
        return [_Run(other, (other,), run.begin + 1, run.end)]
    for at in range(1, len(words) - 1):
        one, other = " ".join(words[:at]), " ".join(words[at:])
        if often[whole] < max(often[fold_name(one)], often[fold_name(other)]):
            ends = run.begin + at
            return [_Run(one, (one,), run.begin, ends), _Run(other, (other,), ends, run.end)]
    return [run]
