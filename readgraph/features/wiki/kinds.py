"""What a name is the name of, by rules: by the words before and behind it, and by those that it consists of."""

from collections.abc import Sequence
from functools import cache
from typing import NamedTuple

from readgraph.features.wiki.state import SubjectKind
from readgraph.language.tokens import TITLES, Token
from readgraph.state.files import read_package_toml

LEAST_SHARE, ENOUGH = 1 / 8, 3  # of a name's mentions that show what it is the name of, and how many do in any case


class Mention(NamedTuple):
    """A name in a sentence `[start, end)` of a document, and what it is the name of, where that is known.

    `titled`: a title or a word such as "wife" stands before it, or it is a speaker's. `placed`: it is said that it is a
    place, or it has a word that places have. `also`: other names of the same. `personal`: it has a given name, or does
    what only persons do. `told`: the sentence is about it. `said`: the sentence says something of it. `within`: it
    stands behind "in", as no person does.
    """

    name: str
    start: int = 0
    end: int = 0
    titled: bool = False
    placed: bool = False
    kind: SubjectKind = "name"
    also: tuple[str, ...] = ()
    personal: bool = False
    told: bool = False
    said: bool = True
    within: bool = False


@cache
def _listed() -> dict[str, dict[str, str]]:
    return read_package_toml(__package__, "cues.toml")


@cache
def cues(group: str, language: str = "") -> frozenset[str]:
    """The words of a group (`cues.toml`) in a language, in English where it has none of it; without one, in all."""
    listed = _listed()[group]
    return frozenset((listed.get(language, listed.get("en", "")) if language else " ".join(listed.values())).split())


def word_at(tokens: Sequence[Token], at: int) -> str:
    """The word there in small letters, without an apostrophe; "" outside of the sentence."""
    return tokens[at].text.casefold().rstrip("'’") if 0 <= at < len(tokens) else ""


def read_signs(tokens: Sequence[Token], begin: int, end: int, language: str) -> Mention:
    """What the words around the name `[begin, end)` of a sentence tell of it."""
    before, behind = word_at(tokens, begin - 1), word_at(tokens, end)
    does = word_at(tokens, end + 1) if end < len(tokens) and tokens[end].kind == "small" else behind  # "has written"
    articles, acts = cues("articles", language), cues("acts", language)
    is_owner = tokens[end - 1].text[-2:] in ("'s", "’s")
    there = cues("located", language) | cues("places", language)
    located = before in cues("at", language) and word_at(tokens, begin - 2) in there
    kin = cues("kin", language)
    is_kin = not begin and _is_apart(tokens, end) and behind in articles and word_at(tokens, end + 1) in kin
    says = before in cues("says", language) and _is_apart(tokens, begin - 1)
    is_place = located or before in cues("near", language) or _is_called_place(tokens, end, language)
    return Mention(
        "",
        titled=is_kin or before in TITLES | kin,
        placed=not is_owner and is_place,
        personal=says or (before not in articles and not is_owner and bool({behind, does} & acts)),
        within=not is_owner and before in cues("in", language),
        told=_is_subject(tokens, begin, end, language, is_owner=is_owner),
    )


def _is_apart(tokens: Sequence[Token], at: int) -> bool:
    """Whether a mark, or an end of the sentence, stands before a word."""
    return not 0 < at < len(tokens) or tokens[at].clause != tokens[at - 1].clause


def _is_subject(tokens: Sequence[Token], begin: int, end: int, language: str, *, is_owner: bool) -> bool:
    """Whether a sentence is about a name: "Anna slept", "The tower of Halden is high", "It was built by Anna"."""
    before, behind, verbs = word_at(tokens, begin - 1), word_at(tokens, end), cues("verbs", language)
    if before in cues("by", language) and word_at(tokens, begin - 3) in verbs:
        return True
    articles, goes_on = cues("articles", language), not _is_apart(tokens, end)
    regular = language in ("en", "de") and goes_on and behind.endswith(("ed", "te", "ten"))
    if not (is_owner or regular or behind in verbs | cues("acts", language) or (behind in articles and not goes_on)):
        return False
    if before in cues("joins", language) and word_at(tokens, 0) in articles and begin < 5:
        return True
    leads = begin < 3 and all(token.kind == "small" or token.text.casefold() in TITLES for token in tokens[:begin])
    return before not in cues("before", language) and (leads or _is_apart(tokens, begin))


def _is_called_place(tokens: Sequence[Token], end: int, language: str) -> bool:
    """Whether a name is followed by that it is a place: "Funchal is the largest city", "Halden, a town"."""
    words = [word_at(tokens, at) for at in range(end, end + 6)]
    is_first = words[0] in cues("verbs", language)
    if words[is_first] not in cues("articles", language):
        return False
    nouns = [at for at in range(is_first + 1, 6) if words[at] in cues("places", language)]
    small = [end + at + 1 >= len(tokens) or tokens[end + at + 1].kind != "word" for at in nouns]
    return any(small)  # and not "Weber is a town councillor"


def add_signs(mention: Mention, name: str, language: str) -> Mention:
    """The mention under this name, with what the name's own words tell."""
    words = name.casefold().replace("-", " ").split()
    ends = {words[0], words[-1]}
    is_place = len(words) > 1 and bool(ends & cues("landmarks", language))
    is_given = words[0] in cues("given") and len(words[-1]) > 1 and not (is_place or is_thing_name(name))
    return mention._replace(
        name=name, placed=mention.placed or is_place, personal=(mention.personal or is_given) and not is_place
    )


def is_thing_name(name: str) -> bool:
    """Whether a name begins or ends with a word that institutions and other things have ("Heritage Trust")."""
    words = name.casefold().split()
    return bool({words[0], words[-1]} & cues("things"))


def guess_kind(key: str, mentions: Sequence[Mention]) -> SubjectKind:
    """What has the folded name `key`; `name` where nothing tells, or not all tells the same."""
    if not mentions:
        return "name"
    if is_thing_name(key):
        return "thing"
    person = sum(mention.titled or mention.personal or mention.kind == "person" for mention in mentions)
    place = sum(mention.placed or mention.kind == "place" for mention in mentions)
    most, enough = max(person, place), min(ENOUGH, LEAST_SHARE * len(mentions))
    if most < enough or 4 * min(person, sum(mention.placed or mention.within for mention in mentions)) > most:
        return "name"
    return "person" if person > place else "place"
