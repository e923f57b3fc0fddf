"""Sources: chats in lines, as phones in many languages write them."""

from pathlib import Path

import pytest

from readgraph.sources import load
from readgraph.sources.formats.chat_lines import read_line_chat
from readgraph.sources.sessions import load_sessions
from tests.support.command import Command
from tests.support.source_files import write_file, write_zip

pytestmark = pytest.mark.quick


@pytest.mark.parametrize(
    "first,second",
    [
        ("2024/3/12 下午7:40 - ", "2024/3/13 上午8:00 - "),
        ("[2024/3/12 下午7:40:11] ", "[2024/3/13 上午8:00:00] "),
        ("[2024. 3. 12. 오후 7:40:11] ", "[2024. 3. 13. 오전 8:00:00] "),
        ("2024년 3월 12일 오후 7:40 - ", "2024년 3월 13일 오전 8:00 - "),
        *[("2024/03/12 19:40 - ", "2024/03/13 8:00 - "), ("12/3/67 19:40 - ", "13/3/67 8:00 - ")],
        ("[2024/03/12 午後7:40:11] ", "[2024/03/13 午前8:00:11] "),
        ("١٢\u200f/٣\u200f/٢٠٢٤، ٧:٤٠ م - ", "١٣\u200f/٣\u200f/٢٠٢٤، ٨:٠٠ ص - "),
        ("\u200f[١٢\u200f/٣\u200f/٢٠٢٤، ٧:٤٠:١١ م] ", "\u200f[١٣\u200f/٣\u200f/٢٠٢٤، ٨:٠٠:٠٠ ص] "),
        ("۱۴۰۲/۱۲/۲۲،\u200f ۱۹:۴۰ - ", "۱۴۰۲/۱۲/۲۳،\u200f ۸:۰۰ - "),
        *[("12/3/2567 19:40 - ", "13/3/2567 8:00 - "), ("[12/3/2567 BE 19:40:11] ", "[13/3/2567 BE 8:00:00] ")],
        *[("১২/৩/২৪, ৭:৪০ PM - ", "১৩/৩/২৪, ৮:০০ AM - "), ("19:40, 12/3/2024 - ", "8:00, 13/3/2024 - ")],
        *[("12.3.2024 klo 19.40 - ", "13.3.2024 klo 8.00 - "), ("12-03-2024 19:40 – ", "13-03-2024 8:00 – ")],
        *[("12.03.24 г., 19:40 ч. - ", "13.03.24 г., 8:00 ч. - "), ("2024. 03. 12. 19:40 - ", "2024. 03. 13. 8:00 - ")],
        *[("12. 03. 2024. 19:40 - ", "13. 03. 2024. 8:00 - "), ("12/3/24, 7:40 p. m. - ", "13/3/24, 8:00 a. m. - ")],
        *[("12/3/24, 7:40 μ.μ. - ", "13/3/24, 8:00 π.μ. - "), ("7:40 CH, 12/03/2024 - ", "8:00 SA, 13/03/2024 - ")],
        ("12.3.24, 7:40 e pasdites - ", "13.3.24, 8:00 e paradites - "),
    ],
)
def test_the_form_of_lines_is_found_by_what_repeats(first: str, second: str) -> None:
    chat = read_line_chat(f"{first}Anna: Who has it?\r\nThe key\r\n{second}\u200f+49 170 1: I\r\n")
    assert [(turn.speaker, turn.text.split(), str(turn.time)) for _, turn in chat.messages] == [
        ("Anna", ["Who", "has", "it?", "The", "key"], "2024-03-12 19:40:00"),
        ("+49 170 1", ["I"], "2024-03-13 08:00:00"),
    ]
    assert not chat.unsure


def test_unknown_words_beside_the_time_are_told_by_the_order_of_messages() -> None:
    chat = read_line_chat("12/3/24, முற்பகல் 8:30 - A: b\n12/3/24, பிற்பகல் 1:40 - A: a\n13/3/24, முற்பகல் 8:00 - B: c\n")
    assert [turn.time.hour for _, turn in chat.messages if turn.time] == [8, 13, 8] and not chat.unsure
    alike = read_line_chat("12/3/24, பிற்பகல் 7:40 - A: a\n13/3/24, முற்பகல் 8:00 - A: b\n")
    assert alike.unsure == "which of 'பிற்பகல்' and 'முற்பகல்' is before noon is not sure"


def test_kakaotalks_lines_have_the_speaker_behind_a_comma() -> None:
    chat = read_line_chat("2024년 3월 12일 오후 7:40, Anna : a\n2024년 3월 12일 오후 7:41, Bert : b: c\n")
    assert [(turn.speaker, turn.text) for _, turn in chat.messages] == [("Anna", "a"), ("Bert", "b: c")]


