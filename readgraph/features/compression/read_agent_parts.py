"""What a caller may give ReadAgent's engine: a chunker of episodes, and templates of prompts (compact-memory's)."""

import inspect
import re
import string
from collections.abc import AsyncGenerator, Callable, Iterable, Iterator, Set
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, cast

from langgraph.runtime import Runtime

from readgraph.features.compression.condenser import words_in
from readgraph.language.sentences import sentence_spans
from readgraph.models.prompt import DATA_RULE, Prompt, fenced
from readgraph.nodes.building.paging import pages_at_pauses
from readgraph.nodes.building.parts import Paginate
from readgraph.nodes.extractive import pages_by_rule
from readgraph.state.context import ReaderContext
from readgraph.state.errors import BadInput
from readgraph.state.records import Page, digest
from readgraph.state.words import count_words, end_after_words

METHODS = ("chunk", "split_text")
"""The methods of a chunker (compact-memory's, LangChain's) that give a text's episodes."""

FOUND_BY = 8  # an episode is found in the text by this many of its first words, so its white space may differ


def paginator_for(chunker: object) -> Paginate:
    """The paging of a chunker: None, a function or object that gives episodes, or one of ours; raises `BadInput`."""
    if chunker is None:
        return pages_by_rule
    if inspect.isasyncgenfunction(chunker):
        return cast(Paginate, chunker)
    chunk = next((getattr(chunker, name) for name in METHODS if callable(getattr(chunker, name, None))), chunker)
    if not callable(chunk):
        raise BadInput(f"chunker must be a function, or have chunk(text), not {type(chunker).__name__}.")

    async def paginate_by_episodes(
        text: str, last: Page | None, runtime: Runtime[ReaderContext]
    ) -> AsyncGenerator[Page, None]:
        """Pages that begin where the chunker's episodes begin; what episodes share belongs to the second."""
        for number, (start, end) in enumerate(pairwise([*_episode_starts(text, chunk), len(text)])):
            if last is None or start >= last.end:
                yield Page(number, start, end, count_words(text[start:end]), "rest" if end == len(text) else "rule")

    return paginate_by_episodes


class SentenceWindowChunker:
    """Cuts a text into episodes of whole sentences, each as many as fit (compact-memory's default).

    A sentence that is longer than an episode may be is cut.

    Args:
        max_tokens: Most tokens of an episode.
    """

    def __init__(self, max_tokens: int = 500) -> None:
        if not isinstance(max_tokens, int) or isinstance(max_tokens, bool) or max_tokens < 2:
            raise BadInput(f"max_tokens must be a whole number of tokens, at least 2, not {max_tokens!r}.")
        self.max_tokens = max_tokens

    def chunk(self, text: str) -> list[str]:
        """The episodes of a text, in order."""
        most, episodes, begin, size = words_in(self.max_tokens), list[str](), 0, 0
        for start, end in self._pieces(text, most):
            words = count_words(text[start:end])
            if size and size + words > most:
                episodes.append(text[begin:start])
                begin, size = start, 0
            size += words
        return [episode for episode in (*episodes, text[begin:]) if episode.strip()]

    def _pieces(self, text: str, most: int) -> Iterator[tuple[int, int]]:
        for start, end in sentence_spans(text):
            while start < end:
                stop = min(end, end_after_words(text, start, most))
                yield start, stop
                start = stop


@dataclass(frozen=True)
class GivenChunks:
    """A chunker that gives chunks which were cut before."""

    chunks: tuple[str, ...]

    def chunk(self, text: str) -> list[str]:
        """These chunks."""
        return [*self.chunks]

    @property
    def name(self) -> str:
        """What a recipe calls them: other chunks of the same text build another memory."""
        return f"chunks {digest(self.chunks)}"


_FORMER_MODULES: dict[object, str] = {
    pages_at_pauses: "readgraph.nodes.building.pauses",
    pages_by_rule: "readgraph.nodes.extractive.pages",
}  # where recipes that are already stored say that our own chunkers are


def name_of(chunker: object) -> str | None:
    """The name of a chunker in a recipe and a trace."""
    if chunker is None:
        return None
    if isinstance(chunker, GivenChunks):
        return chunker.name
    named = chunker if hasattr(chunker, "__qualname__") else type(chunker)
    module = _FORMER_MODULES.get(named, named.__module__)
    return f"{module}.{named.__qualname__}"


