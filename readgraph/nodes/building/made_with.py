"""What a recipe holds besides a method's own: the model that a name stands for, and the prompts' own words."""

from dataclasses import replace

from readgraph.models.names.named import named_model
from readgraph.models.replaced_words import replaced_words
from readgraph.nodes.prompts.every import every_wording
from readgraph.state.context import ReaderContext
from readgraph.state.records import Recipe


def made_with(recipe: Recipe, context: ReaderContext) -> Recipe:
    """The whole recipe: with the model that a name stands for, and digests of those of its prompts that are replaced.

    Raises `BadInput` for a wrong file of a prompt.
    """
    recipe = _with_model(recipe)
    if not context.prompts:
        return recipe
    every_wording()
    own = replaced_words(context.prompts, frozenset(recipe.prompts))
    return replace(recipe, parameters={**recipe.parameters, "prompts": own}) if own else recipe


def _with_model(recipe: Recipe) -> Recipe:
    """The recipe with the model that a table of the settings file stands for, and its settings that change the text.

    So a table with another temperature builds another memory, and one with another price finds the same again. Objects
    of the caller's own are known by their names.
    """
    named = named_model(recipe.model) if recipe.model else None
    if not named or not named.table:
        return recipe
    table = named.table
    more = {"model_settings": table.text_settings} if table.text_settings else {}
    return replace(recipe, model=table.full_name, parameters={**recipe.parameters, **more})
