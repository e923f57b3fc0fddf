"""The part of `benchmarks.retrieval` by language: questions whose words stand in other forms than in the text.

`languages.txt` has 24 passages in each language, translations of each other, each with a question and with one to three
words, most of them in another form. They are looked for among the passages alone, and among long pages: each passage
followed by eight times its length of made-up words, with the frequencies of three letters of that language.
"""

import random
from collections import defaultdict
from pathlib import Path

from readgraph.library.search.hits import DEPTH, IndexEntry, Ranking, pages_of
from readgraph.library.search.indexes import KeywordIndex

TEXTS = Path(__file__).with_name("languages.txt")
LONGER, KNOWN_LETTERS = 8, 2
SEEDS = 3


def passages() -> dict[str, list[tuple[str, str, str]]]:
    """(passage, question, words) by language (ISO 639-1)."""
    found = defaultdict[str, list[tuple[str, str, str]]](list)
    language = ""
    for line in TEXTS.read_text(encoding="utf-8").splitlines():
        if line.startswith("# "):
            language = line[2:]
        else:
            text, question, words = line.split(" | ")
            found[language].append((text, question, words))
    return found


def made_up(texts: list[str], length: int, seed: int) -> str:
    """Made-up words: each letter follows the two before it as often as in these texts."""
    known, drawn = " ".join(texts), random.Random(seed)
    following = defaultdict[str, list[str]](list)
    for at in range(len(known) - KNOWN_LETTERS):
        following[known[at : at + KNOWN_LETTERS]].append(known[at + KNOWN_LETTERS])
    made = known[:KNOWN_LETTERS]
    while len(made) < length:
        made += drawn.choice(following.get(made[-KNOWN_LETTERS:]) or [" "])
    return made


async def by_keywords(entries: list[IndexEntry], questions: list[str]) -> list[Ranking]:
    """How the keyword index ranks the pages for each question."""
    index = KeywordIndex()
    await index.add("corpus", entries)
    ranked: list[Ranking] = [await index.rank_pages("corpus", question, DEPTH) for question in questions]
    index.close()
    return ranked


async def ranks(pages: list[str], queries: list[str]) -> list[int]:
    """The place, from 0, of each query's own page; one that is not found has the place of the last."""
    ranked = await by_keywords([IndexEntry(number, page) for number, page in enumerate(pages)], queries)
    found = [pages_of(ranking) for ranking in ranked]
    return [places.index(own) if own in places else len(pages) for own, places in enumerate(found)]


async def measure_language(language: str, lines: list[tuple[str, str, str]]) -> dict[str, list[int]]:
    """Ranks of the passages, for questions and for words, among passages and among long pages."""
    texts, questions, words = ([*column] for column in zip(*lines, strict=True))
    found = {"questions": await ranks(texts, questions), "words": await ranks(texts, words)}
    found |= {"questions, long": [], "words, long": []}
    for seed in range(SEEDS):
        pages = [f"{text} {made_up(texts, LONGER * len(text), seed * len(texts) + n)}" for n, text in enumerate(texts)]
        found["questions, long"] += await ranks(pages, questions)
        found["words, long"] += await ranks(pages, words)
    return found


def recall(places: list[int], depth: int) -> float:
    """The percentage of places among the first few."""
    return 100 * sum(place < depth for place in places) / len(places)


async def measure_languages() -> None:
    """Print recall@1 and @5 by language; with long pages, those of each half of the passages too."""
    print("by language, keyword: recall@1 / @5 (@1 of the passages of even and odd number)")
    for language, lines in passages().items():
        shown = [f"  {language}"]
        for name, places in (await measure_language(language, lines)).items():
            halves = f" ({recall(places[::2], 1):3.0f} {recall(places[1::2], 1):3.0f})"
            shown.append(
                f"{name} {recall(places, 1):5.1f} / {recall(places, 5):5.1f}{halves if 'long' in name else ''}"
            )
        print("  ".join(shown))
