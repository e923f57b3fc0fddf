"""Sources: bytes in any encoding become the text that was written, or are refused in words."""

from contextlib import suppress
from pathlib import Path
from random import Random
from unicodedata import normalize

import pytest

from readgraph.sources import load
from readgraph.sources.encodings import codec_for, decode, decode_html
from readgraph.sources.visual_order import turn_round
from readgraph.state.errors import BadInput
from tests.support.source_files import write_file

pytestmark = pytest.mark.quick

TEXTS = {
    "pl": "Młyn stał nad rzeką od dawna. Żółw powiedział, że źródło jest głębokie, a ścieżka prowadzi w górę. "
    "Ktoś znalazł klucz pod dębem i zaniósł go do domu, gdzie się zgubił.\n",
    "cs": "Mlýn stál u řeky odedávna. Děti říkaly, že studna je hluboká a cesta vede příliš daleko. "
    "Někdo našel klíč.\n",
    "hu": "A malom régóta állt a folyónál. Az őr azt mondta, hogy a kút mély, és az út fölfelé "
    "vezet. Tűz égett benne.\n",
    "hr": "Mlin je odavno stajao uz rijeku. Dječak je rekao da je izvor dubok, a staza vodi naviše. "
    "Ključ su našli žene.\n",
    "de": "Die Mühle stand seit langem am Fluss. Der Müller sagte, die Straße führe über die Höhe, "
    "und schloss die Tür.\n",
    "fr": "Le moulin était là depuis longtemps. L’élève a trouvé la clé près du chêne, où elle était cachée à côté.\n",
    "tr": "Değirmen uzun zamandır ırmağın kıyısındaydı. Çocuk kuyunun derin olduğunu söyledi, şimdi gün ışığı yok.\n",
    "lt": "Malūnas seniai stovėjo prie upės. Žmogus sakė, kad šulinys gilus, o kelias eina į kalną. Raktą rado čia.\n",
    "lv": "Dzirnavas jau sen stāvēja pie upes. Cilvēks teica, ka aka ir dziļa, un ceļš iet kalnā. "
    "Atslēga bija šķūnī.\n",
    "ru": "Мельница давно стояла у реки. Мальчик сказал, что колодец глубокий, а дорога ведёт в "
    "гору. Ключ нашли под дубом.\n",
    "uk": "Млин давно стояв біля річки. Хлопець сказав, що криниця глибока, а дорога веде вгору. Її "
    "ключ знайшли під дубом.\n",
    "el": "Ο μύλος ήταν από παλιά δίπλα στο ποτάμι. Το παιδί είπε ότι το πηγάδι είναι βαθύ και ο δρόμος ανεβαίνει.\n",
    "he": "הטחנה עמדה ליד הנהר מזמן. הילד אמר שהבאר עמוקה והדרך עולה אל ההר. את המפתח מצאו תחת העץ.\n",
    "ar": "كانت الطاحونة قرب النهر منذ زمن طويل. قال الولد إن البئر عميقة وإن الطريق يصعد إلى الجبل.\n",
    "th": "โรงสีตั้งอยู่ริมแม่น้ำมานานแล้ว เด็กบอกว่าบ่อน้ำลึกและทางขึ้นเขา พบกุญแจใต้ต้นไม้\n",
    "vi": "Cối xay đứng bên sông đã lâu. Cậu bé nói rằng giếng rất sâu và con đường dẫn lên núi.\n",
    "zh": "磨坊在河边已经很久了。孩子说井很深，路通到山上。他们在树下找到了钥匙，把它带回家。\n",
    "tw": "磨坊在河邊已經很久了。孩子說井很深，路通到山上。他們在樹下找到了鑰匙，把它帶回家。\n",
    "ja": "水車小屋は昔から川のそばにあった。子どもは井戸が深く、道は山へ続くと言った。鍵は木の下で見つかった。\n",
    "ko": "물레방아는 오래전부터 강가에 있었다. 아이는 우물이 깊고 길이 산으로 이어진다고 말했다.\n",
}
ENCODINGS = {
    **dict.fromkeys(("pl", "cs", "hu"), "cp1250 iso8859_2 cp852 mac_latin2"),
    "hr": "cp1250 iso8859_2",
    "de": "cp1252 cp850 mac_roman",
    "fr": "cp1252 mac_roman",
    "tr": "cp1254 cp857",
    **dict.fromkeys(("lt", "lv"), "cp1257 cp775"),
    "ru": "cp1251 koi8_r cp866 iso8859_5 mac_cyrillic utf_16_le utf_16_be utf_32_le",
    "uk": "cp1251 koi8_u",
    "el": "cp1253 iso8859_7 cp737",
    "he": "cp1255 iso8859_8 cp862",
    "ar": "cp1256 iso8859_6 utf_16_le",
    "th": "cp874",
    "zh": "gb18030 hz utf_16_le",
    "tw": "big5",
    "ja": "cp932 euc_jp iso2022_jp utf_16_be",
    "ko": "cp949 iso2022_kr utf_16_le",
}


