"""What a program can ask of a library, as plain coroutines; the tools for agents are made of them.

What all functions take, also those that features add: `library` is an open `Library`, or any LangGraph `BaseStore`.
`documents` are named by their ids, beginnings of ids, titles, files, or parts of titles. `as_of` is a day (YYYY-MM-DD,
or less of it): documents and sessions of a history that are later are left out; `up_to` a place ("page 120",
"chapter 7", "session 3") of the documents, behind which nothing is known. `context` has the settings of the run,
by default those of `ReaderContext()`, without a model; one with a namespace means that part of the library. `listen`
takes what the graph streams, such as its progress, and `thread` keeps the graph's steps: without one they are not kept.

A run in another graph's node or tool has a context of its own, so it uses this library, not the store of that graph.
Errors are `ReadgraphError`s of one line.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, replace
from typing import Any

from langgraph.store.base import BaseStore

from readgraph.api import finding, results
from readgraph.api.documents import PickingScope, documents_as_one, find_named, pick_as_one_document, searchable
from readgraph.api.memories import memories_to_show, method_of, parts_numbered
from readgraph.api.notices import answer_notices
from readgraph.api.routing import route_question
from readgraph.api.running import RunThread, builder_for, memory_sizes, run_method
from readgraph.api.up_to import check_named
from readgraph.graphs.method import Method
from readgraph.graphs.methods import method_for, method_named
from readgraph.library.collections import joint_by_document
from readgraph.library.histories import Appended, SessionText, append_sessions
from readgraph.library.library import Library
from readgraph.library.notices import document_notices
from readgraph.library.page_store import PageStore
from readgraph.library.versions import replaced_by
from readgraph.nodes.opening import check_question, check_types
from readgraph.state.context import ReaderContext
from readgraph.state.errors import BadInput
from readgraph.state.loops import Listen
from readgraph.state.reading import Question
from readgraph.state.records import Document


def pages_of(library: Library | BaseStore, context: ReaderContext | None = None) -> PageStore:
    """The page store of a library, or of a plain store: the part of it that is the context's namespace."""
    if not isinstance(context, ReaderContext | None):
        raise BadInput(f"The context must be a ReaderContext, not {type(context).__name__}.")
    pages = library.pages if isinstance(library, Library) else PageStore(library)
    return PageStore(pages.store, namespace=context.namespace) if context and context.namespace else pages


async def list_documents(library: Library | BaseStore) -> list[results.DocumentInfo]:
    """The documents of the library, the newest first, without the collections that questions made of them."""
    pages = pages_of(library)
    memories, documents = await pages.all_memories(), await searchable(pages)
    joint, replaced = await joint_by_document(pages), await replaced_by(pages, documents)
    return [
        results.DocumentInfo(
            **asdict(document),
            methods=sorted({method_of(memory) for memory in memories.get(document.id, []) if memory.complete}),
            read_together=len(joint.get(document.id, ())),
            replaced_by=replaced[document.id].id if document.id in replaced else "",
        )
        for document in documents
    ]


async def read(
    library: Library | BaseStore,
    document: str | Document,
    *,
    method: str | Method | None = None,
    context: ReaderContext | None = None,
    listen: Listen | None = None,
    thread: RunThread | None = None,
) -> results.Reading:
    """Build a method's memory of a document, or finish it: what was read before is not read again.

    Args:
        library: The library, or a plain LangGraph store.
        document: Its id, title or file.
        method: The method or its name; by default ReadAgent reads a text, and GAM a history.
        context: The settings of the run; by default those of `ReaderContext()`, without a model.
        listen: Takes what the graph streams, such as its progress.
        thread: Keeps the graph's steps; without one they are not kept.

    Returns:
        The memory, its size, what it took, and whether it is complete.

    Raises:
        BadInput: For an unknown method, and where no document, or several, have the name.
    """
    pages = pages_of(library, context)
    named = await documents_as_one(pages, [document])
    used = _method_of(method) or method_for(named)
    output = await run_method(pages, builder_for(used), used.name, named, {}, context, listen, thread)
    return results.Reading.of(output, **await memory_sizes(pages, output))


def _method_of(method: str | Method | None) -> Method | None:
    return method_named(method) if isinstance(method, str) and method else method or None


