"""An answer as a file: saved with all that it follows from, and repeated (see `readgraph.api.functions`).

The file holds no text: each prompt is made again from the text, and compared by its digest. A seal is the digest of a
part and no signature; what still shows where somebody makes new ones is what does not follow from the rest.
"""

import json
import re
from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import fields, replace
from itertools import zip_longest
from os.path import isfile
from pathlib import Path
from typing import Any, Literal, NamedTuple

from langgraph.checkpoint.memory import InMemorySaver
from langgraph.store.base import BaseStore
from langgraph.store.memory import InMemoryStore
from pydantic import BaseModel, ConfigDict, ValidationError
from pydantic_core import from_json

from readgraph.api.documents import store_each
from readgraph.api.functions import check_asked, pages_of
from readgraph.api.results import Answer
from readgraph.api.running import RunThread, builder_for, run_method
from readgraph.graphs.method import Method
from readgraph.graphs.methods import method_kept
from readgraph.library.collections import documents_of
from readgraph.library.corrections import corrections_of, keep_correction
from readgraph.library.documents import TEXTS, document_item
from readgraph.library.library import Library, original_in, originals_at
from readgraph.library.overlay import OverlayStore
from readgraph.library.page_store import PageStore
from readgraph.library.search.passages import MEANING
from readgraph.library.stored_items import EVERY, ROOT, base_of
from readgraph.models.metering import ModelExchange, exchanges_to
from readgraph.models.names import is_function
from readgraph.models.pictures import NOT_SEEN
from readgraph.models.replies.forms import CUT_OFF
from readgraph.models.reply import FLAWED, FLAWS, Flaw, ModelReply, PublishedReplies, prompt_key, replay_published
from readgraph.nodes.meaning import meaning_model
from readgraph.sources.inputs import read_bytes
from readgraph.sources.loading import printable_path, read_file
from readgraph.state.context import ReaderContext
from readgraph.state.errors import BadInput, ReadgraphError
from readgraph.state.files import check_format
from readgraph.state.reading import QuestionTurn, Tokens
from readgraph.state.records import Document, digest, dump_record
from readgraph.state.words import format_count

FORMAT, PIECE = 1, 2000  # PIECE: characters of a text that have a digest together
NOT_KEPT = frozenset(  # settings that change no prompt: what calls take, whose they are, and the budget
    "prompts again rebuild namespace share_replies embedding_batch concurrency timeout retry_seconds max_reply_mb "
    "batch max_calls max_words max_seconds".split()
)
_SECRET = re.compile("token|sig|key|secret|auth|credential|passw", re.IGNORECASE)  # in the name of a package's setting


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid")


class SavedText(_Part):
    """A text by its record and the digests of its pieces; `file` is the name of its file, without folders."""

    file: str
    record: Document
    pieces: list[str]


class SavedReply(_Part):
    """A reply, and the prompt that it answers by its name, its version and its digest (`prompt_key`)."""

    node: str
    asked: str
    version: int
    prompt: str
    reply: str
    cut: bool
    tokens: tuple[int, int]
    flaw: Flaw


class SavedAnswer(_Part):
    """What an answer follows from, and the answer: the output of the graph, without what a clock counts."""

    readgraph: Literal["answer"] = "answer"
    format: int = FORMAT
    method: str
    settings: dict[str, Any]
    question: str
    options: list[str]
    earlier: list[QuestionTurn]
    document: Document
    texts: list[SavedText]
    corrections: dict[str, str]
    vectors: dict[str, str] = {}
    kept: dict[Literal["memories", "pages", "notes", "tree"], dict[str, dict[str, Any]]] = {}
    replies: list[SavedReply] = []
    answer: dict[str, Any] = {}
    seals: dict[str, str] = {}

    def make_seals(self) -> dict[str, str]:
        """The digest of each part; each of several texts and replies is one."""
        parts = [*self.model_dump(mode="json", exclude={"seals"} if self.kept else {"seals", "kept"}).items()]
        parts += [(f"{name} {at}", each) for name, of in parts if type(of) is list for at, each in enumerate(of, 1)]
        return {name: digest(part) for name, part in parts}


