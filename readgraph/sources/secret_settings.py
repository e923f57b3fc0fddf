"""Secrets that a text sets ("DB_PASSWORD = …", `os.environ["TOKEN"] = "…"`), or tells ("the password is …")."""

import re
from typing import NamedTuple

from readgraph.sources.secret_names import ABOUT, ADJECTIVE, NO_VALUES, PASSWORDS, SECRETS, SHORT_PASSWORDS, WEAK
from readgraph.sources.secret_values import SHORTEST_BY_CHANCE, is_by_chance, is_reference, is_wordy

Found = re.Match[str]
_QUOTED = (
    r"(?:(?P<open>\\{0,4}(?:\"|'|`))(?P<v>(?:(?!(?P=open))(?:\\.|[^\n\\])){1,400}+)(?=(?P=open))"
    r"|[“„«‘「](?P<v1>[^\n“„«‘「”“»’」]{1,100}+)[”“»’」])"
)
_BARE = r"(?P<bare>[^\s\"'`,;&<>(){}\[\]|\\“”„«»…=]{3,64}+={0,2}+)(?P<after>\S?)"
_KEYWORD = (
    rf"(?:(?P<password>{PASSWORDS}|(?P<short>{SHORT_PASSWORDS})(?![a-z]))"
    rf"|(?P<secret>{SECRETS})|(?P<weak>{WEAK}))"
)
_SET = (  # what stands between a name and its value
    r"(?:[\\\"'`\])*]{0,6}(?:\s{0,2}:\s{0,2}[a-z][\w\[\]|?.]{0,20}\s{0,4}=|\s{0,40}(?::=|=>|->|<-|\?="
    r"|\|\||={1,3}|:{1,2}|：|＝|\|)|,(?=\s{0,4}[\"'`\\]))\s{0,8}"
    r"|[\"']?,?\s{1,20}[\"']?(?:value|default|content)[\"']?\s{0,4}[:=]\s{0,4}"
    r"|\"\s{0,2}\{[^{}]{0,200}?default\s{0,4}=\s{0,4}"
    r"|\(\s{0,4}(?=[\"'])|>|[ \t]{1,2}(?=\S)|[\"'][ \t]{1,2}(?=[\"']))"
)
NAMED = re.compile(
    rf"(?P<named>(?P<name>{_KEYWORD})(?P<rest>[\w.-]{{0,40}}+)(?P<set>{_SET}))(?:[fbru]{{1,2}}(?="
    rf"[\"']))?(?:{_QUOTED}|{_BARE})"
)
_WORDS_BETWEEN = r"(?:[ \t]{{1,2}}(?!(?:is|was|ist|est|es)\b)[\w.’'-]{{1,20}}){{{}}}?"
_COPULA = (
    r"(?:\s{0,2}(?:\s(?:(?:was|is|has been) (?:changed|set|reset|updated) to|(?:wurde|wird|ist) auf"
    r"|(?:a été|fue|ha sido|è stat[ao]|foi) \w{3,12} (?:en|à|a|por|in|para)"
    r"|is|was|is now|will be|ist|war|lautet|est|était|es"
    r"|era|é|è|este|jest|to|är|er|on|je|ja|=|→|—|–|-"
    r"|это)\s?[:：]?\s|[是为為は은는이])\s{0,3})"
)
TOLD = re.compile(
    rf"(?P<named>(?:{PASSWORDS}|\b(?:pw|mdp|psw)\b)(?:'s|e?[tn])?"
    rf"(?:{_WORDS_BETWEEN.format('0,6')}{_COPULA}|{_WORDS_BETWEEN.format('1,6')}\s?[:：]\s))"
    rf"(?:{_QUOTED}|(?P<bare>[!-~À-ÿЀ-ӿ]{{4,64}}+))(?P<after>[ \t]?\S?)"
)
_ABOUT = re.compile(ABOUT, re.IGNORECASE)
_IN_NAME = re.compile(r"(?:pass(?:word|wd|phrase)?|pwd)$", re.IGNORECASE)
_SECRET_IN_NAME = re.compile(r"(?:secret|token|[_-]key)", re.IGNORECASE)
_IDENTITY = re.compile(r"[_.-]?(?:id|key|value|\d*)", re.IGNORECASE)
_IN_CODE = re.compile(r"[a-z_]\w*(?:\.[A-Za-z_]\w*)+|[\d_.]*[_.][\d_.]*|.*\w[(\[]")
_OPTION = re.compile(r"(?:^|\s)--?[\w.-]{0,40}$")
_WORDS = re.compile(r"[A-Z]?[a-z]+|[A-Z]+|[0-9]+")
_CALLED = re.compile(r"\w\(\s{0,4}f?[\"'][\w.-]{0,60}$")
_ENDS = re.compile(r"[.,;!?]{0,2}(?:\s*(?:$|\n|#|//|--|;|[\w.-]{1,40}=)|[&,;|<\"'`\\]|[.!?] )")
_OF_PROGRAMS = re.compile(
    r"pass|pwd|secret|token|value|data|user|input|arg|param|text|str|hash|conf|[_.]", re.IGNORECASE
)


class _Setting(NamedTuple):
    """A name with its value: what is before the name, the sign between them, and whether quotes are round the value."""

    before: str
    keyword: str
    rest: str
    sign: str
    value: str
    is_quoted: bool

    @property
    def is_upper(self) -> bool:
        """Whether it is named as variables of the environment are."""
        return (self.keyword + self.rest).isupper()


