"""Rows of tables that stand in a text: found in each form, matched by the names of columns, and nothing guessed."""

import time

import pytest
from langgraph.store.memory import InMemoryStore

from readgraph.features.survey.matching import MatchedTables, match_names, match_tables
from readgraph.features.survey.plan import by_rule, columns_named
from readgraph.features.survey.source_tables import tables_in
from readgraph.library.collections import add_collection
from readgraph.library.page_store import PageStore

ASKED = "burials: year, town, number"
ROWS = [("1901", "Alton", "34"), ("1902", "Bexley", "51")]
MARKDOWN = "| Year | Town | Number |\n|---|:--|--:|\n| 1901 | Alton | 34 |\n| 1902 | Bexley | 51 |\n"


async def matched(*texts: str, asked: str = ASKED, fields: str = "") -> tuple[MatchedTables, str]:
    store = PageStore(InMemoryStore())
    documents = [await store.add_document(text, title=f"text {number}") for number, text in enumerate(texts)]
    document = await add_collection(store, documents)
    found = await match_tables(store, document, by_rule(asked, columns_named(fields)))
    return found, await store.text(document)


FORMS = {
    "Markdown": f"# Register\n\nIn 1801 a mill burnt down.\n\n{MARKDOWN}\nIn 1950 it closed.",
    "Markdown without bars around": "Year | Town | Number\n--- | --- | ---\n1901 | Alton | 34\n1902 | Bexley | 51",
    "marks and escapes": MARKDOWN.replace("1901", "**1901**").replace("Alton", "[Alton](http://a.b)"),
    "cells alone": "In 1801.\n\nYear | Town | Number\n1901 | Alton | 34\n1902 | Bexley | 51\n\nIn 1950.",
    "names before cells": "Year: 1901 | Town: Alton | Number: 34\n\nYear: 1902 | Town: Bexley | Number: 51",
    "such rows without blank lines": "Head.\nYear: 1901 | Town: Alton | Number: 34\n"
    "Year: 1902 | Town: Bexley | Number: 51",
    "rows of a PDF": "Year | Town | Number\nYear: 1901; Town: Alton; Number: 34\nYear: 1902; Town: Bexley; Number: 51",
    "tabs": "Year\tTown\tNumber\n1901\tAlton\t34\n1902\tBexley\t51",
    "a grid": "+----+----+----+\n| Year | Town | Number |\n+====+====+====+\n| 1901 | Alton | 34 |\n+----+----+----+\n"
    "| 1902 | Bexley | 51 |\n+----+----+----+",
    "other words in the names": MARKDOWN.replace("Year", "Years").replace("Number", "Number of burials"),
    "units": MARKDOWN.replace("Number", "Number (persons)").replace("Year", "Year [AD]"),
    "another order, and more columns": "Id | Number | Town | Year\n1 | 34 | Alton | 1901\n2 | 51 | Bexley | 1902",
    "a sum": f"{MARKDOWN}| **Total** | | 85 |\n| Grand total: |  | 85 |\n| Summe | | 85 |",
    "names again": f"{MARKDOWN}| Year | Town | Number |",
    "a heading over all columns": "Year | Town | Number\nNorth | North | North\n1901 | Alton | 34\n1902 | Bexley | 51",
    "two tables": f"{MARKDOWN.rpartition('| 1902')[0]}\nIn between.\n\n"
    "| Town | Year | Number |\n|-|-|-|\n| Bexley | 1902 | 51 |",
    "the rest on the next page": "Year | Town | Number\n1901 | Alton | 34\n\n14\n\n1902 | Bexley | 51",
    "names on the next page too": "Year | Town | Number\n1901 | Alton | 34\n\nYear | Town | Number\n1902 | Bexley | 51",
    "names in the first column": "| Year | 1901 | 1902 |\n|---|---|---|\n| Town | Alton | Bexley |\n"
    "| Number | 34 | 51 |",
    "another table with fewer of the columns": f"{MARKDOWN}\nYear | Rain\n1901 | 300\n1902 | 200",
    "another table under another heading": f"# Burials\n\n{MARKDOWN}\n# Baptisms\n\n{MARKDOWN.replace('19', '18')}",
}


