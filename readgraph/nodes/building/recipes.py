"""What a recipe holds besides a method's own: purpose, language, the model's settings, the prompts' own words."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any, NotRequired

from typing_extensions import TypedDict

from readgraph.library.page_store import PageStore, page_store
from readgraph.models.names import find_model_entry
from readgraph.models.prompt import Wording, replacement_digests, versions_of
from readgraph.nodes import prompts as style
from readgraph.nodes.contracts import AskedQuestion, ReaderRuntime
from readgraph.nodes.extractive.quoting import question_alone
from readgraph.nodes.prompts import every_wording
from readgraph.nodes.purpose import purpose_parameters, purpose_prompts, serves_purpose, with_question
from readgraph.nodes.step import MakeRecipe
from readgraph.state.context import ReaderContext
from readgraph.state.declaring import Groups, recipe_parameters
from readgraph.state.languages import DEFAULT, certain_language, sample_spans
from readgraph.state.reading import QuestionTurn
from readgraph.state.records import Document, Recipe
from readgraph.state.settings import Model


class PurposeState(TypedDict):
    """The question that may be the purpose, where there is one."""

    question_text: NotRequired[str]
    question_turns: NotRequired[list[QuestionTurn]]
    choices: NotRequired[dict[str, str]]


class BuiltState(PurposeState):
    """What a step reads that goes on building a memory."""

    document: str
    memory: str


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
    return recipe, runtime.override(context=replace(runtime.context, language=language)) if recipe.prompts else runtime


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
