"""The shortest programs: a question about files, or a reading of them, in one call.

Each call opens the library, stores the files that it does not hold yet, and does what the functions of `readgraph.api`
do. They are exported as `readgraph.ask`, `readgraph.aask`, `readgraph.read` and `readgraph.aread`.
"""

import asyncio
import os
from collections.abc import Iterable, Sequence
from typing import Any

from readgraph.api import functions
from readgraph.api.documents import find_kept_document, store_each
from readgraph.api.results import Answer, Reading
from readgraph.api.up_to import check_named
from readgraph.graphs.methods import method_named
from readgraph.library.collections import add_collection
from readgraph.library.opening import Named, open_library
from readgraph.library.page_store import PageStore
from readgraph.models.names import context_for
from readgraph.sources.inputs import file_or_address
from readgraph.sources.loading import names_file, read_file, select_files
from readgraph.state.errors import BadInput
from readgraph.state.loops import in_background
from readgraph.state.records import Document
from readgraph.state.variables import remember_caller, warn_caller

Source = str | os.PathLike[str]
LONGEST_NAME = 1000  # characters of the name of a file or document; what is longer is a text


def ask(
    question: str,
    sources: Source | Sequence[Source] = (),
    *,
    text: str | Sequence[str] = (),
    options: Sequence[str] = (),
    method: str | None = None,
    collection: str | None = None,
    as_of: str = "",
    up_to: str = "",
    library: Named | None = None,
    **settings: Any,
) -> Answer:
    """Answer a question about files or texts, in one call.

    A file is converted and read once, and kept in the library: the next question finds it there. Several are read as
    one. It also runs in a notebook, and Ctrl-C ends it; in a coroutine, use `await readgraph.aask(…)`.

        import readgraph

        answer = readgraph.ask("Who took the log book?", "book.epub", model="openai:gpt-5.4-mini")
        print(answer.answer, [citation.quote for citation in answer.citations])

    Args:
        question: What is asked.
        sources: Files, folders (all files of known kinds in them) and web addresses, or the ids and titles of documents
            that the library holds: one, or several. With neither these nor texts, the documents of the library are
            picked that share most words with the question.
        text: A text, or several.
        options: The texts of a multiple choice, at least two.
        method: The name of a method, such as "gam"; without one, that which fits the question and the text.
        collection: Without sources and texts: documents are picked from this collection.
        as_of: A day (YYYY-MM-DD, or less of it): what is later is left out.
        up_to: A place of the sources, such as "page 120" or "chapter 7": what follows it is not known.
        library: A folder, or an address on a server; None: your own library, which the command uses.
        **settings: Any setting of `ReaderContext`, such as `model` and `max_calls`. Without a model, the answer quotes
            the nearest sentences. Sizes that are left out fit the model.

    Returns:
        The answer, with the quotes that it rests on, and what it used.

    Raises:
        BadInput: No file can be read, there is no such document, or the question or a setting can't be used.
        LibraryError: The library can't be opened or written.
        ModelUnavailable: The model's server can't be used.
    """
    remember_caller()
    known = {"collection": collection, "as_of": as_of, "up_to": up_to}
    return in_background(_ask, question, sources, text, options, method, known, library, settings)


async def aask(
    question: str,
    sources: Source | Sequence[Source] = (),
    *,
    text: str | Sequence[str] = (),
    options: Sequence[str] = (),
    method: str | None = None,
    collection: str | None = None,
    as_of: str = "",
    up_to: str = "",
    library: Named | None = None,
    **settings: Any,
) -> Answer:
    """`readgraph.ask` for coroutines: answer a question about files or texts, in one call.

    Args:
        question: What is asked.
        sources: Files, folders, web addresses, or names of documents in the library: one, or several.
        text: A text, or several.
        options: The texts of a multiple choice, at least two.
        method: The name of a method.
        collection: Without sources and texts: documents are picked from this collection.
        as_of: A day: what is later is left out.
        up_to: A place of the sources: what follows it is not known.
        library: A folder, or an address on a server; None: your own library.
        **settings: Any setting of `ReaderContext`.

    Returns:
        The answer, with the quotes that it rests on, and what it used.

    Raises:
        BadInput: No file can be read, there is no such document, or the question or a setting can't be used.
        LibraryError: The library can't be opened or written.
        ModelUnavailable: The model's server can't be used.
    """
    remember_caller()
    known = {"collection": collection, "as_of": as_of, "up_to": up_to}
    return await _ask(question, sources, text, options, method, known, library, settings)


