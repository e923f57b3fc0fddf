"""Decisions with their reasons, which come first, so that the decision follows from them."""

from functools import cache
from typing import Annotated, Any, TypeVar

from pydantic import BaseModel, BeforeValidator, Field, create_model

from readgraph.models.replies.lenient_fields import LenientReply

ReplyT = TypeVar("ReplyT", bound=BaseModel)

_ASKED_FOR = "In a sentence or two: what speaks for the decision."


class Reasoned(BaseModel):
    """A decision with its reasons. As the last base of a reply it makes them the first field."""

    reasoning: str = Field(description=_ASKED_FOR)


class PerhapsReasoned(LenientReply):
    """A reply with its reasons, which is taken without them too."""

    reasoning: Annotated[str, BeforeValidator(lambda value: value or ""), Field(description=_ASKED_FOR)]


@cache
def reasoned(reply: type[ReplyT]) -> type[ReplyT]:
    """The reply's type with the reasons as its first field."""
    bases: Any = (reply, PerhapsReasoned)
    made: type[ReplyT] = create_model(reply.__name__, __base__=bases, __doc__=reply.__doc__)
    return made
