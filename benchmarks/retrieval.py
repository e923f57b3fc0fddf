"""How much of the evidence is found: keyword, Okapi, vector and fused search over real questions.

    python -m benchmarks.retrieval [--embeddings local] [--data ../shared/data]

LoCoMo, categories 1 to 4: turns with their speakers ("in context": with the previous turn as header), and chunks of
whole turns, about 200 words. QMSum: such chunks. Hotpot: paragraphs, of which none goes on from another. Prints the
share of the evidence among the first 1, 5 and 10 results, averaged over questions, with that of the even and of the odd
questions, and the reference from the data's README. "beside": the words of the entries beside one count a little for
it, as in the pages of a memory and in the passages of `readgraph search`. "dated, named": there the time of a turn's
session is its header, and turns of a speaker whom the question names count more; "quoted": the same turns as the
extractive steps rank them, by their best sentence. "fused" is what fused searches do; below it stand other ways
(`benchmarks/fusions.py`). At the end, recall by language over texts of our own
(`benchmarks/languages.py`).
"""

import argparse
import asyncio
import json
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate
from pathlib import Path
from statistics import mean
from typing import Any, NamedTuple

from benchmarks.fusions import FUSIONS
from benchmarks.languages import by_keywords, measure_languages
from readgraph.language.passages import passages_of
from readgraph.library.search.hits import DEPTH, IndexEntry, Ranking, pages_of, score_above_last
from readgraph.library.search.okapi import Okapi, TextsWith, rank
from readgraph.library.search.vector_index import VectorIndex
from readgraph.models.embeddings.models import Embedder
from readgraph.nodes.extractive.nearest import nearest_sentences
from readgraph.state.words import count_words

DEPTHS = 1, 5, 10

REFERENCES = {
    "locomo": "BM25 42.9 / 50.7, MiniLM 35.0 / 43.9, fused 45.0 / 54.5 on the full set; fused 45.2 / 53.8 on this one",
    "qmsum": "BM25 37.9 / 51.2, MiniLM 39.0 / 55.8, fused 42.3 / 57.1 on the full set",
    "locomo in chunks": "none",
    "hotpot": "at 5 / 10: BM25 72.5 / 89.5, MiniLM 77.0 / 94.5, fused 78.5 / 94.0 on the full set",
}


@dataclass(frozen=True)
class Corpus:
    """The entries of one document, and questions with the entries that hold their evidence."""

    name: str
    texts: list[str]
    questions: list[tuple[str, set[int]]]
    follows: list[bool]
    headers: list[str] | None = None  # the text before
    times: list[str] | None = None
    speakers: list[str] | None = None


def lines(path: Path) -> Iterator[dict[str, Any]]:
    with path.open(encoding="utf-8") as file:
        yield from map(json.loads, file)


def locomo(path: Path) -> Iterator[Corpus]:
    for document in lines(path):
        turns = [turn for session in document["sessions"] for turn in session["turns"]]
        follows = [number > 0 for session in document["sessions"] for number, _ in enumerate(session["turns"])]
        places = {turn["id"]: number for number, turn in enumerate(turns)}
        texts = [f"{turn['speaker']}: {turn['text']}" for turn in turns]
        times = [session["date_time"] for session in document["sessions"] for _ in session["turns"]]
        speakers = [turn["speaker"] for turn in turns]
        yield Corpus(document["doc_id"], texts, asked(document, places), follows, ["", *texts[:-1]], times, speakers)


def locomo_chunks(path: Path) -> Iterator[Corpus]:
    for document in lines(path):
        chunks, times, follows, places = list[str](), list[str](), list[bool](), dict[str, int]()
        for session in document["sessions"]:
            cut = cut_to_chunks([f"{turn['speaker']}: {turn['text']}" for turn in session["turns"]])
            places |= {turn["id"]: len(chunks) + at for turn, at in zip(session["turns"], cut.of_turn, strict=True)}
            chunks += cut.texts
            times += [session["date_time"]] * len(cut.texts)
            follows += [number > 0 for number in range(len(cut.texts))]
        yield Corpus(document["doc_id"], chunks, asked(document, places), follows, times=times)


