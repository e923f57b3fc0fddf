"""What an engine keeps: gists of ingested texts, which are recalled by a query, and saved in a folder."""

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
from typing_extensions import TypedDict

from readgraph.library.documents import document_id
from readgraph.library.library import Library
from readgraph.library.page_store import PageStore
from readgraph.library.search.hits import fuse, score_above_last
from readgraph.library.search.okapi import rank
from readgraph.library.search.vector_index import Matrix
from readgraph.library.stored_items import EVERY, ROOT, StoredValue
from readgraph.library.upkeep.own_records import OwnRecords
from readgraph.models.embeddings.vector_replies import NotEmbedded
from readgraph.models.metering import Meter, start_meter
from readgraph.nodes.search import count_search_by_words, get_shared_embedder
from readgraph.state.context import ReaderContext
from readgraph.state.errors import BadInput, LibraryError
from readgraph.state.files import check_format, replace_file
from readgraph.state.records import Document, Id, load_valid

FORMAT = 1  # version of a saved engine's layout; a newer one is refused
ENGINE, LIBRARY = "engine.json", "library"
PARTS = ("engine", "config", "settings", "functions")

INGESTED = (ROOT, "ingested")  # below it, under an engine's id and a document's, an `IngestedDocument`


@dataclass(frozen=True, slots=True)
class IngestedDocument:
    """A document that an engine keeps, and its memory."""

    document: Id
    memory: Id


async def keep_ingested(pages: PageStore, engine: str, ingested: IngestedDocument) -> None:
    """Remember that an engine keeps a document; a later memory replaces an earlier one."""
    await pages.put([((*INGESTED, engine), ingested.document, asdict(ingested))])


async def documents_of_engine(pages: PageStore, engine: str) -> list[IngestedDocument]:
    """What an engine keeps, in a stable order."""
    items = await pages.search((*INGESTED, engine), EVERY)
    return sorted(load_valid(IngestedDocument, [item.value for item in items]), key=lambda ingested: ingested.document)


async def forget_ingested(library: Library, document: Document) -> None:
    """Let no engine keep a document that is forgotten."""
    await library.pages.clear(INGESTED, {"document": document.id})


class Recalled(TypedDict):
    """A gist that was found: its id, text and score, and the episode that it stands for.

    `document` is the document's id, `page` the episode's number in it. Scores compare the results of one call only.
    """

    id: str
    text: str
    score: float
    document: str
    page: int
    episode: str


async def episodes_of(pages: PageStore, kept: IngestedDocument) -> list[Recalled]:
    """The episodes with a gist of one document, unscored; none if it was forgotten."""
    document = await pages.find_document(kept.document)
    if not document:
        return []
    memory = await pages.memory(document.id, kept.memory)
    notes = await pages.notes(memory.id, range(memory.pages))
    texts = await pages.page_texts(document, await pages.pages(memory.id, [note.page for note in notes]))
    return [
        Recalled(
            id=document_id(text.strip()), text=note.text, score=0.0, document=document.id, page=note.page, episode=text
        )
        for note, text in zip(notes, texts.values(), strict=True)
    ]


async def recall_gists(pages: PageStore, engine: str, context: ReaderContext, query: str, top_k: int) -> list[Recalled]:
    """The gists nearest to the query, by words of gist and episode or by meaning, the best first; no episode twice."""
    by_id = dict[str, Recalled]()
    for document in await documents_of_engine(pages, engine):
        for episode in await episodes_of(pages, document):
            by_id.setdefault(episode["id"], episode)
    every = [*by_id.values()]
    rankings = [rank(query, [f"{episode['text']}\n{episode['episode']}" for episode in every])]
    if context.embeddings and every:
        try:
            rankings.append(await _rank_by_nearness(pages, context, query, every))
        except NotEmbedded as problem:
            count_search_by_words(problem)
    best = fuse(rankings)[:top_k]
    return [{**every[number], "score": round(score, 5)} for number, score in best]


