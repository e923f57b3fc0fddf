"""`readgraph table`: every row with its quote, on the terminal and as a file; nothing is paid for twice."""

import csv
import io
import json
import re
import sys
import zipfile
from pathlib import Path
from typing import Any

import pytest
from lxml import etree

from tests.doubles.model_server import ChatRequest, ModelServer
from tests.doubles.surveyor import Surveyor, column
from tests.support.command import DOUBLE, Command, assert_refused

PATTERN = r"(\d{4}(?:-\d\d){0,2}): ([^.]+?) paid (-?[\d.]+) crowns"
COLUMNS = [column("day", "date"), column("payer"), column("crowns", "number")]
WHAT = "every payment: day, payer, crowns"
TEXT = """\
1912-03-04: Anna Vole paid 12.50 crowns to the ferry.

1890-01-02: =HYPERLINK("http://localhost") paid -3 crowns, "with a \
bow".

1912: Émile | Ruhl paid 123456789012345678 crowns for the lamp.
"""


@pytest.fixture
def text(tmp_path: Path) -> Path:
    (tmp_path / "a.txt").write_text(TEXT, encoding="utf-8")
    return tmp_path / "a.txt"


def surveyor(server: ModelServer, **plan: Any) -> Surveyor:
    made = Surveyor(PATTERN, {"columns": COLUMNS, **plan})
    server.respond = made
    return made


def rows_of(file: Path) -> list[list[str]]:
    return list(csv.reader(io.StringIO(file.read_bytes().decode("utf-8-sig"), newline="")))


def test_a_csv_has_every_row_with_its_quote_and_no_formula(
    readgraph: Command, server: ModelServer, text: Path, tmp_path: Path
) -> None:
    surveyor(server, result="count")
    out = tmp_path / "paid.csv"
    ran = readgraph("table", text, WHAT, "--out", out, *DOUBLE)
    assert (ran.code, ran.out) == (0, "") and "3 rows in" in ran.err and "read: all of the text · 2 calls" in ran.err
    head, *rows = rows_of(out)
    assert head == ["day", "payer", "crowns", "quote", "place"]
    assert rows[0] == ["1912-03-04", "Anna Vole", "12.50", "1912-03-04: Anna Vole paid 12.50 crowns", "line 1"] or rows
    assert rows[1][1:3] == ['\'=HYPERLINK("http://localhost")', "-3"]
    assert rows[2][:3] == ["1912", "Émile | Ruhl", "123456789012345678"]
    assert out.read_bytes().startswith(b'\xef\xbb\xbf"day",') and out.read_bytes().count(b"\r\n") == 4
    again = readgraph("table", text, WHAT, "--out", out, *DOUBLE)
    assert again.code == 0 and "nothing sent" in again.err, "a table of ours is replaced"


def test_json_and_markdown(readgraph: Command, server: ModelServer, text: Path, tmp_path: Path) -> None:
    surveyor(server)
    for name in ("paid.json", "paid.md"):
        assert readgraph("table", text, WHAT, "--out", tmp_path / name, *DOUBLE).code == 0
    made = json.loads((tmp_path / "paid.json").read_text())
    assert [row["crowns"] for row in made] == [12.5, -3, 123456789012345678]
    piped = readgraph("table", text, WHAT, *DOUBLE, "--quiet")
    assert piped.err == "" and piped.out == (tmp_path / "paid.md").read_text()
    assert piped.out.splitlines()[:2] == [
        "| day | payer | crowns | quote | place |",
        "| --- | --- | ---: | --- | --- |",
    ]
    assert r"| Émile \| Ruhl |" in piped.out
    found = readgraph("table", text, WHAT, *DOUBLE, "--json").json
    assert found["table"]["kinds"] == ["date", "text", "number"] and found["table"]["found"] == 3
    assert all(TEXT[each["start"] : each["end"]] == each["quote"] for each in found["citations"])


