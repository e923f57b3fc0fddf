"""A survey: every page gives its records, each with a true quote, and what code makes of them is exact."""

import zlib
from collections.abc import AsyncIterator
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from readgraph.features.survey.graph import build
from readgraph.features.survey.table import table_of
from readgraph.graphs import mem_walker
from readgraph.library.collections import add_collection
from readgraph.library.histories import SessionText, append_sessions
from readgraph.library.opening import Library, open_library
from readgraph.nodes.answering.citations import with_marks
from readgraph.state.context import ReaderContext
from readgraph.state.errors import BadInput
from tests.doubles.model_server import ChatRequest, ModelServer
from tests.doubles.reader import between
from tests.doubles.surveyor import Surveyor, column

KEEPERS = ("Anna Vole", "Ben Ruhl", "Vole")
PATTERN = r"(\d{4}-\d\d-\d\d): (\w+(?: \w+)?) put the launch off, for a wind of (\d+) knots"
COLUMNS = [column("day", "date"), column("keeper"), column("wind", "number")]
QUESTION = "How often was the launch put off?"


def diary(days: int = 60, begin: int = 0) -> str:
    """A paragraph a day: the launch is put off on two of three days, by one keeper after the other."""
    return "\n\n".join(
        f"1912-{1 + day // 28:02}-{1 + day % 28:02}: {KEEPERS[day % 3]} "
        + ("saw nothing but fog and gulls." if day % 3 == 1 else f"put the launch off, for a wind of {day % 31} knots.")
        for day in range(begin, begin + days)
    )


@pytest.fixture
async def library(tmp_path: Path) -> AsyncIterator[Library]:
    async with open_library(tmp_path / "kept") as opened:
        yield opened


async def survey(library: Library, text: str = "", *, model: str = "openai:double", **given: Any) -> dict[str, Any]:
    settings = {"survey_words": 100, **given.pop("settings", {})}
    graph = build().compile(store=library.store)
    asked: Any = {"question": QUESTION, **({"text": text} if text else {}), **given}
    return dict(await graph.ainvoke(asked, context=ReaderContext(model=model, **settings)))


def surveyor(server: ModelServer, **plan: Any) -> Surveyor:
    made = Surveyor(PATTERN, {"columns": COLUMNS, **plan})
    server.respond = made
    return made


def values(found: dict[str, Any]) -> list[list[str]]:
    return [row["values"] for row in found["table"]["rows"]]


async def test_every_record_of_every_page_is_counted(library: Library, server: ModelServer) -> None:
    model, text = surveyor(server, result="count"), diary()
    found = await survey(library, text)
    assert (found["answer"], found["status"], found["fallbacks"]) == ("40", "answered", {})
    assert found["percent_read"] == 100 and len(found["pages_read"]) == model.asked.count("SurveyRecords") > 5
    assert model.asked.count("SurveyPlan") == 1 and "SameNames" not in model.asked
    assert all(text[each["start"] : each["end"]] == each["quote"] for each in found["citations"])
    assert len(found["citations"]) == 40
    again = await survey(library, text, question=f"{QUESTION} Say a number.")
    assert again["answer"] == "40" and again["usage"]["calls"] == 1, "the records are kept: only the plan is asked for"


LOG = "| Day | Keeper | Wind (knots) |\n|---|---|---|\n" + "".join(
    f"| 1912-0{1 + day // 28}-{1 + day % 28:02} | {KEEPERS[day % 3]} | {day} |\n" for day in range(100)
)


async def test_rows_of_a_table_need_no_call_and_the_text_beside_it_is_asked_for(
    library: Library, server: ModelServer
) -> None:
    surveyor(server)
    found = await survey(library, f"{LOG}\n{diary(4)}")
    assert len(values(found)) == found["table"]["found"] == 103 and found["by_table"] and not found["by_pattern"]
    assert values(found)[1] == ["1912-01-02", "Ben Ruhl", "1"] and values(found)[-1] == ["1912-01-04", "Anna Vole", "3"]
    cited = found["table"]["rows"][99]["citations"][0]
    assert cited["quote"] == "| 1912-04-16 | Anna Vole | 99 |" and cited["page"] > 2, "the names stand pages before"
    asked = [between(request, "passage") for request in server.requests if "<passage" in request.text]
    assert asked and not any("| 1912" in passage or "Keeper" in passage for passage in asked)
    again = await survey(library, f"{LOG}\n{diary(4)}", settings={"max_calls": 0})
    assert len(values(again)) >= 100


