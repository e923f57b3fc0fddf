"""How well a text's letters fit a language: bytes decoded with the wrong encoding show letters that none has."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from unicodedata import category, combining, normalize

_LATIN = {  # letters beyond a to z; behind the space those that are rare
    "de": "äöüß éèàá",
    "fr": "éèàêçùâîôûëïœ æüÿñ",
    "es": "áéíñóú üçï",
    "pt": "áàâãçéêíóôõú ü",
    "it": "àèéìòù íîóú",
    "nl": "ëéïè áíóöúüç",
    "sv": "äåö éüàô",
    "da": "æøå éóòöäü",
    "is": "áðéíóúýþæö",
    "ga": "áéíóú",
    "cy": "âêîôûŵŷ äëïöü",
    "ca": "àçèéíïòóúü",
    "pl": "ąćęłńóśźż",
    "cs": "áčďéěíňóřšťúůýž öü",
    "sk": "áäčďéíĺľňóôŕšťúýž",
    "hu": "áéíóöőúüű",
    "ro": "ăâîșțşţ",
    "hr": "čćđšž",
    "sq": "ëç",
    "et": "äõöü šž",
    "lv": "āčēģīķļņšūž ōŗ",
    "lt": "ąčęėįšųūž",
    "tr": "çğıöşü âîû",
    "mt": "ċġħż àèìòù",
    "eo": "ĉĝĥĵŝŭ",
    "vi": "àáâãèéêìíòóôõùúýăđĩũơư",
}
_COMMON = {  # of other scripts: their letters, from the commonest on
    "el": "αοιετσνηυρπκμλςωδγχθφβξζψάέήίόύώϊϋΐΰ",
    "ru": "оеаинтсрвлкмдпуяыьгзбчйхжшюцщэфъё",
    "uk": "оаниівертскдулмпязьбгчйхжшюцщїєґф",
    "bg": "аоиенртсвлкдпмзъугябчщйжцхшюф",
    "sr": "аоиенрјтсвкдпумлзгбњљчшцжћхфђџ",
    "mk": "аоиетнрсвклдпјмузбшгжчцхфќљњѓџѕ",
    "be": "аіняерослткўдумыпвцбгзьчйхшжюэфё",
    "he": "יוהלאתרבשמנדכקעפחסגזטםןץףך",
    "ar": "المنيوتربدعسقكحهفةجشىصطخأضذإزثغظءئؤآ",
    "fa": "اینردهمتبوشسکزلقخفعحگپجآصغطژذثضچظئء",
    "th": "านรอกเงมยลวดทสต่้ัิี์ไปคหแจพชขใบะโำุูืถธศษผณฟซญฉ",
}
_CJK = {  # the commonest characters; the others of these scripts are many
    "zh": "的一是不了在人有我他这个们中来上大为和国地到以说时要就出会可也你对生能而子那得于着下自之年过发后作里用道"
    "行所然家种事成方多经么去法学如都同现当没动面起看定天分还进好小部其些主样理心她本前开但因只从想实日文件"
    "這個們來為國說時會對著過發後裡種經麼現當沒動還進樣開從實無與請將檔選擇錯誤設定此被或使"
    "无法请将选择错误设置目录名符置示入输用户版息信数据关系统本，。、：；（）「」《》“”",
    "ja": "のにはをたがでてとしれさいるなもあうこよりらまかっくきすけどそめせわだみえちばおつろやごびじげねぼンスルト"
    "ーイラリクアタレジシフロコドマテプサバセブカキデメオィャュョッ、。「」日一人大年本国中出会事者生上分行見月時間今自"
    "子手気社方学前力定内地家由全部業場合名指定用使",
    "ko": "이다는의에을를가은고하지로한도사서기어나아시대자인스일정수있해리그라전부보제만상으구주과게장들비원할있습니",
}
_PUNCTUATION = frozenset(
    "„“”‚‘’«»‹›–—…•·§°©®™€£¥½¼¾¿¡ºª×±µ²³¹÷×¢¶¬¦†‡\xa0\xad‰\u2011\u202f\u200b\u200e\u200f\u200c\u200d΄"
)
_QUOTES = frozenset("„“”‚‘’«»‹›")
_SPACES = frozenset(" \t\n")
_BETWEEN_LETTERS = frozenset("\xad’'·–-‐—…\u2011\u200c\u200d\xa0\u202f")
_OUTSIDE = frozenset(" ([\"'")
_DRAWN = range(0x2500, 0x25A0)
_WORDS = re.compile(r"[^\s]*[^\x00-\x7f][^\s]*")
_MEASURED = re.compile(  # signs where they belong: beside numbers and units
    r"[£€¥§°±×÷½¼¾№©](?= ?\d)|(?<=\d)[£€¥°±½¼¾º¹²³]|(?<=\d )[£€¥°]|(?<!\S)[½¼¾©](?!\S)|(?<!\w)µ(?=[AFHLMVWglms]\b)"
    r"|(?<!\w)[¿¡](?=[A-ZÁÉÍÓÚÑ])|(?:(?<=\b[mM])|(?<=\b[kcdmnµ]m)|(?<=\b(?:ft|in|yd)))[²³](?!\w)"
)
_LONE = frozenset("àáâèéêëíîóòôúûùåöøæőįýŷħ")  # letters beyond a to z that are words in a Latin script
_ALPHABETS: Mapping[str, frozenset[str]] = {
    **{name: frozenset(letters.replace(" ", "")) for name, letters in _LATIN.items()},
    **{name: frozenset(letters) for name, letters in _COMMON.items()},
}
_FREQUENT = {
    **{name: frozenset(letters.split()[0]) for name, letters in _LATIN.items()},
    **{name: frozenset(letters[:10]) for name, letters in _COMMON.items()},
}
_FREQUENT_CJK = {name: frozenset(letters) for name, letters in _CJK.items()}
_DIGITS = frozenset("٠١٢٣٤٥٦٧٨٩۰۱۲۳۴۵۶۷۸۹๐๑๒๓๔๕๖๗๘๙")
WORST = -2.0
QUOTED = 1.1  # what a quotation mark of a pair is worth: more than any letter
MEASURED = 0.4  # what a sign beside a number is worth more than elsewhere
PLAUSIBLE = 0.51  # the least that a text in the right encoding reaches


def plausibility(text: str) -> float:
    """How well the characters beyond ASCII fit together and into one language, from `WORST` to 1; 1 without any.

    Letters of a language count 1 (of other scripts 0.6, and 1 if they are frequent); against a text count letters that
    the language lacks, signs and scripts mixed within a word, capitals after small letters, and control characters.
    """
    text = normalize("NFC", text)
    letters, quotes, total = Counter[str](), Counter[str](), 0
    fixed = MEASURED * len(_MEASURED.findall(text))
    for word in _WORDS.findall(text):
        for before, sign, after in zip(f" {word}", word, f"{word[1:]} ", strict=False):
            if sign > "\x7f":
                total += 1
                if (sign.isalpha() and sign not in "ªºµ") or combining(sign):
                    fixed += _misplaced(before, sign, after)
                    letters[sign.lower() if len(sign.lower()) == 1 else sign] += 1
                elif sign in _QUOTES:
                    quotes[_role_of_quote(before, sign, after)] += 1
                else:
                    fixed += _worth_of_sign(before, sign, after)
    if not total:
        return 1.0
    paired = 2 * min(quotes["opens"], quotes["ends"])
    fixed += QUOTED * (paired + quotes["joins"]) + 0.6 * (quotes["opens"] + quotes["ends"] - paired)
    return (fixed + max(_worth_of_letters(letters))) / total


def _misplaced(before: str, sign: str, after: str) -> float:
    if (sign.isupper() and before.islower()) or (before.isdecimal() and before.isascii() and sign < "\u0250"):
        return -1.0
    if sign < "\u0250" and sign.lower() not in _LONE and before in _OUTSIDE and after == " ":
        return -1.0
    mixed = (
        sign > "\u0250"
        and not "\u1e00" <= sign <= "\u1eff"
        and any(beside.isascii() and beside.isalpha() for beside in (before, after))
    )
    return -1.0 if mixed and not _is_cjk(sign) and not combining(sign) else 0.0


def _role_of_quote(before: str, sign: str, after: str) -> str:
    """Whether a quotation mark opens, ends, or joins (as an apostrophe); "" where none can stand."""
    if not before.isalnum() and after not in _SPACES:
        return "opens"
    if not after.isalnum() and before not in _SPACES:
        return "ends"
    return "joins" if sign == "’" and before.isalpha() and after.isalpha() else ""


def _worth_of_sign(before: str, sign: str, after: str) -> float:
    kind = category(sign)
    if kind in ("Cc", "Co", "Cn", "Cs"):
        return WORST
    if ord(sign) in _DRAWN:
        return -1.0 if before.isalpha() and after.isalpha() and before.isascii() == after.isascii() else 0.7
    if _is_cjk(sign) or sign in _DIGITS or "\u0600" <= sign <= "\u06ff":
        return 0.6
    if before.isalpha() and after.isalpha() and before.isascii() | after.isascii() and sign not in _BETWEEN_LETTERS:
        return -1.0
    if sign in "ºª°²³¹½¼¾µ±×÷£¥¢¶¬¦" and before.isalpha() and after.isalpha():
        return -1.0
    if (sign in "½¼¾±¿¡" and before.isalpha()) or (sign in "£¥" and after.isalpha()):
        return -1.0
    return 0.7 if sign in _PUNCTUATION else -0.5


def _is_cjk(sign: str) -> bool:
    return "\u3000" <= sign <= "\u9fff" or "\uac00" <= sign <= "\ud7a3" or "\uff00" <= sign <= "\uff60"


def _worth_of_letters(letters: Counter[str]) -> Iterator[float]:
    """What the letters are worth in each language."""
    for name, alphabet in _ALPHABETS.items():
        frequent, rare = _FREQUENT[name], 0.75 if name in _LATIN else 0.6
        yield sum(
            count * (1.0 if letter in frequent else rare if letter in alphabet else _worth_beyond(letter, name))
            for letter, count in letters.items()
        )
    for name, frequent in _FREQUENT_CJK.items():
        yield sum(count * _worth_of_cjk(letter, name, frequent) for letter, count in letters.items())


def _worth_beyond(letter: str, language: str) -> float:
    """What a letter is worth that is not among those of a language: one with two marks, or a mark alone."""
    if language == "vi" and "\u1ea0" <= letter[0] <= "\u1ef9":
        return 1.0
    return 0.5 if language in ("he", "ar", "th") and category(letter[0]) == "Mn" else -1.0


def _worth_of_cjk(letter: str, language: str, frequent: frozenset[str]) -> float:
    if letter in frequent:
        return 1.0
    if not _is_cjk(letter):
        return -1.0
    is_syllable, is_kana = "\uac00" <= letter <= "\ud7a3", "\u3040" <= letter <= "\u30ff"
    own = {"ko": is_syllable, "ja": is_kana or "\u4e00" <= letter <= "\u9fff", "zh": "\u4e00" <= letter <= "\u9fff"}
    return 0.4 if own[language] else -0.5