def test_an_excel_sheet_has_numbers_and_dates(
    readgraph: Command, server: ModelServer, text: Path, tmp_path: Path
) -> None:
    pytest.importorskip("xlsxwriter")
    surveyor(server)
    out = tmp_path / "paid.XLSX"
    assert readgraph("table", text, WHAT, "--out", out, *DOUBLE).code == 0
    assert readgraph("table", text, WHAT, "--out", out, *DOUBLE).code == 0, "a table of ours is replaced"
    with zipfile.ZipFile(out) as book:
        sheet = etree.fromstring(book.read("xl/worksheets/sheet1.xml"))
    cells = {cell.get("r"): cell for cell in sheet.iter("{*}c")}
    assert not [*sheet.iter("{*}f")], "there is no formula"
    assert [cells[at].get("t") for at in ("A2", "C2", "B3", "A3", "A4", "C4")] == [None, None, "s", "s", "s", "s"]
    assert (cells["A2"].findtext("{*}v"), cells["C2"].findtext("{*}v")) == ("4447", "12.5")


def test_without_the_package_for_excel_nothing_is_paid_for(
    readgraph: Command, server: ModelServer, text: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "xlsxwriter", None)
    ran = readgraph("table", text, WHAT, "--out", tmp_path / "paid.xlsx", *DOUBLE)
    assert_refused(ran, "pip install 'readgraph[tables]'")
    assert not server.calls


def test_a_second_file_and_a_changed_one_pay_for_what_is_new(
    readgraph: Command, server: ModelServer, text: Path, tmp_path: Path
) -> None:
    model, other = surveyor(server), tmp_path / "b.txt"
    other.write_text("1913-05-06: Ben Ruhl paid 7 crowns to the mill.\n")
    out = tmp_path / "paid.csv"
    assert readgraph("table", text, WHAT, "--out", out, *DOUBLE).code == 0
    assert model.asked == ["SurveyPlan", "SurveyRecords"]
    both = readgraph("table", text, other, WHAT, "--out", out, *DOUBLE)
    assert model.asked[2:] == ["SurveyRecords"] and "4 rows" in both.err
    head, *rows = rows_of(out)
    assert head[-3:] == ["quote", "place", "document"] and [row[-1] for row in rows] == ["a", "a", "a", "b"]
    other.write_text("1913-05-06: Ben Ruhl paid 8 crowns to the mill.\n")
    assert readgraph("table", text, other, WHAT, "--out", out, *DOUBLE).code == 0
    assert model.asked[3:] == ["SurveyRecords"] and rows_of(out)[-1][2] == "8"


@pytest.mark.slow
def test_more_rows_than_a_state_holds(readgraph: Command, server: ModelServer, tmp_path: Path) -> None:
    surveyor(server, result="prose")
    long = tmp_path / "long.txt"
    long.write_text("\n\n".join(f"1912-03-04: Payer number {number} paid {number} crowns." for number in range(700)))
    out = tmp_path / "paid.json"
    assert readgraph("table", long, WHAT, "--out", out, *DOUBLE).code == 0
    assert [row["crowns"] for row in json.loads(out.read_text())] == [*range(700)]


def test_what_could_not_be_used_is_told(readgraph: Command, server: ModelServer, text: Path, tmp_path: Path) -> None:
    model = surveyor(server)

    def invent(request: ChatRequest) -> Any:
        if model.asked[-1] != "SurveyRecords":
            return None
        return {"records": [{"column_1": "1912", "column_2": "Nobody", "column_3": 3, "quote": "Nobody paid a thing."}]}

    model.fault = invent
    ran = readgraph("table", text, WHAT, *DOUBLE)
    assert (ran.code, ran.out) == (0, "") and "quote_not_found 1" in ran.err
    assert "1 of 1 part could not be read" in ran.err and "Nothing of this kind" not in ran.err


def test_a_part_without_a_usable_reply_is_told_each_time_and_asked_for_again(
    readgraph: Command, server: ModelServer, text: Path
) -> None:
    model = surveyor(server)
    given = ("table", text, WHAT, *DOUBLE, "--survey-words", 12)
    model.fault = lambda request: "No." if "Émile" in request.text and model.asked[-1] == "SurveyRecords" else None
    missing = "1 of 3 parts could not be read. Records are missing: line 5. Run the same command again with --again"
    for calls, more in ((6, ()), (0, ()), (3, ("--again",))):
        ran = readgraph(*given, *more)
        assert (
            missing in ran.err
            and f"· {f'{calls} calls' if calls else 'nothing sent'}" in ran.err
            and "records 1" in ran.err
        )
        assert "Émile" not in ran.out and f"*{missing}" in ran.out
    assert readgraph(*given, "--json").json["unread"] == [2]
    model.fault = lambda request: None
    ran = readgraph(*given, "--again")
    assert "1 call and" in ran.err and "could not be read" not in ran.err and "3 rows" in ran.err