def check_asked(question: str, options: Sequence[str]) -> Question:
    """The question with its options; raises `BadInput` where it can't be asked."""
    if not isinstance(question, str):
        raise BadInput(f"A question must be a string, not {type(question).__name__}.")
    if isinstance(options, str):
        raise BadInput("Give the options of a multiple choice as a list of texts.")
    asked = Question(question=question, options=[*options])
    check_types(asked)
    if not question.strip():
        raise BadInput("The question is empty: write one.")
    if len({*options}) == 1:
        raise BadInput("A multiple choice needs at least two options; there is one.")
    check_question(question.strip(), asked["options"], given=True)
    return asked


async def ask(
    library: Library | BaseStore,
    question: str,
    *,
    documents: Sequence[str | Document] = (),
    collection: str | None = None,
    method: str | Method | None = None,
    options: Sequence[str] = (),
    as_of: str = "",
    up_to: str = "",
    context: ReaderContext | None = None,
    listen: Listen | None = None,
    thread: RunThread | None = None,
) -> results.Answer:
    """Answer a question; several documents are read as one.

    Args:
        library: The library, or a plain LangGraph store.
        question: What is asked.
        documents: Ids, titles or files; by default those that share most words with the question.
        collection: Without documents: they are picked from this collection, else from all.
        method: The method or its name; by default the one that fits the question and the text (`auto`).
        options: The options of a multiple choice.
        as_of: A day (YYYY-MM-DD, or less of it): documents and sessions of a history that are later are left out.
        up_to: A place of the documents, such as "page 120" or "chapter 7": what follows it is not known.
        context: The settings of the run; by default those of `ReaderContext()`, without a model.
        listen: Takes what the graph streams, such as its progress.
        thread: Keeps the graph's steps, so that a further question can follow; without one they are not kept.

    Returns:
        The answer with its citations, status and usage.

    Raises:
        BadInput: For a question that can't be asked, an unknown method, or a name that no document has.
    """
    pages = pages_of(library, context)
    asked, named = check_asked(question, options), _method_of(method)  # before several documents are kept as one
    if thread:
        asked["follow_up"] = thread.follow_up
    check_named(up_to, documents, collection)
    if documents:
        document = await documents_as_one(pages, documents, as_of, up_to)
    else:
        scope = PickingScope(collection=collection, as_of=as_of)
        document = await pick_as_one_document(pages, " ".join([question, *options]), scope)
    if up_to and thread and thread.follow_up:
        await _check_followed(thread, document)
    person = bool(thread and thread.ask_person)  # who decides at its steps must know which these are
    used = named or method_for(document, asks=not person)
    routed = await route_question(pages, used, document, asked, context, listen)
    thread = replace(thread, asked_with=used.name) if thread else None
    builder = builder_for(routed.method, asks_person=person)
    run = await run_method(pages, builder, routed.method.name, document, asked, routed.context, listen, thread)
    output = routed.add_to(run)
    notices = await answer_notices(pages, routed.method, document, asked, output, as_of, up_to)
    answer = results.Answer.of(output, citations=cite(document, output["citations"]), notices=notices)
    answer._asked = (asked, routed.method, context or ReaderContext(), thread)
    return answer


async def _check_followed(thread: RunThread, document: Document) -> None:
    """Raise `BadInput` where the questions that one follows were about another text: their answers know more."""
    assert thread.saver, "a thread that is followed is kept"
    saved = await thread.saver.aget_tuple({"configurable": {"thread_id": thread.id}})
    if saved and dict(saved.metadata).get("document") != document.id:
        raise BadInput("A question follows one that was asked up to the same place: ask it by itself.")


async def search(
    library: Library | BaseStore,
    query: str,
    *,
    documents: Sequence[str | Document] = (),
    collection: str | None = None,
    most: int = 10,
    as_of: str = "",
    up_to: str = "",
) -> list[results.Hit]:
    """The passages that share most words with the query, the best first; no model, no memory is needed.

    Args:
        library: The library, or a plain LangGraph store.
        query: The words to look for.
        documents: Ids, titles or files; by default all are searched.
        collection: Only this collection is searched.
        most: Most passages.
        as_of: A day, as of `ask`.
        up_to: A place, as of `ask`.
    """
    pages = pages_of(library)
    finding.check_search(query, documents, collection)
    named = await find_named(pages, documents)
    return await finding.find_hits(pages, query, named, collection, most, as_of, up_to)