class Replayed(NamedTuple):
    """What came of a replay: a line for each difference, how many replies were used, the output, and the notes."""

    differences: list[str]
    replies: int = 0
    output: Mapping[str, Any] = {}
    notes: Sequence[str] = ()
    notes_as_kept: int = 0  # of these, those that stand in the file, since the replies that they are made of don't


async def save_answer(library: Library | BaseStore, answer: Answer) -> bytes:
    """The file of an answer: all is read and answered once more from the replies that the library keeps, and replayed.

    Notes whose replies aren't kept, such as those that a file's earlier version left, are held by the file themselves.

    Raises:
        BadInput: A budget ended the answer, or what the library keeps leads to something else.
    """
    asked, used, context, thread = answer._asked
    pages = pages_of(library, context)
    document = await pages.document(answer.document)
    kept = await thread.saver.aget({"configurable": {"thread_id": thread.id}}) if thread and thread.follow_up else None
    saved = SavedAnswer(
        method=used.name,
        settings=_settings_to_keep(context, answer),
        question=asked["question"],
        options=asked["options"],
        earlier=kept["channel_values"]["question_turns"][:-1] if kept else [],
        document=_without_source(document),
        texts=[await _saved_text(pages, text) for text in await documents_of(pages, document)],
        corrections=await corrections_of(pages, document),
    )
    try:
        if answer.status == "budget":
            raise BadInput("a budget ended it.")
        try:
            exchanges = await _answer_from_kept(saved, pages, answer, used)
        except ReadgraphError:
            if not answer.memory:
                raise
            saved.kept = await _items_of_memory(pages, document.id, answer.memory)
            exchanges = await _answer_from_kept(saved, pages, answer, used)
        if NOT_SEEN in saved.answer["fallbacks"] or any(step.get("pictures") for step in saved.answer["steps"]):
            saved.settings.setdefault("look", "auto")  # in a replay nobody knows what its model can see
        saved.replies = [_saved_reply(exchange, context.sample) for exchange in exchanges]
        if is_function(context.model):
            saved.settings.setdefault("reply_form", "plain")  # as functions have it; there is none in a replay
        saved.seals = saved.make_seals()
        data = json.dumps(saved.model_dump(mode="json"), ensure_ascii=False, indent=1).encode()
        if differences := (await replay_answer(data, library=library, method=used)).differences:
            raise BadInput(differences[0])
    except ReadgraphError as problem:
        raise BadInput(f"The answer is not saved, since it can't be repeated from what is kept: {problem}") from None
    return data


async def _answer_from_kept(
    saved: SavedAnswer, pages: PageStore, answer: Answer, method: Method
) -> list[ModelExchange]:
    """Answer from what the library keeps, with no memory but what `saved` holds of one; raises `ReadgraphError`."""
    layer = PageStore(OverlayStore(base_of(pages.store)), namespace=pages.namespace)
    for each in await _sharing_notes(pages, await pages.document(answer.document)):
        for memory in await pages.memories(each):
            if memory.id not in saved.kept.get("memories", ()):
                await layer.drop_memory(each, memory.id)
    keys = dict[str, str]()
    exchanges, output = await _run(saved, layer, method, PublishedReplies({}, kept_first=True, vectors=keys))
    for name in ("answer", "choice", "status", "citations", "pages_read"):
        if answer.output.get(name) != output.get(name):
            raise BadInput(f"another '{name}' comes out.")
    vectors = zip(keys.values(), await layer.embeddings([*keys]), strict=True)
    saved.answer, saved.vectors = output, {key: vector["vector"] for key, vector in vectors if vector}
    return exchanges


