"""What a wiki finds in 40 made documents, without a model: subjects, quotes, contradictions, and what a change costs.

Prints which share of the known persons, places and things has a page, how many have two, whether all quotes stand, how
many of 20 planted contradictions are listed (and how many others), and how many files a second run and the change of
one page write. `python -m benchmarks.wiki [--documents 40] [--seed 1]`.
"""

import argparse
import asyncio
import random
import tempfile
import time
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

from langgraph.store.memory import InMemoryStore

from benchmarks.verify import FIRST, GOODS, LAST, MONTHS
from readgraph.api import wiki
from readgraph.features.wiki.names import fold_name
from readgraph.features.wiki.vault import write_vault
from readgraph.features.wiki.vault_check import check_vault
from readgraph.library.page_store import PageStore
from readgraph.state.records import Document

MORE_FIRST = (
    "Agnes Bruno Cecil Dora Elias Frida Gustav Helga Ivo Josef Karin Leo Mina Nils Otto Paula Rolf Selma".split()
)
MORE_LAST = "Abendroth Bellamy Corvin Delacroix Eklund Faber Grieg Hollis Ivarsson Jansen Kruse Lomax Moreau".split()
BEGINNINGS, ENDS = "Bram Cald Dren Esk Fal Gor Hart Ings Kel Lor Mar Nor".split(), "by dale ford ham mouth ness".split()
NAMED_THINGS = "Mill Bridge School Chapel Lighthouse Foundry Library Ferry".split()
TEMPLATES = (
    "In {year}, {person} came to {place} with {count} sheep.",
    "On {date}, {thing} was opened by {person}.",
    "The council of {place} paid {person} {price} crowns for {goods}.",
    "{person} kept the books of {thing} for {count} years.",
    "Nobody in {place} had seen {thing} since the flood of {year}.",
    "{goods} from {place} was sold at {price} crowns.",
    "In the winter of {year}, {thing} burned for {count} hours.",
    "{person} wrote {count} letters about {thing} in {year}.",
    "The road to {place} passes {thing} after {count} miles.",
    "Before {year}, {person} had lived near {place}.",
)
PLANTED = (
    ("{thing} has {count} windows and one door.", "count"),
    ("{person} was born in {place} in {year}.", "year"),
    ("The tower of {thing} is {count} feet high.", "count"),
    ("{person} was elected mayor of {place} on {date}.", "date"),
)
NUMBERS = ("year", "date", "count", "price")


class Facts(NamedTuple):
    """The documents by title, the names in them, and the pairs of sentences that contradict each other."""

    texts: dict[str, str]
    names: list[str]
    planted: list[tuple[str, str]]


def make_documents(rng: random.Random, documents: int) -> Facts:
    """Texts about persons, places and things, which are named in full and in part."""
    firsts, lasts = [*FIRST, *MORE_FIRST], [*LAST, *MORE_LAST]
    rng.shuffle(lasts)
    persons = [f"{rng.choice(firsts)} {last}" for last in lasts]
    places = rng.sample([begin + end for begin in BEGINNINGS for end in ENDS], 24)
    things = rng.sample([f"{place} {thing}" for place in places for thing in NAMED_THINGS], 20)
    lines = [list[str]() for _ in range(documents)]
    whole = [set[str]() for _ in range(documents)]

    def values(document: int) -> dict[str, str]:
        person, thing = rng.choice(persons), rng.choice(things)
        said = person if person not in whole[document] or rng.random() < 0.5 else shorten(rng, person)
        whole[document].add(person)
        return {
            "person": said,
            "who": person,
            "place": rng.choice(places),
            "thing": thing,
            "goods": rng.choice(GOODS),
            "year": str(rng.randint(1801, 1989)),
            "date": f"{rng.randint(1, 28)} {rng.choice(MONTHS)} {rng.randint(1801, 1989)}",
            "count": str(rng.randint(13, 980)),
            "price": str(rng.randint(13, 980)),
        }

    write_sentences(rng, lines, values)
    planted = plant_contradictions(rng, lines, values, persons, things)
    texts = {
        f"Chronicle {number + 1}": "\n\n".join(" ".join(own[at : at + 6]) for at in range(0, len(own), 6))
        for number, own in enumerate(lines)
    }
    return Facts(texts, [*persons, *places, *things], planted)


Values = Callable[[int], dict[str, str]]
"""Gives what fills the places of a template, for a sentence of the document of this number."""


def write_sentences(rng: random.Random, lines: list[list[str]], values: Values) -> None:
    """Give each document 60 sentences; no two of them give another number for the same thing."""
    said = set[str]()
    for number in range(len(lines)):
        while len(lines[number]) < 60:
            template, slots = rng.choice(TEMPLATES), values(number)
            told = template.format(**{**slots, **dict.fromkeys(NUMBERS, ""), "person": slots["who"]})
            if told not in said:
                said.add(told)
                text = template.format(**slots)
                lines[number].append(text[0].upper() + text[1:])


