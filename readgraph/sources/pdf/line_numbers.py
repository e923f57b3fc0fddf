"""Numbers of lines in the margin, as of verse, drafts, law and patents: they are no part of the text's flow."""

from collections import Counter, defaultdict
from collections.abc import Sequence
from itertools import pairwise
from statistics import median

from readgraph.sources.pdf.layout import SAME_ROW
from readgraph.sources.pdf.printed import PrintedLine

FEWEST, FEWEST_OF_ALL = 3, 5  # numbers on a page that prove it, where some lines have one, and where all have
RARE = 4  # lines from number to number from which on two of them prove it
LONGEST = 5  # digits
SAME_EDGE = 3.0  # points
SAME_STEP = 0.2  # shares of a line's height by which the height for each counted line may differ
LOWER_CASE = 0.25  # the share of counted lines that begin within a sentence, where all lines have a number
_Edge = tuple[bool, int, int]  # whether numbers are in line at their right ends, else their beginnings; where; size


def without_line_numbers(pages: Sequence[list[PrintedLine]]) -> list[list[PrintedLine]]:
    """The pages without the numbers of their lines.

    Numbers in line with each other count lines where they rise by the same step, and each stands as many lines of text
    below the last one as it is larger: in a table of ranks or years, they don't. Where every line has a number, lines
    must go on within sentences, which items of a list don't.
    """
    numbers = [_numbers_by_edge(page) for page in pages]
    proven = Counter(
        edge
        for page, found in zip(pages, numbers, strict=True)
        for edge, own in found.items()
        if _counts_lines(own, page)
    )
    dropped = {
        id(number)
        for page, found in zip(pages, numbers, strict=True)
        for edge, own in found.items()
        if proven[edge] and (len(own) < FEWEST or _counts_lines(own, page))
        for number in own
    }
    return [[piece for piece in page if id(piece) not in dropped] for page in pages] if dropped else [*pages]


def _numbers_by_edge(page: Sequence[PrintedLine]) -> dict[_Edge, list[PrintedLine]]:
    """The numbers that stand alone, from above, by the edge at which those of a size are in line."""
    printed_lines = defaultdict[_Edge, list[PrintedLine]](list)
    for piece in sorted(page, key=lambda piece: -piece.y):
        if len(piece.text) <= LONGEST and piece.text.isdecimal():
            size = round(piece.size)  # the number of a heading may stand in the same margin
            printed_lines[True, round(piece.end / SAME_EDGE), size].append(piece)
            printed_lines[False, round(piece.x / SAME_EDGE), size].append(piece)
    return printed_lines


def _counts_lines(numbers: Sequence[PrintedLine], page: Sequence[PrintedLine]) -> bool:
    if len(numbers) < 2:
        return False
    pairs = [(above, below, int(below.text) - int(above.text)) for above, below in pairwise(numbers)]
    step, count = Counter(larger for _, _, larger in pairs).most_common(1)[0]
    if len(numbers) < FEWEST and (step < RARE or any(int(number.text) % step for number in numbers)):
        return False
    if step < 1 or 4 * count < 3 * len(pairs) or min(larger for _, _, larger in pairs) < 1:
        return False
    texts = [piece for piece in page if len(piece.text) > LONGEST]
    heights = sorted({round(piece.y, 1) for piece in texts}, reverse=True)
    down = [above - below for above, below in pairwise(heights) if above - below > 0.5 * numbers[0].size]
    if not down:
        return False
    line = median(down)
    counted = median((above.y - below.y) / larger for above, below, larger in pairs)
    if abs(counted - line) > SAME_STEP * line:
        return False
    return step > 1 or _go_on_in_sentences(numbers, texts)


def _go_on_in_sentences(numbers: Sequence[PrintedLine], texts: Sequence[PrintedLine]) -> bool:
    """Whether each number stands beside one line, and many of these begin within a sentence."""
    if len(numbers) < FEWEST_OF_ALL:
        return False
    beside = [
        [text for text in texts if abs(text.y - number.y) < SAME_ROW * max(text.size, number.size)]
        for number in numbers
    ]
    single = [lines[0] for lines in beside if len(lines) == 1]
    lower = sum(line.text[0].islower() for line in single)
    return 4 * len(single) >= 3 * len(numbers) and lower >= LOWER_CASE * len(single)
