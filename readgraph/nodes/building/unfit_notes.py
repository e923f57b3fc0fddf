"""Replies that are no notes on a text: apologies, pages of errors, loops, the instructions, words on something else.

Models and gateways send them as if they were replies. Each rule is sure, or else the reply is taken.
"""

import json
import re
from contextlib import suppress

from readgraph.library.search.terms import different_content_words
from readgraph.models.names import FUNCTION
from readgraph.models.prompt import Prompt
from readgraph.state.context import ReaderContext
from readgraph.state.languages import NAMES, language_by_words
from readgraph.state.words import count_words

FEWEST_WORDS = 40  # of a text with which each note on it has a word or number in common
LONGEST_LOOP, REPEATS, LEAST = 300, 4, 24  # characters that come again and again; how often at least; all together
_ERROR_PAGE = re.compile(r"(?:```\w*\s*)?<(?:!doctype|html|\?xml|head|title)\b", re.IGNORECASE)
_ERRORS = frozenset(("error", "errors", "detail", "message", "status_code", "fault"))
_DECLINES = re.compile(
    r"\W{0,3}(?:"
    r"(?:i(?:['’]m|\ am)\ (?:\w+\ )?sorry|(?:i\ )?(?:apologi[sz]e|my\ apologies)|sorry|unfortunately)\b[^.!?]{0,40}?"
    r"\bi\s?(?:can(?:no|['’])?t|am\ (?:unable|not\ able)|['’]m\ (?:unable|not\ able)|do(?:n['’]|\ no)t|won['’]t|could)"
    r"|i\s?(?:can(?:no|['’])t|am\ (?:unable|not\ able)\ to|['’]m\ (?:unable|not\ able)\ to|won['’]t)\ (?:\w+\ )?"
    r"(?:assist|help|comply|fulfil|provide|process|summari|shorten|access|continue|complete|engage|see\ the|view)"
    r"|as\ an?\ (?:ai|artificial|language|large)\b|(?:please|could\ you)\ (?:please\ )?(?:provide|share|paste|send)\b"
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


def why_unfit(note: str, text: str, prompt: Prompt, context: ReaderContext) -> str | None:
    """Why a reply can't be a note on a text, in words to the model; None where it can.

    Args:
        note: The reply.
        text: What it is to be a note on.
        prompt: What was asked.
        context: Names the language of notes, and the model; a function of the user's own may tell of anything.
    """
    if not any(map(str.isalnum, note)):
        return "it holds no word"
    if _ERROR_PAGE.match(note) and not _ERROR_PAGE.match(text):
        return "it is a web page, and no text on the passage"
    if _is_error(note):
        return "it is a message about an error"
    if (declines := _DECLINES.match(note)) and declines[0].casefold() not in text.casefold():
        return "it says nothing of the passage"
    if _repeats(note, text):
        return "it repeats itself without end"
    asked = _on_a_line(f"{prompt.system} {prompt.user.removeprefix(prompt.source)}")
    if count_words(note) > 3 and _on_a_line(note) in asked:
        return "it repeats what was asked"
    spoken, own = language_by_words(text, ""), language_by_words(note, "")
    wanted = context.language or spoken
    if wanted and own not in ("", wanted):
        return f"it is in {NAMES[own]}, not in {NAMES[wanted]}"
    is_function, is_same = context.model.startswith(FUNCTION), context.language in ("", spoken)
    if count_words(text) >= FEWEST_WORDS and is_same and not is_function:
        known = different_content_words(text)
        if len(known) >= FEWEST_WORDS // 2 and not known & different_content_words(note):
            return "it has no word, name or number in common with the passage"
    return None


def _on_a_line(text: str) -> str:
    return " ".join(text.casefold().split())


def _is_error(note: str) -> bool:
    """Whether a reply is JSON that tells of an error alone."""
    if note.lstrip().startswith("{"):
        with suppress(ValueError, RecursionError):
            return bool(_ERRORS & {str(name).casefold() for name in json.loads(note)})
    return False


def _repeats(note: str, text: str) -> bool:
    """Whether a reply ends with the same characters again and again, as its text does not."""
    for size in range(1, min(LONGEST_LOOP, len(note) // REPEATS) + 1):
        times = max(REPEATS, -(-LEAST // size))
        tail = note[-size * times :]
        if len(tail) == size * times and tail == tail[:size] * times:
            return tail not in text
    return False