def test_an_order_of_day_and_month_that_nothing_shows_is_said_to_be_unsure(tmp_path: Path) -> None:
    lines = "03/04/2024, 19:40 - Anna: a\n05/04/2024, 19:41 - Bert: b\n"
    unsure = "the order of day and month in its dates is not sure (day before month is taken)."
    path = write_file(tmp_path / "chat.txt", lines)
    assert load(path).problems == (f"{path}: {unsure}",)
    packed = write_zip(tmp_path / "chat.zip", {"_chat.txt": lines})
    assert load(packed).problems == (f"{packed} ('_chat.txt'): {unsure}",)
    for sure in ("13/04/2024, 9:00 - A: c\n", "04/05/2024, 9:00 - A: c\n", ""):
        assert not read_line_chat((lines if sure else "03/03/2024, 9:00 - A: c\n" * 2) + sure).unsure


def test_a_text_without_speakers_and_times_is_said_to_be_plain_text(readgraph: Command, tmp_path: Path) -> None:
    path = write_file(tmp_path / "talk.txt", "Anna: Who has it?\nBert: I\n")
    said = list[str]()
    load_sessions([path], notify=said.append)
    assert said == [f"{path} has no lines with times and speakers: it is remembered as plain text, one session."]
    ran = readgraph("remember", "talk", path)
    assert "remembered as plain text" in ran.err and ran.code == 0
    chat = write_file(tmp_path / "chat.txt", "12.03.24, 19:40 - A: b\n12.03.24, 19:41 - C: d\n")
    load_sessions([chat], notify=said.append)
    assert len(said) == 1


LINE = (
    "[LINE] Chat history with Anna\nSaved on: 2024/03/12 19:41\n\n2024/03/12(Tue)\n19:40\tAnna\tWho has it?\n"
    '19:41\tBert\t"I do.\nHere"\n\n2024/03/13(Wed)\n08:00\tAnna\tok\n'
)
KAKAOTALK = (
    "저장한 날짜 : 2024-03-12 19:41:00\n\n---- 2024년 3월 12일 화요일 ----\n"
    "[Anna] [오후 12:40] 열쇠?\n[Bert] [오전 7:41] 나\n더\n"
)
IRSSI = (
    "--- Log opened Tue Mar 12 19:39:58 2024\n19:40 <Anna> who?\n19:41 -!- Carl [c@x] has joined #mill\n"
    "19:41 <@Bert> me\n--- Day changed Wed Mar 13 2024\n08:00  * Anna waves\n"
)
IRSSI_TURNS = ["Anna 12 19:40 who?", " 12 19:41 -!- Carl [c@x] has joined #mill", "Bert 12 19:41 me"]
WEECHAT = "2024-03-12 19:40:11\tAnna\twho?\n2024-03-12 19:41:12\t-->\tBert came\n"
WHO, ME = "Anna 12 19:40 who?", "Bert 12 19:41 me"


@pytest.mark.parametrize(
    "text,turns",
    [
        (LINE, ["Anna 12 19:40 Who has it?", "Bert 12 19:41 I do.\nHere", "Anna 13 08:00 ok"]),
        ("2024/03/12(火)\n午後7:40\t花\t鍵は？\n午前7:41\t太郎\tここ\n", ["花 12 19:40 鍵は？", "太郎 12 07:41 ここ"]),
        (KAKAOTALK, ["Anna 12 12:40 열쇠?", "Bert 12 07:41 나\n더"]),
        (IRSSI, [*IRSSI_TURNS, " 13 08:00 * Anna waves"]),
        ("[2024-03-12 19:40:11] <Anna> who?\n[2024-03-12 19:41:12] <Bert> me\n", [WHO, ME]),
        (WEECHAT, [WHO, " 12 19:41 --> Bert came"]),
        ("12 Mar 2024, 19:40 - Anna: who?\n12 Mar 2024, 19:41 - Bert: me", [WHO, ME]),
        ("[12. März 2024, 19:40] Anna: who?\n[12. März 2024, 19:41] Bert: me", [WHO, ME]),
        ("Opening times\n10:00\tMill\topen\nThe mill stands by the river.\nIt is old.\nIt is nice.\n", []),
    ],
)
def test_chats_whose_days_stand_on_lines_of_their_own(text: str, turns: list[str]) -> None:
    read = [turn for _, turn in read_line_chat(text).messages]
    assert [f"{turn.speaker} {turn.time:%d %H:%M} {turn.text}" for turn in read] == turns
