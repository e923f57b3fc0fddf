"""What the conversion of long PDFs makes of them: a report of 301 pages in two columns, and any files that are named.

    python -m benchmarks.converting [--pages 301] [--scan] [FILE.pdf ...]

The report has running heads, feet, page numbers, footnotes, tables and an outline, and each of its sentences is known.
Prints how many heads are left, how many footnotes stand apart, how many of the sentences that cross the end of a page
can be quoted, whether all places are right, and milliseconds of computing per page. With `--scan` the pages are made
pictures first (200 dpi, grey, with noise, turned by one degree), which takes some ten seconds of computing per page.
"""

import argparse
import tempfile
import time
from collections import Counter
from pathlib import Path

from readgraph.sources import load
from readgraph.sources.converting import SourceText
from readgraph.sources.places import Place, place_at
from tests.support.scanning import scanned
from tests.support.typeset_report import FIRST_NAMES, HEAD, Typeset, typeset


def converted(path: Path) -> tuple[SourceText, float]:
    """A file's text, and the seconds of computing that it took."""
    began = time.process_time()
    source = load(path)
    return source, time.process_time() - began


def print_report(made: Typeset, source: SourceText, seconds: float) -> None:
    pages = len(made.labels)
    apart = set(source.text.split("\n\n"))
    lines = set(source.text.split("\n"))
    notes = sum(f"{number} {note}" in apart for number, (note, _) in enumerate(made.notes, 1))
    quotable = sum(text in source.text for text, _ in made.crossing)
    whole = sum(text in source.text for text, _ in made.sentences)
    right = sum(
        f"PDF page {page}" in _place(source.places, source.text.find(text)).replace(" (", ", ").split(", ")
        for text, page in made.sentences
    )
    named = ("; ".join(f"{name}: {cell}" for name, cell in zip(FIRST_NAMES, row, strict=True)) for row, _ in made.rows)
    rows = sum(row in lines for row in named)
    print(f"heads left                     {source.text.count(HEAD):6,} of {pages:,}")
    print(f"footnotes set apart            {notes:6,} of {len(made.notes):,}")
    print(f"sentences quotable             {whole:6,} of {len(made.sentences):,}")
    print(f"... that cross a page's end    {quotable:6,} of {len(made.crossing):,}")
    print(f"sentences with the right page  {right:6,} of {len(made.sentences):,}")
    print(f"rows under their columns       {rows:6,} of {len(made.rows):,}")
    print(f"milliseconds per page          {seconds / pages * 1000:6.1f}")


def _place(places: tuple[Place, ...], offset: int) -> str:
    return place_at(places, offset) or ""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("files", nargs="*", type=Path)
    parser.add_argument("--pages", type=int, default=301)
    parser.add_argument("--scan", action="store_true")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        made = typeset(Path(folder) / "report.pdf", options.pages)
        printed, _ = converted(made.path)  # so that the libraries are imported, too
        if options.scan:
            source, seconds = converted(scanned(made.path, Path(folder) / "scan.pdf"))
            words, counter = Counter(printed.text.split()), Counter(source.text.split())
            print(f"words recognised               {(words & counter).total():6,} of {words.total():,}")
        else:
            source, seconds = converted(made.path)
        print_report(made, source, seconds)
    for path in options.files:
        source, seconds = converted(path)
        pages = len({place.label.rpartition("PDF page ")[2] for place in source.places})
        print(f"{path}: {len(source.text):,} characters, {pages:,} pages, {seconds / pages * 1000:.1f} ms per page")


if __name__ == "__main__":
    main()
