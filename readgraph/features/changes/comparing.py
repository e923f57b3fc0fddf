"""All differences of two texts by rules: statements that belong together are judged, others were added or removed.

Rules don't guess: what they can't tell of two statements is left open.
"""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from typing import Literal, NamedTuple

from readgraph.features.changes.aligning import ELSEWHERE, Pair, Sides, align, likeness
from readgraph.features.changes.state import ChangedPart, ChangeKind
from readgraph.features.changes.statements import cut_statements, fold_blocks, fold_statement, labels_in, parts_of
from readgraph.language.compare import SLOTS, is_all_equal, may_be_one, unit_of
from readgraph.language.tokens import NOUNS_LARGE, TITLES, Token, word_groups

Span = tuple[int, int]
Judged = Literal["same", "changed", "not judged"]
Parts = Sequence[Token]

LONGEST_SHORT = 4  # letters of a name's short form
_JOINING = frozenset("and or und oder et ou".split())  # of names and values that may stand in any order
_DENY_TWICE = frozenset("fr es it pt ca".split())  # languages in which two denials may be one
_KANA, _KANA_DENIALS = re.compile(r"[\u3040-\u309f]"), re.compile("ない|なかっ|ません|ず")
_ROMAN = re.compile("[IVXLCDM]+")


class Found(NamedTuple):
    """A difference, and where it stands in both texts; what only one has stands nowhere in the other."""

    kind: ChangeKind
    moved: bool
    differs: list[ChangedPart]
    earlier: Span | None
    later: Span | None


def compare_texts(earlier: str, later: str) -> list[Found]:
    """The differences of two texts in the order of the later one."""
    shared = fold_blocks(earlier) & fold_blocks(later)
    labels = labels_in(earlier) | labels_in(later)
    sides = [*cut_statements(earlier, shared, labels)], [*cut_statements(later, shared, labels)]
    return [found for pair in _join_moved(align(sides)) for found in _judge_pair(pair, sides)]


def _judge_pair(pair: Pair, sides: Sides) -> Iterator[Found]:
    """What is found of a pair; what stands in other places and is little alike was removed and added."""
    both = [*zip(sides, pair[:2], strict=True)]
    spans = [(side[numbers[0]].start, side[numbers[-1]].end) if numbers else None for side, numbers in both]
    texts = [[fold_statement(side[at].text) for at in numbers] for side, numbers in both]
    if texts[0] == texts[1]:
        yield from [Found("moved", True, [], *spans)] if pair.moved else ()
        return
    if all(spans):
        language = sides[0][pair.earlier[0]].language
        ours, theirs = ([part for at in at_all for part in parts_of(side[at].text, language)] for side, at_all in both)
        verdict, differs = judge(ours, theirs, language)
        if not pair.moved or likeness(ours, theirs) >= ELSEWHERE:
            kind: ChangeKind = "moved" if verdict == "same" else verdict
            yield from [Found(kind, pair.moved, differs, *spans)] if verdict != "same" or pair.moved else ()
            return
    yield from [Found("removed", False, [], spans[0], None)] if spans[0] else ()
    yield from [Found("added", False, [], None, spans[1])] if spans[1] else ()


def _join_moved(pairs: Sequence[Pair]) -> list[Pair]:
    """The pairs, with what moved together and unchanged as one."""
    joined = list[Pair]()
    for pair in pairs:
        last = joined[-1] if joined else pair
        are_whole = all(each.equal and each.moved for each in (last, pair))
        if are_whole and (last.earlier[-1] + 1, last.later[-1] + 1) == (pair.earlier[0], pair.later[0]):
            joined[-1] = last._replace(earlier=last.earlier + pair.earlier, later=last.later + pair.later)
        else:
            joined.append(pair)
    return joined


