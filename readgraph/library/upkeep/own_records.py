"""What packages keep in a library beside its documents: how it is deleted."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from readgraph.plugins import plugged_in
from readgraph.state.errors import LibraryError

if TYPE_CHECKING:  # packages declare their records when readgraph starts
    from readgraph.library.library import Library
    from readgraph.state.records import Document

__all__ = ["OwnRecords"]


@dataclass(frozen=True, kw_only=True)
class OwnRecords:
    """What a package keeps in a library for itself, as it plugs in (`readgraph.plugins`).

    Attributes:
        forget: Deletes what is kept of a document. It is called whenever a document is forgotten, and again if it was
            stopped halfway.
        tidy: Deletes what nobody needs any more, where there may be such; `readgraph library compact` calls it.
    """

    forget: "Callable[[Library, Document], Awaitable[None]]"
    tidy: "Callable[[Library], Awaitable[None]] | None" = None


async def forget_own_records(library: "Library", document: "Document") -> None:
    """Delete what packages keep of a document; raises `LibraryError` where another's package can't."""
    for package, records in plugged_in("records", OwnRecords):
        await _delete(package, records.forget, library, document)


async def tidy_own_records(library: "Library") -> None:
    """Delete what packages no longer need; raises `LibraryError` where another's package can't."""
    for package, records in plugged_in("records", OwnRecords):
        if records.tidy:
            await _delete(package, records.tidy, library)


async def _delete(package: str, delete: Callable[..., Awaitable[None]], *given: object) -> None:
    try:
        await delete(*given)
    except Exception as problem:
        if not package:
            raise
        raise LibraryError(
            f"The package '{package}' could not delete what it keeps ({type(problem).__name__}: {problem}): "
            "update or uninstall it, and try again."
        ) from problem
