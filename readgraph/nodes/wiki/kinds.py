"""What a name is the name of, by rules: by the words before and behind it, and by those that it consists of."""

import tomllib
from collections.abc import Iterable, Sequence, Set
from functools import cache
from importlib.resources import files
from typing import NamedTuple

from readgraph.nodes.verifying.tokens import TITLES, Token, cue_words
from readgraph.state.calendars import month_names
from readgraph.state.wiki import SubjectKind

PLACE_SHARE, THING_SHARE = 0.4, 0.5  # of a name's mentions that are those of a place, of a thing


class Mention(NamedTuple):
    """A name in a sentence `[start, end)` of a document, and what it is the name of, where that is known.

    `titled`: a title or a word such as "wife" stands before it. `placed`: a word after which places stand does, or it
    has one that they have. `also`: other names of the same. `personal`: it has a given name, or a word for what persons
    do beside it. `thing`: an article stands before it, or it has a word that institutions have.
    """

    name: str
    start: int = 0
    end: int = 0
    titled: bool = False
    placed: bool = False
    kind: SubjectKind = "name"
    also: tuple[str, ...] = ()
    personal: bool = False
    thing: bool = False


@cache
def _listed() -> dict[str, dict[str, str]]:
    return tomllib.loads(files("readgraph.nodes.wiki").joinpath("cues.toml").read_text(encoding="utf-8"))


@cache
def cues(group: str, language: str = "") -> frozenset[str]:
    """The words of a group (`cues.toml`) in a language; without one, in all."""
    listed = _listed()[group]
    return frozenset((listed.get(language, "") if language else " ".join(listed.values())).split())


def word_at(tokens: Sequence[Token], at: int) -> str:
    """The word there in small letters, without an apostrophe; "" outside of the sentence."""
    return tokens[at].text.casefold().rstrip("'’") if 0 <= at < len(tokens) else ""


def mention_at(tokens: Sequence[Token], begin: int, end: int, language: str) -> Mention:
    """What the words around the name `[begin, end)` of a sentence tell of it."""
    before, behind, says = word_at(tokens, begin - 1), word_at(tokens, end), cues("says")
    if end < len(tokens) and tokens[end].kind == "small" and behind not in cue_words("passive", "en"):
        behind = word_at(tokens, end + 1)  # "has written"
    has_article = before in cues("articles", language)
    return Mention(
        " ".join(each.text for each in tokens[begin:end]),
        titled=before in TITLES | cues("kin", language),
        placed=(word_at(tokens, begin - 2) if has_article else before) in cues("places", language),
        personal=not has_article and (before in says or behind in says | cues("acts", language)),
        thing=has_article,
    )


def name_it(mention: Mention, name: str, language: str) -> Mention:
    """The mention under this name, with what the name's own words tell."""
    words = name.casefold().split()
    is_given = words[0] in cues("given") | cues("words", language)
    is_actor = is_given and mention.personal  # "Grace Church said no"
    is_thing, is_place = is_thing_name(name), bool({words[0], words[-1]} & cues("landmarks", language))
    if not is_actor and (is_thing or is_place):
        return mention._replace(
            name=name, personal=mention.personal and not is_thing, placed=not is_thing, thing=is_thing
        )
    placed, thing = mention.placed and not is_given, mention.thing and not is_actor
    return mention._replace(name=name, placed=placed, personal=mention.personal or is_given, thing=thing)


def is_thing_name(name: str) -> bool:
    """Whether a name begins or ends with a word that institutions and other things have ("Heritage Trust")."""
    words = name.casefold().split()
    return bool({words[0], words[-1]} & cues("things"))


def is_person(tokens: Sequence[Token], at: int, begin: int, language: str) -> bool:
    """Whether a name that is a word or a month too ("Will", "May") is a person's there; `begin`: of a row of names."""
    goes_on = at + 1 < len(tokens) and tokens[at + 1].kind == "name" and tokens[at + 1].clause == tokens[at].clause
    around = mention_at(tokens, at, at + 1, language)
    if at > begin or around.titled or around.personal or tokens[at].text[-2:] in ("'s", "’s"):
        return True
    if at == 0 or tokens[at].text.casefold() in month_names(language):
        return goes_on and word_at(tokens, at - 1) not in cues("before_months", language)
    return not around.thing


def guess_kind(key: str, forms: Iterable[str], found: Sequence[Mention], common: Set[str]) -> SubjectKind:
    """What has the folded name `key`, which is also written in these forms; `name` where nothing tells."""
    placed, personal, thing = (sum(getattr(each, sign) for each in found) for sign in ("placed", "personal", "thing"))
    if any(each.titled for each in found) or personal > max(placed, thing) or personal == placed > thing:
        return "person"
    if placed >= PLACE_SHARE * len(found):
        return "place"
    if common & {*key.split()} or thing >= THING_SHARE * len(found) or is_thing_name(key):
        return "thing"
    has_short_form = not placed and len(key.split()) in (2, 3) and not all(" " in form for form in forms)
    return "person" if personal or has_short_form else "name"
