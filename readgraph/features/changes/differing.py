"""In what two statements that belong together differ, by rules that don't guess: what they can't tell is left open."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from typing import Literal

from readgraph.features.changes.aligning import likeness
from readgraph.features.changes.state import ChangedPart
from readgraph.features.changes.statements import SLOTS, Part
from readgraph.nodes.rules.tokens import NOUNS_LARGE, TITLES

Judged = Literal["same", "changed", "apart", "open"]
Parts = Sequence[Part]

SURE = 0.4  # least likeness of two statements of which one changed part makes a change
_MODALS = (
    "must shall muss müssen doit doivent 应当 应 必须",
    "may can could darf dürfen kann können peut peuvent 可以 可",
    "should ought soll sollen sollte sollten devrait devraient",
)
_MODAL = {word: number for number, words in enumerate(_MODALS) for word in words.split()}
_OPPOSED = (
    "least/most more/less more/fewer over/under above/below before/after all/some and/or always/never minimum/maximum "
    "mindestens/höchstens mehr/weniger über/unter vor/nach alle/einige und/oder immer/nie plus/moins avant/après et/ou "
    "toujours/jamais"
)
_OPPOSITES = {frozenset(pair.split("/")) for pair in _OPPOSED.split()}
_JOINING = frozenset("and or und oder et ou between zwischen entre".split())
_HELPING = frozenset("do does did any".split())  # beside a denial
_KANA = re.compile(r"[\u3040-\u309f]$")
_KANA_DENIALS = re.compile("ない|なかっ|ません|ず")


def judge(ours: Parts, theirs: Parts, language: str) -> tuple[Judged, list[ChangedPart]]:
    """Whether two statements say the same, and what differs; "apart": they have nothing to do with each other."""
    ours, theirs = ([part for part in side if part.kind != "article"] for side in (ours, theirs))
    one, other = _beyond(ours, theirs), _beyond(theirs, ours)
    if not one and not other:
        return _judge_order(ours, theirs)
    differs, open_slots = _changed_slots(ours, theirs, one, other, language)
    ours_left, theirs_left = (_words(side, language) for side in (one, other))
    conditions = list(_changed_conditions(ours, theirs, ours_left, theirs_left))
    denied = [_denials(side, language) for side in (ours, theirs)]
    if denied[0] != denied[1] and not (ours_left and theirs_left) and not (language == "fr" and all(denied)):
        texts = ([part.text for part in side if part.kind == "denial"] for side in (one, other))
        differs.append(ChangedPart(kind="negation", earlier=" ".join(next(texts)), later=" ".join(next(texts))))
    elif conditions and not (denied[0] and denied[1]):
        differs += conditions
    if not {*_telling(ours)} & {*_telling(theirs)} and (differs or open_slots):
        return "apart", []
    if differs:
        return "changed" if likeness(ours, theirs) >= SURE else "open", differs
    nothing = not open_slots and not ours_left and not theirs_left and denied[0] == denied[1]
    return "same" if nothing and [*map(_value, ours)] == [*map(_value, theirs)] else "open", []


def _value(part: Part) -> object:
    return part.value


def _beyond(ours: Parts, theirs: Parts) -> list[Part]:
    """The parts of one that the other lacks, in order."""
    left, beyond = Counter(map(_value, theirs)), list[Part]()
    for part in ours:
        if left[part.value]:
            left[part.value] -= 1
        else:
            beyond.append(part)
    return beyond


def _telling(parts: Parts) -> Iterator[object]:
    return (part.value for part in parts if part.kind in (*SLOTS, "word"))


def _words(parts: Parts, language: str) -> list[Part]:
    """What is no number, date, name or denial, nor goes with one."""
    kept = (part for part in parts if part.kind not in (*SLOTS, "denial") and part.value not in _HELPING)
    return [part for part in kept if not (language == "ja" and _KANA.match(part.text))]


def _denials(parts: Parts, language: str) -> int:
    if language == "ja":
        return len(_KANA_DENIALS.findall("".join(part.text for part in parts)))
    return sum(part.kind == "denial" for part in parts)


def _replaced(ours: Parts, theirs: Parts) -> list[tuple[Parts, Parts]]:
    """What stands in the same place of both."""
    matcher = SequenceMatcher(None, [*map(_value, ours)], [*map(_value, theirs)], False)
    return [(ours[a:b], theirs[c:d]) for kind, a, b, c, d in matcher.get_opcodes() if kind == "replace"]


def _changed_slots(
    ours: Parts, theirs: Parts, one: Parts, other: Parts, language: str
) -> tuple[list[ChangedPart], bool]:
    """The numbers, dates and names that differ, and whether there are more of which that can't be told."""
    differs, left = list[ChangedPart](), [[part for part in side if part.kind in SLOTS] for side in (one, other)]
    unsure = False
    for part in [*left[0]]:
        for match in [*left[1]]:
            if part in left[0] and _may_be_same(part, match, ours, theirs):
                left[0].remove(part)
                left[1].remove(match)
                unsure = unsure or part.kind == "date"
    replaced = _replaced(ours, theirs)
    for part in [*left[0]]:
        for match in [*left[1]]:
            beside = any(part in run and match in instead for run, instead in replaced)
            if part in left[0] and match in left[1] and _is_changed(part, match, beside=beside):
                differs.append(ChangedPart(kind=part.kind, earlier=part.text, later=match.text))  # type: ignore[typeddict-item]
                left[0].remove(part)
                left[1].remove(match)
    names = [(run, instead) for run, instead in replaced if all(part.kind == "name" for part in (*run, *instead))]
    for run, instead in names:
        if _are_names(run, instead, ours, language):
            texts = (" ".join(part.text for part in side) for side in (run, instead))
            differs.append(ChangedPart(kind="name", earlier=next(texts), later=next(texts)))
            left = [[part for part in side if part not in (*run, *instead)] for side in left]
    words = [_words(side, language) for side in (one, other)]
    for at in (0, 1):  # a number or a date more, and nothing instead
        if not words[1 - at] and not left[1 - at] and not differs:
            more = [part for part in left[at] if part.kind != "name"]
            left[at] = [part for part in left[at] if part.kind == "name"]
            differs += [
                ChangedPart(kind=part.kind, earlier=part.text * (1 - at), later=part.text * at)  # type: ignore[typeddict-item]
                for part in more
            ]
    return differs, unsure or any(left)


