"""Words with which a sentence says that something is not so, by language."""

import re
from functools import cache

_WORDS = {
    "en": r"not|no(?!\.)|never|nothing|none|nobody|neither|cannot|\w+n['’]t",
    "cs": r"nic|nikdy|nikdo|žádn\w+|není|nebyl\w*|neza\w+|nedo\w+|nevy\w+",
    "da": r"ikke|ej|aldrig|ingen|intet|ingenting",
    "de": r"nicht|nichts|nie|niemals|niemand\w*|kein\w*|weder",
    "el": r"δεν|δε|μην|τίποτα|ποτέ|κανείς|κανένας",
    "es": r"no|nada|nunca|jamás|nadie|ningun\w*|ningún|tampoco",
    "fi": r"ei|eivät|emme|eikä",
    "fr": r"ne|n['’]\w+|pas|rien|jamais|aucune?",
    "he": r"לא|אין",
    "hi": r"नहीं|मत",
    "hu": r"nem|sem|semmi\w*|soha|senki\w*",
    "it": r"non|niente|nulla|mai|nessun\w*",
    "nb": r"ikke|ei|aldri|ingen|intet|ingenting",
    "nl": r"niet|niets|nooit|niemand|geen",
    "pl": r"nie|nic|nigdy|nikt|żad\w+",
    "pt": r"não|nada|nunca|jamais|ninguém|nenhum\w*",
    "ru": r"не|ни|нет|ничего|никогда|никто",
    "sv": r"inte|ej|icke|aldrig|ingen|inget|inga|ingenting",
    "tr": r"değil|hiç|yok|\w+m[ae]d[ıi]\w*",
    "uk": r"не|ні|немає|нічого|ніколи|ніхто",
    "ar": r"لا|لم|لن|ليس\w*",
}
_WITHOUT_SPACES = {"zh": "没|沒|未|不曾|并不", "ja": "ません|なかった|ない|なく", "ko": "않|못|없"}
_CLAUSE_END = re.compile(
    r"[,;:()–—](?=\s|$)|[，；：、]| - |\b(?:but|aber|sondern|mais|pero|sino|maar|men|ale|но|però|mas)\b", re.IGNORECASE
)


@cache
def denial(language: str) -> re.Pattern[str]:
    """A word of denial in this language; in English, where the language has none here."""
    if language in _WITHOUT_SPACES:
        return re.compile(_WITHOUT_SPACES[language])
    words = _WORDS.get({"no": "nb", "nn": "nb"}.get(language, language), _WORDS["en"])
    return re.compile(rf"(?<!\w)(?:{words})(?!\w)", re.IGNORECASE)


def clause_around(sentence: str, start: int, end: int) -> str:
    """The clause of a sentence in which these characters stand."""
    ends = [found.end() for found in _CLAUSE_END.finditer(sentence)]
    first = max((each for each in ends if each <= start), default=0)
    last = min((each for each in ends if each >= end), default=len(sentence))
    return sentence[first:last]