async def _items_of_memory(pages: PageStore, document: str, memory: str) -> dict[Any, dict[str, Any]]:
    """What is stored of a memory, by its kind and key."""
    items = {kind: await pages.search((ROOT, kind, memory), EVERY) for kind in ("pages", "notes", "tree")}
    record = dump_record(await pages.memory(document, memory))
    return {"memories": {memory: record}, **{kind: {each.key: each.value for each in of} for kind, of in items.items()}}


async def _sharing_notes(pages: PageStore, document: Document) -> set[str]:
    """The document and those from which it may have taken pages: whole texts of beginnings, and earlier versions."""
    members = await documents_of(pages, document)
    versions = [other.id for member in members for other in await pages.other_versions(member)]
    return {document.id, document.kept_with, *(member.id for member in members), *versions}


def _settings_to_keep(context: ReaderContext, answer: Answer) -> dict[str, Any]:
    """The settings that are not the usual ones, without keys and places."""
    every = [(each.name, getattr(context, each.name), each.default) for each in fields(context)]
    kept = {name: value for name, value, usual in every if value != usual and not _SECRET.search(name)}
    kept = {name: kept[name] for name in kept.keys() - NOT_KEPT}
    return kept if MEANING in answer.searched_by else kept | {"meaning": "never"}  # vectors may have been made since


def _without_source(document: Document) -> Document:
    return replace(document, source="", added="", notices=())  # a source may name a person, or hold a password


async def _saved_text(pages: PageStore, document: Document) -> SavedText:
    file = "" if "://" in document.source else Path(document.source).name
    return SavedText(file=file, record=_without_source(document), pieces=_digests(await pages.text(document)))


def _digests(text: str) -> list[str]:
    return [digest(text[start : start + PIECE], 8) for start in range(0, len(text), PIECE)]


def _saved_reply(exchange: ModelExchange, sample: int) -> SavedReply:
    refused, asked = exchange["refused"], exchange["asked"]
    return SavedReply(
        node=exchange["node"],
        asked=asked,
        version=exchange["version"],
        prompt=prompt_key(exchange["model"], asked, exchange["messages"], sample),
        reply=exchange["reply"],
        cut=refused == CUT_OFF,
        tokens=exchange["tokens"][:2],
        flaw=next((flaw for flaw in FLAWS if flaw and refused == FLAWED.format(flaw)), FLAWS[0]),
    )


async def _run(
    saved: SavedAnswer, pages: PageStore, method: Method, published: PublishedReplies
) -> tuple[list[ModelExchange], dict[str, Any]]:
    """The exchanges and the output of a run with these replies; of a follow-up, after the questions before it."""
    exchanges, builder, thread = list[ModelExchange](), builder_for(method), None
    asked = check_asked(saved.question, saved.options)
    settings: dict[str, Any] = {name: tuple(of) if type(of) is list else of for name, of in saved.settings.items()}
    context = ReaderContext(**settings)
    if saved.earlier:
        asked["follow_up"], thread = True, RunThread(saver=InMemorySaver(), id="replay")
        before = {"question_turns": saved.earlier, "answer": saved.earlier[-1]["answer"]}
        graph, first = builder.compile(checkpointer=thread.saver, store=pages.store), next(iter(builder.nodes))
        await graph.aupdate_state({"configurable": {"thread_id": thread.id}}, before, as_node=first)
    with replay_published(published), exchanges_to(exchanges.append):
        output = await run_method(pages, builder, method.name, saved.document, asked, context, thread=thread)
    return exchanges, {name: value for name, value in output.items() if name != "notices"}  # of this machine's library


def read_answer_file(data: bytes, name: str) -> SavedAnswer:
    """The answer in a file's bytes; raises `BadInput` with one line for what is none, or not whole."""
    try:
        value = from_json(data)
        if not isinstance(value, dict) or value.get("readgraph") != "answer":
            raise BadInput(f"{name} is no saved answer: 'readgraph ask … --save FILE' writes one.")
        check_format(name, value.get("format"), FORMAT)
        return SavedAnswer.model_validate(value)
    except ValidationError as problem:
        fault = problem.errors()[0]
        raise BadInput(f"{name} can't be read: {fault['msg']:.100} ({'.'.join(map(str, fault['loc'])):.80}).") from None
    except ValueError as problem:
        raise BadInput(f"{name} is cut short, or no JSON: {problem}.") from None


