"""How well headings of PDFs are found without their bookmarks, which say what is right.

    python -m benchmarks.pdf_headings FOLDER [--show]

Reads each PDF of the folder that has bookmarks twice, once with them hidden, and prints how many of the bookmarks were
found as headings, at which share of them the level is right too, the share of the headings found that are bookmarks
(precision), and the seconds of each reading. Titles are compared without their numbers, levels relative to the level
at which most stand. `--show` prints what is missing (-), at another level (~) and too much (+).
"""

import argparse
import time
from collections import Counter
from difflib import SequenceMatcher
from pathlib import Path
from statistics import mean
from unittest.mock import patch

from readgraph.nodes.building.outline import headings_in
from readgraph.sources.pdf import pdf_text
from readgraph.sources.pdf.headings import fold_heading

Heading = tuple[str, int]  # the title to compare, and the level from 1


def read_headings(data: bytes, name: str) -> tuple[list[Heading], float]:
    """The headings among a PDF's places, and the seconds of reading it."""
    began = time.process_time()
    converted = pdf_text.convert_here(data, name)
    seconds = time.process_time() - began
    found = headings_in(converted.text, ((place.start, place.label) for place in converted.places))
    return [(fold_heading(path[-1])[:50], len(path)) for _, path in found], seconds


def compare_headings(right: list[Heading], found: list[Heading]) -> tuple[list[tuple[Heading, Heading]], int]:
    """The pairs of a bookmark and the heading with its title, in their order, and how much deeper most headings are."""
    matcher = SequenceMatcher(None, [title for title, _ in right], [title for title, _ in found], autojunk=False)
    pairs = [
        (right[block.a + at], found[block.b + at])
        for block in matcher.get_matching_blocks()
        for at in range(block.size)
    ]
    deeper = Counter(own[1] - bookmark[1] for bookmark, own in pairs)
    return pairs, deeper.most_common(1)[0][0] if deeper else 0


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=Path)
    parser.add_argument("--show", action="store_true")
    args = parser.parse_args()
    figures = []
    print(f"{'bookmarks':>9} {'found':>6} {'at level':>8} {'precision':>9} {'with':>6} {'hidden':>6}")
    for file in sorted(args.folder.glob("*.pdf")):
        data = file.read_bytes()
        right, seconds = read_headings(data, file.name)
        if not right:
            continue
        with patch.object(pdf_text, "outline_of", lambda _: []):
            found, seconds_hidden = read_headings(data, file.name)
        pairs, deeper = compare_headings(right, found)
        at_level = sum(own[1] - bookmark[1] == deeper for bookmark, own in pairs)
        shares = len(pairs) / len(right), at_level / len(right), len(pairs) / len(found) if found else 1.0
        figures.append(shares)
        print(
            f"{len(right):9} {shares[0]:6.0%} {shares[1]:8.0%} {shares[2]:9.0%} {seconds:5.1f}s {seconds_hidden:5.1f}s"
            f"  {file.name}",
            flush=True,
        )
        if args.show:
            lacking, surplus = Counter(right), Counter(found)
            for bookmark, own in pairs:
                lacking[bookmark] -= 1
                surplus[own] -= 1
                if own[1] - bookmark[1] != deeper:
                    print(f"    ~ {own[1] - deeper} for {bookmark[1]}: {own[0]}")
            print(*(f"    - {level} {title}" for title, level in lacking.elements()), sep="\n")
            print(*(f"    + {level} {title}" for title, level in surplus.elements()), sep="\n")
    means = [mean(column) for column in zip(*figures, strict=True)]
    print(f"{len(figures):9} {means[0]:6.0%} {means[1]:8.0%} {means[2]:9.0%}  files, mean")


if __name__ == "__main__":
    main()
