"""Sentences end where a reader would say that they end. In the cases, " | " stands where one does."""

import time
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from readgraph.language.detection import language_of
from readgraph.language.sentences import sentence_spans

CASES: dict[str, list[str]] = {
    "en": [
        "It opened in May. | Workers left. | She said no. | Peter was ill. | Mary saw art. no. 12 and no. IV.",
        "He came. | She left.",
        "Did he come? | Yes! | No.",
        "According to A. Miller it rained. | He left.",
        "The letter is signed J. R. Marsh. | Nobody knew him.",
        "Dr. Smith came. | Mr. Jones did not.",
        "Mrs. Hale and Ms. Orme met Prof. Lind. | They talked.",
        "St. Anne's Church stands on Mt. Brill. | It is old.",
        "Henry Jones Jr. won the race. | His father lost.",
        "Gen. Hale and Col. Brand agreed. | Capt. Orme did not.",
        "Rev. Pole spoke first. | Sen. Vane followed.",
        "See e.g. the third part. | It is short.",
        "Some words, i.e. nouns, are long. | Others are not.",
        "Bread, milk, etc. were sold out. | We went home.",
        "See Fig. 3 and Eq. 4. | Then go on.",
        "It stands in vol. 2, ch. 4, p. 17. | Look there.",
        "Cf. No. 12 of the list. | It is there.",
        "It was Rome vs. Carthage. | Rome won.",
        "He paid $3.50 for it. | That was much.",
        "Pi is 3.14159 or so. | It goes on.",
        "Version 2.0.1 is out. | Install it.",
        "We met at 5 p.m. on Monday. | It rained.",
        "They rise at 6 a.m. every day. | It is cold then.",
        "It began on Jan. 3 in the hall. | It ended on Feb. 4.",
        "On Sept. 9 he sailed. | On Oct. 2 he came back.",
        "The U.S. Army went in. | The U.K. stayed out.",
        "The U.N. met in New York. | Nothing came of it.",
        "J. R. R. Tolkien wrote it. | We read it.",
        "W. H. Auden read aloud. | T. S. Eliot listened.",
        "Acme Inc. sold it to Brill Ltd. in May. | The price was low.",
        "Hale & Co. went under. | So did Orme Bros. of Leeds.",
        "He waited ... and waited. | Nobody came.",
        "It was over... | He left.",
        "What?! | Really?",
        '"Stop." | "Go!" she said.',
        '"Stop!" he said. | She went on.',
        "'Go away.' | He went.",
        "“Why?” she asked. | “Because it is so.”",
        'He said: "Go." | Then he left.',
        "It rained (it was May). | We stayed in.",
        "(He was late.) | Nobody minded.",
        "It rained [see the log]. | We stayed.",
        "1. Introduction",
        "3.2. Discharge of the river",
        "The site example.org is down. | Try later.",
        "Write to a.b@example.org for more. | We answer.",
        "The file notes.txt is gone. | So is data.csv.",
        "It cost approx. 40 pounds. | He had 30.",
        "The dept. of works was shut. | We waited.",
        "He lived from c. 1480 to 1530. | Little is known.",
        "It weighed 5 lb. of flour. | It was enough.",
        "He was born in 1890. | He died in 1950.",
        "There were 14. | Then there were 13.",
        "Plan B failed. | Plan C worked.",
        "He knew it; she did not. | So it went.",
        "Note: the door is locked. | Use the window.",
        "Yes. | No. | Perhaps.",
        "He read it aloud: first the name, then the date. | Nobody spoke.",
        "It was late -- very late. | The lamp was out.",
        "The lamp was out—he saw it. | He climbed.",
        "iPhone sales rose. | Others fell.",
        "The log ends at No. 41. | Nothing follows.",
        "Messrs. Hale and Orme signed. | Nobody else did.",
        "He read pp. 3-9 of it. | The rest was missing.",
        "The well is 9.5 m deep. | It is dry.",
        "She asked for Mr. Vane. | He was out.",
        "[![built](built.svg)](https://a.org) It joins files. | See ![it](a.png) here.",
        "It was given to Ms. Anna Berg. | He ran at 50 km/h. | It weighs 5 g. | Roughly 3 mm. | The end.",
        "It was Lt. Brand who wrote. | Sgt. Pole signed.",
        "The answer is yes! | Is it? | It is.",
        'He said "no". | She said "yes".',
        "It is (as you know). | So we left.",
        "He wrote 'The End'. | Then he slept.",
        "At 10.30 the bell rang. | At 11 it stopped.",
        "(a) the first of them. | The second is elsewhere.",
    ],
    "de": [
        "Er war von anderer Art. | Peter ging. | Sie zitiert Art. 5 des Vertrags.",
        "Am 3. März kam er an. | Er blieb lange.",
        "Das Haus steht in der Berliner Straße 12. | Dort ist es still.",
        "Man nimmt z. B. Öl oder z. B. Wachs. | Dann brennt es.",
        "Der 1. Mai ist frei. | Der 2. Mai nicht.",
        "Das war im 19. Jahrhundert üblich. | Heute nicht mehr.",
        "Dr. Müller und Prof. Weiß kamen. | Frau Dr. Klein blieb.",
        "Er kam z. B. am Montag. | Das war gut.",
        "Das ist z.B. so. | Anders geht es nicht.",
        "Er sagte: „Komm.“ | Dann ging er.",
        "„Wohin?“, fragte sie. | „Nach Hause.“",
        "Der Vertrag vom 12. Mai gilt. | Der vom 13. Juni nicht.",
        "Er nannte es „Licht“. | Sie nannte es „Feuer“.",
        "Die Kirche St. Anna brannte. | Niemand war darin.",
        "»Wohin?«, fragte sie. | »Nach Hause.«",
        "Vgl. S. 12 ff. im Buch. | Dort steht es.",
        "Die Orgel, d. h. das Werk, ist alt. | Sie klingt gut.",
        "Es kostet ca. 30 Euro. | Das ist viel.",
        "Brot, Milch usw. waren aus. | Wir gingen.",
        "Die Fa. Klein lieferte nicht. | Niemand wusste warum.",
        "J. S. Bach schrieb es. | Wir hörten zu.",
        "Das Heft Nr. 7 fehlt. | Nr. 8 ist da.",
        "Es waren 3,5 Liter. | Das reichte.",
        "Um 17.30 Uhr war Schluss. | Alle gingen.",
        "Heinrich der 8. König kam. | Er blieb.",
        "Kommst du? | Ja! | Nein.",
        "Der Text beginnt hier ... und endet dort. | Fertig.",
    ],
    "fr": [
        "Il aimait l'art. | Pierre partit.",
        "Jean-Paul, dit J.-P. Sartre, parle. | Fin.",
        "César mourut en 44 av. J.-C. | Il avait cent projets.",
        "Il est venu. | Elle est partie.",
        "M. Dupont est venu. | Mme Dupont est partie.",
        "MM. Petit et Grand sont là. | Ils parlent.",
        "Il a dit « Non. » | Puis il est parti.",
        "Où vas-tu ? | À la maison !",
        "Voir p. 12 du livre. | C'est là.",
        "Le Dr. Petit l'a vu. | Il dort.",
        "Il y a env. 30 pages. | C'est court.",
        "Cela coûte 3,50 euros. | C'est trop.",
        "Le 1er mai est férié. | Le 2 mai non.",
        "J.-J. Rousseau l'a écrit. | Nous l'avons lu.",
        "Du pain, du lait, etc. manquaient. | Nous sommes partis.",
        "C'était en 1890. | Il avait dix ans.",
        "Quoi ?! | Vraiment ?",
        "Il vit Mgr. Petit. | Ils parlèrent.",
        "La fig. 3 le montre. | La fig. 4 non.",
        "L'art. 3 de la loi le dit. | C'est clair.",
        "Le vol. 2 est perdu. | Le vol. 3 est là.",
    ],
    "es": [
        "El barco salió al mar. | Pedro se fue.",
        "Vino tarde. | Se fue pronto.",
        "El Sr. López vino. | La Sra. López no.",
        "El Dr. Ruiz lo vio. | Ella duerme.",
        "¿Dónde está? | ¡Aquí!",
        "¿Por qué? | Porque sí.",
        "Véase pág. 12 del libro. | Allí está.",
        "Cuesta 3,50 euros. | Es mucho.",
        "Fue en 1890. | Tenía diez años.",
        "Dijo: «No». | Luego se fue.",
        "Pan, leche, etc. faltaban. | Nos fuimos.",
        "La Dra. Vega llegó. | Todos callaron.",
        "Son aprox. 30 libros. | Es poco.",
    ],
    "it": [
        "Accadde tre anni fa. | Pietro partì.",
        "È venuto. | Lei è partita.",
        "Il sig. Rossi è venuto. | La sig.ra Rossi no.",
        "Il dott. Verdi l'ha visto. | Dorme.",
        "Dove vai? | A casa!",
        "Costa 3,50 euro. | È troppo.",
        "Pane, latte, ecc. mancavano. | Siamo andati via.",
        "Era il 1890. | Aveva dieci anni.",
        "Disse: «No». | Poi andò via.",
        "Vedi pag. 12 del libro. | È lì.",
    ],
    "ru": [
        "Он пришёл. | Она ушла.",
        "В 1890 г. он жил на ул. Ленина. | Потом уехал.",
        "И. И. Иванов пришёл. | Он сел.",
        "А. С. Пушкин написал это. | Мы читали.",
        "Где он? | Здесь!",
        "Он вошёл. | «Здравствуйте», — сказал он. | Она молчала.",
        "Дом № 5 пуст. | Дом № 6 жилой.",
        "В гл. 3 об этом нет ни слова. | В гл. 4 есть.",
        "Он сказал: «Нет». | Потом ушёл.",
        "Хлеб, молоко и т. д. кончились. | Мы ушли.",
        "Это стоит 5 тыс. рублей. | Много.",
        "См. рис. 3 на с. 12. | Там всё есть.",
        "Он жил в XIX в. в Москве. | Потом уехал.",
        "Пожарный пришёл... | Он молчал.",
        "Было 3,5 литра. | Хватило.",
        "— Куда? — спросила она. | — Домой.",
    ],
    "nl": [
        "Hij weet dat. | Piet ging.",
        "Hij kwam. | Zij ging.",
        "Dr. Jansen kwam. | Mevr. Jansen niet.",
        "Dat is bijv. zo. | Anders niet.",
        "Waar ga je heen? | Naar huis!",
        "Zie blz. 12 van het boek. | Daar staat het.",
        "Het kost ca. 30 euro. | Dat is veel.",
        "Brood, melk enz. waren op. | Wij gingen.",
        "Het was in 1890. | Hij was tien.",
    ],
    "pt": [
        "Ele veio. | Ela foi embora.",
        "O Sr. Silva veio. | A Sra. Silva não.",
        "O Dr. Costa viu. | Ela dorme.",
        "Onde está? | Aqui!",
        "Veja a pág. 12 do livro. | Está lá.",
        "Custa 3,50 euros. | É muito.",
        "Foi em 1890. | Ele tinha dez anos.",
        "Pão, leite, etc. faltavam. | Fomos embora.",
    ],
    "pl": [
        "Przyszedł. | Ona poszła.",
        "Dr Nowak przyszedł. | Prof. Zając nie.",
        "Było to 3. dnia maja. | Padało.",
        "Gdzie jesteś? | Tutaj!",
        "Kosztuje np. 30 złotych. | To dużo.",
        "Chleb, mleko itd. się skończyły. | Poszliśmy.",
    ],
    "sv": [
        "Han visste det. | Peter gick.",
        "Han kom. | Hon gick.",
        "Dr. Berg kom. | Prof. Lind kom inte.",
        "Det är t.ex. så. | Annars inte.",
        "Vart ska du? | Hem!",
        "Den 3. maj kom han. | Han stannade.",
        "Det var 1890. | Han var tio år.",
        "Bröd, mjölk m.m. var slut. | Vi gick.",
    ],
    "zh": [
        "他付了400元。| 2021年3月8日，她没有付款。| 多少？| 5个。| 利率为3.5。",
        "他来了。| 他走了！| 真的？",
        "她说：“好。”| 他走了。",
        "一共3.5升。| 够了。",
        "他来了；她走了。",
        "书名是《灯塔》。| 作者不详。",
    ],
    "ja": [
        "彼は400円を払った。| 2021年3月8日に彼女は払わなかった。",
        "彼は「はい。」と言った。| 「いいえ。」| ところが彼は来た。",
        "彼は来た。| 彼女は行った。",
        "本当ですか？| はい！",
        "灯台は古い。| 誰も知らない。",
        "三・五リットルだった。| 足りた。",
    ],
    "ko": ["그가 왔다. | 그녀는 갔다.", "정말입니까? | 네!", "3.5리터였다. | 충분했다."],
    "ar": [
        "قال د. أحمد ذلك. | ثم ذهب.",
        "وصل الرجل. | ثم ذهب.",
        "هل وصل؟ | نعم.",
        "كانت المخطوطات قديمة. | لم يقرأها أحد.",
        "بلغ الطول 3.5 متر. | كان ذلك كافيا.",
    ],
    "he": ["הוא בא. | היא הלכה.", "איפה הוא? | כאן!", "המגדלור ישן. | איש אינו יודע."],
    "hi": ["वह आया। | वह गई।", "क्या वह आया? | हाँ।"],
    "el": ["Ήρθε. | Έφυγε.", "Πού είναι; | Εδώ!"],
}


