"""Every setting of a reading, declared once: its type, bounds, default and help, in groups by purpose.

A node names the groups that it reads (`readgraph.nodes.step.step_with`). The runtime context, LangGraph Studio's forms,
the command's options and the tables of the documentation are all made from here. This module imports only the standard
library and `annotated_types`, so that the command's help does not have to wait for pydantic.
"""

from readgraph.state.declaring import Groups
from readgraph.state.settings.methods import (
    AgentMemory,
    Chaining,
    Evidence,
    Excerpt,
    Memorizing,
    Ranking,
    Reasoning,
    Reflecting,
    Research,
    Retrieval,
    SearchTools,
    Segments,
    ToolName,
    Tree,
    Walk,
    WorkingMemory,
)
from readgraph.state.settings.model import (
    PACKAGED_MODEL,
    Budget,
    Calls,
    Concurrency,
    Embeddings,
    Model,
    ReadingModel,
    ReplyForm,
    Tenant,
    Window,
    full_name,
)
from readgraph.state.settings.parts import (
    Gists,
    LookUp,
    PageSizes,
    PagesRead,
    Paging,
    ParagraphBreak,
    Paragraphs,
    Pausing,
    Preset,
    Purpose,
    Rebuilding,
    Strategy,
    Subtrees,
)
from readgraph.state.settings.writing import AnswerForm, AnswerLength, Language

__all__ = [
    "GROUPS",
    "PACKAGED_MODEL",
    "AgentMemory",
    "AnswerForm",
    "AnswerLength",
    "Budget",
    "Calls",
    "Chaining",
    "Concurrency",
    "Embeddings",
    "Evidence",
    "Excerpt",
    "Gists",
    "Language",
    "LookUp",
    "Memorizing",
    "Model",
    "PageSizes",
    "PagesRead",
    "Paging",
    "ParagraphBreak",
    "Paragraphs",
    "Pausing",
    "Preset",
    "Purpose",
    "Ranking",
    "ReadingModel",
    "Reasoning",
    "Rebuilding",
    "Reflecting",
    "ReplyForm",
    "Research",
    "Retrieval",
    "SearchTools",
    "Segments",
    "Strategy",
    "Subtrees",
    "Tenant",
    "ToolName",
    "Tree",
    "Walk",
    "Window",
    "WorkingMemory",
    "full_name",
]

GROUPS: Groups = (
    *(Model, ReadingModel, Embeddings, Window, Concurrency, Calls, Budget, Tenant, Language, AnswerForm),
    *(PageSizes, Paragraphs, Subtrees, Pausing, Gists, Purpose, Rebuilding, PagesRead, LookUp),
    *(Reasoning, Tree, Walk, Memorizing, Reflecting, Research, SearchTools, Chaining, Retrieval, Segments, Excerpt),
)
"""All groups, in the order in which they are shown."""
