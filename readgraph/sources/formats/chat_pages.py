"""Chats as pages: what Telegram, DiscordChatExporter, imessage-exporter, signal-export and Teams write as HTML.

A row for each says which class of elements holds what.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from typing import TYPE_CHECKING
from urllib.parse import unquote

from readgraph.sources.encodings import decode_html
from readgraph.sources.formats.chat_messages import DELETED, EDITED, Message, MessengerChat, bracketed
from readgraph.sources.formats.html_parts import classes_of, text_of
from readgraph.sources.left_out import LeftOut
from readgraph.sources.parsing import iterate_html, local_name

if TYPE_CHECKING:
    from lxml.etree import _Element


class Role(Enum):
    """What an element of a message holds."""

    SPEAKER, TIME, TEXT, ANSWERED, MEDIA, FILES, REACTIONS, FORWARDED, FORWARDER, EDITED, SKIPPED = range(11)


_REACTION = frozenset("reaction tapback chatlog__reaction".split())
_SAMPLE = 200_000  # bytes at a page's begin in which the first message stands, after its style
_NOT_INCLUDED = re.compile(r"(?:,\s*)?Not included, change data exporting settings to download\.?")
_THUMBNAIL = re.compile(r"_thumb\.\w+$")
_IDENTITY = re.compile(r"(?:message|go_to_message|container-|r-)?(-?[\w:.-]+)$")


@dataclass(frozen=True, kw_only=True)
class PageForm:
    """One form of pages.

    Attributes:
        sign: What is in each such page.
        title: The class of what names the chat, how many of these elements, and "" for the page's own title.
        messages: The classes of messages.
        notices: The classes of lines of the program.
        roles: What the elements of a class hold.
        passed_over: Identities of lines that only part the days.
    """

    sign: re.Pattern[bytes]
    title: str = ""
    titles: int = 1
    messages: frozenset[str]
    notices: frozenset[str] = frozenset()
    roles: Mapping[str, Role] = field(default_factory=dict)
    passed_over: re.Pattern[str] = re.compile(r"(?!)")


def _sign(classes: str) -> re.Pattern[bytes]:
    return re.compile(rf"""class=["']?(?:{classes})[\s"'>]""".encode())


def _roles(**classes: str) -> dict[str, Role]:
    return {name: Role[role] for role, names in classes.items() for name in names.split()}


FORMS = (
    PageForm(  # Telegram
        sign=_sign("message default clearfix|page_body chat_page"),
        title="page_header",
        messages=frozenset(["default"]),
        notices=frozenset(["service"]),
        roles=_roles(
            SPEAKER="from_name",
            TIME="date",
            TEXT="text media_poll",
            ANSWERED="reply_to",
            FORWARDED="forwarded",
            MEDIA="media photo_wrap sticker_wrap video_file_wrap animated_wrap media_call",
            REACTIONS="reactions",
            SKIPPED="userpic_wrap page_header bot_buttons_table",
        ),
        passed_over=re.compile(r"message-\d+"),
    ),
    PageForm(  # DiscordChatExporter
        sign=_sign("chatlog__[a-z-]+"),
        title="preamble__entry",
        titles=2,
        messages=frozenset(["chatlog__message-container", "chatlog__message"]),
        roles=_roles(
            SPEAKER="chatlog__author chatlog__author-name chatlog__system-notification-author",
            TIME="chatlog__timestamp chatlog__short-timestamp chatlog__system-notification-timestamp",
            MEDIA="chatlog__system-notification-content chatlog__sticker",
            ANSWERED="chatlog__reply chatlog__reference",
            EDITED="chatlog__edited-timestamp",
            FILES="chatlog__attachment",
            REACTIONS="chatlog__reactions",
            TEXT="chatlog__markdown chatlog__content chatlog__embed chatlog__forwarded",
            SKIPPED="chatlog__author-tag chatlog__bot-tag chatlog__reply-symbol",
        ),
    ),
    PageForm(  # imessage-exporter
        sign=re.compile(rb"""class=["']?(?:received|sent)\b[^>]*>\s*<p>\s*<span class=["']?timestamp"""),
        messages=frozenset(["message"]),
        notices=frozenset(["announcement"]),
        roles=_roles(
            TIME="timestamp",
            SPEAKER="sender",
            SKIPPED="replies reply_anchor",
            ANSWERED="reply_context",
            TEXT="message_part expressive subject edited unsent deleted",
            REACTIONS="reactions tapbacks",
        ),
    ),
    PageForm(  # signal-export
        sign=re.compile(
            rb"""class=["']?(?:msg|event)\b[^>]*>\s*(?:<div class=["']?meta|"""
            rb"""<(?:span|p|time) class=["']?(?:date|quote|body|sender|time))"""
        ),
        messages=frozenset(["msg"]),
        notices=frozenset(["event", "call"]),
        roles=_roles(TIME="date time", SPEAKER="sender", ANSWERED="quote", TEXT="body", REACTIONS="reaction reactions"),
    ),
    PageForm(  # Teams, as Purview's search exports it
        sign=_sign("(?:sent|received|unknown-direction)-message-wrapper"),
        title="chat-title",
        messages=frozenset(f"{direction}-message-wrapper" for direction in ("sent", "received", "unknown-direction")),
        roles=_roles(SPEAKER="message-sender", TIME="message-date", TEXT="message-text"),
    ),
)


def is_chat_page(begin: bytes) -> bool:
    """Whether a page that begins so shows a chat."""
    return any(form.sign.search(begin) for form in FORMS)


def page_chat(data: bytes, name: str, left_out: LeftOut) -> MessengerChat | None:
    """The chat on a page; None where the page shows none. Raises `BadInput` if it can't be read."""
    form = next((each for each in FORMS if each.sign.search(data[:_SAMPLE])), None)
    if form is None:
        return None
    html = decode_html(data, name, left_out.say)
    named, own, messages = list[str](), "", list[Message]()
    in_threads = dict[str, str]()
    for element in iterate_html(html, name):
        classes = classes_of(element)
        if form.title in classes and len(named) < form.titles:
            named.append(text_of(element))
        elif element.tag == "title":
            own = own or "".join(element.itertext())
        if classes & (form.messages | form.notices) and not _is_within(element, form):
            in_threads |= _answered_in_thread(element, form)
            if not form.passed_over.fullmatch(element.get("id") or ""):
                messages.append(_notice(element, form) if classes & form.notices else _message(element, form))
            element.clear(keep_tail=True)
    if not messages:
        return None
    if not html.rstrip().endswith("</html>"):
        left_out.say("it doesn't end as a page does, and may be cut short")
    answering = (each._replace(answers=in_threads.get(each.identity, each.answers)) for each in messages)
    return MessengerChat(_title(named or [own]), [*answering])


def _title(named: Sequence[str]) -> str:
    title, *inner = (" ".join(each.split()) for each in named)
    return " #".join([title, *(each.rpartition(" / ")[2] for each in inner)])  # a channel, as in JSON


def _is_within(element: "_Element", form: PageForm) -> bool:
    """Whether it stands in another message: as a part of it, or as a reply that stands at its own place too."""
    return any((form.messages | form.notices) & classes_of(each) for each in element.iterancestors())


def _answered_in_thread(element: "_Element", form: PageForm) -> dict[str, str]:
    """That the replies which stand below a message, and once more at their own places, answer it (of iMessage)."""
    answered = _identity(element.get("id"))
    inner = [each for each in element.iterdescendants() if form.messages & classes_of(each)] if answered else []
    return {identity: answered for each in inner if (identity := _identity(each.get("id")))}


def _identity(name: str | None) -> str:
    found = _IDENTITY.search(name or "")
    return found[1] if found else ""


def _notice(element: "_Element", form: PageForm) -> Message:
    apart = [name for name, role in form.roles.items() if role == Role.TIME]
    times = [each for each in element.iter() if classes_of(each) & {*apart}]
    text = " ".join(text_of(element, apart).split())
    return Message("", bracketed(text), _time(times[0]) if times else None, _identity(element.get("id")))


def _message(element: "_Element", form: PageForm) -> Message:
    held: dict[Role, list[_Element]] = {}
    _gather(element, form, held, None)
    speakers = [text_of(each, ["details", "date"]) for each in held.get(Role.SPEAKER, ())]
    lines = [f"(forwarded from {text_of(each, ['details', 'date'])})" for each in held.get(Role.FORWARDER, ())]
    lines += [text_of(each) or _named(each) for each in held.get(Role.TEXT, ())]
    lines += [_media(each) for each in held.get(Role.MEDIA, ())]
    lines += [_named(each) or text_of(each) for each in held.get(Role.FILES, ())]
    lines += [told for each in held.get(Role.REACTIONS, ()) if (told := _reactions(each))]
    text = "\n".join(filter(None, lines))
    if "deleted" in classes_of(element):
        text = DELETED
    if text and held.get(Role.EDITED):
        text = f"{text}\n{EDITED}"
    times = [time for each in held.get(Role.TIME, ()) if (time := _time(each))]
    quoted, answers = "", ""
    for each in held.get(Role.ANSWERED, ()):
        links = [link.get("href") or link.get("onclick") or "" for link in each.iter() if isinstance(link.tag, str)]
        found = [re.search(r"(?:#go_to_message|['\"]|container-)(\d+)", link) for link in links]
        answers = next((link[1] for link in found if link), "")
        quoted = text_of(each) if not answers and "reply_to" not in classes_of(each) else ""
        quoted = "" if quoted.startswith("This message responded") else quoted
        answers = answers or "-"
    identity = _identity(element.get("data-message-id") or element.get("id"))
    return Message(
        speakers[0] if speakers else None, text, max(times, key=len) if times else None, identity, answers, quoted
    )


def _gather(element: "_Element", form: PageForm, held: "dict[Role, list[_Element]]", within: Role | None) -> None:
    """Put the elements of a message under what they hold; not what is in these again."""
    waiting = [(each, within) for each in reversed(element)]
    while waiting:
        each, within = waiting.pop()
        classes = classes_of(each)
        roles = [role for name, role in form.roles.items() if name in classes]  # in their order, as sets have none
        role = Role.SKIPPED if Role.SKIPPED in roles else next(iter(roles), None)
        if within == Role.FORWARDED and role in (Role.SPEAKER, Role.TIME):
            role = Role.FORWARDER if role == Role.SPEAKER else Role.SKIPPED
        if role == Role.SKIPPED:
            continue
        if role and role != Role.FORWARDED and not (role == Role.TEXT and "media_wrap" in classes):
            held.setdefault(role, []).append(each)
        else:
            waiting += [(inner, role or within) for inner in reversed(each)]


def _time(element: "_Element") -> str:
    """The longest form in which a time is told."""
    told = [element.get("title") or "", element.get("datetime") or "", text_of(element)]
    told += [each.get("datetime") or each.get("title") or "" for each in element if isinstance(each.tag, str)]
    return max((each for each in told if re.search(r"\d", each)), key=len, default="").strip()


def _named(element: "_Element") -> str:
    """The files that an element shows, where it has no words."""
    names = [each.get("src") or each.get("href") or "" for each in element.iter() if isinstance(each.tag, str)]
    shown = [
        unquote(name).partition("?")[0].rpartition("/")[2] for name in names if name and not name.startswith("data:")
    ]
    shown = [name for name in shown if not _THUMBNAIL.search(name)]
    return f"Attached: {', '.join(dict.fromkeys(filter(None, shown)))}" if any(shown) else ""


def _media(element: "_Element") -> str:
    """A line for what has no text: "[voice message, 0:12, 45.1 KB]"."""
    kinds = [name for name in classes_of(element) if name.startswith("media_") or name.endswith("_wrap")]
    kind = min(kinds, key=len, default="").removeprefix("media_").removesuffix("_wrap").removesuffix("_file")
    kind = kind.replace("_", " ")
    lines = [_NOT_INCLUDED.sub("", line).strip(" ,") for line in text_of(element).split("\n")]
    lines = [line for line in lines if line and line.casefold() not in (kind, f"{kind} file")]
    if not kind and not lines:
        return _named(element) or local_name(element.tag)
    told = bracketed(kind, *lines) if kind or local_name(element.tag) != "a" else ", ".join(lines)
    name = _named(element).removeprefix("Attached: ")
    return f"{told} {name}" if name and name not in told and kind in ("photo", "video", "sticker") else told


def _reactions(element: "_Element") -> str:
    """The signs under a message, each with how many or who gave it."""
    single = [each for each in element.iter() if _REACTION & classes_of(each) and each is not element]
    outer = [each for each in single if not any(above in single for above in each.iterancestors())]
    told = map(_words_of, outer or [element])
    shown = [line for each in told if (line := " ".join(each.split()))]
    return f"Reactions: {'; '.join(shown)}" if shown else ""


def _words_of(element: "_Element") -> str:
    """An element's text, with a space between inner elements that have nothing beside them: "👍 2"."""
    beside = [element.text, *(each.tail for each in element)]
    return text_of(element) if any(map(str.strip, filter(None, beside))) else " ".join(map(text_of, element))