async def test_without_a_model_rows_of_a_table_come_alone(library: Library) -> None:
    text = f"In 1801 a mill burnt down.\n\n{LOG}\nIn 1950 the log was closed."
    found = await survey(library, text, model="", question="every entry: day, keeper, wind, boat")
    assert len(values(found)) == 100 and (found["status"], found["by_rule"]) == ("answered", True)
    assert values(found)[0] == ["1912-01-01", "Anna Vole", "0", ""] and not found["by_pattern"]
    twice = "Town | Number\nAlton | 3\nAlton | 3\nBexley | 4"
    assert len(values(await survey(library, twice, model="", question="every payment: town, number"))) == 3
    with pytest.raises(BadInput, match="no table of the text has such columns"):
        await survey(library, twice, model="", question="every boat: tonnage, owner")


async def test_names_of_one_person_are_joined_and_groups_are_added_up(library: Library, server: ModelServer) -> None:
    model = surveyor(server, group_by="keeper", total="wind", sort_by="count", order="descending")
    model.groups = [["Anna Vole", "Vole"]]
    found = await survey(library, diary())
    winds = sum(day % 31 for day in range(60) if day % 3 != 1)
    assert found["table"]["columns"] == ["keeper", "count", "sum of wind"]
    assert values(found) == [["Anna Vole", "40", str(winds)]]
    assert model.asked.count("SameNames") == 1
    assert found["answer"].startswith("| keeper | count | sum of wind |")


async def test_names_that_do_not_fit_the_window_are_counted(library: Library, server: ModelServer) -> None:
    model = surveyor(server, same_by=["keeper"])
    text = "\n\n".join(f"1912-01-01: Keeper{day} Vole put the launch off, for a wind of 9 knots." for day in range(60))
    found = await survey(library, text, settings={"window_words": 1000})
    assert 0 < found["fallbacks"]["names_left_out"] < 60 and model.asked.count("SameNames") == 1
    assert found["table"]["found"] == 60


async def test_the_first_mention_of_each_thing_is_kept_with_its_place(library: Library, server: ModelServer) -> None:
    surveyor(server, same_by=["keeper"], sort_by="wind", order="descending", first=1)
    found = await survey(library, diary())
    assert values(found) == [["1912-01-03", "Vole", "2"]] and found["table"]["found"] == 1
    (row,) = found["table"]["rows"]
    assert len(row["citations"]) == 5 and row["citations"][0]["quote"].startswith("1912-01-03")


async def test_two_documents_are_put_beside_each_other(library: Library, server: ModelServer) -> None:
    surveyor(server, same_by=["day"], compare=True)
    first, second = diary(6), diary(6).replace("of 3 knots", "of 30 knots").partition("1912-01-06")[0]
    documents = [
        await library.pages.add_document(text, title=title) for text, title in ((first, "old"), (second, "new"))
    ]
    both = await add_collection(library.pages, documents)
    found = await survey(library, document=both.id, question="What changed between the two versions?")
    assert found["table"]["columns"] == ["day", "keeper (old)", "keeper (new)", "wind (old)", "wind (new)", "found in"]
    assert ["1912-01-04", "Anna Vole", "Anna Vole", "3", "30", "old; new"] in values(found)
    assert ["1912-01-06", "Vole", "", "5", "", "old"] in values(found)