def test_a_table_without_any_usable_reply_does_not_say_that_there_is_nothing(
    readgraph: Command, server: ModelServer, text: Path
) -> None:
    model = surveyor(server)
    model.fault = lambda request: "No." if model.asked[-1] == "SurveyRecords" else None
    ran = readgraph("table", text, WHAT, *DOUBLE)
    assert "1 of 1 part could not be read. All records are missing." in ran.err and not ran.out
    assert "Nothing of this kind" not in ran.err and "Filled by patterns" not in ran.err
    asked = readgraph("ask", WHAT, text, "--method", "survey", *DOUBLE)
    assert (
        asked.code == 0 and "The model gave no answer that could be used: 1 of 1 part could not be read." in asked.out
    )


@pytest.mark.parametrize("calls", [0, 1, 2])
def test_a_spent_budget_is_told_and_what_stood_in_for_the_model_is_not_kept(
    readgraph: Command, server: ModelServer, text: Path, calls: int
) -> None:
    surveyor(server)
    parts = ("--survey-words", 12, "--concurrency", 1)
    cut = readgraph("table", text, WHAT, *DOUBLE, *parts, "--max-calls", calls)
    assert cut.code == 0 and "The budget ran out" in cut.err
    whole = readgraph("table", text, WHAT, *DOUBLE, *parts)
    assert [line.count("crowns") for line in whole.out.splitlines()] == [1, 0, 1, 1, 1], whole.out


def test_a_budget_that_ends_before_names_are_joined_is_told(
    readgraph: Command, server: ModelServer, tmp_path: Path
) -> None:
    model, text = surveyor(server, same_by=["payer"]), tmp_path / "names.txt"
    model.groups = [["Anna Vole", "Vole"]]
    text.write_text("1912-03-04: Anna Vole paid 3 crowns.\n\n1912-03-05: Vole paid 4 crowns.\n")
    cut = readgraph("table", text, WHAT, *DOUBLE, "--max-calls", 2)
    assert "names that mean the same thing may have rows of their own" in cut.err and "2 rows" in cut.err
    assert "1 row ·" in readgraph("table", text, WHAT, *DOUBLE).err


def test_a_budget_that_ends_before_the_sentences_shows_the_table_that_the_model_filled(
    readgraph: Command, server: ModelServer, text: Path
) -> None:
    surveyor(server, result="prose")
    ran = readgraph("ask", "Warum wurde gezahlt?", text, "--method", "survey", *DOUBLE, "--max-calls", 2)
    assert ran.out.startswith("The budget ran out first. The table:\n| ") and "Anna" in ran.out
    assert "patterns" not in ran.out + ran.err


def test_without_a_model_it_is_said(readgraph: Command, text: Path, tmp_path: Path) -> None:
    ran = readgraph("table", text, "every date")
    assert "Filled by patterns" in ran.err and "| 1912-03-04 |" in ran.out
    assert "*Filled by patterns" in ran.out, "a file says it, too, where its form has room"