def _may_be_same(part: Part, match: Part, ours: Parts, theirs: Parts) -> bool:
    """Whether a number lacks only its unit, as in "10 to 20 km", or one date is only less exact."""
    if part.kind != match.kind or isinstance(part.value, str) or isinstance(match.value, str):
        return False
    if part.kind == "number":
        units = {each.value[1] for each in (*ours, *theirs) if each.kind == "number" and isinstance(each.value, tuple)}
        return (
            bool(part.value[0] == match.value[0])
            and "" in (part.value[1], match.value[1])
            and len(units) == 2
            and (sum(each.kind == "number" for each in ours) > 1)
        )
    if part.kind == "date":
        one, other = ((*map(_none_of, part.value), None)[:3], (*map(_none_of, match.value), None)[:3])
        return all(a == b or None in (a, b) for a, b in zip(one, other, strict=True))
    return False


def _none_of(value: object) -> object:
    return None if value == "" else value


def _is_changed(part: Part, match: Part, *, beside: bool) -> bool:
    """Whether a number or a date stands instead of another one: of the same unit, or in the same place."""
    if part.kind != match.kind or part.kind == "name":
        return False
    same_unit = part.kind == "date" or (not isinstance(part.value, str) and part.value[1:] == match.value[1:])
    return beside or same_unit


def _are_names(run: Parts, instead: Parts, ours: Parts, language: str) -> bool:
    """Whether these are two names for certain: no short form, and in German no other nouns."""
    short, long = sorted(("".join(part.text for part in run), "".join(part.text for part in instead)), key=len)
    if short.isupper() and short == "".join(letter for letter in long if letter.isupper()):
        return False
    at = next(number for number, part in enumerate(ours) if part is run[0])
    titled = at > 0 and ours[at - 1].text.casefold() in TITLES
    return language not in NOUNS_LARGE or titled or (len(run) > 1 and len(instead) > 1)


def _changed_conditions(ours: Parts, theirs: Parts, one: Parts, other: Parts) -> Iterator[ChangedPart]:
    """What must, may or holds only under something else, where nothing else differs."""
    if not one or not other:
        hedges = [part for part in (*one, *other) if part.kind == "hedge" or part.value in _JOINING]
        texts = [" ".join(part.text for part in side) for side in (one, other)]
        if any(part.kind == "hedge" for part in hedges):
            yield ChangedPart(kind="condition", earlier=texts[0], later=texts[1])
        return
    texts = [
        "".join(part.text for part in side) if not side[0].text.isascii() else " ".join(part.text for part in side)
        for side in (one, other)
    ]
    folded = [text.casefold() for text in texts]
    modal = [_MODAL.get(text) for text in folded]
    if (None not in modal and modal[0] != modal[1]) or frozenset(folded) in _OPPOSITES:
        yield ChangedPart(kind="condition", earlier=texts[0], later=texts[1])


def _judge_order(ours: Parts, theirs: Parts) -> tuple[Judged, list[ChangedPart]]:
    """What can be told of two statements with the same parts in another order: whether values were exchanged."""
    if [*map(_value, ours)] == [*map(_value, theirs)]:
        return "same", []
    frames = [[part.value for part in side if part.kind not in SLOTS] for side in (ours, theirs)]
    if len(ours) == len(theirs) and frames[0] == frames[1]:
        at = [place for place, pair in enumerate(zip(ours, theirs, strict=True)) if pair[0].value != pair[1].value]
        between = ours[at[0] + 1 : at[-1]]
        if all(ours[place].kind in SLOTS for place in at) and any(
            part.kind not in SLOTS and part.value not in _JOINING for part in between
        ):
            kind = ours[at[0]].kind
            texts = (", ".join(side[place].text for place in at) for side in (ours, theirs))
            return "changed", [ChangedPart(kind=kind, earlier=next(texts), later=next(texts))]  # type: ignore[typeddict-item]
    return "open", []