@pytest.mark.parametrize("language", CASES)
def test_sentences_end_where_a_reader_says(language: str) -> None:
    wrong = []
    for case in CASES[language]:
        sentences = [sentence.strip() for sentence in case.split("|")]
        text = case.replace(" | ", " ").replace("| ", "")
        found = [text[start:end] for start, end in sentence_spans(text, language=language)]
        if found != sentences:
            wrong.append((sentences, found))
    assert not wrong


@pytest.mark.parametrize(
    ("text", "sentences"),
    [
        ("The end\n\nA new part\r\n\r\nbegins\fhere", ["The end", "A new part", "begins", "here"]),
        ("He came\nin May. She\nleft.", ["He came\nin May.", "She\nleft."]),
        ("1. One. Two.\n2. Three. Four.", ["1. One.", "Two.", "2. Three.", "Four."]),
        ("- One. Two.\n- Three.", ["- One.", "Two.", "- Three."]),
        ("[^1] By her. See it.\n[^e2] By him.", ["[^1] By her.", "See it.", "[^e2] By him."]),
        ("He came. [^1] [^e2] “No.” [^3] They left [^4].", ["He came. [^1] [^e2]", "“No.” [^3]", "They left [^4]."]),
        ("塔は燃えた。 [^1] 再建された。", ["塔は燃えた。 [^1]", "再建された。"]),
        ("Der Turm brannte. [^2] Man baute ihn auf. [^3]", ["Der Turm brannte. [^2]", "Man baute ihn auf. [^3]"]),
        (
            "[12/03/2024, 19:43:00] Anna: 340 euros\nwith paint\n[12/03/2024, 19:44:10] Ben: Fine",
            ["[12/03/2024, 19:43:00] Anna: 340 euros\nwith paint", "[12/03/2024, 19:44:10] Ben: Fine"],
        ),
        (
            "3/14/24, 7:41 PM - Anna: Come\n3/14/24, 7:42 PM - Ben: Soon",
            ["3/14/24, 7:41 PM - Anna: Come", "3/14/24, 7:42 PM - Ben: Soon"],
        ),
        (
            "Run this:\n\n```py\na = b. c\n\nx = 1. Y\n```\n\nIt ends.",
            ["Run this:", "```py\na = b. c\n\nx = 1. Y\n```", "It ends."],
        ),
        ("# 1. The lamp\n\n## 2.1. Its oil", ["# 1. The lamp", "## 2.1. Its oil"]),
        (
            "# 1. The lamp\n## Its oil\nIt burns\r\nall night # long.\n### End",
            ["# 1. The lamp", "## Its oil", "It burns\r\nall night # long.", "### End"],
        ),
        (
            "The lamp\n========\nIt burns.\nIts oil\n-----\nGone",
            ["The lamp\n========", "It burns.", "Its oil\n-----", "Gone"],
        ),
        ("It opens ``` here. It goes on.", ["It opens ``` here.", "It goes on."]),
    ],
)
def test_lines_lists_and_code(text: str, sentences: list[str]) -> None:
    assert [text[start:end] for start, end in sentence_spans(text)] == sentences


