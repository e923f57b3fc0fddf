"""What a package adds to the command `readgraph` (`readgraph.plugins`): commands, and forms of reports."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import KW_ONLY, dataclass
from typing import TYPE_CHECKING, Any

from readgraph.state.installed import of_kind

if TYPE_CHECKING:
    from readgraph.library.page_store import PageStore
    from readgraph.state.reading import Question
    from readgraph.state.records import Document, Memory

__all__ = ["Command", "ReportForm"]

PANELS = ("Start", "More with texts", "Looking after", "For programs", "Research")
"""The groups of the commands in the help, in order: by what people do."""


@dataclass(frozen=True)
class Command:
    """A command, or a group of commands.

    Attributes:
        run: The function that typer makes a command of, or a `typer.Typer` with several. Or where it stands,
            `package.module:name`: then it is imported only when the command is run, or its own help is shown.
        line: What it does, in the list of commands and at the beginning of its help, which goes on with what follows
            the first paragraph of the function's docstring. Without it, that paragraph says what it does.
        name: Its name; without one, the function's.
        panel: Its group in the help: one of `PANELS`, or another, which stands after them.
        order: Its place in the group; without one, it stands after those that have one.
        within: The group of commands of ours that it is one of, such as `library`.
    """

    run: Callable[..., Any] | str
    line: str = ""
    _: KW_ONLY
    name: str = ""
    panel: str = "More"
    order: int = 100
    within: str = ""

    @property
    def shown(self) -> str:
        """Its name, as it is typed."""
        name = self.run.rpartition(":")[2] if isinstance(self.run, str) else getattr(self.run, "__name__", "")
        return self.name or name.replace("_", "-")


@dataclass(frozen=True, kw_only=True)
class ReportForm:
    """A form of reports, which `--report FILE` writes.

    Attributes:
        ending: The ending of its files. A file with an ending that no form has is written in the first form.
        mark: How its files begin: no other file is replaced.
        of_answer: Makes the file of an answer: of the library's pages, the question, the output of the graph, what the
            notes of the method are called, and links to the documents by their ids.
        of_document: Makes the file of a document, of its memory in place of a question and an output.
    """

    ending: str
    mark: bytes
    of_answer: "Callable[[PageStore, Question, Mapping[str, Any], str, Mapping[str, str]], Awaitable[bytes]]"
    of_document: "Callable[[PageStore, Document, Memory, str, Mapping[str, str]], Awaitable[bytes]]"

    async def write(self, form: Callable[..., Awaitable[bytes]], *given: Any) -> bytes:
        """What one of its functions makes; raises `BadInput` where that is no content of a file."""
        what = f"What writes reports '{self.ending}'"
        written = of_kind(Awaitable, form(*given), what)  # type: ignore[type-abstract]
        return of_kind(bytes, await written, what)