async def replay_answer(
    file: str | Path | bytes,
    texts: Sequence[str | Path] = (),
    *,
    library: Library | BaseStore | None = None,
    method: Method | None = None,
) -> Replayed:
    """Repeat an answer from its file: all steps are done again, and prompts get the replies that the file holds.

    Args:
        file: The file, or its bytes.
        texts: The files of the texts; without them, they are looked for in the library and beside the file.
        method: The method, if it is one of your own: no file says what is imported.

    Raises:
        BadInput: It is no such file, or can't be read; a text, or a method, is missing.
    """
    file = file if isinstance(file, bytes) else Path(file)
    name, beside = ("The file", None) if isinstance(file, bytes) else (printable_path(file), file.parent)
    saved = read_answer_file(file if isinstance(file, bytes) else read_bytes(file, name), name)
    if not method and ":" in saved.method:
        raise BadInput(f"The answer was given by a method of somebody's own: add --method {saved.method}.")
    used = method or method_kept(saved.method)
    if unknown := saved.settings.keys() & NOT_KEPT:
        raise BadInput(f"{name} can't be read: it has the setting '{min(unknown)}', which is never saved.")
    if MEANING in str(saved.answer.get("searched_by")) and meaning_model() is None:
        raise BadInput("The answer was found by meaning too. To repeat it: pip install 'readgraph[meaning]'.")
    seals, pages = saved.make_seals(), PageStore(InMemoryStore())
    edited = [each for each in seals | saved.seals if seals.get(each) != saved.seals.get(each)]
    differences = [f"{each}: edited since it was saved" for each in edited]
    changed, originals = await _put_texts(saved, pages, texts, pages_of(library) if library else None, beside)
    if changed:
        return Replayed([*differences, *changed])
    if "'pictures': ['" in str(saved.answer) and not originals:
        raise BadInput("The model saw pages as pictures, which are made of the text's file: name that file too.")
    replies = dict[str, list[ModelReply]]()
    for each in saved.replies:
        reply = ModelReply(each.reply, each.cut, Tokens(*each.tokens), each.flaw)
        replies.setdefault(each.prompt, []).append(reply)
    await pages.put_embeddings({key: {"vector": vector} for key, vector in saved.vectors.items()})
    try:
        with originals_at(originals):
            exchanges, output = await _run(saved, pages, used, PublishedReplies(replies, vectors={}))
    except (ReadgraphError, LookupError, ValueError, RecursionError) as problem:  # forged records lead anywhere
        return Replayed([*differences, f"It can't be repeated to its end: {problem}"])
    made = [_saved_reply(exchange, saved.settings.get("sample", 0)) for exchange in exchanges]
    unused = [(at, each) for at, each in enumerate(saved.replies, 1) if each not in made]
    differences += [f"replies {at}: not asked so ('{each.asked}' at {each.node})" for at, each in unused]
    memory = await pages.memory(saved.document.id, output["memory"])
    notes = [note.text for note in await pages.notes(memory.id, range(memory.pages))]
    was, came = dict(_leaves(saved.answer)), dict(_leaves(output))
    for place in [place for place in was | came if was.get(place) != came.get(place)]:
        one, other = f"{was.get(place)!r:.100}", f"{came.get(place)!r:.100}"
        differences.append(f"{place}: {one} in the file, {other} when it is repeated")
    return Replayed(differences, len(made), output, notes, len(saved.kept.get("notes", ())))


