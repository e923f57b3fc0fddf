"""The settings of surveys."""

from typing import Annotated

from annotated_types import Ge

from readgraph.state.declaring import Help, Settings


class Surveying(Settings, panel="Surveys"):
    """How a survey takes records."""

    fields: Annotated[
        str, Help("The columns of each record, instead of those that the question needs.", "NAME:KIND,…")
    ] = ""
    survey_words: Annotated[int, Ge(10), Help("Records are taken from parts of at most this many words.")] = 1000
    survey_parts: Annotated[int, Ge(1), Help("Where records are rare, at most this many parts are looked at.")] = 30
