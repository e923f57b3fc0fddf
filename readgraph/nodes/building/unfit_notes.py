"""Replies that are no notes on a text: apologies, pages and messages of errors, the instructions.

Models and gateways send them as if they were replies. Each rule is sure, or else the reply is taken.
"""

import json
import re
from contextlib import suppress

from readgraph.models.prompt import Prompt
from readgraph.state.words import count_words

_ERROR_PAGE = re.compile(r"(?:```\w*\s*)?<(?:!doctype|html|\?xml|head|title)\b", re.IGNORECASE)
_ERROR_KEYS = frozenset("error errors detail message status_code fault".split())
_KEYS_BESIDE = frozenset("code status type id param object timestamp path request_id title".split())
_DECLINES = re.compile(
    r"\W{0,3}(?:"
    r"(?:i(?:['’]m|\ am)\ (?:\w+\ )?sorry|(?:i\ )?(?:apologi[sz]e|my\ apologies)|sorry|unfortunately)\b[^.!?]{0,40}?"
    r"\bi\s?(?:can(?:no|['’])?t|am\ (?:unable|not\ able)|['’]m\ (?:unable|not\ able)|do(?:n['’]|\ no)t|won['’]t)"
    r"|i\s?(?:can(?:no|['’])t|am\ (?:unable|not\ able)\ to|['’]m\ (?:unable|not\ able)\ to|won['’]t)\ (?:\w+\ )?"
    r"(?:assist|help|comply|fulfil|provide|process|summari|shorten|access|engage)"
    r"|as\ an?\ (?:ai|artificial|language|large)\b"
    r"|(?:please|could\ you)\ (?:please\ )?(?:provide|share|paste|send)\b"
    r"[^.!?]{0,30}?\b(?:text|passage|page|content|document|excerpt)\b"
    r"|(?:es\ )?tut\ mir\ leid\b.{0,60}?\bkann\b|(?:das|dabei|damit|leider)\ kann\ ich\b.{0,40}?\bnicht\b"
    r"|als\ ki\b"
    r"|(?:je\ suis\ )?désolée?\b.{0,40}?\bje\ ne\ (?:peux|suis)\b|en\ tant\ qu['’](?:ia\b|intelligence|assistant)"
    r"|(?:lo\ siento|lamento)\b.{0,40}?\bno\ puedo\b|como\ (?:modelo\ de\ (?:lenguaje|linguagem)|ia\b|inteligencia)"
    r"|mi\ dispiace\b.{0,40}?\bnon\ posso\b|(?:desculpe|sinto\ muito|lamento)\b.{0,40}?\bnão\ posso\b"
    r"|przykro\ mi\b.{0,40}?\bnie\ mogę\b|het\ spijt\ me\b.{0,40}?\bkan\ ik\b"
    r"|(?:извините|к\ сожалению|простите)\b.{0,40}?\bне\ могу\b|как\ (?:языковая\ модель|ии\b)"
    r"|(?:很?抱歉|对不起|對不起).{0,20}?(?:无法|無法|不能)|作为一?个?(?:ai|人工智能|语言模型)|申し訳(?:ありません|ございません)|죄송합니다"
    r")",
    re.IGNORECASE | re.VERBOSE,
)


def why_unfit(note: str, text: str, prompt: Prompt) -> str | None:
    """Why a reply can't be a note on a text, in words to the model; None where it can.

    Args:
        note: The reply.
        text: What it is to be a note on.
        prompt: What was asked.
    """
    if not any(map(str.isalnum, note)):
        return "it holds no word"
    if _ERROR_PAGE.match(note) and not _ERROR_PAGE.match(text):
        return "it is a web page, and no text on the passage"
    if _is_error(note):
        return "it is a message about an error"
    if (declines := _DECLINES.match(note)) and declines[0].casefold() not in text.casefold():
        return "it says nothing of the passage"
    asked = _on_a_line(f"{prompt.system} {prompt.user.removeprefix(prompt.source)}")
    if count_words(note) > 3 and _on_a_line(note) in asked:
        return "it repeats what was asked"
    return None


def _on_a_line(text: str) -> str:
    return " ".join(text.casefold().split())


def _is_error(note: str) -> bool:
    """Whether a reply is JSON that tells of an error alone."""
    if note.lstrip().startswith("{"):
        with suppress(ValueError, RecursionError):
            names = {str(name).casefold() for name in json.loads(note)}
            return bool(names & _ERROR_KEYS) and names <= _ERROR_KEYS | _KEYS_BESIDE
    return False