def _leaves(value: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    """The values in an output by their places, such as "citations 1 quote", without what a clock or a counter says."""
    if not isinstance(value, list | tuple | Mapping):
        yield path, value
        return
    for name, part in value.items() if isinstance(value, Mapping) else enumerate(value, 1):
        if name != "usage":
            yield from _leaves(part, f"{path} {name}".strip())


async def _put_texts(
    saved: SavedAnswer, pages: PageStore, files: Sequence[str | Path], library: PageStore | None, beside: Path | None
) -> tuple[list[str], dict[str, Path]]:
    """Put the texts into the store; raises `BadInput` where one is missing.

    Returns:
        A line for each that is another one, and the files that they were made of, by the texts' ids, where there are.
    """
    changed, originals, ids = list[str](), dict[str, Path](), {text.record.id for text in saved.texts}
    named = {each.id: (path, each) for path in map(Path, files) for each in await _read_texts(pages, path, ids)}
    if (more := len(named)) > (there := len(ids)):
        texts = format_count(there, "text")
        raise BadInput(f"The answer is from {texts}, and the files hold {more:,}: leave some out.")
    others = iter([named[each] for each in named if each not in ids])  # files may be named in any order
    parts = [part.document for part in saved.document.parts]
    is_cut = parts and saved.document.id != digest(["collection", parts])
    cut = saved.texts[-1] if is_cut else None  # the text that was read up to a place
    for text in saved.texts:
        record, source = text.record, pages
        stored = await library.find_document(record.id) if library else None
        near = beside / Path(text.file).name if beside and text.file and not stored else None
        if given := named.get(record.id) or next(others, None):
            originals[record.id], stored = given
        elif near and isfile(near):
            stored, *_ = await _read_texts(pages, near, ids)
            originals[record.id] = near
        elif library and stored:
            source = library
            if original := original_in(library.store, stored, ".pdf"):
                originals[record.id] = original
        else:
            what = f"'{record.title}' ({text.file or 'no file'}, {record.words:,} words)"
            where = "name its file after that of the answer"
            raise BadInput(f"The text {what} is needed, and not in the library: {where}.")
        for kind in TEXTS[:3]:
            of = await source.search((ROOT, kind, stored.id), EVERY)
            await pages.put([((ROOT, kind, record.id), item.key, item.value) for item in of])
        may_go_on = stored.sessions or stored.id == record.id or text is cut  # it has grown, or was not read to its end
        end = min(stored.characters, record.characters) if may_go_on else stored.characters
        stored = replace(stored, id=record.id, characters=end)
        if (now := _digests(read := await pages.text(stored))) != text.pieces:
            start = PIECE * next(at for at, (one, two) in enumerate(zip_longest(now, text.pieces)) if one != two)
            (place,) = await pages.place_names(stored, [min(start, stored.characters - 1)])
            where = f"between characters {start:,} and {start + PIECE:,}" + (f" ({place})" if place else "")
            if _digests(read[: record.characters]) == text.pieces:
                where = f"only behind what was read, {record.characters:,} characters"
            changed.append(f"'{record.title}' is not the text that was read: it differs {where}")
        await pages.put([document_item(record)])
    await pages.put([document_item(saved.document)])
    memory = next(iter(saved.kept.get("memories", ())), "none")
    for kind, items in saved.kept.items():
        space = (ROOT, kind, saved.document.id if kind == "memories" else memory)
        await pages.put([(space, key, value) for key, value in items.items()])
    for key, correction in saved.corrections.items():
        await keep_correction(pages, saved.document.id, key, correction)
    return changed, originals


async def _read_texts(pages: PageStore, path: Path, ids: Container[str]) -> list[Document]:
    """The documents of a file that are looked for, also where its lines end otherwise now; else its first one."""
    file = read_file(path)
    lines = file.data.replace(b"\r\n", b"\n")
    ways = [file.data] if file.digest else [file.data, lines, lines.replace(b"\n", b"\r\n")]
    stored = [each for data in ways for each in await store_each(pages, replace(file, data=data))]
    return [each for each in stored if each.id in ids] or stored[:1]