def judge(ours: Parts, theirs: Parts, language: str) -> tuple[Judged, list[ChangedPart]]:
    """Whether two statements say the same, and what differs."""
    shared = [{part.kind for part in side} for side in (ours, theirs)]  # a printed text has no links, nor labels
    left_out = {"article", "link", "label"} - (shared[0] & shared[1] & {"link", "label"})
    ours, theirs = ([part for part in side if part.kind not in left_out] for side in (ours, theirs))
    one, other = _beyond(ours, theirs), _beyond(theirs, ours)
    if not one and not other:
        return _judge_order(ours, theirs)
    words = [_words(side, language) for side in (one, other)]
    differs, left = _changed_slots((ours, theirs), (one, other), language)
    longer = one if not words[1] else other
    if not all(words) and not differs and all(_is_value(part) and part in longer for part in left):
        differs = [_changed(part.kind, part.text * (longer is one), part.text * (longer is other)) for part in left]
    denied = [_denials(side, language) for side in (ours, theirs)]
    affirmed = words[len(denied[0]) > len(denied[1])]  # "lacks" may be what "has no" is there
    is_denied = len(denied[0]) != len(denied[1]) and not any(
        part.kind == "word" and len(part.text) > 1 for part in affirmed
    )
    if is_denied and not all(words) and not (language in _DENY_TWICE and all(denied)):
        differs.append(_changed("negation", *(" ".join(_denials(side, language)) for side in (one, other))))
    elif not all(denied):
        differs += _changed_condition((ours, theirs), *words)
    return "changed" if differs else "not judged", differs


def _is_value(part: Token) -> bool:
    """Whether a text that has it differs for certain from one that lacks it: no name, nor a day of the week."""
    return part.kind == "number" or (part.kind == "date" and not isinstance(part.value, str))


def _changed(kind: str, earlier: str, later: str) -> ChangedPart:
    return ChangedPart(kind=kind, earlier=earlier, later=later)  # type: ignore[typeddict-item]


def _values(parts: Parts) -> list[object]:
    return [part.value for part in parts]


def _beyond(ours: Parts, theirs: Parts) -> list[Token]:
    """The parts of one that the other lacks, in order."""
    left, beyond = Counter(_values(theirs)), list[Token]()
    for part in ours:
        left[part.value] -= 1
        beyond += [part] if left[part.value] < 0 else []
    return beyond


def _words(parts: Parts, language: str) -> list[Token]:
    """What is no number, date, name or denial, nor goes with one."""
    kept = (part for part in parts if part.kind not in (*SLOTS, "denial"))
    return [part for part in kept if not (language == "ja" and _KANA.match(part.text))]


def _denials(parts: Parts, language: str) -> list[str]:
    written = "".join(part.text for part in parts) if language == "ja" else ""
    return _KANA_DENIALS.findall(written) or [part.text for part in parts if part.kind == "denial"]


def _changed_slots(
    sides: tuple[Parts, Parts], beyond: tuple[Parts, Parts], language: str
) -> tuple[list[ChangedPart], Parts]:
    """The numbers, dates and names that stand instead of others, and those of which that can't be told."""
    opcodes = SequenceMatcher(None, _values(sides[0]), _values(sides[1]), False).get_opcodes()
    replaced = [(sides[0][a:b], sides[1][c:d]) for kind, a, b, c, d in opcodes if kind == "replace"]
    left = [[part for part in side if part.kind in SLOTS] for side in beyond]
    differs, doubtful = list[ChangedPart](), list[Token]()
    are_as_many = len(left[0]) == len(left[1])  # "12 34" may be what "1234" is there
    for part in [*left[0]]:
        run, instead = next((pair for pair in replaced if part in pair[0]), ([part], []))
        beside = {id(each) for each in instead}
        for match in left[1]:
            is_instead = id(match) in beside or (_has_same_unit(part, match) and (are_as_many or unit_of(part)))
            if part.kind == match.kind != "name" and is_instead:
                is_open = may_be_one(part, match) or (id(match) in beside and not _are_whole(run, instead))
                is_open |= not are_as_many and isinstance(part.value, str) != isinstance(match.value, str)
                differs += [] if is_open else [_changed(part.kind, part.text, match.text)]
                doubtful += [part, match] if is_open else []
                left[0].remove(part)
                left[1].remove(match)
                break
    for run, instead in replaced:
        kinds = {part.kind for part in (*run, *instead) if part.text.casefold() not in TITLES}
        if kinds == {"name"} and _are_names(run, instead, sides[0], language):
            differs.append(_changed("name", *(" ".join(part.text for part in side) for side in (run, instead))))
            left = [[part for part in side if part not in (*run, *instead)] for side in left]
    return differs, [*doubtful, *left[0], *left[1]]


