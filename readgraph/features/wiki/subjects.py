"""What the documents tell of: the model's notes of each page, or rules; each subject once, with its sentences."""

import json
import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from typing import Any, Literal

from pydantic import Field
from typing_extensions import TypedDict

from readgraph.features.wiki.joining import join_mentions
from readgraph.features.wiki.kinds import Mention
from readgraph.features.wiki.names import find_mentions, fold_name, sentences_of
from readgraph.features.wiki.state import Subject
from readgraph.library.collections import documents_of
from readgraph.library.page_store import page_store
from readgraph.models.asking import ask_reply
from readgraph.models.prompt import DATA_RULE, Prompt, declare_wording, fenced, versions_of
from readgraph.models.rehearsed import RehearsedReply
from readgraph.models.reply import LenientReply, Numbers, Texts
from readgraph.nodes.bounds import fit_page
from readgraph.nodes.building.build import build_memory
from readgraph.nodes.building.paging import even_pages
from readgraph.nodes.building.parts import NotesSoFar, Parts
from readgraph.nodes.contracts import ReaderRuntime, StepUpdate
from readgraph.nodes.step import node
from readgraph.state.apart import compute
from readgraph.state.context import ReaderContext
from readgraph.state.loops import all_finished
from readgraph.state.records import Document, Note, Page, Recipe
from readgraph.state.settings import Paragraphs, Rebuilding, Window
from readgraph.state.words import count_words, format_count, on_one_line

PAGE_WORDS = 600  # of a page that the model notes
MOST_SUBJECTS = 1000  # of a wiki, those of which most is told

WIKI_NOTE = declare_wording(
    "wiki_note",
    "You make a wiki of documents. Of a passage whose sentences are numbered you say what it tells of, so that each "
    "person, place, thing and topic gets a page of its own. " + DATA_RULE,
    "What does the passage tell of? Name each under its full name, in the passage's own words and language, with the "
    "other names that the passage has for it, and give the numbers of the sentences that say something of it. Leave "
    "out what nobody would look up.",
)


class NotedSubject(LenientReply):
    """What a passage tells of."""

    name: str = Field(description="Its full name, as the passage has it.")
    kind: Literal["person", "place", "thing", "topic"]
    also: Texts = Field(description="Its other names in the passage; may be empty.")
    sentences: Numbers = Field(description="The numbers of the sentences that say something of it.")


_NAME = re.compile(r"(?<=[\w,] )[A-Z]\w+")  # a word in capitals in a sentence


class NotedSubjects(LenientReply):
    """All that a passage tells of."""

    subjects: list[NotedSubject] = Field(description="Each person, place, thing and topic once; may be empty.")

    @classmethod
    def rehearse(cls, reply: RehearsedReply) -> dict[str, Any]:
        """Some names of the passage, each with every other sentence; for the most, many with all."""
        numbers = reply.numbered("passage")
        names = [*dict.fromkeys(_NAME.findall(reply.fenced["passage"]))] or ["word"]
        chosen = names[:40] if reply.longest else names[:6]
        told = numbers if reply.longest else numbers[reply.chance % 2 :: 4]
        return {"subjects": [{"name": name, "kind": "person", "also": [], "sentences": told} for name in chosen]}


def wiki_note_prompt(sentences: Sequence[str]) -> Prompt:
    """Ask what a passage tells of; its sentences are numbered from 1."""
    return WIKI_NOTE.ask(fenced("passage", number_sentences(sentences)))


def number_sentences(sentences: Sequence[str]) -> str:
    """Sentences, each after its number, on lines of their own."""
    return "\n".join(f"{number}. {on_one_line(text)}" for number, text in enumerate(sentences, 1))


def page_words(context: ReaderContext) -> int:
    """Most words of a page that is noted."""
    return fit_page(PAGE_WORDS, context)


def recipe(context: ReaderContext) -> Recipe:
    """The recipe of the notes of a document's pages."""
    how = {"words": page_words(context), "paragraph_break": context.paragraph_break}
    return Recipe("wiki", how, context.model, versions_of(WIKI_NOTE) if context.model else {})


