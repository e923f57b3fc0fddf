"""What a recipe holds besides a method's own: purpose, language, the model's settings, the prompts' own words.

What notes are for, where that is known before a text is read, is conditional gisting (ReadAgent, G.1 and G.2).
"""

from collections.abc import Callable, Iterable
from dataclasses import Field, fields, replace
from functools import cache
from typing import Any, NamedTuple, NotRequired, get_args, get_type_hints

from typing_extensions import TypedDict

from readgraph.language.detection import DEFAULT, certain_language, sample_spans
from readgraph.library.page_store import PageStore, page_store
from readgraph.models.names import find_model_entry
from readgraph.models.prompt import Wording, replacement_digests, versions_of
from readgraph.nodes import prompts as style
from readgraph.nodes.contracts import AskedQuestion, ReaderRuntime
from readgraph.nodes.prompts import every_wording, question_alone
from readgraph.nodes.step import MakeRecipe
from readgraph.state.context import ReaderContext
from readgraph.state.declaring import Groups, InRecipe, Settings
from readgraph.state.errors import BadInput
from readgraph.state.files import read_package_toml
from readgraph.state.reading import QuestionTurn
from readgraph.state.records import PRESET, PURPOSE, Document, Recipe
from readgraph.state.settings import Model

NAME, VERSION = "preset", 1  # the version of all presets' texts; a memory built with one holds it


class KnownPurpose(NamedTuple):
    """A kind of text: what a model is told that notes are for, and the words that tell which sentences matter."""

    text: str
    words: str


PRESETS = {name: KnownPurpose(**preset) for name, preset in read_package_toml(__package__, "presets.toml").items()}


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


class PurposeState(TypedDict):
    """The question that may be the purpose, where there is one."""

    question_text: NotRequired[str]
    question_turns: NotRequired[list[QuestionTurn]]
    choices: NotRequired[dict[str, str]]


class BuiltState(PurposeState):
    """What a step reads that goes on building a memory."""

    document: str
    memory: str


def recipe_parameters(context: Any, groups: Groups) -> dict[str, Any]:
    """The parameters of a memory's recipe: the settings of these groups that are marked as `InRecipe`."""
    parameters: dict[str, Any] = {}
    marked = (marked for group in groups for marked in _marked_settings(group))  # type: ignore[arg-type]  # a class is hashable
    for setting, mark in marked:
        value = getattr(context, setting.name)
        if (context.model or not mark.with_model) and not (mark.unless_default and value == setting.default):
            parameters[mark.name or setting.name] = value
    return parameters


@cache
def _marked_settings(group: type[Settings]) -> list[tuple[Field[Any], InRecipe]]:
    hints = get_type_hints(group, include_extras=True)
    marks = [(setting, note) for setting in fields(group) for note in get_args(hints[setting.name])]
    return [(setting, note) for setting, note in marks if isinstance(note, InRecipe)]


def recipe_of_pages(method: str, words: Callable[[ReaderContext], int]) -> MakeRecipe:
    """The recipe of pages of at most so many words, which need no model."""

    def recipe(context: ReaderContext) -> Recipe:
        return Recipe(method, {"words": words(context), "paragraph_break": context.paragraph_break}, model="")

    return recipe


def recipe_of_notes(
    method: str,
    groups: Groups,
    *wordings: Wording,
    more: Callable[[ReaderContext], dict[str, Any]] = lambda context: {},
) -> MakeRecipe:
    """The recipe of notes by these prompts, or by rules without a model: settings that shape a memory, and `more`."""

    @serves_purpose
    def recipe(context: ReaderContext) -> Recipe:
        parameters = recipe_parameters(context, (*groups, Model)) | purpose_parameters(context) | more(context)
        prompts = versions_of(*wordings) if context.model else {}
        return Recipe(method, parameters, context.model, prompts | purpose_prompts(context))

    return recipe


def for_question(state: PurposeState, runtime: ReaderRuntime) -> ReaderRuntime:
    """The runtime of a step that builds or finds a memory, with the question as purpose where the preset says so."""
    if not state.get("question_text"):
        return runtime
    turns, choices = state.get("question_turns") or [], state.get("choices") or {}
    asked_question = AskedQuestion(question_text=state["question_text"], question_turns=turns, choices=choices)
    return runtime.override(context=with_question(runtime.context, question_alone(asked_question), choices.values()))


def complete_recipe(recipe: Recipe, context: ReaderContext) -> Recipe:
    """The whole recipe: with what the model's name stands for, and digests of replaced prompts. Raises `BadInput`."""
    named = find_model_entry(recipe.model) if recipe.model else None
    if named and named.table:
        # A table with another temperature builds another memory, and one with another price finds the same again.
        settings = named.table.text_settings
        more = {"model_settings": settings} if settings else {}
        recipe = replace(recipe, model=named.table.full_name, parameters={**recipe.parameters, **more})
    if not context.prompts:
        return recipe
    every_wording()
    own = replacement_digests(context.prompts, frozenset(recipe.prompts))
    return replace(recipe, parameters={**recipe.parameters, "prompts": own}) if own else recipe


async def apply_notes_language(
    recipe: Recipe, document: Document, runtime: ReaderRuntime
) -> tuple[Recipe, ReaderRuntime]:
    """The recipe for this document, and a runtime whose setting `language` is what prompts say of it ("": nothing)."""
    recipe, language = await resolve_notes_language(recipe, document, runtime.context, page_store(runtime))
    if recipe.prompts and language != runtime.context.language:
        runtime = runtime.override(context=replace(runtime.context, language=language))
    return recipe, runtime


async def resolve_notes_language(
    recipe: Recipe, document: Document, context: ReaderContext, store: PageStore
) -> tuple[Recipe, str]:
    """The whole recipe of a memory of this document, and the language that its prompts name: "" where they name none.

    None is named for English, unless the setting asks for it of another text, or where a text's language isn't certain.
    What is said by default counts as a prompt, so that earlier memories stay in use; another language is a parameter.
    """
    if not recipe.prompts:
        return recipe, ""
    recipe = complete_recipe(recipe, context)
    own = certain_language(await store.spans(document, sample_spans(document.characters)))
    wanted = context.language or own
    if not wanted or (wanted == DEFAULT and own in (DEFAULT, "")):
        return recipe, ""
    recipe = replace(recipe, prompts={**recipe.prompts, style.NAME: style.VERSION})
    # The language of a history may change while it grows, and what was read of it must be found again.
    if context.language and (context.language != own or document.sessions):
        recipe = replace(recipe, parameters={**recipe.parameters, "language": context.language})
    return recipe, wanted