async def _rank_by_nearness(
    pages: PageStore, context: ReaderContext, query: str, every: Sequence[Recalled]
) -> list[tuple[int, float]]:
    gists = await embed_gists(pages, context, every)
    nearness = gists @ await (await get_shared_embedder(pages, context)).query(query, gists.shape[1])
    order = [int(number) for number in np.argsort(-nearness, kind="stable")]
    above = score_above_last([(number, float(nearness[number])) for number in order])
    return [(number, score) for number, score in above if nearness[number] > 0]


async def embed_gists(pages: PageStore, context: ReaderContext, episodes: Sequence[Recalled]) -> Matrix:
    """The vectors of the gists, shape (episodes, dimension); they are kept with their documents."""
    embedder = await get_shared_embedder(pages, context)
    vectors = list[Matrix]()
    for document in dict.fromkeys(episode["document"] for episode in episodes):
        start_meter(Meter(context, document=document))
        dimension = vectors[0].shape[1] if vectors else 0
        texts = [episode["text"] for episode in episodes if episode["document"] == document]
        vectors.append(await embedder.documents(texts, dimension))
    return np.concatenate(vectors)


async def copy_kept(source: PageStore, target: PageStore, engine: str) -> None:
    """Copy what an engine keeps into another store, with replies and vectors; what else was kept there is forgotten."""
    ours = {ingested_document.document for ingested_document in await documents_of_engine(source, engine)}
    for ingested_document in await documents_of_engine(target, engine):
        if ingested_document.document not in ours:
            await target.clear(INGESTED, {"document": ingested_document.document})
    for ingested_document in await documents_of_engine(source, engine):
        document, memory = ingested_document.document, ingested_document.memory
        items: list[StoredValue] = []
        for namespace, key in (((ROOT, "documents"), document), ((ROOT, "memories", document), memory)):
            (value,) = await source.get(namespace, [key])
            items.append((namespace, key, value))
        own = [("text", document), ("places", document), ("pages", memory), ("notes", memory), ("tree", memory)]
        for place in own:
            items += [((ROOT, *place), key, value) async for key, value in source.each((ROOT, *place))]
        for paid in ("replies", "embeddings"):
            items += [
                ((ROOT, paid), key, value) async for key, value in source.each((ROOT, paid), {"document": document})
            ]
        await target.put(items)
        await keep_ingested(target, engine, ingested_document)


def folder_for_engine(folder: str | PathLike[str]) -> Path:
    """The folder to save an engine in, which may be new; raises `BadInput` if it holds something else."""
    path = Path(folder).expanduser()
    if path.exists() and not path.is_dir():
        raise BadInput(f"{path} is a file: name a folder for the engine.")
    if path.exists() and {each.name for each in path.iterdir()} - {ENGINE, LIBRARY}:
        raise BadInput(f"{path} holds no engine and is not empty: name another folder.")
    return path


def write_engine(path: Path, saved: dict[str, Any]) -> None:
    """Write an engine's configuration into a folder; raises `LibraryError` if it can't be written."""
    try:
        with replace_file(path / ENGINE) as file:
            json.dump({"format": FORMAT, **saved}, file, ensure_ascii=False, indent=2)
    except OSError as problem:
        raise LibraryError(f"{path} can't be written: {problem.strerror}.") from None


def read_engine(folder: str | PathLike[str]) -> dict[str, Any]:
    """The configuration of a saved engine; raises `BadInput` if the folder holds none that can be read."""
    path = Path(folder).expanduser() / ENGINE
    try:
        saved = json.loads(path.read_text(encoding="utf-8"))
        format, parts = int(saved["format"]), [saved[name] for name in PARTS]
    except OSError:
        raise BadInput(f"{path.parent} holds no saved engine.") from None
    except (ValueError, KeyError, TypeError, RecursionError):
        raise BadInput(f"{path} is damaged: save the engine again.") from None
    check_format(f"The engine in {path.parent}", format, FORMAT)
    if [type(part) for part in parts] != [str, dict, dict, list]:
        raise BadInput(f"{path} is damaged: save the engine again.")
    return dict(saved)


RECORDS = OwnRecords(forget=forget_ingested)