def plant_contradictions(
    rng: random.Random, lines: list[list[str]], values: Values, persons: list[str], things: list[str]
) -> list[tuple[str, str]]:
    """Put 20 pairs of sentences that differ in one place into two documents each; returns the pairs."""
    planted = list[tuple[str, str]]()
    for number in range(20):
        template, slot = PLANTED[number % len(PLANTED)]
        one, other = rng.sample(range(len(lines)), 2)
        first = {**values(one), "person": persons[number % len(persons)], "thing": things[number % len(things)]}
        second = {**first, slot: values(other)[slot]}
        if first[slot] == second[slot]:
            second[slot] = {"count": "12", "year": "1799", "date": "31 December 1799"}[slot]
        pair = template.format(**first), template.format(**second)
        for document, text in zip((one, other), pair, strict=True):
            lines[document].insert(rng.randrange(len(lines[document])), text)
        planted.append(pair)
    return planted


def shorten(rng: random.Random, person: str) -> str:
    """The name in part, with a title or an initial, or in capitals."""
    first, last = person.split()
    ways = [last, f"Mr {last}", f"{first[0]}. {last}", first + " " + last.upper()]
    return rng.choice(ways)


async def measure(seed: int, documents: int) -> None:
    """Make the wiki twice, change a page, and print what was found and written."""
    facts, store = make_documents(random.Random(seed), documents), InMemoryStore()
    pages = PageStore(store)
    kept = [await pages.add_document(text, title=title, source=f"{title}.txt") for title, text in facts.texts.items()]
    with tempfile.TemporaryDirectory() as name:
        folder, began = Path(name), time.perf_counter()
        made = await wiki(store, documents=kept)
        words = sum(document.words for document in kept)
        print(f"{documents} documents, {words:,} words: {time.perf_counter() - began:.1f} s")
        first = write_vault(folder, made.output["pages"], datetime.now(UTC))
        forms = [
            {fold_name(each["name"]), *map(fold_name, each["also"])} for each in made.pages if not each["document"]
        ]
        having = {name: sum(fold_name(name) in each for each in forms) for name in facts.names}
        doubled = [form for form in forms if len(form & {fold_name(name) for name in facts.names}) > 1]
        found = sum(count > 0 for count in having.values())
        print(f"subjects with a page: {found} of {len(having)} ({100 * found / len(having):.1f} %)")
        print(f"with two pages: {sum(count > 1 for count in having.values())}; pages of two subjects: {len(doubled)}")
        others = [form for form in forms if not form & {fold_name(name) for name in facts.names}]
        print(f"other pages: {len(others)} {sorted(min(form) for form in others)[:12]}")
        sources = [s for page in made.pages for sentence in page["sentences"] for s in sentence["sources"]]
        standing = sum(source["quote"] in facts.texts[source["title"]] for source in sources)
        print(f"quotes that stand: {standing} of {len(sources)}")
        listed = [{each["quote"] for each in conflict["sentences"]} for conflict in made.conflicts]
        seen = sum({*pair} in listed for pair in facts.planted)
        print(f"planted contradictions listed: {seen} of {len(facts.planted)}; others: {len(listed) - seen}")
        problems = await check_vault(pages, folder, kept)
        checked = sum(problem.kind == "contradiction" for problem in problems)
        print(f"wiki check: {checked} contradictions, {len(problems) - checked} other problems")
        again = write_vault(folder, (await wiki(store, documents=kept)).output["pages"], datetime.now(UTC))
        print(f"files written: {len(first.written)} at first, {len(again.written)} the second time", end="")
        print(f", {await change_a_page(store, kept, facts, folder)} after one sentence of one document changed")


async def change_a_page(store: InMemoryStore, kept: list[Document], facts: Facts, folder: Path) -> int:
    """How many files are written after a sentence in the middle of a document is another one."""
    document, text = kept[5], facts.texts[kept[5].title]
    sentences = text.split(". ")
    middle = next(at for at in range(30, len(sentences)) if " had seen " in sentences[at])
    sentences[middle] = sentences[middle].replace(" had seen ", " had talked about ")
    changed = await PageStore(store).add_document(
        ". ".join(sentences), title=document.title, source=f"{document.title}.txt"
    )
    made = await wiki(store, documents=[changed if each == document else each for each in kept])
    return len(write_vault(folder, made.output["pages"], datetime.now(UTC)).written)


if __name__ == "__main__":
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--documents", type=int, default=40)
    arguments.add_argument("--seed", type=int, default=1)
    given = arguments.parse_args()
    asyncio.run(measure(given.seed, given.documents))