def test_without_a_model_columns_are_named_that_stay_empty_and_how_dates_were_read(
    readgraph: Command, tmp_path: Path
) -> None:
    text = tmp_path / "a.txt"
    text.write_text(
        "Am 9. Februar 1921 zahlte Anna 400 Kronen.\n\nAm 05/03/1921 zahlte der Müller 30 Kronen, Seite 7.\n"
    )
    ran = readgraph("table", text, "every payment: day, payer, amount")
    assert "| 1921-02-09 |  | 400 Kronen |" in ran.out and "| 1921-03-05 |  | 30 Kronen |" in ran.out
    assert "No pattern fills 'payer'" in ran.err and "05/03/1921 was read as day/month/year." in ran.err
    given = ("--fields", "day:date,role:text,amount:number", "--json")
    found = readgraph("table", text, "every payment", *given).json
    assert [row["values"] for row in found["table"]["rows"]] == [["1921-02-09", "", "400"], ["1921-03-05", "", "30"]]
    assert len(found["notices"]) == 2 and "'role'" in found["notices"][0]
    asked = readgraph("ask", "every payment", text, *given[:2], "--method", "survey")
    assert "No pattern fills 'role'" in asked.out + asked.err and "was read as day/month/year" in asked.out + asked.err
    text_without_capitals = tmp_path / "c.txt"
    text_without_capitals.write_text("2021年3月5日，张伟支付了400元。", encoding="utf-8")
    assert "No pattern fills 'name'" in readgraph("table", text_without_capitals, "payments: date, name, amount").err
    assert_refused(readgraph("table", text, "every person: role, motive"), "needs a model. Give --model")
    twice = tmp_path / "b.txt"
    twice.write_text("On February 9, 1921 she paid 400 crowns.\n")
    one = readgraph("table", text, twice, "every payment", "--fields", "day:date,amount:number", "--json").json
    assert one["table"]["found"] == 2, "the same record in other words is one"


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ("{text}", "After the files, say what the table is to hold"),
        ("dates", "name the files"),
        ("{text} dates {text}", "The files come first"),
        ("{text} {text}", "Write it after the files"),
        ("{tmp}/none.txt dates", "There is no file"),
        ("{text} dates --out {tmp}/a.xls", "end it in .csv, .json, .xlsx, .md"),
        ("{text} dates --out {tmp}/none/a.csv", "There is no folder"),
        ("{text} dates --out {tmp}/own.csv", "is no table of readgraph"),
        ("{text} dates --out {tmp}/own.json", "is no table of readgraph"),
        ("{text} dates --out {tmp}/own.md", "is no table of readgraph"),
        ("{text} dates --out {tmp}/own.xlsx", "is no table of readgraph"),
        ("{text} dates --out {tmp}/a.csv --estimate", "leave --out out"),
        ("{text} dates --open", "--open opens the report"),
        ("{text} dates --fields a:time", "is no column"),
    ],
)
def test_wrong_usage_is_one_line(readgraph: Command, text: Path, tmp_path: Path, given: str, told: str) -> None:
    for name, mine in (("own.csv", "a,b\n1,2\n"), ("own.json", "{}"), ("own.md", "# Own\n"), ("own.xlsx", "PK")):
        (tmp_path / name).write_text(mine)
    assert_refused(readgraph("table", *given.format(text=text, tmp=tmp_path).split()), told)
    assert (tmp_path / "own.csv").read_text() == "a,b\n1,2\n" and not (tmp_path / "a.csv").exists()


@pytest.mark.parametrize("files", [1, 2])
def test_what_is_wanted_may_stand_first(readgraph: Command, text: Path, files: int, tmp_path: Path) -> None:
    other = tmp_path / "other.txt"
    other.write_text("On 3 May 1901 the keeper paid nine crowns.")
    given = [text, other][:files]
    turned = readgraph("table", WHAT, *given, "--estimate")
    assert turned.out == readgraph("table", *given, WHAT, "--estimate").out
    assert f"Taken as: readgraph table {' '.join(map(str, given))} " in turned.err
    readgraph("read", text)
    title = readgraph("show", "--json").json[0]["title"]
    assert readgraph("table", WHAT, title, "--estimate").out == readgraph("table", title, WHAT, "--estimate").out


def test_the_estimate_is_that_of_a_survey(readgraph: Command, text: Path, server: ModelServer) -> None:
    asked = readgraph("ask", WHAT, text, "--method", "survey", "--estimate", "--json", *DOUBLE).json
    assert readgraph("table", text, WHAT, "--estimate", "--json", *DOUBLE).json == asked and not server.calls


def test_an_answer_that_is_a_table_has_a_mark_in_each_row(readgraph: Command, server: ModelServer, text: Path) -> None:
    surveyor(server)
    asked = ("ask", "Who paid?", text, "--method", "survey", *DOUBLE)
    lines = readgraph(*asked).out.splitlines()
    assert [re.findall(r"\[\d\] \|$", line) for line in lines[2:5]] == [["[1] |"], ["[2] |"], ["[3] |"]]
    found = readgraph(*asked, "--json").json
    assert [found["answer"][: each["mark_at"]].count("\n") for each in found["citations"]] == [2, 3, 4]
    by_pattern = readgraph("ask", "List all dates and amounts", text, "--method", "survey").out
    assert by_pattern.startswith("Filled by patterns") and "| 1912-03-04 |" in by_pattern
