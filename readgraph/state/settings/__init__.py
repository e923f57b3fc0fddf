"""Every setting of a reading, declared once: its type, bounds, default and help, in groups by purpose.

A node names the groups that it reads (`readgraph.nodes.step.node`). The runtime context, LangGraph Studio's forms,
the command's options and the tables of the documentation are all made from here. This module imports only the standard
library and `annotated_types`, so that the command's help does not have to wait for pydantic.
"""
# ruff: noqa: F403, F405 -- `__all__` says what is meant by the stars

from readgraph.state.declaring import Groups
from readgraph.state.settings.methods import *
from readgraph.state.settings.parts import *

__all__ = [
    "EXAMPLE_MODEL",
    "GROUPS",
    "LONG",
    "PACKAGED_MODEL",
    "AgentStorages",
    "AnswerForm",
    "AnswerLength",
    "Batching",
    "Budget",
    "Calls",
    "Chaining",
    "Checking",
    "Chunks",
    "Concurrency",
    "Embeddings",
    "Evidence",
    "Excerpt",
    "Gists",
    "Language",
    "LookUp",
    "LookingBack",
    "Memorizing",
    "MemoryParts",
    "MemoryPressure",
    "Model",
    "NoteGates",
    "NoteTaking",
    "PageSizes",
    "PagesRead",
    "Paging",
    "ParagraphBreak",
    "Paragraphs",
    "Pausing",
    "Preset",
    "Programs",
    "Purpose",
    "Quoting",
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
    "SummaryForm",
    "Surveying",
    "Tenant",
    "ToolName",
    "Tree",
    "Walk",
    "Window",
    "WorkingMemory",
    "full_name",
]

GROUPS: Groups = (
    *(Model, ReadingModel, Embeddings, Window, Concurrency, Calls, Batching, Budget, Tenant, Language, AnswerForm),
    *(Quoting, Checking, SummaryForm),
    *(PageSizes, Paragraphs, Subtrees, Pausing, Gists, Purpose, Rebuilding, PagesRead, LookUp),
    *(Reasoning, Tree, Walk, Memorizing, Reflecting, Research, SearchTools),
    *(Chaining, MemoryParts, MemoryPressure, Surveying),
    *(NoteTaking, LookingBack, NoteGates, Programs),
    *(Retrieval, Segments, Chunks, Excerpt),
)
"""All groups, in the order in which they are shown."""
