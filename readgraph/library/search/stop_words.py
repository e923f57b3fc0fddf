"""Words that say little about what a text is about, by language: articles, pronouns, auxiliaries, words of questions.

They are written as a text has them, with accents, case-folded, not stemmed.
"""

from functools import lru_cache

_WORDS = {
    "en": """
    a about after all also an and any are as at be because been before but by can could did do does for from had has
    have he her him his how i if in into is it its just like me more most my no not now of on one only or other our out
    over said she so some such than that the their them then there these they this to up us was we were what when where
    which while who whom whose why will with would you your s t don didn m re ve ll d
    """,
    "de": """
    aber als also am an auch auf aus bei beim bis da damit dann das dass dem den denn der des die dies diese diesem
    diesen dieser dieses doch du durch ein eine einem einen einer eines er es etwas für gegen haben hat hatte hatten
    hier ich ihm ihn ihnen ihr ihre ihrem ihren ihrer im in ins ist ja kein keine mit nach nicht noch nun nur ob oder
    ohne sein seine seinem seinen seiner sich sie sind so über um und uns unter vom von vor war waren warum was welche
    welchem welchen welcher welches wem wen wenn wer werden wessen wie wieder wir wird wo wohin woher womit wurde
    wurden während zu zum zur zwischen
    """,
    "es": """
    a al algo ante antes aunque como con contra cual cuál cuales cuáles cuando cuándo cuanto cuánto de del desde donde
    dónde dos durante e el él ella ellas ellos en entre era eran es esa ese eso esta está están estas este esto estos
    fue fueron ha había habían han hasta hay la las le les lo los más me mi mientras muy ni no nos o para pero por
    porque pues que qué quien quién quienes quiénes se según ser si sí sin sobre son su sus también tan te tenía tiene
    tras tu un una uno unos unas y ya yo
    """,
    "fr": """
    a à afin ai après au aucun aussi autre aux avait avaient avant avec avoir ce ces cela cet cette ceux chez comme
    comment d dans de depuis des donc dont du elle elles en entre est et étaient était être eu eut eux fut il ils j je
    jusqu l la là le les leur leurs lequel laquelle lesquels lesquelles lorsque lui m ma mais me même mes moi mon n ne
    ni nos notre nous on ont ou où par parce pas pendant plus pour pourquoi puis qu quand que quel quelle quelles quels
    qui quoi s sa sans se sera ses si son sont sous sur ta te t toi ton tous tout toute très tu un une vers votre vous
    y
    """,
    "it": """
    a ad agli ai al alla alle allo anche avere aveva avevano c che chi ci come con contro cosa cui d da dagli dai dal
    dalla dalle dallo degli dei del della delle dello di dopo dove durante e è ed era erano essere fa finché fra fu
    furono gli ha hanno i il in io l la le lei li lo loro lui ma mentre mi molto ne negli nei nel nella nelle nello noi
    non o ogni per perché più poi prima quale quali quando quanto quel quella quello questa queste questi questo se
    senza si sia sono su sua sue sugli sui sul sulla sulle suo suoi tra tu un una uno v vi
    """,
    "nl": """
    aan al als bij dan dat de der deze die dit doen door een en er ge geen had hadden heb hebben heeft hem het hier hij
    hoe hun ik in is je kan maar me met mij na naar niet nog nu of om omdat ons onze ook op over te toen tot u uit van
    veel voor waar waarom wanneer waren was wat we wel welk welke werd werden wie wij wordt worden zal ze zich zij zijn
    zo zou
    """,
    "pl": """
    a aby ale bez bo być był była było były by co czego czy czym dla dlaczego do dokąd gdy gdzie go i ich ile im ja jak
    jaka jaki jakie jakich jakim jako je jego jej jest jeszcze już kiedy kim kogo komu która które którego której
    którzy który których którym kto ma mi mnie może na nad nie niego nim o od on ona one oni po pod podczas przed przez
    przy są się skąd ta tak także tam te tego tej ten to tu ty tych tym w we wie więc z za ze że
    """,
    "pt": """
    a à ao aos as às até com como contra da das de dela dele deles depois do dos e é ela elas ele eles em enquanto
    entre era eram essa esse esta está este eu foi foram há isso isto já lhe mais mas me mesmo muito na não nas nem no
    nos nós o onde os ou para pela pelas pelo pelos por porque qual quais quando quanto que quê quem se sem ser seu
    seus são só sobre sua suas também tem tinha tinham um uma você
    """,
    "ru": """
    а без бы был была были было быть в вам вас во вот все всё вы где да для до его ее её ей ему если есть ещё еще же за
    зачем и из или им их к как какая каким какими каких какого какое какой каком какому какую какие когда кого ком кому
    которая которого которое которой котором которому которую которые который которых которым которыми кто куда ли меня
    мне мы на над нас не него нее неё ней нет ни них но ну о об он она они оно от откуда перед по под после потому
    почему при про с сам свои свой свою своих себе себя со так также там те тем то тогда того той только том тот тут ты
    у уже чего чей чем через что чтобы чьи чья эта эти это этого этой этом этот эту я
    """,
    "ar": """
    في من إلى الى على عن مع هذا هذه ذلك تلك هو هي هم هن نحن أنا انا أنت انت كان كانت كانوا يكون ما ماذا لماذا متى أين
    اين كيف كم هل أي اي أية اية التي الذي الذين لم لن لا ليس قد لقد ثم أو او أم ان أن إن إذا اذا حتى حين عندما بينما
    بعد قبل عند كل بعض غير بين لأن لان لكي كي منذ ذو ذات فيه فيها منه منها به بها له لها لهم عليه عليها عنه عنها بأي
    لأي وهو وهي
    """,
    "he": """
    של את על עם אל מן לא כן או גם כי אם אך אבל הוא היא הם הן אני אתה אתם אנחנו זה זאת זו אלה אלו היה היתה הייתה היו
    יהיה יש אין מה מי מתי איפה היכן איך כיצד מדוע למה לאן איזה איזו אילו כמה אשר כל כדי עד עוד רק כבר בין לפני אחרי אצל
    ליד לפי מפני בזמן כאשר כש שלו שלה שלהם אותו אותה אותם לו לה להם בו בה בהם ממנו מהם באיזה באיזו באילו לאיזה לאיזו
    לאילו מאיזה
    """,
    "tr": """
    ama ancak bana bazı ben beni benim bir biri biz bize bu buna bunda bundan bunlar bunu bunun çok çünkü da daha de
    değil diye en gibi hangi hangisi hem hep her hiç için ile ise kadar ki kim kime kimi kimin mı mi mu mü mıydı nasıl
    ne neden nedir neler nelerdi neydi nerede nereden nereye niçin niye o olan olarak oldu olduğu on ona onlar onların
    onu onun önce sen şey siz sonra şu tüm var ve veya ya yani yok
    """,
    "hi": """
    अपना अपनी अपने अब आप इन इस इसका इसकी इसके उन उनका उनकी उनके उस उसका उसकी उसके उसने एक ऐसा और कई कब कर करता करते
    करना करने कहाँ कहां का कि किन किस किसका किसकी किसके किसने किसे की कुछ के कैसे को कोई कौन क्या क्यों गई गए गया गयी
    जब जहाँ जा जो तक तब तो था थी थीं थे दिया दी दे द्वारा न नहीं ने पर परंतु फिर बहुत भी मगर में मैं यह यहाँ या ये रहा
    रही रहे लिए लेकिन वह वहाँ वाला वाली वाले वे सा साथ से सी हम ही हुआ हुई हुए है हैं हो होता होती होते ताकि क्योंकि
    """,
    "sv": """
    alla att av bara de dem den denna deras dess det detta din dig du där då efter ej eller en er ett från för ha hade
    han hans har hon hur här i in ingen inte jag kan man med men mig min mot mycket när nu någon något och om oss på
    samma sig sin sina sitt ska skulle som så till under upp ut var vad varför varje vara vem vems vi vid vilka vilken
    vilket är över
    """,
    "vi": """
    ai bằng bị bởi các cái cho chưa có còn của cùng cũng đã đang đâu để đến đó được gì hay họ hơn khi không là lại lúc
    mà mỗi một nào này nên nếu như những nó ở ra rằng rồi sau sẽ tại thì thế trên trong trước từ và vẫn vào vì việc với
    """,
}

_OF_OTHER_SCRIPTS = ("ru", "ar", "he", "hi")


@lru_cache
def stop_words(language: str) -> frozenset[str]:
    """The stop words of a language (ISO 639-1), else English ones, and those of the main languages of other scripts."""
    own = _WORDS.get(language) or _WORDS["en"]
    return frozenset(" ".join([own, *(_WORDS[other] for other in _OF_OTHER_SCRIPTS)]).split())
