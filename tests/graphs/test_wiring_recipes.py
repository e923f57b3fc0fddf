"""A memory that can't be used is refused when the graph is built, before anything is paid for."""

from dataclasses import dataclass
from typing import Annotated, Any

import pytest

from readgraph.graphs import gam, mem_walker, read_agent
from readgraph.graphs.baselines import read_chunks
from readgraph.graphs.hybrids import guided_walk, reflective_walk, walk_and_research
from readgraph.nodes.building.build import ReadState, ReadUpdate, read_pages
from readgraph.nodes.building.notes import gist_page
from readgraph.nodes.building.recipes import recipe_parameters
from readgraph.nodes.extractive import pages_by_rule
from readgraph.nodes.step import StepNode
from readgraph.state.context import ReaderContext
from readgraph.state.declaring import Help, InRecipe, Settings, settings_in
from readgraph.state.errors import BadInput
from readgraph.state.records import Recipe

pytestmark = pytest.mark.quick

NO_TREE = "The node 'grow' needs a memory whose recipe has 'children', and the node 'read' builds one without"


async def read_somehow(state: ReadState, runtime: Any) -> ReadUpdate:
    return {"memory": "", "step_summary": ""}


def in_threes(context: ReaderContext) -> Recipe:
    return Recipe("threes", {"children": 3, "words": context.segment_words}, context.model)


OF_ONES_OWN = read_pages(pages_by_rule, gist_page, in_threes)


@pytest.mark.parametrize(
    "read",
    [read_agent.read, gam.memorize, read_chunks, gam.memorize_graph],
    ids=["gists", "memos", "chunks", "memos of a graph"],
)
@pytest.mark.parametrize("method", [mem_walker, guided_walk, reflective_walk, walk_and_research])
def test_a_walk_over_a_memory_without_a_tree_is_refused(method: Any, read: Any) -> None:
    with pytest.raises(BadInput, match=NO_TREE):
        method.build(read=read)


BUILDER_OF_TREES = gam.build_memorize(memorize=mem_walker.read).compile()


@pytest.mark.parametrize("read", [mem_walker.read, read_somehow, StepNode(OF_ONES_OWN), BUILDER_OF_TREES])
def test_a_memory_that_may_have_a_tree_is_taken(read: Any) -> None:
    mem_walker.build(read=read)


def test_the_settings_of_a_recipe_belong_to_the_graph() -> None:
    assert "segment_words" not in settings_in(read_agent.build().context_schema)  # type: ignore[arg-type]
    built = read_agent.build(read=StepNode(OF_ONES_OWN))
    assert "segment_words" in settings_in(built.context_schema)  # type: ignore[arg-type]


def test_settings_say_themselves_that_they_shape_a_memory() -> None:
    @dataclass(frozen=True, kw_only=True)
    class Cutting(Settings):
        lines: Annotated[int, Help("Lines of a page."), InRecipe()] = 9
        rhymes: Annotated[int, Help("Rhymes."), InRecipe(name="ends", with_model=True)] = 2
        metre: Annotated[str, Help("The metre."), InRecipe(unless_default=True)] = "iamb"
        shown: Annotated[bool, Help("Show them.")] = True

    @dataclass(frozen=True, kw_only=True)
    class Context(Cutting):
        model: str = ""

    assert recipe_parameters(Context(), (Cutting,)) == {"lines": 9}
    with_model = Context(model="openai:double", metre="dactyl", shown=False)
    assert recipe_parameters(with_model, (Cutting,)) == {"lines": 9, "ends": 2, "metre": "dactyl"}
