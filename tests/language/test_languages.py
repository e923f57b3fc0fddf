"""Which language a text is in: of frequent ones no model has to be loaded, and near ones are not taken for them."""

import pytest

from readgraph.language import detection

TEXTS = {
    "de": (
        "Der Wärter ging nach dem Sturm zu seinem Turm und sah, dass das Licht nicht mehr brannte. Er war müde, aber "
        "er wollte sich nicht ausruhen, und eine Stunde später brannte die Lampe wieder. Auch das Tor ist seitdem "
        "neu, und es wird jeden Abend geschlossen. Wir haben ihn nach der Nacht gefragt, und er sprach von einer "
        "Welle."
    ),
    "fr": (
        "Le gardien est monté dans la tour après la tempête et il a vu que les lampes étaient éteintes. Il ne voulait "
        "pas se reposer, et une heure plus tard elle brûlait. Nous avons parlé avec les pêcheurs du port, qui sont "
        "venus pour les filets. La porte est neuve, et leur chemin passe sur les rochers des deux côtés."
    ),
    "es": (
        "El guardián subió a la torre por la noche y vio que las lámparas estaban apagadas. No quería descansar, pero "
        "su mujer le dijo que los barcos llegaban más tarde. El puerto está lejos, y las redes se secan como siempre "
        "en el muelle. Los pescadores hablaron por la tarde con el guardián, y fue el último día de sus trabajos."
    ),
    "it": (
        "Il guardiano salì sulla torre e vide che le lampade non erano accese. Non voleva riposare, anche per la "
        "paura della tempesta, e la porta era chiusa alla fine del giorno. Gli uomini che lavorano nel porto sono più "
        "di venti. Il mare è calmo, e nella notte non si sente che il vento delle rocce."
    ),
    "pt": (
        "O guarda subiu à torre e viu que uma lâmpada não estava acesa. Ele também não queria descansar, e ela "
        "esperou em casa com uma vela. São muitos os barcos que chegam em março, e um deles é do seu irmão. Ele falou "
        "com a sua filha, que também não dormiu, e uma hora depois ela viu a luz."
    ),
    "nl": (
        "De wachter ging naar de toren en zag dat de lamp niet brandde. Hij wilde ook niet rusten, en bij zijn huis "
        "wachtte een vrouw met een kaars. Deze haven is niet groot, maar er liggen ook schepen voor de nacht. Ik heb "
        "hem gevraagd, en hij sprak een uur over het weer. Het hek wordt elke avond gesloten."
    ),
    "sv": (
        "Vaktaren gick upp i tornet och såg att lampan inte brann. Han ville inte vila, för det var sent, och jag såg "
        "ett ljus från havet. Hamnen är liten, och efter stormen är grinden ny. Jag frågade honom också om båtarna, "
        "och han sade att ett skepp hade gått på grund. Det är inte första gången."
    ),
    "pl": (
        "Strażnik poszedł na wieżę i zobaczył, że lampa się nie pali. Nie chciał odpoczywać, ale jego żona czekała "
        "przez całą noc. Port jest mały, oraz brama jest nowa od burzy. Rybacy są zmęczeni, czy to dla nich ważne, że "
        "łódź się zepsuła? Był to ostatni dzień jego pracy, ale nie ostatni statek."
    ),
    "hu": (
        "Az őr felment a toronyba, és látta, hogy a lámpa nem ég. Nem akart pihenni, mint egy fiatal, csak ült és "
        "várt. Az idő már késő volt, és egy hajó nem jött meg. Azt mondta, hogy a kapu új, és nem volt mindig ott. Az "
        "asszony csak annyit kérdezett, hogy meg van-e a lámpa."
    ),
    "ro": (
        "Paznicul a urcat în turn și a văzut că lampa nu este aprinsă. Nu voia să se odihnească, pentru că era "
        "târziu, și soția lui aștepta cu o lumânare. Portul nu este mare, iar pescarii care sunt acolo vin din sat. "
        "Poarta este nouă și mai înaltă, pe care nu o închide nimeni."
    ),
    "ru": (
        "Сторож поднялся на башню и увидел, что лампа не горит. Он не хотел отдыхать, и это все знали. Она была дома, "
        "и они ждали его только утром. Если бы мы спросили, когда это было, он бы ответил, что все лодки ушли из "
        "гавани. Вы его видели? Это был последний день."
    ),
    "uk": (
        "Сторож піднявся на вежу і побачив, що лампа не горить. Він не хотів відпочивати, і це всі знали. Вона була "
        "вдома, але він прийшов від моря до ранку. Це було про човни, як він казав, та вона мовчала. І був вітер, що "
        "йшов від скель."
    ),
}