async def test_only_the_pages_that_the_plan_names_are_read(library: Library, server: ModelServer) -> None:
    model = surveyor(server, extent="search", sought="gale")
    text = f"{diary(40)}\n\n1913-01-01: Ben Ruhl put the launch off, for a wind of 60 knots, a gale.\n\n{diary(20, 40)}"
    found = await survey(library, text)
    assert model.asked.count("SurveyRecords") == 1 == len(found["pages_read"])
    assert ["1913-01-01", "Ben Ruhl", "60"] in values(found)
    places = [
        (0, "§ Part one"),
        (text.index("1913"), "§ Part two > The gale"),
        (text.index("1913") + 70, "§ Part three"),
    ]
    document = await library.pages.add_document(text + " ", title="diary", places=places)
    surveyor(server, extent="part", sought="part two")
    assert len((await survey(library, document=document.id))["pages_read"]) <= 2
    surveyor(server, extent="part", sought="part nine")
    missing = await survey(library, document=document.id, question="How often was it put off in part nine?")
    assert missing["percent_read"] == 100 and missing["fallbacks"] == {"part_not_found": 1}


async def test_notes_of_another_reading_say_which_pages_are_read(library: Library, server: ModelServer) -> None:
    text = f"{diary(60)}\n\n1913-01-01: Ben Ruhl put the launch off, for a wind of 60 knots.\n\n{diary(60, 60)}"
    document, settings = await library.pages.add_document(text, title="diary"), {"window_words": 1000}
    model = surveyor(server, extent="notes", same_by=["day"])
    assert (await survey(library, document=document.id, settings=settings))["fallbacks"] == {"no_notes": 1}
    server.respond = lambda request: " ".join(between(request, "passage").split())
    context = ReaderContext(model="openai:double", segment_words=60)
    await mem_walker.build().compile(store=library.store).ainvoke({"document": document.id}, context=context)
    model = surveyor(server, extent="notes", record="a day in 1913")
    model.kept = "1913"
    found = await survey(library, document=document.id, question="What was in 1913?", settings=settings)
    assert ["1913-01-01", "Ben Ruhl", "60"] in values(found) and len(found["pages_read"]) <= 3
    assert model.asked.count("PagesKept") > 1, "not all notes fit this window"
    model = surveyor(server, extent="notes", record="a day in 1914")
    model.fault = lambda request: "no" if model.asked[-1] == "PagesKept" else None
    lost = await survey(library, document=document.id, question="What was in 1914?", settings=settings)
    assert lost["percent_read"] == 100 and lost["fallbacks"]["survey_verdict"] > 1


async def test_parts_that_were_appended_after_the_notes_are_read_too(library: Library, server: ModelServer) -> None:
    log = (await append_sessions(library.pages, "diary", [SessionText(diary(30))])).document
    server.respond = lambda request: " ".join(between(request, "passage").split())
    context = ReaderContext(model="openai:double", segment_words=60)
    await mem_walker.build().compile(store=library.store).ainvoke({"document": log.id}, context=context)
    late = SessionText("1913-01-01: Ben put the launch off, for a wind of 9 knots.")
    await append_sessions(library.pages, "diary", [late])
    surveyor(server, extent="notes").kept = "no note has this"
    found = await survey(library, document=log.id)
    assert ["1913-01-01", "Ben", "9"] in values(found)
    assert len(found["pages_read"]) <= 2


async def test_sentences_are_written_from_the_table_with_the_quotes_of_its_rows(
    library: Library, server: ModelServer
) -> None:
    model = surveyor(server, result="prose")
    model.answer = "Mostly the wind."
    found = await survey(library, diary(12), question="Why was it put off?")
    assert found["answer"] == "Mostly the wind." and found["citations"][0]["quote"].startswith("1912-01-03")
    chosen = await survey(library, diary(12), options=["fog", "wind"])
    assert (chosen["choice"], chosen["answer"]) == ("B", "wind")


def faulty(request: ChatRequest, turn: "count[int]") -> Any:
    """A fault in every third reply, of one kind after the other."""
    number = next(turn)
    if number % 3:
        return None
    faults = ["I can't help with that.", {"records": [{"quote": "The keeper never said so."}]}, '{"records": [', ""]
    return faults[zlib.crc32(str(number).encode()) % len(faults)]