@pytest.mark.parametrize(
    "language,encoding", [(language, one) for language, each in ENCODINGS.items() for one in each.split()]
)
def test_a_text_says_by_its_letters_in_which_encoding_it_is(language: str, encoding: str) -> None:
    text, said = TEXTS[language], list[str]()
    data = (text.replace("’", "'") if encoding == "cp850" else text).encode(encoding, "ignore")
    assert decode(data, "a.txt", say=said.append) == data.decode(encoding)
    assert not said or encoding != "cp1252", "it is far from others"


ANSI = [
    *("• first\n• second", "A – B", "1990—2000", "100 %\xa0", "non\xa0breaking", "soft\xadhyphen", "…and so on"),
    *("© 2020 Mill Ltd", "½ cup", "25 m²", "5 µm ± 2 °C", "50 × 30", "a ÷ b", "5 ‰ of it", "Price 3¢", "café 5º"),
    *("Intel® Core™ i7", "the naïve approach", "¿Qué?", "¡Hola!", "†note", "Tom‘s “quote”", "10 £ and 5 °C, 5½ in"),
    *("§ 5 – “x”", "10³ items"),
]


@pytest.mark.parametrize(
    "text,encoding",
    [
        *[(text, "cp1252") for text in ANSI],
        *[("Łódź", "cp1250"), ("Привет", "cp1251"), ("┌──┐\n│ab│\n└──┘ Größe", "cp437"), ("日本", "cp932")],
    ],
)
def test_few_signs_are_enough(text: str, encoding: str) -> None:
    assert decode(text.encode(encoding), "a.txt") == text


def test_polish_that_was_decoded_wrongly_once_is_put_right() -> None:
    assert decode("M³yn".encode("cp1252"), "a.txt") == "Młyn"


def test_vietnamese_with_marks_of_its_own() -> None:
    """The encoding has letters of their own for some marks, and sets tones behind them."""
    marked = normalize("NFD", TEXTS["vi"])
    for letter in "âêô":
        plain, mark = [*normalize("NFD", letter)]
        marked = marked.replace(f"{plain}\u0323{mark}", f"{letter}\u0323")
    for letter in "âêôăơư":
        marked = marked.replace(normalize("NFD", letter), letter)
    assert normalize("NFC", decode(marked.encode("cp1258"), "a.txt")) == TEXTS["vi"]


@pytest.mark.parametrize(
    "label,codec",
    [
        *[("windows-874", "cp874"), ("x-mac-roman", "mac-roman"), ("x-sjis", "cp932"), ("ks_c_5601-1987", "cp949")],
        *[("unicode-1-1-utf-8", ""), ("latin1", "cp1252"), ("GB2312", "gb18030"), ("'utf-7'", "utf-7")],
        *[("iso-2022-kr", "iso2022_kr"), ("nonsense", ""), ("rot13", "rot13"), ("utf-16", "")],
    ],
)
def test_names_that_browsers_know(label: str, codec: str) -> None:
    assert codec_for(label) == codec or label == "rot13"


def test_a_declared_encoding_is_believed_unless_its_letters_say_otherwise() -> None:
    page = "<meta charset=windows-874><p>โรงสี".encode("cp874")
    assert decode_html(page, "a.html").endswith("โรงสี")
    assert decode(TEXTS["ru"].encode("cp1251"), "a", "iso-8859-1") == TEXTS["ru"]
    assert decode(b"M+APw-ller", "a", "utf-7") == "Müller" and decode(b"a+APw-b", "a") == "a+APw-b"
    assert decode("né".encode("cp1252"), "a", "utf-8") == "né"