def group_of_named(found: Found, text: str) -> list[str]:
    """The group that is secret in what `NAMED` found in a text's small letters."""
    group = next(name for name in ("v", "v1", "bare") if found[name] is not None)
    value, keyword, rest = (text[slice(*found.span(part))].strip() for part in (group, "name", "rest"))
    before, sign = text[max(0, found.start() - 60) : found.start()], found["set"].strip("\\\"'`])* \t\n")
    setting = _Setting(before, keyword, rest, sign, value, group != "bare")
    is_call = group == "bare" and found["after"][:1] in ("(", "[")
    if is_call or _is_other_word(keyword, rest) or ((found["short"] or found["weak"]) and not _begins_word(setting)):
        return []
    if is_reference(value) or value.lower().rstrip(".:!?") in NO_VALUES or not _is_set(setting):
        return []
    if found["password"] or _IN_NAME.search(rest):
        return [group] if _is_password(setting, text[found.end(group) :][:80]) else []
    if len(value) < 6 or " " in value:
        return []
    if found["weak"] and not _SECRET_IN_NAME.search(rest):
        return [group] if _IDENTITY.fullmatch(rest) and _is_drawn_for(keyword, value) else []
    is_plain = setting.is_upper or ("secret" in (keyword + rest).lower() and setting.is_quoted)
    is_written = is_plain and sign in ("=", ":", "=>", ":=") and re.fullmatch(r"[^\s_./]{6,}|\S*\d\S*", value)
    return [group] if (is_written and not value.isdigit()) or not is_wordy(value) else []


def _is_set(setting: _Setting) -> bool:
    """Whether what stands between a name and a value sets it: words in a row, or in a list, are none."""
    drawn = not is_wordy(setting.value)
    match setting.sign:
        case ">":
            return bool(re.search(r"<[\w:.-]*$", setting.before))
        case ",":
            return drawn or setting.is_upper or bool(_CALLED.search(setting.before))
        case "":
            mixed = drawn and any(map(str.isdigit, setting.value)) and any(map(str.isalpha, setting.value))
            return mixed or (setting.is_quoted and setting.keyword.lower() != "pass")
        case _:
            return True


def _is_drawn_for(keyword: str, value: str) -> bool:
    """Whether a value is chance that isn't known to be a checksum or UUID, for a name that needn't mean a secret."""
    if len(value) < 12 or is_wordy(value):
        return False
    if keyword.lower().startswith(("sig", "hmac", "seed", "jwt", "sess", "sid", "phpsess", "jsess")) or is_by_chance(
        value
    ):
        return True
    return len(value) < SHORTEST_BY_CHANCE and not re.fullmatch(r"[0-9a-fA-F-]+", value)


def _begins_word(setting: _Setting) -> bool:
    """Whether what could be the end of a word is one of its own: "key", "user_key" and "userKey", not "monkey"."""
    if setting.keyword.lower().startswith("pass"):
        return not setting.before.lower().endswith(("by", "com", "sur", "tres", "over", "under"))
    ahead = setting.before[-1:]
    return not ahead.isalpha() or (ahead.islower() and setting.keyword[0].isupper())


def _is_password(setting: _Setting, after: str) -> bool:
    value, sign = setting.value, setting.sign
    if setting.is_quoted:
        return not _is_sentence(value)
    if _IN_CODE.fullmatch(value):
        return False
    if not is_wordy(value) or any(map(str.isdigit, value)):
        return not (value.isdigit() and len(value) < 4)
    if sign in ("=", ":=") and (setting.is_upper or _OPTION.search(setting.before)):
        return len(value) >= 4
    ends = _ENDS.match(after) or value[-1] in ".!?"
    return len(value) >= 4 and sign != "|" and bool(ends) and not _OF_PROGRAMS.search(value.rstrip(".!?"))


def _is_other_word(keyword: str, rest: str) -> bool:
    """Whether a name goes on to another word ("tokenizer"), or tells something about the secret ("token_type")."""
    goes_on = rest[:1].isalpha() and rest[0].isupper() == keyword[-1].isupper()
    last = (_WORDS.findall(rest) or [""])[-1]
    return goes_on or bool(last and _ABOUT.fullmatch(last) and (keyword + rest).lower() != "secret_id")


def _is_sentence(value: str) -> bool:
    said = value.lower().split()
    return len(said) > 2 and (len(said) > 8 or not NO_VALUES.isdisjoint(said))


def group_of_told(found: Found, text: str) -> list[str]:
    """The group that is secret in what `TOLD` found in a text's small letters."""
    group = next(name for name in ("v", "v1", "bare") if found[name] is not None)
    value = text[slice(*found.span(group))].strip(".,;:!?)")
    if is_reference(value) or value.lower() in NO_VALUES or _is_sentence(value) or _IN_CODE.match(value):
        return []
    if group != "bare" or not is_wordy(value) or (any(map(str.isdigit, value)) and len(value) > 3):
        return [group]
    is_told = not re.search(
        r"(?<!ło)(?<!lo)(?<!so) (?:to|-)\s*$", found["named"]
    )  # not "pass the password to readers."
    ends = not found["after"].strip() or found[group][-1] in ".,;!?"
    is_told = is_told and ends and not found["after"].startswith(" ")
    return [group] if is_told and not re.fullmatch(ADJECTIVE, value) else []
