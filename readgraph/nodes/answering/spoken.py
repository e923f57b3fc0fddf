"""The answer as a chat message: of the conversation, where the question came as one, and for whoever streams them."""

from typing import Any, cast

from langchain_core.messages import AIMessage

from readgraph.models.metering import current_meter
from readgraph.models.replies.streaming import send
from readgraph.nodes.contracts import AskedState, SaidAnswer
from readgraph.nodes.not_memorised import told_missing
from readgraph.state.chat_messages import asked_in
from readgraph.state.records import Document

NOT_FOUND = "I found no answer to this in the text."
GAVE_NONE = "The model gave no answer to this that could be used."
NEAREST = "No model answered this. Nearest passages:"
NEAREST_OPTION = "No model answered this. Nearest option:"
RESEARCHED = "I gathered what the text says about this; the answer was left to you."


def spoken(said: SaidAnswer, document: Document, state: AskedState) -> dict[str, Any]:
    """The update with the answer as a message; nothing where the question did not come as a message.

    The message has the id of what was streamed of it, so that a client shows it once. Its metadata holds the status.
    LangGraph streams a message of the update; without one it is sent here, if nothing of it was streamed.
    """
    meter = current_meter()
    metadata = {"status": said.status, "document": document.id}
    missing = told_missing(cast("dict[str, Any]", state).get("not_memorised"))
    words = f"{_words(said)}\n\n{missing}." if missing else _words(said)
    message = AIMessage(words, id=meter.message_id, response_metadata=metadata)
    if asked_in(state.get("messages") or []):
        return {"messages": [message]}
    if meter.said != meter.message_id:
        send(meter, message)
    return {}


def _words(said: SaidAnswer) -> str:
    if not said.answer:
        gave_none = GAVE_NONE if said.nearest and current_meter().context.model else NOT_FOUND
        return RESEARCHED if said.context_alone else gave_none
    nearest = NEAREST_OPTION if said.choice else NEAREST
    return f"{nearest}\n\n{said.answer}" if said.nearest else said.answer