def asked(document: dict[str, Any], places: dict[str, int]) -> list[tuple[str, set[int]]]:
    """LoCoMo's questions that have an answer, with the places of the turns that hold it."""
    return [
        (question["question"], {places[turn] for turn in question["evidence"] if turn in places})
        for question in document["questions"]
        if question["category"] in (1, 2, 3, 4)
    ]


class Cut(NamedTuple):
    """Chunks of turns, and the chunk of each turn."""

    texts: list[str]
    of_turn: list[int]


def cut_to_chunks(turns: list[str], chunk_words: int = 200) -> Cut:
    """Chunks of whole turns, each of which ends with the turn that reaches this many words."""
    chunks, of_turn, size = [list[str]()], list[int](), 0
    for turn in turns:
        if size >= chunk_words:
            chunks.append([])
            size = 0
        of_turn.append(len(chunks) - 1)
        chunks[-1].append(turn)
        size += count_words(turn)
    return Cut(["\n".join(chunk) for chunk in chunks], of_turn)


def qmsum(path: Path) -> Iterator[Corpus]:
    for document in lines(path):
        cut = cut_to_chunks(document["text"].split("\n"))
        questions = [
            (question["question"], {cut.of_turn[turn] for first, last in spans for turn in range(first, last + 1)})
            for question in document["questions"]
            for spans in [[(int(first), int(last)) for first, last in question["evidence"]]]
        ]
        yield Corpus(document["doc_id"], cut.texts, questions, [number > 0 for number in range(len(cut.texts))])


def hotpot(path: Path) -> Iterator[Corpus]:
    for document in lines(path):
        number = {paragraph["id"]: index for index, paragraph in enumerate(document["documents"])}
        questions = [
            (question["question"], {number[evidence["doc"]] for evidence in question["evidence"]})
            for question in document["questions"]
        ]
        texts = [f"{paragraph['title']}. {paragraph['text']}" for paragraph in document["documents"]]
        yield Corpus(document["doc_id"], texts, questions, [False] * len(texts))


def by_okapi(corpus: Corpus, question: str) -> list[int]:
    """As `rank`, where each text counts with those beside it."""
    okapi, all_terms = Okapi(question), TextsWith()
    for text, follows in zip(corpus.texts, corpus.follows, strict=True):
        okapi.add((text,), following=(0,) if follows else ())
        all_terms.add((text,))
    return [page for page, _ in okapi.rank_by_weights(okapi.weights(all_terms))]


def by_quotes(corpus: Corpus, question: str) -> list[int]:
    """The texts by their best sentence, as the extractive steps rank sentences of pages, here one a session."""
    first = [number for number, follows in enumerate(corpus.follows) if not follows]
    texts, begins = dict[int, str](), list[tuple[int, int]]()
    for start, end in zip(first, [*first[1:], len(corpus.texts)], strict=True):
        texts[start] = "\n".join(corpus.texts[start:end])
        lengths = accumulate((len(text) + 1 for text in corpus.texts[start:end]), initial=0)
        begins += [(start, at) for at, _ in zip(lengths, range(start, end), strict=False)]
    passages = (
        [passage._replace(place=corpus.times[passage.page]) for passage in passages_of(texts)] if corpus.times else []
    )
    ranked = nearest_sentences(question, passages, DEPTH, 1)
    return [*dict.fromkeys(bisect_right(begins, (sentence.page, sentence.start)) - 1 for sentence in ranked)]


async def by_vectors(entries: list[IndexEntry], questions: list[str], embedder: Embedder) -> list[Ranking]:
    """The pages by how much closer their vectors are to each question's than the farthest page's."""
    index = VectorIndex(None, embedder.identity)
    await index.add("corpus", *await embedder.entries(entries))
    vectors = await asyncio.gather(*map(embedder.query, questions))
    found = [await index.search("corpus", vector, DEPTH) for vector in vectors]
    index.close()
    return [score_above_last([(hit.page, hit.score) for hit in hits]) for hits in found]


