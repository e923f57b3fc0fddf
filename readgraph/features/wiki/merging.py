"""A file that is ours and a user's: our lines change, and whatever the user added anywhere stays, byte for byte.

Ours stands between two marks; the second lists a hash of each of our lines, "-" for one without words. Lines between
the marks that the list doesn't account for are the user's, as is all before and after them.
"""

import re
from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise

from readgraph.state.records import digest

BEGIN = "<!-- readgraph -->"
_END = re.compile(r"<!-- /readgraph(:?)((?: (?:[0-9a-f]{6}|-))*) -->")

_Placed = tuple[str, int | None, bool]  # a line, its number in the file that there was, and whether it is the user's
_Key = tuple[str, int]  # the hash of a line, and how many of this hash are above it


def merge(existing: str, lines: Sequence[str]) -> str:
    """A file with these lines of ours, and all that a user wrote in it; "" where it has neither."""
    before, begun, rest = existing.partition(BEGIN)
    ended = _END.search(rest)
    inside, after = (rest[: ended.start()], rest[ended.end() :]) if ended else (rest, "\n")
    head, *there = inside.split("\n")  # the head is what the user wrote behind the mark
    there = there[:-1] if there and not there[-1] else there
    end_of_line = "\r" * head.endswith("\r")  # as other systems' editors write it
    bare = [line.removesuffix(end_of_line) for line in there]
    hashes = ended[2].split() if ended else _hashes(lines)
    if ended and not ended[1]:  # an older form lists no lines without words, and knows none of the user's
        hashes = [each for each in _hashes(bare) if each in ("-", *hashes)]
    placed = _place(bare, hashes, lines)
    is_users = any(text.strip() for text in (before, head, after)) or any(own for *_, own in placed)
    if not lines and not is_users:
        return ""
    if before and not begun:
        before += "\n" if before.endswith("\n") else "\n\n"
    listed = "".join(f" {each}" for each in _hashes(lines))
    shown = (there[at] if at is not None and own else line + end_of_line for line, at, own in _apart(placed))
    return "\n".join([f"{before}{BEGIN}{head}", *shown, f"<!-- /readgraph:{listed} -->{after}"])


def _hashes(lines: Iterable[str]) -> list[str]:
    return [digest(line)[:6] if line else "-" for line in lines]


def _keys(hashes: Iterable[str]) -> list[_Key]:
    """A key of each line, so that none comes twice."""
    counter, keys = Counter[str](), list[_Key]()
    for each in hashes:
        keys.append((each, counter[each]))
        counter[each] += 1
    return keys


def _find_ours(there: Sequence[str], ours: Sequence[str]) -> list[tuple[int, int]]:
    """Which lines of a file are which of ours, by their hashes: the longest row of both; without lines of no words."""
    places = defaultdict[str, list[int]](list)
    for own in reversed(range(len(ours))):
        places[ours[own]].append(own)
    pairs = [(at, own) for at, each in enumerate(there) if each != "-" for own in places.get(each, ())]
    lasts, chains, before = list[int](), list[int](), dict[int, int]()
    for each, (_, own) in enumerate(pairs):
        length = bisect_left(lasts, own)
        lasts[length : length + 1], chains[length : length + 1] = [own], [each]
        before[each] = chains[length - 1] if length else -1
    found, at = list[tuple[int, int]](), chains[-1] if chains else -1
    while at >= 0:
        found.append(pairs[at])
        at = before[at]
    return found[::-1]


def _place(there: Sequence[str], hashes: Sequence[str], lines: Sequence[str]) -> list[_Placed]:
    """Our lines as they are now, and the user's, each run of these behind the line of ours that it stood behind.

    Args:
        there: The lines of the file.
        hashes: Those of our lines, as they were.
        lines: Our lines, as they are now.
    """
    now = _keys(_hashes(lines))
    kept, keys = {*now}, _keys(hashes)
    known = [(-1, -1), *_find_ours(_hashes(there), hashes), (len(there), len(hashes))]
    anchor: _Key | None = None
    found, at_of = dict[_Key | None, list[_Placed]](), dict[_Key, int]()
    for (at, own), (end, following) in pairwise(known):
        if at >= 0:
            at_of[keys[own]] = at
            anchor = keys[own] if keys[own] in kept else anchor
        run, ours = list[_Placed](), hashes[own + 1 : following].count("-")
        for number in range(at + 1, end):
            is_ours = not there[number] and ours > 0
            ours -= is_ours
            run.append((there[number], number, not is_ours))
        if any(own for *_, own in run):
            found.setdefault(anchor, []).extend(run)
    return [*_with_users(lines, now, found, at_of)]


def _with_users(
    lines: Sequence[str], now: Sequence[_Key], found: dict[_Key | None, list[_Placed]], at_of: dict[_Key, int]
) -> Iterator[_Placed]:
    """Our lines with the runs of the user's; lines without words in a run stand for those behind the line of ours."""
    run, empty = found.get(None, []), 0
    yield from run
    empty = sum(not line for line, *_ in run)
    for line, key in zip(lines, now, strict=True):
        if not line and empty:
            empty -= 1
            continue
        yield line, at_of.get(key), False
        if line:
            run = found.get(key, [])
            yield from run
            empty = sum(not each for each, *_ in run)


def _apart(placed: Sequence[_Placed]) -> Iterator[_Placed]:
    """The lines, with one without words between a line of the user's and another that it didn't stand beside."""
    last: _Placed = ("", None, False)
    for each in placed:
        beside = last[1] is not None and each[1] == last[1] + 1
        if last[0].strip() and each[0].strip() and (last[2] or each[2]) and not beside:
            yield "", None, False
        yield each
        last = each