def test_bytes_whose_letters_no_language_has_are_refused_until_an_encoding_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    odd = bytes(Random(3).choices(range(0xA1, 0xFF), k=400))
    path = write_file(tmp_path / "odd.txt", odd)
    with pytest.raises(BadInput, match=r"odd\.txt holds no text .* READGRAPH_ENCODING"):
        load(path)
    monkeypatch.setenv("READGRAPH_ENCODING", "x-mac-roman")
    assert load(path).text == odd.decode("mac_roman")
    monkeypatch.setenv("READGRAPH_ENCODING", "nonsense")
    with pytest.raises(BadInput, match="is not in the encoding 'nonsense'"):
        load(path)


@pytest.mark.parametrize("encoding", ["iso8859_8", "cp862", "cp1255"])
def test_hebrew_that_is_stored_as_it_is_drawn_is_put_in_order(encoding: str) -> None:
    text = "הילדים הולכים אל ההרים בשנת 2024 (עם John Smith) בין העצים.\n" * 2 + "100%\n"
    drawn = "\n".join(turn_round(line) if "ה" in line else line for line in text.split("\n"))
    assert decode(drawn.encode(encoding), "a.txt") == text == decode(text.encode(encoding), "a.txt")


def test_lines_in_two_encodings_are_each_read() -> None:
    mixed = TEXTS["de"].encode() + TEXTS["de"].encode("cp1252") * 2
    assert decode(mixed, "a.txt") == TEXTS["de"] * 3


@pytest.mark.parametrize(
    "text,said",
    [
        (TEXTS["de"].encode().decode("cp1252", "ignore"), "7 characters look like UTF-8"),
        ("„Müller“ à".encode().decode("latin-1"), "4 characters look like UTF-8"),
        (TEXTS["ru"][:9].encode().decode("latin-1"), "iconv"),
        ("cafÃ© and café, Ã¼ber", "(Ã© for é)"),
        ("São Paulo Ã", ""),
        ("plain", ""),
    ],
)
def test_utf8_that_looks_decoded_twice_stays_and_is_said(tmp_path: Path, text: str, said: str) -> None:
    for name in ("a.txt", "a.md", "a.html"):
        source = load(write_file(tmp_path / name, text))
        assert source.text == " ".join(text.split()) or source.text == text
        assert bool(said) == bool(source.problems) and said in "".join(source.problems)


@pytest.mark.parametrize("language", ENCODINGS)
def test_no_text_in_whatever_encoding_is_quietly_read_wrongly(language: str) -> None:
    gap = " " if " " in TEXTS[language] else ""
    words = (TEXTS[language].split(" ") if gap else [*TEXTS[language]]) * 9
    for size in (1, 3, 12, 90):
        text = gap.join(words[3 : 3 + size])
        for encoding in ENCODINGS[language].split():
            data, said = text.encode(encoding, "ignore"), list[str]()
            if encoding != "hz" and (size > 3 or "utf" not in encoding):
                with suppress(BadInput):
                    read = decode(data, "a.txt", say=said.append)
                    assert said or read == data.decode(encoding), (encoding, size)


def test_a_notice_says_which_of_several_encodings_was_taken(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write_file(tmp_path / "a.txt", "Šiauliai".encode("cp1257"))
    (notice,) = load(path).problems
    assert "not sure: read as cp1252 (Ðiauliai), not " in notice and "cp1257 (Šiauliai)" in notice
    assert "READGRAPH_ENCODING" in notice
    monkeypatch.setenv("READGRAPH_ENCODING", "cp1257")
    assert load(path).text == "Šiauliai" and not load(path).problems
    assert not load(write_file(tmp_path / "b.txt", TEXTS["pl"].encode("cp1252", "ignore"))).problems


def test_notices_of_a_wrong_declaration_and_of_mixed_and_broken_bytes() -> None:
    said = list[str]()
    decode(TEXTS["ru"].encode("cp1251"), "a", "iso-8859-1", said.append)
    decode(("Größe\n" * 40).encode() + "Größe und Straße\n".encode("cp1252"), "a", say=said.append)
    decode(("Größe " * 40).encode() + b"\xff", "a", say=said.append)
    assert [each.split(", ")[0] for each in said] == ["it declares cp1252", "1 line in cp1252", "1 place not in UTF-8"]


@pytest.mark.parametrize("text", ["(format t ~{<li>~})", "\x1b(B\x1b[m", "~{ab~}", "｜见《红楼梦》|书名《水浒传》"])
def test_texts_in_ascii_and_utf_8_stay_as_they_are(text: str, tmp_path: Path) -> None:
    source = load(write_file(tmp_path / "a.txt", text.encode()))
    assert (source.text, source.problems) == (text, ())