async def note_page(text: str, page: Page, runtime: ReaderRuntime) -> Note:
    """What a page tells of, as lines of JSON: name, kind, other names, spans of sentences; by rules if that fails."""
    spans = sentences_of(text)
    if not spans:
        return Note(page.number, "", 0)

    def complaint(reply: NotedSubjects) -> str | None:
        folded = f" {fold_name(text)} "
        for subject in reply.subjects:
            if not any(f" {word} " in folded for word in fold_name(subject.name).split()):
                return f"the passage has no '{subject.name}': name what it names, in its own words"
            if wrong := [number for number in subject.sentences if not 1 <= number <= len(spans)]:
                return f"there is no sentence {wrong[0]}"
        return None

    prompt = wiki_note_prompt([text[slice(*span)] for span in spans])
    reply = await ask_reply(runtime, prompt, NotedSubjects, complaint, fallback="wiki_note")
    mentions = (
        find_mentions(text)
        if reply is None
        else [
            Mention(subject.name.strip(), *spans[number - 1], kind=subject.kind, also=tuple(subject.also))
            for subject in reply.subjects
            for number in dict.fromkeys(subject.sentences)
        ]
    )
    lines = "\n".join(json.dumps([*mention], ensure_ascii=False) for mention in mentions)
    return Note(page.number, lines, count_words(lines), fallback=reply is None)


def mentions_in(note: Note, start: int) -> Iterator[Mention]:
    """The mentions of a note of the page that begins at `start`; a line that holds none is left out."""
    for line in note.text.splitlines():
        with suppress(ValueError, TypeError):
            mention = Mention(*json.loads(line))
            yield mention._replace(start=start + mention.start, end=start + mention.end, also=tuple(mention.also))


class NoteState(TypedDict):
    document: str


class NoteUpdate(StepUpdate):
    """What noting writes: the memory of each document, in their order; none without a model."""

    noted: list[str]


async def note_pages_without_model(state: NoteState, runtime: ReaderRuntime) -> NoteUpdate:
    """Without a model rules look at the texts themselves."""
    return {"noted": [], "step_summary": "asked no model"}


@node(without_model=note_pages_without_model, builds=True, settings=(Window, Paragraphs, Rebuilding))
async def note_pages(state: NoteState, runtime: ReaderRuntime) -> NoteUpdate:
    """Note of every page of every document what it tells of; a changed document keeps the notes of unchanged pages."""

    async def make_parts(document: Document, notes: NotesSoFar, runtime: ReaderRuntime) -> Parts:
        return even_pages(page_words), note_page

    store = page_store(runtime)
    members = await documents_of(store, await store.document(state["document"]))
    work = (build_memory({"document": member.id}, runtime, make_parts, recipe) for member in members)
    noted = [built["memory"] for built in await all_finished(work)]
    summary = f"noted what {format_count(len(members), 'document')} tell of"
    return {"noted": noted, "step_summary": summary}


class GatherState(NoteState):
    noted: list[str]


class GatherUpdate(StepUpdate):
    subjects: list[Subject]


@node
async def gather_subjects(state: GatherState, runtime: ReaderRuntime) -> GatherUpdate:
    """Gather what the documents tell of: names of one thing are joined, and have all sentences that tell of it."""
    store = page_store(runtime)
    members = await documents_of(store, await store.document(state["document"]))
    documents, start = list[tuple[int, Sequence[Mention]]](), 0
    for number, member in enumerate(members):
        if state["noted"]:
            memory = await store.memory(member.id, state["noted"][number])
            pages = await store.pages(memory.id, range(memory.pages))
            notes = await store.notes(memory.id, range(memory.pages))
            starts = {page.number: page.start for page in pages}
            mentions = [mention for note in notes for mention in mentions_in(note, starts[note.page])]
        else:
            mentions = await compute(find_mentions, await store.text(member))
        documents.append((start, mentions))
        start += member.characters
    subjects = await compute(join_mentions, documents, by_rules=not state["noted"])
    kept = sorted(sorted(subjects, key=lambda each: -len(each["spans"]))[:MOST_SUBJECTS], key=lambda each: each["name"])
    return {"subjects": kept, "step_summary": f"found {format_count(len(kept), 'name')}"}
