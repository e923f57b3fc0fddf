"""What search by meaning adds to search by words, with the model of `readgraph[meaning]`.

    python -m benchmarks.meaning [--data ../shared/data]

LoCoMo (categories 1 to 4) and QMSum: which share of the evidence is in the first 1, 3, 5 and 10 passages, as
`readgraph search` cuts texts, and on the first parts of about 400 words, by words and fused. The figures of the even
questions stand first: by these, `OF_WORDS` was chosen; then those of the odd ones. Then, by language, how often the
passage that a question is about comes first among long pages (`languages.txt`), and the time that vectors take.
"""

import argparse
import time
from collections import defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path
from statistics import mean

import numpy as np

from benchmarks.languages import LONGER, made_up, passages
from benchmarks.retrieval import lines
from readgraph.features.meaning.model import PackagedMiniLM
from readgraph.language.excerpts import cut_to_passages
from readgraph.library.search.hits import Ranking, fuse_with_meaning, pages_of
from readgraph.library.search.okapi import Okapi, TextsWith, rank
from readgraph.library.search.vector_index import Matrix
from readgraph.nodes.meaning import Nearness
from readgraph.state.words import count_words

DEPTHS = 1, 3, 5, 10
PART_WORDS = 400
Span = tuple[int, int]
Asked = list[tuple[str, list[Span]]]


def locomo(path: Path) -> Iterator[tuple[str, Asked]]:
    for document in lines(path):
        text, spans = "", dict[str, Span]()
        for session in document["sessions"]:
            text += f"\n\n{session['date_time']}\n\n"
            for turn in session["turns"]:
                said = f"{turn['speaker']}: {turn['text']}\n"
                spans[turn["id"]] = len(text), len(text) + len(said) - 1
                text += said
        asked = [each for each in document["questions"] if each["category"] in (1, 2, 3, 4)]
        yield text, [(each["question"], [spans[turn] for turn in each["evidence"] if turn in spans]) for each in asked]


def qmsum(path: Path) -> Iterator[tuple[str, Asked]]:
    for document in lines(path):
        turns, spans, at = document["text"].split("\n"), list[Span](), 0
        for turn in turns:
            spans.append((at, at + len(turn)))
            at += len(turn) + 1
        yield (
            document["text"],
            [
                (each["question"], [spans[n] for first, last in each["evidence"] for n in range(first, last + 1)])
                for each in (
                    {**each, "evidence": [(int(a), int(b)) for a, b in each["evidence"]]}
                    for each in document["questions"]
                )
            ],
        )


def cut_to_parts(text: str, cut: Sequence[Span]) -> list[Span]:
    """Passages joined to parts of at least `PART_WORDS` words, but for the last."""
    parts, start = list[Span](), 0
    for _, end in cut:
        if count_words(text[start:end]) >= PART_WORDS:
            parts.append((start, end))
            start = end
    return [*parts, (start, len(text))] if text[start:].strip() else parts


def by_words(question: str, texts: Sequence[str]) -> Ranking:
    """The texts as search by words ranks them, where each goes on from the one before."""
    okapi, all_terms = Okapi(question), TextsWith()
    for number, text in enumerate(texts):
        okapi.add((text,), following=(0,) if number else ())
        all_terms.add((text,))
    return okapi.rank_by_weights(okapi.weights(all_terms))


class Embedded:
    """The model, with the time that it took for so many words."""

    def __init__(self) -> None:
        self.model, self.words, self.seconds = PackagedMiniLM(), 0, 0.0

    def __call__(self, texts: Sequence[str]) -> Matrix:
        began = time.process_time()
        rows = np.array(self.model.embed_documents([*texts]), np.float32)
        self.seconds, self.words = self.seconds + time.process_time() - began, self.words + sum(map(count_words, texts))
        unit: Matrix = rows / np.linalg.norm(rows, axis=1, keepdims=True)
        return unit


def measure_retrieval(name: str, documents: Iterator[tuple[str, Asked]], embed: Embedded) -> None:
    shares = defaultdict[str, list[list[float]]](list)
    for text, asked in documents:
        cut = [*cut_to_passages(text)]
        vectors = embed([text[start:end] for start, end in cut])
        for question, evidence in asked:
            if not evidence:
                continue
            near = Nearness(cut, vectors @ embed([question])[0])
            for kind, spans in (("passages", cut), ("parts", cut_to_parts(text, cut))):
                words = by_words(question, [text[start:end] for start, end in spans])
                fused = fuse_with_meaning(words, near.of(spans))
                for how, ranking in (("words", words), ("fused", fused)):
                    places = [spans[number] for number in pages_of(ranking)]
                    shares[f"{kind}, {how}"].append([found_share(places[:depth], evidence) for depth in DEPTHS])
    for each, recalls in shares.items():
        halves = [
            "  ".join(f"{100 * mean(column):5.1f}" for column in zip(*recalls[half::2], strict=True)) for half in (0, 1)
        ]
        print(f"{name}, {each:16} @{', @'.join(map(str, DEPTHS))}: even {halves[0]} | odd {halves[1]}")


def found_share(places: Sequence[Span], evidence: Sequence[Span]) -> float:
    """Which share of the evidence these places touch."""
    return mean(any(begin < end and stop > start for begin, stop in places) for start, end in evidence)


def measure_languages(embed: Embedded) -> None:
    """How often a query's own page comes first, each page a passage with eight times its length of made-up words."""
    for language, each in passages().items():
        texts = [text for text, *_ in each]
        pages = [f"{text} {made_up(texts, LONGER * len(text), number)}" for number, text in enumerate(texts)]
        cut = [[page[start:end] for start, end in cut_to_passages(page)] for page in pages]
        vectors, firsts = [*map(embed, cut)], defaultdict[str, list[bool]](list)
        for number, (_, *queries) in enumerate(each):
            for kind, query in zip(("questions", "words"), queries, strict=True):
                asked, words = embed([query])[0], rank(query, pages, language)
                fused = fuse_with_meaning(words, [float((rows @ asked).max()) for rows in vectors])
                firsts[f"{kind} by words"].append(pages_of(words)[:1] == [number])
                firsts[f"{kind} fused"].append(pages_of(fused)[:1] == [number])
        print(f"{language}: " + ", ".join(f"{kind} {100 * mean(found):.1f}" for kind, found in firsts.items()))


def main() -> None:
    """Run the benchmark and print its figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=Path(__file__).parents[2] / "shared" / "data")
    data, embed = parser.parse_args().data, Embedded()
    measure_retrieval("locomo", locomo(data / "locomo_mini.jsonl"), embed)
    measure_retrieval("qmsum", qmsum(data / "qmsum_mini.jsonl"), embed)
    measure_languages(embed)
    print(f"{embed.words:,} words: {1000 * embed.seconds / embed.words:.2f} s of processor time for 1,000 words")


if __name__ == "__main__":
    main()
