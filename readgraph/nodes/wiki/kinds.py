"""What a name is the name of, by rules: by the words before and behind it, and by those that it consists of."""

import tomllib
from collections.abc import Sequence
from functools import cache
from importlib.resources import files
from typing import NamedTuple

from readgraph.nodes.verifying.tokens import NOUNS_LARGE, TITLES, Token, cue_words
from readgraph.state.calendars import month_names
from readgraph.state.wiki import SubjectKind

ENGLISH_PASSIVE = cue_words("passive", "en")
PLACE_SHARE, THING_SHARE = 0.4, 0.5  # of a name's mentions that are those of a place, of a thing


class Signs(NamedTuple):
    """What a mention tells of what is named.

    Attributes:
        titled: A title stands before it, or a word such as "wife".
        placed: A word after which places stand does, or it has a word that places have.
        personal: It begins with a given name, or a word for what persons do stands beside it.
        thing: An article stands before it, or it has a word that institutions and other things have.
    """

    titled: bool = False
    placed: bool = False
    personal: bool = False
    thing: bool = False


@cache
def _groups() -> dict[str, dict[str, str]]:
    text = files("readgraph.nodes.wiki").joinpath("cues.toml").read_text(encoding="utf-8")
    return tomllib.loads(text)


@cache
def cues(group: str, language: str = "") -> frozenset[str]:
    """The words of a group (`cues.toml`) in a language; without one, in all."""
    listed = _groups()[group]
    return frozenset((listed.get(language, "") if language else " ".join(listed.values())).split())


def word_at(tokens: Sequence[Token], at: int) -> str:
    """The word there in small letters, without an apostrophe; "" outside of the sentence."""
    return tokens[at].text.casefold().rstrip("'’") if 0 <= at < len(tokens) else ""


def signs_around(tokens: Sequence[Token], begin: int, end: int, language: str) -> Signs:
    """What the words around the name `[begin, end)` of a sentence tell."""
    before, earlier = word_at(tokens, begin - 1), word_at(tokens, begin - 2)
    has_article, says = before in cues("articles", language), cues("says", language)
    is_small = end < len(tokens) and tokens[end].kind == "small" and word_at(tokens, end) not in ENGLISH_PASSIVE
    behind = {word_at(tokens, end), word_at(tokens, end + is_small)}  # "wrote", "has written"; "was written" is none
    return Signs(
        titled=before in TITLES | cues("titles", language) | cues("kin", language),
        placed=(earlier if has_article else before) in cues("places", language),
        personal=not has_article and (before in says or bool(behind & (says | cues("acts", language)))),
        thing=has_article or before in cues("things", language),
    )


def signs_of(name: str, around: Signs, language: str) -> Signs:
    """What the words of a name tell, and those around it."""
    first, *_, last = [*(words := name.casefold().split()), *words]
    is_given = first in cues("given") | cues("words", language)
    if is_given and around.personal:  # "Grace Church said no"
        return around._replace(placed=False, thing=False)
    if is_thing_name(name, language):
        return Signs(around.titled, thing=True)
    if {first, last} & cues("landmarks", language):
        return around._replace(placed=True, thing=False)
    return around._replace(placed=around.placed and not is_given, personal=around.personal or is_given)


def is_thing_name(name: str, language: str = "") -> bool:
    """Whether a name begins or ends with a word that institutions and other things have ("Heritage Trust")."""
    words, things = name.casefold().split(), cues("things", language)
    ends = things if language in NOUNS_LARGE else ()  # "Heimatverein"
    return bool({words[0], words[-1]} & things) or any(len(end) > 3 and words[-1].endswith(end) for end in ends)


def is_person_at(tokens: Sequence[Token], at: int, begin: int, language: str) -> bool:
    """Whether a name that is a word or a month too ("Will", "Rose", "May") is a person's there.

    `begin`: where the words with a capital begin of which it is one.
    """
    goes_on = at + 1 < len(tokens) and tokens[at + 1].kind == "name" and tokens[at + 1].clause == tokens[at].clause
    before, around = word_at(tokens, at - 1), signs_around(tokens, at, at + 1, language)
    if at > begin or around.titled or around.personal or tokens[at].text[-2:] in ("'s", "’s"):
        return True
    if tokens[at].text.casefold() in month_names(language):
        return goes_on and before not in cues("before_months", language)
    return goes_on if at == 0 else not around.thing


def guess_kind(key: str, signs: Sequence[Signs], common: bool, has_short_form: bool) -> SubjectKind:
    """What has the folded name `key`, by the signs of its mentions; `name` where nothing tells.

    `common`: one of its words is written small too. `has_short_form`: it is also called by one of its words alone.
    """
    placed, personal, thing = (sum(getattr(each, sign) for each in signs) for sign in Signs._fields[1:])
    if any(each.titled for each in signs) or personal > max(placed, thing) or personal == placed > thing:
        return "person"
    if placed >= PLACE_SHARE * len(signs):
        return "place"
    if common or thing >= THING_SHARE * len(signs) or is_thing_name(key):
        return "thing"
    return "person" if personal or (has_short_form and len(key.split()) in (2, 3)) else "name"