async def test_with_a_third_of_bad_replies_the_count_is_the_same(library: Library, server: ModelServer) -> None:
    model, turn = surveyor(server, result="count"), count(1)
    model.fault = lambda request: faulty(request, turn)
    found = await survey(library, diary(), settings={"concurrency": 1})
    assert (found["answer"], found["fallbacks"]) == ("40", {}) and found["usage"]["refused"] > 3


async def test_a_record_without_a_true_quote_is_dropped_and_counted(library: Library, server: ModelServer) -> None:
    model, text = surveyor(server), diary(12)

    def invent(request: ChatRequest) -> Any:
        if "1912-01-01" not in request.text or model.asked[-1] != "SurveyRecords":
            return None
        true = {"column_1": "1 January 1912", "column_2": "Anna Vole", "column_3": "none", "quote": "Anna Vole put"}
        return {"records": [true, {**true, "quote": "Anna Vole went home to her sister."}]}

    model.fault = invent
    for calls in (3, 0):
        found = await survey(library, text)
        assert values(found)[0] == ["1912-01-01", "Anna Vole", ""], "a value of the wrong kind is left out"
        losses = {"quote_not_found": 1, "value_not_understood": 1}
        assert (found["fallbacks"], found["usage"]["calls"] >= calls) == (losses, True), "kept records say it, too"
    model.fault = lambda request: "no" if model.asked[-1] == "SurveyRecords" and "1912-01-01" in request.text else None
    lost = await survey(library, text + "\n\nThe end.", settings={"sample": 1})
    assert lost["fallbacks"] == {"records": 1} and 0 not in lost["pages_read"]


async def test_the_same_words_on_a_page_twice_are_two_records(library: Library, server: ModelServer) -> None:
    surveyor(server, columns=[column("cry")], result="count").pattern = r"(Lamp out again), he wrote"
    found = await survey(library, "Lamp out again, he wrote. It was a cold night. Lamp out again, he wrote.")
    assert found["answer"] == "2" and len({each["start"] for each in found["citations"]}) == 2


async def test_a_record_given_twice_counts_once(library: Library, server: ModelServer) -> None:
    model, text = surveyor(server, result="count"), diary(12)

    def twice(request: ChatRequest) -> Any:
        if model.asked[-1] != "SurveyRecords":
            return None
        records = list(model.records(between(request, "passage")))
        return {"records": [*records, *({**each, "quote": each["quote"] + "."} for each in records)]}

    model.fault = twice
    found = await survey(library, text)
    assert (found["answer"], found["fallbacks"]) == ("8", {})


async def test_numbers_and_too_many_columns(library: Library, server: ModelServer) -> None:
    more = [column(f"more {number}") for number in range(30)]
    model = surveyor(server, columns=[column("wind", "number"), *more])
    values_given = [1e22, 2.5e-7, 3.0, None, [4, 5]]

    def numbers(request: ChatRequest) -> Any:
        if model.asked[-1] != "SurveyRecords":
            return None
        empty = {f"column_{number}": None for number in range(1, 9)}
        return {"records": [{**empty, "column_1": each, "quote": "put the launch off"} for each in values_given]}

    model.fault = numbers
    found = await survey(library, diary(1))
    assert [row[0] for row in values(found)] == ["10000000000000000000000", "0.00000025", "3", "4"]
    assert len(found["table"]["columns"]) == 8 and found["fallbacks"] == {"columns_left_out": 23}


async def test_a_text_without_records_says_nothing(library: Library, server: ModelServer) -> None:
    model = surveyor(server, result="prose")
    found = await survey(library, "Nothing but fog.", question="Why was it put off?")
    assert (found["answer"], found["status"], found["by_rule"], found["fallbacks"]) == (None, "no_answer", False, {})
    assert model.asked == ["SurveyPlan", "SurveyRecords"]


async def test_documents_of_one_title_stay_apart(library: Library, server: ModelServer) -> None:
    surveyor(server, same_by=["day"], compare=True)
    both = [await library.pages.add_document(diary(days), title="report") for days in (3, 6)]
    found = await survey(library, document=(await add_collection(library.pages, both)).id)
    assert [row[-1] for row in values(found)] == ["report (1); report (2)"] * 2 + ["report (2)"] * 2


