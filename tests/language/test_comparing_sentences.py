"""What rules say of a sentence beside one of a text."""

import pytest

from readgraph.language.compare import compare_sentences

pytestmark = pytest.mark.quick

TRUE = [
    ("In 2012, the mill made 240 tons of flour.", "The mill made 240 tons of flour in 2012."),
    ("The mill was opened on 7 May 1890.", "The mill was opened on May 7, 1890."),
    ("Marta sailed to Orrin with 12 men.", "Marta sailed to Orrin with twelve men."),
    ("The keeper did not close the lamp room.", "The keeper didn't close the lamp room."),
    ("They cannot read, and they're old.", "They can't read and they are old."),
    ("It cost €3,500,000.", "It cost 3.5 million euros."),
    ("240 men worked at the mill.", "Two hundred and forty men worked at the mill."),
    ("2,520,000 men worked.", "Two million five hundred and twenty thousand men worked."),
    ("The budget is $1.2bn.", "The budget is US$1.2 billion."),
    ("It grew by 2.5 per cent.", "It grew by 2,5 %."),
    ("They leave at 3 pm on Tuesdays.", "They leave at 15:00 on Tuesdays."),
    ("They leave at 12:15 am on Tuesdays.", "They leave at 00:15 on Tuesdays."),
    ("They leave at 7:30 a.m. on Tuesdays.", "They leave at 07:30 on Tuesdays."),
    ("Version 2.10 of the tool draws maps.", "Version 2.10 of the tool draws maps."),
    ("Dr. J. Weber sold *all* of it[3].", "Dr J Weber sold all of it."),
    ("The US “left” the mill – for good.", 'The US "left" the mill — for good.'),
    ("The mill at Orrin burned.", "THE MILL AT ORRIN BURNED."),
    ("Ann Marsh takes 5 mg of salt a day.", "ANN MARSH TAKES 5 MG OF SALT A DAY."),
    ("The sack of Ann Marsh weighs 5 kg.", "The sack of Ann Marsh weighs 5 KG."),
    ("They leave at 3 pm on Tuesdays.", "They leave at 3 PM on Tuesdays."),
    ("Ann Marsh bought No. 5 and .5 of the mill.", "Ann Marsh bought number 5 and 0.5 of the mill."),
    ("The mill has two hundred and one men.", "The mill has 201 men."),
    ("The centre organised a grey colour chart.", "The center organized a gray color chart."),
    ("The tour of the mill takes 90 minutes.", "The tour of the mill takes 1.5 hours."),
    ("It grew by 1½ men a year.", "It grew by 1.5 men a year."),
    ("It grew by 10 por ciento.", "It grew by 10 %."),
]
FALSE = [
    ("In 2012, the mill made 240 tons of flour.", "The mill made 250 tons of flour in 2012.", "number"),
    (
        "The mill at Orrin makes 400 tons of flour a year.",
        "The mill at Orrin makes 470 tons of flour a year.",
        "number",
    ),
    ("Ann Marsh paid 30,000 crowns for the mill.", "Ann Marsh paid 50,000 crowns for the mill.", "number"),
    ("Ann Marsh paid 3 million crowns for the mill.", "Ann Marsh paid 3 billion crowns for the mill.", "number"),
    ("The train to Orrin leaves Sund at 7:30 am.", "The train to Orrin leaves Sund at 8:45 am.", "number"),
    ("The mill at Orrin was opened on 7 May 1890.", "The mill at Orrin was opened on 7 June 1890.", "date"),
    ("The keeper lit the lamp at Orrin.", "The keeper did not light the lamp at Orrin.", "negation"),
    ("The mill at Orrin makes flour.", "The mill at Orrin does not make flour.", "negation"),
    ("The harbour of Orrin has no pier.", "The harbour of Orrin has a pier.", "negation"),
]
OPEN = [
    ("He poured the flour for our tour.", "He pored the flor for or tor."),
    ("The tour of the mill takes 90 minutes.", "The tour of the mill takes 1.6 hours."),
    ("Work on it lasted 2 years and 6 months.", "Work on it lasted 2 years."),
    ("It lasts 2 hours, and 3 hours later it ends.", "It lasts 5 hours later it ends."),
    ("Version 2.10 of the tool draws maps.", "Version 2.1 of the tool draws maps."),
    ("Version 2.9 of the tool draws maps.", "Version 2.10 of the tool draws maps."),
    ("Version 2.1 of the tool draws maps.", "Version 2.1.0 of the tool draws maps."),
    ("Version 2.1.0 of the tool draws maps.", "Version 2.1 of the tool draws maps."),
    ("Section 2.10 of the report tells of it.", "Section 2.1 of the report tells of it."),
    ("The mill did not close until 1950.", "The mill did not close."),
    ("The mill did not close until 1950.", "The mill closed in 1950."),
    ("He left before the war.", "He left after the war."),
    ("In 1890 the mill opened; in 1950 it closed.", "The mill opened in 1950."),
    ("In 1890 the mill opened and in 1950 it closed.", "The mill closed in 1890."),
    ("The mill would have made 240 tons of flour.", "The mill made 240 tons of flour."),
    ("Did the mill make 240 tons of flour?", "The mill made 240 tons of flour."),
    ("The mill made 238 tons of flour.", "The mill made about 240 tons of flour."),
    ("The man bit the dog.", "The dog bit the man."),
    ("Production rose to 240 tons.", "Output rose to 240 tons."),
    ("In 2012 the mill made 240 tons.", "In 2013 the mill made 250 tons."),
    ("He was twenty.", "Iolo was twenty."),
]
OPEN += [  # nothing is left out, and no unit is converted
    ("The road is 5,000 m long and crosses the moor.", "The road is five km long and crosses the moor."),
    ("Ann bought the mill for 30,000 crowns on 7 May 1890.", "Ann bought the mill for 30,000 crowns."),
    ("Ann, who was born in Sund, bought the mill.", "Ann bought the mill."),
    ("The bridge was built by Ruth Holm in 1931.", "The bridge was built in 1931."),
    ("The mill opened in 1890, and the town grew.", "The mill opened."),
    ("The trip takes 1 hour and 30 minutes by boat.", "The trip takes 90 minutes by boat."),
    ("The law names both a firearm and an illegal drug.", "The law names both a firearm."),
]
OPEN += [  # marks, signs, currencies and little letters count
    ("The boiler of Ann Marsh holds > 5 bar.", "The boiler of Ann Marsh holds < 5 bar."),
    ("The boiler of Ann Marsh holds > 5 bar.", "The boiler of Ann Marsh holds > 9 bar."),
    ("Ann Marsh lost −5 million crowns in 1931.", "Ann Marsh lost 5 million crowns in 1931."),
    ("Ann Marsh paid $5 for the mill.", "Ann Marsh paid €5 for the mill."),
    ("The mill of Ann Marsh is 15 m² large.", "The mill of Ann Marsh is 15 m large."),
    ("The US left the mill.", "Us left the mill."),
    ("Ann Marsh paid 1.200 crowns for the mill.", "Ann Marsh paid 1,200 crowns for the mill."),
    ("Ann Marsh paid A$5 for the mill.", "Ann Marsh paid $5 for the mill."),
    ("The mill of Ann Marsh gives 5 MWh a day.", "The mill of Ann Marsh gives 5 mWh a day."),
    ("Ann Marsh takes 5 mg of salt a day.", "Ann Marsh takes 5 Mg of salt a day."),
    ("The file of Ann Marsh has 5 Gb in all.", "The file of Ann Marsh has 5 GB in all."),
    ("The tool of Ann Marsh keeps it in a[0].", "The tool of Ann Marsh keeps it in a[1]."),
    ("In 1911 the mill of Ann Marsh employed 34 men.", "In 1912 the mill of Ann Marsh employed 34 men."),
    ("In 1911 the mill of Ann Marsh employed 1,350 men.", "In 1912 the mill of Ann Marsh employed 1350 men."),
    ("20 % of the houses in Orrin are empty.", "20 % of the houses in Orrin are not empty."),
    ("Three boats of Ann Marsh sank in 1953.", "Three boats of Ann Marsh did not sink in 1953."),
    ("Half of the men of Orrin were paid in May 1950.", "Half of the men of Orrin were not paid in May 1950."),
    ("Ann Marsh saw the 2nd floor of the mill in 1890.", "Ann Marsh saw the 3rd floor of the mill in 1890."),
    ("The train to Orrin leaves Sund at 7:30.", "The train to Orrin leaves Sund at 7:30 pm."),
    ("In 1931 Ann Marsh promised to sell the mill.", "Ann Marsh promised to sell the mill in 1931."),
    ("Ann Marsh sold the mill in the 1890s.", "Ann Marsh sold the mill in 1890."),
    ("Ann Marsh sold the mill on 3/4/1890.", "Ann Marsh sold the mill on 4 March 1890."),
    ("Ann Marsh sold the “mill” in 1890.", "Ann Marsh sold the mill in 1890."),
    ("Let's eat, Anna.", "Let's eat Anna."),
    ("It's old.", "It has old."),
]
OPEN += [  # both may be true
    ("Marta Lindqvist sailed to Orrin.", "Marta Weber sailed to Orrin."),
    ("Ann thanked Bob for the rope.", "Bob thanked Ann for the rope."),
    ("They met on Saturday at the mill.", "They met on Sunday at the mill."),
    ("The king died in 1340.", "The king died in 1350."),
    ("He was born at Orrin in 1340.", "He was born at Orrin in 1350."),
    ("Some of the men of Orrin paid Ann Marsh.", "Some of the men of Orrin did not pay Ann Marsh."),
    ("A man of 30 was seen at Orrin by Ann Marsh.", "A man of 40 was seen at Orrin by Ann Marsh."),
    ("Bus 7 stops at Orrin near the mill.", "Bus 8 stops at Orrin near the mill."),
    ("Drugs for type 2 diabetes are sold in Orrin.", "Drugs for type 1 diabetes are sold in Orrin."),
    ("Ann Marsh has owned the mill since 1960.", "Ann Marsh has owned the mill since 1985."),
    ("Ann Marsh won the cup again in 1960.", "Ann Marsh won the cup again in 1985."),
    ("Impulse! Records sold it in 1960.", "Impulse! Records and Decca Records sold it in 1960."),
    ("The firm made 41,613 tons of flour at Orrin.", "The firm made 41,600 tons of flour at Orrin."),
    ("Ann Marsh is 1.234 m from Orrin.", "Ann Marsh is 1,234 m from Orrin."),
    ("Ann Marsh paid 1.200 euros for the mill.", "Ann Marsh paid 1.200,00 euros for the mill."),
    ("Ann Marsh paid 1.200 euros for the mill.", "Ann Marsh paid 1200 euros for the mill."),
]
OPEN += [
    ("The mill was opened by Marta.", "The mill opened by Marta."),
    ("The tax was raised by 3 % in March.", "The tax was raised to 3 % in March."),
    ("The firm employs 30 men and women.", "The firm employs 30 men."),
    ("The army marched from Prague to Vienna.", "The army marched to Prague."),
    ("The letter was written to Ada Marsh by her uncle.", "The letter was written by Ada Marsh."),
    ("Inga Moor will take over in April.", "Inga Moor took over in April."),
    ("The plant is to close in 2027.", "The plant is closed."),
    ("Because prices rose, wages fell.", "Because wages fell, prices rose."),
    (
        "The pump failed because the seal had not been replaced.",
        "The seal had not been replaced because the pump failed.",
    ),
    ("The chapel, destroyed by fire in 1743, was never rebuilt.", "The chapel was never destroyed."),
    ("He never said he was guilty.", "He said he was never guilty."),
    ("Few of the letters survive.", "A few of the letters survive."),
    ("Some members of the board own shares.", "All members of the board own shares."),
    ("Members or guests may vote.", "Members and guests may vote."),
    ("The sisters studied law and medicine respectively.", "The sisters studied law."),
    ("Sales fell in every country but Spain.", "Sales fell in every country."),
    ("In the novel, the king sells his crown.", "The king sells his crown."),
    ("She returned to Riga in 1920.", "He returned to Riga in 1920."),
    ("The museum is open every day, Mondays apart.", "The museum is open every day."),
    ("The duke ruled the province, in name.", "The duke ruled the province."),
    ("The duke ruled the province, but in name.", "The duke ruled the province."),
    ("The drug (in mice) cures the disease.", "The drug cures the disease."),
    ("The villagers stood by Father Malone in 1921.", "The villagers stood in 1921."),
    ("The tallest tower in Europe in 1890 stood in Paris.", "The tallest tower in Europe stood in Paris."),
    ("The costs are borne by the town (two thirds) and the state.", "The costs are borne by the town."),
    (
        "The train leaves at 11.40 p.m. on weekdays and at 9.15 p.m. on Sundays.",
        "The train leaves at 9.15 p.m. on weekdays.",
    ),
    ("The mill had 41.6 tons.", "The mill had 42 tons."),
    ("At least 30 men came to Orrin.", "35 men came to Orrin."),
    ("The town has 41,613 inhabitants.", "The town has some 41,600 inhabitants."),
    ("Karl Moen did not sign the letter.", "Anna Brekke did not sign the letter."),
    ("The Hale family has owned it since 1960.", "The Hale family has owned it in 1985."),
    ("Anton's father, Emil Braun, was born in 1910.", "Anton was born in 1940."),
    ("World War II ended in May.", "The Second World War ended in May."),
    ("The referee did not see that the ball had crossed the line.", "The ball had crossed the line."),
    ("The mill closed, but the bakery did not.", "The mill closed."),
    ("Mr Müller sold it.", "Mr Mueller sold it."),
    ("“The treaty is dead”, said Ann Bell.", "The treaty is dead."),
]
OTHERS = [
    ("de", "Die Katze jagt die Maus.", "Die Maus jagt die Katze.", None),
    ("de", "Der Hund biss den Briefträger.", "Den Hund biss der Briefträger.", None),
    ("de", "Nicht alle Mitglieder zahlten.", "Alle Mitglieder zahlten nicht.", None),
    ("de", "Weil die Preise stiegen, sanken die Löhne.", "Weil die Löhne sanken, stiegen die Preise.", None),
    ("de", "Im Mai 1931 wählte der Rat den Pfarrer.", "Der Rat wählte den Pfarrer.", None),
    ("fr", "L'impôt a été relevé de 3 % en mars.", "L'impôt a été relevé à 3 % en mars.", None),
    ("fr", "Marie Colin dirigera le musée.", "Marie Colin a dirigé le musée.", None),
    ("es", "Las ventas pasaron de 4,2 en 2020 a 5,1 en 2021.", "Las ventas pasaron a 4,2 en 2021.", None),
    ("es", "Duró 40 minutos.", "Duró cuarenta minutos.", "supported"),
    ("fr", "Il mesure quatre-vingt-douze mètres.", "Il mesure 92 mètres.", "supported"),
    ("fr", "Il régna pendant vingt ans.", "Il régna pendant 20 ans.", "supported"),
    ("es", "No todos los socios pagaron la cuota.", "Todos los socios no pagaron la cuota.", None),
    (
        "de",
        "Die Mühle in Orrin erzeugte 1.240 Tonnen Mehl.",
        "Die Mühle in Orrin erzeugte 1.250 Tonnen Mehl.",
        "contradicted",
    ),
    ("de", "Am 3. März 1890 öffnete die Mühle.", "Die Mühle öffnete am 3. März 1890.", None),
    ("de", "Die Mühle in Orrin wurde versichert.", "Die Mühle in Orrin wurde nicht versichert.", "contradicted"),
    ("de", "Der Verein hat weder Schulden noch Rücklagen.", "Der Verein hat keine Schulden.", None),
    ("de", "Der Verein zählt 1.240 Mitglieder.", "Der Verein zählt 1240 Mitglieder.", "supported"),
    ("de", "Am 3. Mai 2023 wählte der Rat Frau Ilse Brand.", "Der Rat wählte am 3. Mai 2023 Frau Ilse Brand.", None),
    ("de", "Das Fahrrad stand vor der Mühle.", "Das Rad stand vor der Mühle.", None),
    ("fr", "Le moulin n'a pas brûlé en 1890.", "Le moulin a brûlé en 1890.", "contradicted"),
    (
        "fr",
        "Le moulin d'Orrin produisit 1 240,5 tonnes.",
        "Le moulin d'Orrin produisit 1 270,5 tonnes.",
        "contradicted",
    ),
    (
        "es",
        "El molino de Orrin abrió el 7 de mayo de 1890.",
        "El molino de Orrin abrió el 8 de mayo de 1890.",
        "contradicted",
    ),
    ("de", "Die Fahrt dauert eine Stunde und 30 Minuten.", "Die Fahrt dauert 90 Minuten.", None),
    ("de", "Der Bau dauerte zwei Jahre und sechs Monate.", "Der Bau dauerte 26 Monate.", None),
    ("de", "Karten zeigt erst Fassung 2.10.", "Karten zeigt erst Fassung 2.1.", None),
    ("fr", "Le trajet dure 1 h 30 en bateau.", "Le trajet dure 90 minutes en bateau.", None),
    ("fr", "Le trajet dure une heure et 30 minutes.", "Le trajet dure 80 minutes.", None),
    ("fr", "Il faut la version 2.1 du logiciel.", "Il faut la version 2.10 du logiciel.", None),
    ("zh", "磨坊在2012年生产了250吨面粉。", "磨坊在2012年生产了240吨面粉。", None),
    ("sw", "Kinu kilifunguliwa mwaka 1890.", "Kinu kilifungwa mwaka 1890.", None),
]


def test_what_says_the_same_is_supported() -> None:
    for text, said in TRUE:
        assert compare_sentences(said, text, "en").verdict == "supported", said
        assert compare_sentences(text, text, "en").verdict == "supported", text


def test_what_differs_in_one_thing_is_contradicted_by_it() -> None:
    for text, said, kind in FALSE:
        found = compare_sentences(said, text, "en")
        assert found.verdict == "contradicted", said
        assert [each["kind"] for each in found.differs] == [kind], said


def test_what_cannot_be_told_is_left_open() -> None:
    for text, said in OPEN:
        assert compare_sentences(said, text, "en").verdict is None, said


def test_other_languages_are_compared_as_far_as_they_are_known() -> None:
    for language, text, said, verdict in OTHERS:
        assert compare_sentences(said, text, language).verdict == verdict, said


def test_a_difference_names_both_sides_as_they_stand() -> None:
    found = compare_sentences(
        "For 34 years Ann Marsh ran the mill.", "For thirty-six years Ann Marsh ran the mill.", "en"
    )
    assert found.differs == [{"kind": "number", "draft": "34 years", "text": "thirty-six years"}]
