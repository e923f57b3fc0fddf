"""Every setting of a reading, declared once: its type, bounds, default and help, in groups by purpose.

A node names the groups that it reads (`readgraph.nodes.step.node`). The runtime context, LangGraph Studio's forms,
the command's options and the tables of the documentation are all made from here. What a feature alone uses stands in
its folder, and plugs in by the hook `settings`. Nothing here imports pydantic, since the command's help must not wait.
"""
# ruff: noqa: F403, F405 -- `__all__` says what is meant by the stars

from functools import cache
from typing import TYPE_CHECKING

from readgraph.plugins import leave_out, plugged_in
from readgraph.state.declaring import Groups, Settings, fault_of_group, settings_in
from readgraph.state.settings.methods import *
from readgraph.state.settings.parts import *

__all__ = ["AnswerForm", "Language", "PagesRead"]


class CoreSettings(  # the last comes first, since a dataclass orders its fields from the last base to the first
    Excerpt,
    Chunks,
    Segments,
    Retrieval,
    SearchTools,
    Research,
    Reflecting,
    Memorizing,
    Walk,
    Tree,
    Reasoning,
    LookUp,
    PagesRead,
    Meaning,
    Rebuilding,
    Purpose,
    Gists,
    Pausing,
    Paragraphs,
    PageSizes,
    Proving,
    Checking,
    Quoting,
    AnswerForm,
    Language,
    Tenant,
    Budget,
    Calls,
    Concurrency,
    Window,
    Embeddings,
    ReadingModel,
    Model,
):
    """All settings of the core: its groups, from the last to the first in which they are shown."""


@cache
def all_groups() -> Groups:
    """The groups of the core, then of what plugs in, as they are shown; no setting of ours is replaced."""
    groups = list[type[Settings]](CoreSettings.__bases__[::-1])
    taken = {name for group in groups for name in settings_in(group)}
    for package, group in plugged_in("settings", type[Settings]):
        same = sorted(taken & {*settings_in(group)})
        if fault := f"there is a setting '{same[0]}' already" if same else package and fault_of_group(group):
            leave_out(package, fault)
            continue
        groups.insert(groups.index(Budget) if group.calls else len(groups), group)
        taken |= {*settings_in(group)}
    return tuple(groups)


def settings_of_calls() -> Groups:
    """The groups that every step and command takes that asks a model: `Calls`, and what plugs in beside it."""
    return tuple(group for group in all_groups() if group.calls)


if TYPE_CHECKING:
    GROUPS: Groups
    """All groups, in the order in which they are shown."""
else:

    def __getattr__(name: str) -> Groups:
        """`GROUPS`, made when it is first asked for: what plugs in may import this module."""
        if name == "GROUPS":
            return all_groups()
        raise AttributeError(f"module '{__name__}' has no attribute '{name}'")