async def open_page(
    library: Library | BaseStore, document: str, page: int, *, memory: str | None = None, method: str | None = None
) -> results.OpenedPage:
    """A page of a document by its number, in the memory with this id: an `Answer` names the one that it quotes.

    Args:
        library: The library, or a plain LangGraph store.
        document: Its id, title or file.
        page: The page's number, from 0.
        memory: The memory's id; by default the newest that has such a page.
        method: Without a memory's id: only memories of this method count.

    Returns:
        The page's text and place, and its note.

    Raises:
        BadInput: Where there is no such page.
    """
    pages = pages_of(library)
    named = await documents_as_one(pages, [document])
    if memory is not None:
        memories = [await pages.memory(named.id, memory)]
    else:
        memories = await memories_to_show(pages, named, method_named(method) if method else None)
    parts = await parts_numbered(pages, named, memories, page)
    of, part = next((shown, part) for shown, part in zip(memories, parts, strict=True) if part)
    (text,) = await pages.spans(named, [(part.start, part.end)])
    (place,) = await pages.place_names(named, [part.start])
    notes = await pages.notes(of.id, [page])
    return results.OpenedPage(
        document=named.id,
        title=named.title,
        method=method_of(of),
        page=page,
        pages=of.pages,
        place=place,
        start=part.start,
        end=part.end,
        text=text,
        note=notes[0].text if notes else None,
        notices=await document_notices(pages, named),
    )


async def remember(
    library: Library | BaseStore,
    name: str,
    sessions: Sequence[SessionText],
    *,
    context: ReaderContext | None = None,
    listen: Listen | None = None,
) -> results.Remembered:
    """Append sessions to the history of this name or id, and memorise what is new (GAM, section 2.2.1).

    Args:
        library: The library, or a plain LangGraph store.
        name: The history's name or id; a new name begins one.
        sessions: In the order of time; those that it has already are not appended again.
        context: The settings of the run; by default those of `ReaderContext()`, without a model.
        listen: Takes what the graph streams, such as its progress.

    Returns:
        The memory, its size, and how many sessions were new.
    """
    if isinstance(library, Library):
        library.require_writable()
    appended = await append_sessions(pages_of(library, context), name, sessions)
    return await memorise(library, appended, context, listen)


async def memorise(
    library: Library | BaseStore,
    appended: Appended,
    context: ReaderContext | None = None,
    listen: Listen | None = None,
    thread: RunThread | None = None,
) -> results.Remembered:
    """Memorise what is new of a history, to which these sessions were appended."""
    from readgraph.graphs.gam import build_memorize  # here, since who only asks waits for no other graph

    pages, document = pages_of(library, context), appended.document
    output = await run_method(pages, build_memorize(), "gam", document, {}, context, listen, thread)
    counts = {"added": len(appended.added), "known": appended.known, "sessions": document.sessions}
    return results.Remembered.of(output, **counts, **await memory_sizes(pages, output))


async def research(
    library: Library | BaseStore,
    question: str,
    *,
    document: str,
    context: ReaderContext | None = None,
    listen: Listen | None = None,
) -> results.Researched:
    """Research the GAM memory of a document or history: what is found comes back, and nothing is answered.

    Args:
        library: The library, or a plain LangGraph store.
        question: What is looked for.
        document: Its id, title or file.
        context: The settings of the run; by default those of `ReaderContext()`, without a model.
        listen: Takes what the graph streams, such as its progress.

    Returns:
        The notes of the research, with the pages that support them.

    Raises:
        BadInput: If GAM has not read it.
    """
    from readgraph.graphs.gam import build_research

    pages = pages_of(library, context)
    named = await documents_as_one(pages, [document])
    context_only = replace(context or ReaderContext(), context_only=True)
    asked, builder = Question(question=question), build_research()
    return results.Researched.of(await run_method(pages, builder, "gam", named, asked, context_only, listen))


def cite(document: Document, citations: Iterable[Mapping[str, Any]]) -> list[results.Cited]:
    """The citations of a document; those from a collection name the one of its documents that holds the quote."""
    return [results.Cited(**{"document": document.id, **citation}) for citation in citations]
