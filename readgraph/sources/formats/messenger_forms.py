"""Where the exports of messengers keep who wrote what, and when: a row for each form of JSON, CSV or XML.

Fields are paths into a message ("author/name"); of several the first that is there counts. What else a message of a
form shows is told by the function that its row names.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from readgraph.sources.formats import messenger_parts as parts

Shown = Callable[[dict[str, Any]], Iterable[str]]


@dataclass(frozen=True, kw_only=True)
class MessageForm:
    """One form of messages.

    Attributes:
        marks: The fields that a message of it has.
        speaker: Who wrote it.
        unnamed: The speaker where none is named.
        text: What is written.
        time: When.
        identity: By what another message names it.
        answers: The identity of the message that it answers.
        quoted: What it tells itself of that one: who wrote it, and what.
        edited: A field that says it was changed.
        deleted: A field that says it was deleted.
        replaces: Gives the identity of the message whose text it changes.
        shown: Gives the lines that it has beside its text.
        said: Gives its text, where a field is not yet that.
        repair: Whether the bytes of its UTF-8 stand as characters.
    """

    marks: tuple[str, ...]
    speaker: tuple[str, ...]
    text: tuple[str, ...] = ()
    time: tuple[str, ...]
    unnamed: str = ""
    identity: tuple[str, ...] = ("id",)
    answers: tuple[str, ...] = ()
    quoted: tuple[str, ...] = ()
    edited: tuple[str, ...] = ()
    deleted: tuple[str, ...] = ()
    replaces: Callable[[dict[str, Any]], str] = lambda _: ""
    shown: Shown = lambda _: ()
    said: Callable[[Any, dict[str, Any]], str] = parts.plain
    repair: bool = False


FORMS = (
    MessageForm(  # Telegram's result.json
        marks=("id", "type", "text"),
        speaker=("from", "actor"),
        unnamed="Deleted account",
        text=("text",),
        time=("date_unixtime", "date"),
        answers=("reply_to_message_id", "message_id"),
        edited=("edited",),
        said=parts.text_of_telegram,
        shown=parts.shown_on_telegram,
    ),
    MessageForm(  # DiscordChatExporter
        marks=("id", "author", "content"),
        speaker=("author/nickname", "author/name"),
        text=("content",),
        time=("timestamp",),
        answers=("reference/messageId",),
        edited=("timestampEdited",),
        said=parts.text_of_discord,
        shown=parts.shown_on_discord,
    ),
    MessageForm(  # its CSV
        marks=("AuthorID", "Author", "Date", "Content"),
        speaker=("Author",),
        text=("Content",),
        time=("Date",),
        shown=lambda message: parts.labelled(message, Attached="Attachments", Reactions="Reactions"),
    ),
    MessageForm(  # Discord's package of one's own data
        marks=("ID", "Timestamp", "Contents"),
        speaker=(),
        unnamed="Me",
        text=("Contents",),
        time=("Timestamp",),
        identity=("ID",),
        shown=lambda message: parts.labelled(message, Attached="Attachments"),
    ),
    MessageForm(  # Teams and Skype
        marks=("originalarrivaltime",),
        speaker=("displayName", "imdisplayname", "from"),
        text=("content",),
        time=("originalarrivaltime", "composetime"),
        edited=("properties/edittime",),
        deleted=("properties/deletetime",),
        said=parts.text_of_teams,
        shown=parts.shown_on_teams,
    ),
    MessageForm(  # Teams, by Microsoft Graph
        marks=("createdDateTime", "body"),
        speaker=("from/user/displayName", "from/application/displayName"),
        text=("body/content",),
        time=("createdDateTime",),
        answers=("replyToId",),
        edited=("lastEditedDateTime",),
        deleted=("deletedDateTime",),
        said=parts.text_of_teams,
        shown=parts.shown_on_graph,
    ),
    MessageForm(  # Facebook and Instagram
        marks=("sender_name", "timestamp_ms"),
        speaker=("sender_name",),
        text=("content",),
        time=("timestamp_ms",),
        deleted=("is_unsent",),
        shown=parts.shown_on_facebook,
        repair=True,
    ),
    MessageForm(  # Facebook, of chats that are encrypted
        marks=("senderName", "timestamp", "text"),
        speaker=("senderName",),
        text=("text",),
        time=("timestamp",),
        deleted=("isUnsent",),
        shown=parts.shown_on_facebook,
    ),
    MessageForm(  # Google Chat
        marks=("creator", "created_date"),
        speaker=("creator/name", "creator/email"),
        text=("text",),
        time=("created_date",),
        identity=("message_id",),
        answers=("quoted_message_metadata/message_id",),
        quoted=("quoted_message_metadata/creator/name", "quoted_message_metadata/text"),
        deleted=("deletion_metadata",),
        shown=parts.shown_on_google,
    ),
    MessageForm(  # Matrix (Element)
        marks=("event_id", "sender", "origin_server_ts"),
        speaker=("sender",),
        text=("content/m.new_content/body", "content/body"),
        time=("origin_server_ts",),
        identity=("event_id",),
        answers=("content/m.relates_to/m.in_reply_to/event_id", "content/m.relates_to/event_id"),
        deleted=("unsigned/redacted_because",),
        replaces=parts.replaced_on_matrix,
        said=parts.text_of_matrix,
        shown=parts.shown_on_matrix,
    ),
    MessageForm(  # signal-export's data.json
        marks=("date", "sender", "body", "quote"),
        speaker=("sender",),
        text=("body",),
        time=("date",),
        quoted=("quote",),
        deleted=("deleted",),
        shown=parts.shown_on_signal_export,
    ),
    MessageForm(  # SMS Backup & Restore, and Signal's old plain backup
        marks=("address", "date", "body", "type"), speaker=("by",), text=("body",), time=("date",)
    ),
    MessageForm(  # iMazing's CSV
        marks=("Message Date", "Sender Name", "Text"),
        speaker=("Sender Name", "Sender ID"),
        unnamed="Me",
        text=("Text",),
        time=("Message Date",),
        quoted=("Replying to",),
        shown=lambda message: parts.labelled(message, Attached="Attachment", Reactions="Reactions"),
    ),
)