async def test_without_a_usable_plan_the_questions_words_make_one(library: Library, server: ModelServer) -> None:
    model = surveyor(server)
    model.fault = lambda request: {"columns": []} if model.asked[-1] == "SurveyPlan" else None
    found = await survey(library, diary(6), question="On which dates was the launch put off?")
    assert found["fallbacks"]["survey_plan"] == 1 and found["table"]["columns"] == ["date"]


async def test_a_changed_text_pays_for_what_changed(library: Library, server: ModelServer) -> None:
    model = surveyor(server, result="count")
    text = diary(120)
    for number, edition in enumerate((text, text.replace("1912-03-04: Vole put", "1912-03-04: Vole had to put"))):
        document = await library.pages.add_document(edition, title="diary", source="diary.txt")
        before = len(model.asked)
        found = await survey(library, document=document.id)
        assert found["answer"] == str(80 - number)
        paid = len(model.asked) - before
    assert paid <= 3 < len(found["pages_read"])


async def test_a_spent_budget_ends_it_in_order(library: Library, server: ModelServer) -> None:
    surveyor(server, result="count")
    found = await survey(library, diary(), settings={"max_calls": 4, "concurrency": 1})
    assert found["status"] == "budget" and 0 < found["table"]["found"] < 40 and 0 < found["percent_read"] < 100
    missing = f"{len(found['unread'])} of {len(found['unread']) + len(found['pages_read'])} parts could not be read"
    assert found["answer"] == f"at least {found['table']['found']}; {missing}" and len(found["pages_read"]) == 3
    rest = await survey(library, diary())
    assert rest["answer"] == "40" and rest["usage"]["calls"] < len(rest["pages_read"])


def refusing(model: Surveyor, *days: str) -> None:
    """The model gives no usable reply for pages with these days; without any, for no page."""

    def refuse(request: ChatRequest) -> Any:
        asked_of = between(request, "passage") if model.asked[-1] == "SurveyRecords" else None
        return "I am sorry." if asked_of and (not days or any(day in asked_of for day in days)) else None

    model.fault = refuse


@pytest.mark.parametrize("result", ["count", "table", "prose"])
@pytest.mark.slow
async def test_without_any_usable_reply_there_is_no_answer(library: Library, server: ModelServer, result: str) -> None:
    model = surveyor(server, result=result)
    refusing(model)
    for _ in range(2):
        found = await survey(library, diary())
        assert (found["answer"], found["status"], found["by_rule"]) == (None, "no_answer", True)
        assert found["pages_read"] == [] and found["unread"] == [*range(8)] and found["fallbacks"] == {"records": 8}
    model.fault = lambda request: None
    whole = await survey(library, diary(), settings={"again": True})
    assert whole["status"] == "answered" and whole["unread"] == [] and whole["table"]["found"] == 40


@pytest.mark.parametrize("concurrency", [1, 8])
async def test_an_answer_says_how_many_parts_are_missing_and_they_are_asked_for_again(
    library: Library, server: ModelServer, concurrency: int
) -> None:
    model, text, settings = surveyor(server, result="count"), diary(), {"concurrency": concurrency}
    refusing(model, "1912-01-04", "1912-02-14")
    for question in (QUESTION, "Wie oft wurde der Start verschoben?"):
        found = await survey(library, text, question=question, settings=settings)
        number = found["table"]["found"]
        assert found["answer"] == f"at least {number}; 2 of 8 parts could not be read" and number < 40
        assert (found["status"], found["by_rule"], found["fallbacks"]) == ("answered", False, {"records": 2})
        assert len(found["unread"]) == 2 and {*found["unread"], *found["pages_read"]} == {*range(8)}
        assert {each["mark_at"] for each in with_marks(found)["citations"]} == {found["answer"].index(";")}
    refusing(model, "1912-02-14")
    asked = len(model.asked)
    assert (await survey(library, text, settings=settings))["unread"] == found["unread"], "without asking the model"
    assert len(model.asked) == asked
    settings["again"] = True
    less = await survey(library, text, settings=settings)
    assert less["answer"].endswith("; 1 of 8 parts could not be read") and len(model.asked) == asked + 4
    model.fault = lambda request: None
    whole = await survey(library, text, settings=settings)
    assert (whole["answer"], whole["unread"], whole["fallbacks"], whole["usage"]["calls"]) == ("40", [], {}, 1)