def _episode_starts(text: str, chunk: Callable[[str], Iterable[Any]]) -> list[int]:
    """The offset of each of a chunker's episodes in the text; the first page begins with the text."""
    try:
        chunks = [getattr(episode, "text", episode) for episode in chunk(text)]
    except Exception as problem:
        raise BadInput(f"The chunker raised {type(problem).__name__}: it must take a text.") from problem
    if wrong := next((each for each in chunks if not isinstance(each, str)), None):
        raise BadInput(f"The chunker gave {type(wrong).__name__} instead of strings.")
    episodes = [episode for episode in chunks if episode.strip()]
    if not episodes:
        raise BadInput("The chunker gave no episodes.")
    starts, after = [0], 0
    for number, episode in enumerate(episodes):
        begin = re.compile(r"\s+".join(map(re.escape, episode.split()[:FOUND_BY])))
        match = begin.search(text, after)
        if not match:
            raise BadInput(f"The chunker gave an episode that does not stand in the text: '{episode.strip()[:40]}'.")
        if number:
            starts.append(match.start())
        after = match.start() + 1
    return starts


NAME, VERSION = "templates", 1

GIST = (
    "{text}\n\nShorten this passage to about {gist_length} tokens. Keep who did what, when, where and why, with names "
    "and numbers; add nothing."
)
QA = "Context: {context}\n\nQuestion: {question}\n\nAnswer the question from the text above alone."
LOOK_UP = (
    "Summaries: {summaries}\n\nQuestion: {question}\n\n"
    "Which pages hold the details that the answer needs? Give their numbers."
)


def check_template(key: str, template: object, required: Set[str], optional: Set[str] = frozenset()) -> None:
    """Check a template; raises `BadInput` if it lacks a placeholder, or has one that nothing can fill."""
    if not isinstance(template, str):
        raise BadInput(f"{key} must be a string with {_list_placeholders(required)}, not {type(template).__name__}.")
    try:
        fields = [(name, form, how) for _, name, form, how in string.Formatter().parse(template) if name is not None]
    except ValueError:
        raise BadInput(f"{key} has a single brace: write {{{{ and }}}} for braces that are no placeholder.") from None
    for name, form, how in fields:
        if name in required | optional and (form or how):
            raise BadInput(f"{key} says how to write {{{name}}}: leave out what stands behind the name.")
        if name not in required | optional:
            raise BadInput(
                f"{key} has an unknown placeholder {{{name}}}: it can have {_list_placeholders(required | optional)}."
            )
    if missing := required - {name for name, _, _ in fields}:
        raise BadInput(f"{key} lacks {_list_placeholders(missing)}.")


def _list_placeholders(names: Set[str]) -> str:
    return ", ".join(f"{{{name}}}" for name in sorted(names))


@dataclass(frozen=True)
class Templates:
    """The three templates; raises `BadInput` for one that can't be used."""

    gist: str = GIST
    qa: str = QA
    look_up: str = LOOK_UP

    def __post_init__(self) -> None:
        check_template("gist_prompt_template", self.gist, {"text"}, {"gist_length"})
        check_template("qa_prompt_template", self.qa, {"context", "question"})
        check_template("lookup_prompt_template", self.look_up, {"summaries", "question"})

    def gist_prompt(self, page: str, tokens: int) -> Prompt:
        """Ask for a page's gist of about this many tokens."""
        return _prompt("gist", self.gist, text=fenced("passage", page), gist_length=tokens)

    def look_up_prompt(self, memory: str, question: str, choices: dict[str, str], max_pages: int) -> Prompt:
        """Ask for the pages to read again."""
        return _prompt(
            "look_up",
            self.look_up,
            summaries=fenced("memory", memory),
            question=_question_with_choices(question, choices),
        )

    def qa_prompt(self, memory: str, question: str, choices: dict[str, str]) -> Prompt:
        """Ask for the answer."""
        return _prompt(
            "answer", self.qa, context=fenced("memory", memory), question=_question_with_choices(question, choices)
        )


def _prompt(name: str, template: str, **values: object) -> Prompt:
    return Prompt(name, VERSION, DATA_RULE, template.format(**values))


def _question_with_choices(question: str, choices: dict[str, str]) -> str:
    return "\n".join([question, *(f"{letter}. {option}" for letter, option in choices.items())])