async def rankings(corpus: Corpus, embedder: Embedder | None) -> dict[str, list[list[int]]]:
    """For each search tool, the ranked entries of each question."""
    alone = [IndexEntry(number, text) for number, text in enumerate(corpus.texts)]
    beside = [replace(entry, follows=follows) for entry, follows in zip(alone, corpus.follows, strict=True)]
    entries = beside
    questions = [question for question, _ in corpus.questions]
    by_words = await by_keywords(entries, questions)
    ranked = {
        "keyword": [pages_of(ranking) for ranking in await by_keywords(alone, questions)],
        "keyword, beside": [pages_of(ranking) for ranking in by_words],
        "okapi": [[page for page, _ in rank(question, corpus.texts)] for question in questions],
        "okapi, beside": [by_okapi(corpus, question) for question in questions],
    }
    if corpus.headers:
        pairs = zip(alone, corpus.headers, strict=True)
        in_context = await by_keywords([replace(entry, header=header) for entry, header in pairs], questions)
        ranked["keyword in context"] = [pages_of(ranking) for ranking in in_context]
    if corpus.times:
        entries = [replace(entry, header=time) for entry, time in zip(entries, corpus.times, strict=True)]
        if corpus.speakers:
            entries = [replace(entry, speaker=who) for entry, who in zip(entries, corpus.speakers, strict=True)]
            ranked["quoted"] = [by_quotes(corpus, question) for question in questions]
        by_words = await by_keywords(entries, questions)
        ranked["dated, named" if corpus.speakers else "dated"] = [pages_of(ranking) for ranking in by_words]
    if embedder:
        apart = await by_vectors(alone, questions, embedder)
        by_meaning = await by_vectors(beside, questions, embedder)
        ranked["vector"] = [pages_of(ranking) for ranking in apart]
        ranked["vector, beside"] = [pages_of(ranking) for ranking in by_meaning]
        for name, fusion in FUSIONS.items():
            ranked[name] = [fusion(words, near) for words, near in zip(by_words, by_meaning, strict=True)]
    return ranked


async def measure(name: str, corpora: list[Corpus], embedder: Embedder | None) -> None:
    shares: dict[str, list[list[float]]] = {}
    for corpus in corpora:
        for tool, ranked in (await rankings(corpus, embedder)).items():
            for pages, (_, evidence) in zip(ranked, corpus.questions, strict=True):
                if evidence:
                    at_depths = [len(evidence & {*pages[:depth]}) / len(evidence) for depth in DEPTHS]
                    shares.setdefault(tool, []).append(at_depths)
    print(f"{name}, {len(shares['keyword'])} questions (reference: {REFERENCES[name]})")
    for tool, recalls in shares.items():
        figures = [
            f"@{depth} {percent(found)}" for depth, found in zip(DEPTHS, zip(*recalls, strict=True), strict=True)
        ]
        print(f"  {tool:18} recall {'  '.join(figures)}")


def percent(found: Sequence[float]) -> str:
    """The mean as a percentage, and the means of the even and of the odd ones."""
    whole, even, odd = (100 * mean(part) if part else 0.0 for part in (found, found[::2], found[1::2]))
    return f"{whole:5.1f} ({even:4.1f} {odd:4.1f})"


async def run(data: Path, embeddings: str) -> None:
    embedder = Embedder(embeddings) if embeddings else None
    for name, load, file in (
        ("locomo", locomo, "locomo_mini"),
        ("locomo in chunks", locomo_chunks, "locomo_mini"),
        ("qmsum", qmsum, "qmsum_mini"),
        ("hotpot", hotpot, "hotpot_long_mini"),
    ):
        path = data / f"{file}.jsonl"
        if path.exists():
            await measure(name, list(load(path)), embedder)
        else:
            print(f"{name}: skipped, there is no {path}")
    await measure_languages()


def main() -> None:
    """Run the benchmark and print its figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=Path(__file__).parents[2] / "shared" / "data")
    parser.add_argument("--embeddings", default="", help="PROVIDER:NAME or 'local'; without it, no vector search")
    options = parser.parse_args()
    asyncio.run(run(options.data, options.embeddings))


if __name__ == "__main__":
    main()
