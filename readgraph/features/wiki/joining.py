"""Names of several documents, each thing once: those of one thing are joined where the text shows that they are.

That is: they are spelled alike but for case, accents, spaces and hyphens; one is the other's short form in brackets; or
one is the part of a full name that stands before it in the same document, and of no other there: a person's surname,
given name or initials, a company without "Ltd". What may be a part of several full names has no page.
"""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence, Set
from itertools import accumulate

from readgraph.features.wiki.kinds import Mention, cues, guess_kind
from readgraph.features.wiki.names import fold_name
from readgraph.features.wiki.state import Subject

FEWEST, MANY, LEAST_TOLD = 2, 4, 1 / 6
"""Sentences that tell of what has a page: one is about it, of many this share; or many, where its kind is known."""


def join_mentions(documents: Sequence[tuple[int, Sequence[Mention]]], *, by_rules: bool = False) -> list[Subject]:
    """What the documents of a collection tell of, each once.

    Args:
        documents: Of each document the offset at which it begins in the collection, and its mentions.
        by_rules: No model noted them; what little is told of has no page.

    Returns:
        What has a page, by its names.
    """
    by_key = defaultdict[str, list[tuple[int, Mention]]](list)
    for start, mentions in documents:
        for key, mention in _join_in_document(mentions):
            by_key[key.replace(" ", "")].append((start, mention))
    enough = (found for key, found in by_key.items() if key and (not by_rules or _tells_enough(key, found)))
    return sorted(map(_make_subject, enough), key=lambda each: each["name"])


def _join_in_document(mentions: Sequence[Mention]) -> Iterator[tuple[str, Mention]]:
    """The mentions, each with the folded name of what it is of; without those that may be of several things."""
    keys = [fold_name(mention.name) for mention in mentions]
    same = {fold_name(other): key for key, mention in zip(keys, mentions, strict=True) for other in mention.also}
    signs = defaultdict[str, list[Mention]](list)
    for key, mention in zip(keys, mentions, strict=True):
        signs[key].append(mention)
    first = {key: min(mention.start for mention in its) for key, its in signs.items()}
    wholes = _by_part([key for key in first if len(_without_suffix(key)) > 1], signs)
    for key, mention in zip(keys, mentions, strict=True):
        if key in same:
            yield same[key], mention
            continue
        initials, last = " ".join(word[:1] for word in key.split()[:-1]), key.split()[-1] if key else ""
        full_names = wholes.get(key, set()) or (wholes.get(f"{initials} {last}", set()) if _has_initial(key) else set())
        if not full_names:
            yield key, mention
        elif len(full_names) == 1 and first[whole := next(iter(full_names))] <= mention.start:
            yield whole, mention


def _without_suffix(key: str) -> list[str]:
    return [word for word in key.split() if word not in cues("suffixes")]


def _has_initial(key: str) -> bool:
    return any(len(word) == 1 for word in key.split())


def _by_part(keys: Sequence[str], signs: Mapping[str, Sequence[Mention]]) -> Mapping[str, Set[str]]:
    """The full names of a document by the parts that may stand for them: of persons, and of companies.

    A part of other names too has several, so that none is shown; one that stands behind "in" stands for itself.
    """
    by_part, having = defaultdict[str, set[str]](set), Counter[str]()
    for key in keys:
        words = _without_suffix(key)
        having.update({*words} if not _has_initial(key) else ())
        if words[-1] in cues("firms"):
            by_part[" ".join(words[:-1])].add(key)
        elif not _has_initial(key):
            for part in _parts_of(key, words, signs):
                by_part[part] |= {key}
            if not by_part[words[-1]] and len(signs.get(words[-1], ())) <= len(signs[key]):
                by_part[words[-1]] = {key, words[-1]}  # it may be a person's surname: which of both it is isn't shown
    for part in by_part:
        by_part[part] |= {part} if having[part] > 1 else set()
    return {part: of for part, of in by_part.items() if not any(mention.within for mention in signs.get(part, ()))}


def _parts_of(key: str, words: Sequence[str], signs: Mapping[str, Sequence[Mention]]) -> Set[str]:
    """What may stand for a full name that is a person's."""
    kinds = guess_kind(key, signs[key]), guess_kind(words[-1], signs.get(words[-1], ()))
    if "person" not in kinds and f"{words[0][:1]} {words[-1]}" not in signs:  # "M. Lindqvist"
        return set()
    starts = accumulate([word[0] for word in words[:-1]], lambda one, other: f"{one} {other}")
    parts = {words[0], words[-1], " ".join(words[1:]), f"{words[0]} {words[-1]}"}
    return parts.union(f"{start} {words[-1]}" for start in starts) - {key}


def _tells_enough(key: str, placed: Sequence[tuple[int, Mention]]) -> bool:
    telling = [mention for _, mention in placed if mention.said]
    spans = {(start, mention.start) for start, mention in placed if mention.said}
    if len(spans) < FEWEST:
        return False
    is_known, told = guess_kind(key, telling) != "name", sum(mention.told for mention in telling)
    return told > 0 if len(spans) < MANY else is_known or told >= LEAST_TOLD * len(spans)


def _make_subject(placed: Sequence[tuple[int, Mention]]) -> Subject:
    mentions = [each for _, each in placed]
    forms = Counter(fold_name(mention.name) for mention in mentions)
    key = max(forms, key=lambda form: (len(form.split()), forms[form], form))
    names = Counter(mention.name for mention in mentions if fold_name(mention.name) == key)
    name = max(names, key=lambda each: (not each.isupper(), names[each], each))
    counter = Counter(mention.kind for mention in mentions if mention.kind != "name")
    also = {fold_name(other): other for mention in mentions for other in (mention.name, *mention.also)}
    return Subject(
        name=name,
        kind=counter.most_common(1)[0][0] if counter else guess_kind(key, mentions),
        also=sorted(other for form, other in also.items() if form != key),
        spans=sorted({(start + each.start, start + each.end) for start, each in placed if each.said}),
        of="",
    )
