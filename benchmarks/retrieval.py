"""How much of the evidence is found: keyword, Okapi, vector and fused search over real questions.

    python -m benchmarks.retrieval [--embeddings local] [--data ../shared/data]

LoCoMo, categories 1 to 4: an entry is a turn with its speaker ("in context": with the previous turn as its header).
QMSum: chunks of whole turns, about 200 words. Hotpot: paragraphs. Prints the share of the evidence among the first 5
and 10 results, averaged over questions, and the reference from the data's README. At the end, recall by language over
texts of our own (`benchmarks/languages.py`).
"""

import argparse
import asyncio
import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.languages import by_keywords, measure_languages
from readgraph.models.embedder import Embedder
from readgraph.state.search.entries import Entry
from readgraph.state.search.fusing import DEPTH, fuse
from readgraph.state.search.okapi import rank
from readgraph.state.search.vector_index import VectorIndex
from readgraph.state.words import count_words

REFERENCES = {
    "locomo": "BM25 42.9 / 50.7, MiniLM 35.0 / 43.9, fused 45.0 / 54.5 on the full set; fused 45.2 / 53.8 on this one",
    "qmsum": "BM25 37.9 / 51.2, MiniLM 39.0 / 55.8, fused 42.3 / 57.1 on the full set",
    "hotpot": "at 5 / 10: BM25 72.5 / 89.5, MiniLM 77.0 / 94.5, fused 78.5 / 94.0 on the full set",
}


@dataclass(frozen=True)
class Corpus:
    """The entries of one document, and questions with the entries that hold their evidence."""

    name: str
    texts: list[str]
    questions: list[tuple[str, set[int]]]
    headers: list[str] | None = None


def lines(path: Path) -> Iterator[dict[str, Any]]:
    with path.open(encoding="utf-8") as file:
        yield from map(json.loads, file)


def locomo(path: Path) -> Iterator[Corpus]:
    for document in lines(path):
        turns = [turn for session in document["sessions"] for turn in session["turns"]]
        number = {turn["id"]: index for index, turn in enumerate(turns)}
        questions = [
            (question["question"], {number[turn] for turn in question["evidence"] if turn in number})
            for question in document["questions"]
            if question["category"] in (1, 2, 3, 4)
        ]
        texts = [f"{turn['speaker']}: {turn['text']}" for turn in turns]
        yield Corpus(document["doc_id"], texts, questions, ["", *texts[:-1]])


def qmsum(path: Path, chunk_words: int = 200) -> Iterator[Corpus]:
    for document in lines(path):
        chunks, chunk_of, size = [list[str]()], list[int](), 0
        for turn in document["text"].split("\n"):
            if size >= chunk_words:
                chunks.append([])
                size = 0
            chunk_of.append(len(chunks) - 1)
            chunks[-1].append(turn)
            size += count_words(turn)
        questions = [
            (question["question"], {chunk_of[turn] for first, last in spans for turn in range(first, last + 1)})
            for question in document["questions"]
            for spans in [[(int(first), int(last)) for first, last in question["evidence"]]]
        ]
        yield Corpus(document["doc_id"], ["\n".join(chunk) for chunk in chunks], questions)


def hotpot(path: Path) -> Iterator[Corpus]:
    for document in lines(path):
        number = {paragraph["id"]: index for index, paragraph in enumerate(document["documents"])}
        questions = [
            (question["question"], {number[evidence["doc"]] for evidence in question["evidence"]})
            for question in document["questions"]
        ]
        texts = [f"{paragraph['title']}. {paragraph['text']}" for paragraph in document["documents"]]
        yield Corpus(document["doc_id"], texts, questions)


async def by_vectors(entries: list[Entry], questions: list[str], embedder: Embedder) -> list[list[int]]:
    """The pages whose vectors are closest to each question's vector."""
    index = VectorIndex(None, embedder.identity)
    await index.add("corpus", *await embedder.entries(entries))
    vectors = await asyncio.gather(*map(embedder.query, questions))
    ranked = [[hit.page for hit in await index.search("corpus", vector, DEPTH)] for vector in vectors]
    index.close()
    return ranked


async def rankings(corpus: Corpus, embedder: Embedder | None) -> dict[str, list[list[int]]]:
    """For each search tool, the ranked entries of each question."""
    entries = [Entry(number, text) for number, text in enumerate(corpus.texts)]
    questions = [question for question, _ in corpus.questions]
    ranked = {
        "keyword": await by_keywords(entries, questions),
        "okapi": [[page for page, _ in rank(question, corpus.texts)] for question in questions],
    }
    if corpus.headers:
        pairs = enumerate(zip(corpus.texts, corpus.headers, strict=True))
        with_headers = [Entry(number, text, header) for number, (text, header) in pairs]
        ranked["keyword in context"] = await by_keywords(with_headers, questions)
    if embedder:
        ranked["vector"] = await by_vectors(entries, questions, embedder)
        ranked["fused"] = [
            [page for page, _ in fuse(both)] for both in zip(ranked["keyword"], ranked["vector"], strict=True)
        ]
    return ranked


async def measure(name: str, corpora: list[Corpus], embedder: Embedder | None) -> None:
    shares: dict[str, list[tuple[float, float]]] = {}
    for corpus in corpora:
        for tool, ranked in (await rankings(corpus, embedder)).items():
            for pages, (_, evidence) in zip(ranked, corpus.questions, strict=True):
                if evidence:
                    first, more = (len(evidence & {*pages[:depth]}) / len(evidence) for depth in (5, 10))
                    shares.setdefault(tool, []).append((first, more))
    print(f"{name}, {len(shares['keyword'])} questions (reference: {REFERENCES[name]})")
    for tool, recalls in shares.items():
        at_5, at_10 = (100 * sum(depth) / len(recalls) for depth in zip(*recalls, strict=True))
        print(f"  {tool:18} recall@5 {at_5:5.1f}  recall@10 {at_10:5.1f}")


async def run(data: Path, embeddings: str) -> None:
    embedder = Embedder(embeddings) if embeddings else None
    for name, load in (("locomo", locomo), ("qmsum", qmsum), ("hotpot", hotpot)):
        path = data / f"{name}{'_long' if name == 'hotpot' else ''}_mini.jsonl"
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