def _has_same_unit(part: Token, match: Token) -> bool:
    return part.kind == "date" or (not isinstance(part.value, str) and part.value[1:] == match.value[1:])


def _are_whole(run: Parts, instead: Parts) -> bool:
    """Whether what stands instead of each other is as much: of "2,500" and "2.5 k" all may not have been read."""
    kinds = [Counter(part.kind for part in side if part.kind in ("number", "word")) for side in (run, instead)]
    units = [{unit_of(part) for part in side if part.kind == "number"} for side in (run, instead)]
    return kinds[0]["number"] == kinds[1]["number"] and (kinds[0] == kinds[1] or units[0] == units[1] != {""})


def _are_names(run: Parts, instead: Parts, ours: Parts, language: str) -> bool:
    """Whether these are two names for certain: no short form, and in German no other nouns."""
    short, long = sorted(("".join(part.text for part in side) for side in (run, instead)), key=len)
    before = ours[max(next(at for at, part in enumerate(ours) if part is run[0]) - 1, 0)].text.casefold()
    is_certain = language not in NOUNS_LARGE or before in TITLES or min(len(run), len(instead)) > 1
    letters = iter(long.casefold())  # "St" is short for "Saint"
    is_short = len(short) <= min(LONGEST_SHORT, len(long) - 2) and all(letter in letters for letter in short.casefold())
    is_short |= any({short.casefold(), long.casefold()} <= names for names in word_groups("names"))
    romans = [bool(_ROMAN.fullmatch(side[-1].text)) for side in (run, instead)]  # "VIII" is the Eighth
    return is_certain and not is_short and romans[0] == romans[1]


def _changed_condition(sides: tuple[Parts, Parts], one: Parts, other: Parts) -> list[ChangedPart]:
    """What must, may or holds only under something else, where nothing else differs, nor in another place."""
    joiner = " " if all(part.text.isascii() for part in one) else ""
    texts = [joiner.join(part.text for part in side) for side in (one, other)]
    levels = [[group for group in word_groups("modals") if text.casefold() in group] for text in texts]
    hedged = not (one and other) and any(part.kind == "hedge" for part in (*one[:2], *other[:2]))
    rest = [_values([part for part in side if part.kind not in SLOTS]) for side in sides]
    changed = [code for code in SequenceMatcher(None, rest[0], rest[1], False).get_opcodes() if code[0] != "equal"]
    is_placed = len(changed) == 1
    is_placed &= hedged or frozenset(map(str.casefold, texts)) in word_groups("opposites")
    return [_changed("condition", *texts)] if is_placed or (all(levels) and levels[0] != levels[1]) else []


def _judge_order(ours: Parts, theirs: Parts) -> tuple[Judged, list[ChangedPart]]:
    """What can be told of two statements with the same parts in another order: whether values were exchanged."""
    at = [place for place, (one, other) in enumerate(zip(ours, theirs, strict=True)) if one.value != other.value]
    if not at:
        return "same" if is_all_equal(ours, theirs) else "not judged", []
    between = [part for part in ours[at[0] + 1 : at[-1]] if part.kind not in SLOTS and part.value not in _JOINING]
    if between and all(side[place].kind in SLOTS for side in (ours, theirs) for place in at):
        texts = (", ".join(side[place].text for place in at) for side in (ours, theirs))
        return "changed", [_changed(ours[at[0]].kind, *texts)]
    return "not judged", []