async def _ask(
    question: str,
    sources: Source | Sequence[Source],
    text: str | Sequence[str],
    options: Sequence[str],
    method: str | None,
    known: dict[str, Any],
    library: Named | None,
    settings: dict[str, Any],
) -> Answer:
    context = context_for(settings)
    functions.check_asked(question, options)  # before files are converted
    check_named(known["up_to"], [*_list_of(sources), *_list_of(text)], known["collection"])
    if method:
        method_named(method)
    async with open_library(library, answers=True) as opened:
        documents = await _store_all(functions.pages_of(opened, context), sources, text)
        ids = [document.id for document in documents]
        asked = {"documents": ids, "options": options, "method": method, **known}
        return await functions.ask(opened, question, **asked, context=context)


def read(
    sources: Source | Sequence[Source] = (),
    *,
    text: str | Sequence[str] = (),
    method: str | None = None,
    library: Named | None = None,
    **settings: Any,
) -> Reading:
    """Read files or texts before any question, in one call; several are read as one.

    What was read is kept in the library. What a budget or a stop left unread is read by the next call.

        import readgraph

        reading = readgraph.read("book.epub", model="openai:gpt-5.4-mini", max_calls=500)
        print(reading.pages, reading.complete)

    Args:
        sources: Files, folders, web addresses, or names of documents in the library: one, or several.
        text: A text, or several.
        method: The name of a method, such as "gam"; without one, ReadAgent reads texts and GAM reads histories.
        library: A folder, or an address on a server; None: your own library, which the command uses.
        **settings: Any setting of `ReaderContext`, such as `model` and `max_calls`.

    Returns:
        How large the method's memory is, whether it is complete, and what was used.

    Raises:
        BadInput: There is nothing to read, no file can be read, or a setting can't be used.
        LibraryError: The library can't be opened or written.
        ModelUnavailable: The model's server can't be used.
    """
    remember_caller()
    return in_background(_read, sources, text, method, library, settings)


async def aread(
    sources: Source | Sequence[Source] = (),
    *,
    text: str | Sequence[str] = (),
    method: str | None = None,
    library: Named | None = None,
    **settings: Any,
) -> Reading:
    """`readgraph.read` for coroutines: read files or texts before any question, in one call.

    Args:
        sources: Files, folders, web addresses, or names of documents in the library: one, or several.
        text: A text, or several.
        method: The name of a method.
        library: A folder, or an address on a server; None: your own library.
        **settings: Any setting of `ReaderContext`.

    Returns:
        How large the method's memory is, whether it is complete, and what was used.

    Raises:
        BadInput: There is nothing to read, no file can be read, or a setting can't be used.
        LibraryError: The library can't be opened or written.
        ModelUnavailable: The model's server can't be used.
    """
    remember_caller()
    return await _read(sources, text, method, library, settings)


async def _read(
    sources: Source | Sequence[Source],
    text: str | Sequence[str],
    method: str | None,
    library: Named | None,
    settings: dict[str, Any],
) -> Reading:
    context = context_for(settings)
    if method:
        method_named(method)
    if not (_list_of(sources) or _list_of(text)):
        raise BadInput("There is nothing to read: name a file, or give a text.")
    async with open_library(library) as opened:
        pages = functions.pages_of(opened, context)
        document = await add_collection(pages, await _store_all(pages, sources, text))
        return await functions.read(opened, document.id, method=method, context=context)


async def _store_all(pages: PageStore, sources: Source | Sequence[Source], text: str | Sequence[str]) -> list[Document]:
    """The documents of files, folders, addresses and names, and those of texts, in the given order.

    It warns of what can't be read, as long as there is something else, and before a model is asked.
    """
    names = [os.fspath(source) for source in _list_of(sources)]
    if any("\n" in name or len(name) > LONGEST_NAME for name in names):
        raise BadInput("A text is no name of a file or document: give it as text=…")
    documents, problems, left_out = list[Document](), list[BadInput](), list[object]()
    paths = [file_or_address(name) for name in names]
    for path in await asyncio.to_thread(select_files, paths, None, left_out=problems.append):
        try:
            if names_file(path):
                for document in await store_each(pages, await asyncio.to_thread(read_file, path)):
                    left_out += document.notices
                    documents.append(document)
            else:
                documents.append(await find_kept_document(pages, str(path)))
        except BadInput as problem:
            if not names_file(path):
                raise
            problems.append(problem)
    documents += [await pages.add_document(single) for single in _list_of(text)]
    if problems and not documents:
        raise problems[0]
    for reason in (*left_out, *problems):
        warn_caller(f"Left out: {reason}" if isinstance(reason, BadInput) else str(reason))
    return documents


def _list_of(given: Any) -> list[Any]:
    """One, or several; raises `BadInput` for what is neither."""
    is_one = not isinstance(given, Iterable) or isinstance(given, str | bytes | os.PathLike)
    every = [given] if is_one else [*given]
    if wrong := [type(each).__name__ for each in every if not isinstance(each, str | os.PathLike)]:
        raise BadInput(f"A source or text must be a string or a path, or a list of these, not {wrong[0]}.")
    return every