@given(st.text(st.sampled_from("Ab .!?\"'“”«»()\n\r\f-3`~—…。「」\t"), max_size=60), st.data())
def test_sentences_hold_every_character_but_white_space_in_order(text: str, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(text)))
    spans = sentence_spans(text, start)
    assert "".join("".join(text[begin:end].split()) for begin, end in spans) == "".join(text[start:].split())
    assert all(text[begin:end] == text[begin:end].strip() != "" for begin, end in spans)
    assert all(end <= following for (_, end), (following, _) in pairwise(spans))


@pytest.mark.parametrize("unit", ["x. ", "a", "```", "1. ", "\n \n ", "“He. ", "~~~ a\n", '"', "He came. "])
@pytest.mark.slow
def test_odd_texts_take_little_time(unit: str) -> None:
    begun = time.process_time()
    sentence_spans(unit * (80_000 // len(unit)))
    assert time.process_time() - begun < 2


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("The keeper lit the lamp and went down to the shore.", "en"),
        ("Der Wärter zündete die Lampe an und ging hinunter zum Ufer.", "de"),
        ("Le gardien alluma la lampe et descendit vers le rivage.", "fr"),
        ("El guardián encendió la lámpara y bajó a la orilla.", "es"),
        ("Смотритель зажёг лампу и спустился к берегу.", "ru"),
        ("أشعل الحارس المصباح ونزل إلى الشاطئ.", "ar"),
        ("השומר הדליק את המנורה וירד אל החוף.", "he"),
        ("守灯人点亮了灯，走到岸边。", "zh"),
        ("灯台守はランプを灯し、岸へ降りていった。", "ja"),
        ("등대지기는 등불을 켜고 바닷가로 내려갔다.", "ko"),
        ("", "en"),
        ("41, 14, 3.5", "en"),
    ],
)
def test_a_text_is_known_by_its_language(text: str, language: str) -> None:
    assert language_of(text) == language


def test_the_first_page_does_not_decide_the_language() -> None:
    front = "This text is in the public domain, and you may copy it and give it to anybody as you like. " * 5
    assert language_of(front + "Der Wärter zündete die Lampe an und ging hinunter zum Ufer. " * 100) == "de"
