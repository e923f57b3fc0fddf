"""What notes are for, where that is known before a text is read: conditional gisting (ReadAgent, G.1 and G.2)."""

import tomllib
from collections.abc import Iterable
from dataclasses import replace
from importlib.resources import files
from typing import Any, NamedTuple

from readgraph.nodes.step import MakeRecipe
from readgraph.state.context import ReaderContext
from readgraph.state.errors import BadInput
from readgraph.state.records import PRESET, PURPOSE

NAME, VERSION = "preset", 1  # the version of all presets' texts; a memory built with one holds it


class KnownPurpose(NamedTuple):
    """A kind of text: what a model is told that notes are for, and the words that tell which sentences matter."""

    text: str
    words: str


PRESETS = {
    name: KnownPurpose(**preset)
    for name, preset in tomllib.loads(files(__package__).joinpath("presets.toml").read_text(encoding="utf-8")).items()
}


def purpose_line(notes: str, purpose: str) -> str:
    """The line above a task that says what the `notes` are for; "" where no purpose is known."""
    return f"What the {notes} is for: {purpose.strip()}\n" if purpose.strip() else ""


ASKED = "answering this question: "  # what stands before the asked question where it is the purpose


def with_question(context: ReaderContext, question: str, options: Iterable[str] = ()) -> ReaderContext:
    """The context with the question as purpose, if its preset is `question`; else as it is."""
    if context.preset != "question":
        return context
    asked = ASKED + "\n".join([question.strip(), *(f"- {option.strip()}" for option in options)])
    return replace(context, preset=None, purpose="\n".join(filter(None, [context.purpose, asked])))


def purpose_of(context: ReaderContext) -> str:
    """What a model is told that notes are for; "" where no purpose is known."""
    preset = PRESETS[context.preset].text if context.preset else ""
    return "\n".join(filter(None, [preset, context.purpose]))


def purpose_words(context: ReaderContext) -> str:
    """The words that tell, without a model, which sentences serve the purpose."""
    preset = PRESETS[context.preset].words if context.preset else ""
    return " ".join(filter(None, [preset, context.purpose.replace(ASKED, "")]))


def serves_purpose(recipe: MakeRecipe) -> MakeRecipe:
    """The recipe, marked as one that `purpose_parameters` are part of: the asked question may be its purpose."""
    vars(recipe)["serves_purpose"] = True
    return recipe


def purpose_parameters(context: ReaderContext) -> dict[str, Any]:
    """What a memory's recipe says of its purpose; raises `BadInput` where that is a question and none is asked."""
    if context.preset == "question":
        raise BadInput("The preset 'question' needs a question: ask one, or choose another preset to read a text.")
    named = {PRESET: context.preset, PURPOSE: context.purpose}
    return {name: value for name, value in named.items() if value}


def purpose_prompts(context: ReaderContext) -> dict[str, int]:
    """The version of the preset's text in a recipe, where a preset is named."""
    return {NAME: VERSION} if context.preset else {}