@pytest.mark.parametrize(
    "wrong", [{"quote": "Nobody went anywhere.", "column_1": "3"}, {"quote": "put the launch off", "column_1": "zwölf"}]
)
async def test_a_part_of_whose_records_none_can_be_used_was_not_read(
    library: Library, server: ModelServer, wrong: dict[str, str]
) -> None:
    model = surveyor(server, columns=[column("wind", "number")], result="count")
    model.pattern = r"wind of (\d+) knots"

    def invent(request: ChatRequest) -> Any:
        asked_of = between(request, "passage") if model.asked[-1] == "SurveyRecords" else ""
        return {"records": [wrong, wrong]} if "1912-01-04" in asked_of else None

    model.fault, lost = invent, "quote_not_found" if "Nobody" in wrong["quote"] else "value_not_understood"
    for question in (QUESTION, "Wie oft wurde der Start verschoben?"):
        found = await survey(library, diary(), question=question)
        assert found["answer"] == f"at least {found['table']['found']}; 1 of 8 parts could not be read"
        assert (found["unread"], found["fallbacks"]) == ([0], {lost: 2})
    only = await survey(library, diary(4))
    assert (only["answer"], only["status"], only["by_rule"], only["unread"]) == (None, "no_answer", True, [0])
    model.fault = lambda request: None
    whole = await survey(library, diary(), settings={"again": True})
    assert (whole["answer"], whole["fallbacks"], whole["usage"]["calls"]) == ("40", {}, 1)


async def test_a_part_that_is_wanted_later_is_asked_then(library: Library, server: ModelServer) -> None:
    log = (await append_sessions(library.pages, "Tagebuch", [SessionText(diary(60))])).document
    server.respond = lambda request: " ".join(between(request, "passage").split())
    context = ReaderContext(model="openai:double", segment_words=60)
    await mem_walker.build().compile(store=library.store).ainvoke({"document": log.id}, context=context)
    model = surveyor(server, extent="notes")
    model.kept = "1912-01-01"
    few = await survey(library, document=log.id, question="Wie oft?")
    assert 0 < len(few["pages_read"]) < 8 and few["unread"] == []
    await append_sessions(library.pages, "Tagebuch", [SessionText("Nichts als Nebel.")])
    server.respond = lambda request: " ".join(between(request, "passage").split())
    await mem_walker.build().compile(store=library.store).ainvoke({"document": log.id}, context=context)
    server.respond, model.kept, asked = model, "1912", len(model.asked)
    cut = await survey(library, document=log.id, question="Wie oft?", settings={"max_calls": 2, "concurrency": 1})
    assert cut["unread"] and cut["fallbacks"] == {} and cut["answer"].endswith("parts could not be read")
    whole = await survey(library, document=log.id, question="Wie oft?")
    assert whole["table"]["found"] == 40 and whole["unread"] == []
    assert model.asked[asked:].count("SurveyRecords") >= len(whole["pages_read"]) - len(few["pages_read"])


async def test_parts_that_a_search_finds_beyond_the_limit_are_counted(library: Library, server: ModelServer) -> None:
    surveyor(server, extent="search", sought="knots", result="count")
    found = await survey(library, diary(), settings={"survey_parts": 3})
    assert len(found["pages_read"]) == 3 and found["fallbacks"] == {"parts_left_out": 5}


async def test_what_is_searched_for_and_stands_nowhere_leaves_no_part_out(
    library: Library, server: ModelServer
) -> None:
    surveyor(server, extent="search", sought="Überfahrt Sturmflut", result="count")
    found = await survey(library, diary())
    assert (found["answer"], found["fallbacks"], found["percent_read"]) == ("40", {"sought_not_found": 1}, 100)