NEAR = {
    "af": (
        "Die wagter het na die toring gegaan en gesien dat die lamp nie brand nie. Hy wou ook nie rus nie, en sy vrou "
        "het by die huis met 'n kers gewag. Hierdie hawe is nie groot nie, maar daar lê ook skepe vir die nag."
    ),
    "da": (
        "Vagten gik op i tårnet og så, at lampen ikke brændte. Han ville ikke hvile sig, for det var sent, og jeg så "
        "et lys fra havet. Havnen er lille, og efter stormen er porten ny. Jeg spurgte ham også om bådene."
    ),
    "gl": (
        "O gardián subiu á torre e viu que unha lámpada non estaba acesa. El tampouco quería descansar, e ela agardou "
        "na casa cunha candea. Son moitos os barcos que chegan en marzo, e un deles é do seu irmán."
    ),
    "ca": (
        "El vigilant va pujar a la torre i va veure que els llums no cremaven. No volia descansar, però la seva dona "
        "l'esperava amb una espelma. El port és petit, i els pescadors que hi són venen del poble."
    ),
    "sk": (
        "Strážnik išiel na vežu a videl, že lampa nehorí. Nechcel odpočívať, ale jeho žena čakala celú noc. Prístav "
        "je malý a brána je po búrke nová. Rybári sú unavení a čln sa pokazil."
    ),
    "bg": (
        "Пазачът се качи на кулата и видя, че лампата не свети. Той не искаше да почива, а жена му чакаше цялата нощ. "
        "Пристанището е малко, а портата е нова след бурята. Рибарите са уморени и лодката се счупи."
    ),
    "tr": (
        "Bekçi kuleye çıktı ve lambanın yanmadığını gördü. Dinlenmek istemiyordu, çünkü su çok soğuktu ve el feneri "
        "kırılmıştı. Liman küçük, ama fırtınadan sonra kapı yeni. Balıkçılar yorgun, tekne de bozuldu."
    ),
}


@pytest.mark.parametrize("language", TEXTS)
def test_frequent_languages_are_seen_without_a_model(language: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(detection, "classifier", lambda: pytest.fail("a model was loaded"))
    detection._language_of_sample.cache_clear()
    assert detection.language_of(TEXTS[language]) == language


@pytest.mark.parametrize("language", [*TEXTS, *NEAR])
def test_a_language_is_not_taken_for_one_near_to_it(language: str) -> None:
    text = (TEXTS | NEAR)[language]
    assert detection.language_of(text) == language
    assert all(detection.language_of(part) in {language, "en"} for part in (text[: len(text) // 2], text[-80:]))


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("ar", "Ana: Wo ist der Schlüssel? Ben: Unter dem Topf. Ana: مرحبا، أين القط؟ Ben: على السطح، وهو نائم هناك"),
        ("it", "Lu cani nun è dintra, e la carusa lu purtau a lu voscu. Nun sapemu unni è ora, ma lu circamu tutti."),
    ],
)
def test_a_language_without_a_code_is_taken_for_the_nearest_that_has_one(language: str, text: str) -> None:
    assert detection.language_of(text) == language


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("id", "Kami tinggal di Jakarta, bekerja di Bandung, belajar di Bogor, makan di Solo, tidur di Medan di sana."),
        ("az", "Az su içir, az yemək yeyir, az danışır, az gülür, az yatır, az oxuyur, amma çox işləyir kənddə."),
        ("nl", "Nu komt zij, nu gaat zij, nu lacht zij, nu slaapt zij, nu zingt zij, nu danst zij met de kat."),
        ("de", "Der Turm: www.a.com, www.b.com, www.c.com, www.d.com, www.e.com, www.f.com; Lieferung in zwei Wochen."),
    ],
)
def test_one_word_that_is_often_repeated_tells_no_language(language: str, text: str) -> None:
    assert detection.language_of(text) == language