@pytest.mark.parametrize("form", FORMS)
async def test_each_form_of_a_table_gives_its_rows(form: str) -> None:
    found, text = await matched(FORMS[form])
    assert [row.values for row in found.rows] == ROWS
    for row in found.rows:
        assert all(value in text[row.start : row.end] for value in row.values), "its citation is its row"
        assert "Number\n1901" not in text[row.start : row.end] or form == "names in the first column"


@pytest.mark.parametrize(
    ("text", "asked", "rows"),
    [
        (MARKDOWN.replace("| Alton |", "|  |"), ASKED, [("1901", "", "34"), ROWS[1]]),
        (
            "Year: 1901 | Town: Alton\n\nYear: 1902\n\nTown: Bexley | Number: 3",
            ASKED,
            [("1901", "Alton", ""), ("1902", "", ""), ("", "Bexley", "3")],
        ),
        (MARKDOWN.replace("Number", "Anzahl"), ASKED, [("1901", "Alton", ""), ("1902", "Bexley", "")]),
        ("Année | Ville\n1901 | Évry", "morts: annees, ville", [("1901", "Évry")]),
        ("Straße | Häuser\nHauptstraße | 3", "list: strasse, haus", [("Hauptstraße", "3")]),
        ("First name | Last name | Year\nAda | Vole | 1901", "all: name, year", [("", "1901")]),
        ("Year | Burials | Burials\nYear | Men | Women\n1901 | 3 | 4", "all: year, men, women", [("1901", "3", "4")]),
        ("Year | Burials\nYear | Men | Women\n1901 | 3 | 4", "all: year, men, women", [("1901", "3", "4")]),
        ("Town | 1901\nAlton | 3", "all: year, number", []),
        ("In 1801, a | b.\n\nIn 1802, c | d.", ASKED, []),
        ("Year | Rain\n1901 | 300", ASKED, []),
    ],
)
async def test_what_matches_nothing_stays_empty(text: str, asked: str, rows: list[tuple[str, ...]]) -> None:
    assert [row.values for row in (await matched(text, asked=asked))[0].rows] == rows


async def test_values_are_of_the_kinds_that_are_asked_for() -> None:
    text = "Day | Payer | Sum\n04/03/1912 | Ann | 1,200.50 kr\n25/03/1912 | Bo | none"
    found, _ = await matched(text, asked="payments", fields="day:date,payer,sum:number")
    assert [row.values for row in found.rows] == [("1912-03-04", "Ann", "1200.50"), ("1912-03-25", "Bo", "")]


async def test_tables_of_several_documents_count_and_texts_without_one_give_nothing() -> None:
    first, _, second = MARKDOWN.partition("| 1902")
    head = first.partition("| 1901")[0]
    found, text = await matched(first, "In 1850 it rained.", f"{head}| 1902{second}")
    assert [row.values for row in found.rows] == ROWS
    assert [text[row.start : row.end].split(" | ")[0] for row in found.rows] == ["| 1901", "| 1902"]


async def test_a_table_about_the_record_leaves_those_of_other_documents() -> None:
    named = MARKDOWN.replace("Number", "Number of burials")
    found, _ = await matched(named, f"# Baptisms\n\n{MARKDOWN.replace('19', '18')}")
    assert len(found.rows) == 4


@pytest.mark.parametrize(
    ("asked", "names", "found"),
    [
        (["town"], ["Town", "Towns"], {0: 0}),
        (["towns"], ["Town", "Year"], {0: 0}),
        (["number"], ["Number of burials", "Number of baptisms"], {}),
        (["number", "number of burials"], ["Number", "Number of burials"], {0: 0, 1: 1}),
        (["year"], ["", "Jahr"], {}),
    ],
)
def test_names_are_matched_the_surest_first(asked: list[str], names: list[str], found: dict[int, int]) -> None:
    assert match_names(asked, names, ["en"]) == found


@pytest.mark.parametrize(
    "form", ["|", "a | b\n", "[", "**a ", "a: b | ", "\t", "| --- ", "a:  ", "- ", "a: b\n\n", "a: b; ", "; "]
)
def test_odd_texts_take_linear_time(form: str) -> None:
    began = time.process_time()
    for table in tables_in(form * (100_000 // len(form))):
        table.values()
    assert time.process_time() - began < 3