async def test_lists_and_sentences_say_which_parts_are_missing_too(library: Library, server: ModelServer) -> None:
    missing, text = "1 of 2 parts could not be read", diary(12)
    for plan in ({"columns": [column("day"), column("keeper"), column("wind")]}, {"columns": [column("day")]}):
        model = surveyor(server, **plan)
        refusing(model, "1912-01-12")
        found = await survey(library, text)
        assert found["status"] == "answered" and found["answer"].endswith(f"\n\n{missing}"), plan
        assert with_marks(found)["marked_answer"].startswith(("| day ", "1912-01-01 [1];"))
    model = surveyor(server, result="prose")
    model.answer = "Mostly the wind."
    refusing(model, "1912-01-12")
    assert (await survey(library, text, question="Why?"))["answer"] == f"Mostly the wind.\n\n{missing}"
    chosen = await survey(library, text, options=["fog", "wind"])
    assert (chosen["choice"], chosen["answer"]) == ("B", f"wind\n\n{missing}")


async def test_where_nothing_was_found_and_parts_are_missing_nobody_knows_the_answer(
    library: Library, server: ModelServer
) -> None:
    refusing(surveyor(server, result="count"), "1912-01-01")
    found = await survey(library, "1912-01-01: fog. " + "Nothing but fog and gulls.\n\n" * 40)
    assert (found["answer"], found["status"], found["by_rule"]) == (None, "no_answer", True)
    assert len(found["unread"]) == 1 and found["pages_read"]


async def test_a_budget_that_ends_before_the_sentences_leaves_the_models_table(
    library: Library, server: ModelServer
) -> None:
    surveyor(server, result="prose")
    for model, calls, by_pattern in (("openai:double", 0, True), ("openai:double", 2, False), ("", 9, True)):
        found = await survey(library, diary(3), model=model, question="What dates?", settings={"max_calls": calls})
        assert found["by_rule"] and found["table"]["rows"] and found["by_pattern"] == by_pattern


async def test_a_budget_that_ends_before_lost_parts_are_asked_for_again_is_told(
    library: Library, server: ModelServer
) -> None:
    model = surveyor(server, result="count")
    refusing(model, "1912-01-04")
    lost = await survey(library, diary())
    again = await survey(library, diary(), settings={"max_calls": 0, "again": True})
    assert (again["status"], again["answer"], again["unread"]) == ("budget", lost["answer"], lost["unread"])
    model.fault = lambda request: None
    assert (await survey(library, diary(), settings={"again": True}))["answer"] == "40"


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ('How often does the word "wind" occur?', "40"),
        ("List all dates.", "1912-01-01; 1912-01-02; 1912-01-03"),
        ("How many gulls are seen?", "20"),
    ],
)
async def test_without_a_model_patterns_give_the_records(library: Library, question: str, answer: str) -> None:
    found = await survey(library, diary(), model="", question=question)
    assert found["answer"].startswith(answer) and (found["status"], found["by_rule"]) == ("nearest", True)
    assert found["usage"]["calls"] == 0 and found["citations"]


async def test_columns_may_be_fixed(library: Library, server: ModelServer) -> None:
    model = surveyor(server, columns=[])
    found = await survey(library, diary(6), settings={"fields": "day:date, who, wind:number"})
    assert found["table"]["columns"] == ["day", "who", "wind"] and values(found)[1] == ["1912-01-03", "Vole", "2"]
    for fields in ("day:time", "a,A", ",".join(f"c{number}" for number in range(9))):
        with pytest.raises(BadInput):
            await survey(library, diary(6), settings={"fields": fields})
    assert model.asked.count("SurveyPlan") == 1


@pytest.mark.slow
async def test_the_whole_table_comes_from_the_store(library: Library, server: ModelServer) -> None:
    surveyor(server)
    found = await survey(library, diary(900))
    assert len(found["table"]["rows"]) == 500 and found["table"]["found"] == 600
    whole = await table_of(library.pages, found["document"], found["records"], found["programme"], found["same_names"])
    assert len(whole["rows"]) == 600 and whole["rows"][:500] == found["table"]["rows"]
