"""What notes are for, where that is known before a text is read: conditional gisting (ReadAgent, G.1 and G.2).

A purpose is a task in the user's words, a preset, or the asked question. It stands in the prompts of notes and in the
recipe of their memory, so that each purpose has a memory of its own.
"""

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from readgraph.nodes.prompts import purpose as words
from readgraph.nodes.prompts.purpose import PRESETS
from readgraph.nodes.step import MakeRecipe
from readgraph.state.context import ReaderContext
from readgraph.state.errors import BadInput
from readgraph.state.records import PRESET, PURPOSE

ASKED = "answering this question: "
"""What stands before the asked question where it is the purpose."""


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
    """What the recipe of a memory says of its purpose: nothing where none is known.

    Raises `BadInput` where the purpose is the asked question and there is none.
    """
    if context.preset == "question":
        raise BadInput("The preset 'question' needs a question: ask one, or choose another preset to read a text.")
    named = {PRESET: context.preset, PURPOSE: context.purpose}
    return {name: value for name, value in named.items() if value}


def purpose_prompts(context: ReaderContext) -> dict[str, int]:
    """The version of the preset's text in a recipe, where a preset is named."""
    return {words.NAME: words.VERSION} if context.preset else {}
