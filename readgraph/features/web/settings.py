"""The settings of web pages."""

from typing import Annotated

from annotated_types import Ge, Le

from readgraph.state.declaring import Help, InRecipe, Settings

DEEPEST_PAGES = 20  # down to this depth a web page's text shows how deep its elements are


class Subtrees(Settings, panel="Web pages"):
    """How a web page is divided."""

    page_depth: Annotated[
        int,
        Ge(1),
        Le(DEEPEST_PAGES),
        Help("A part of a web page begins at this depth of its DOM.", option=False),
        InRecipe(),
    ] = 6
    join_words: Annotated[
        int,
        Ge(0),
        Help("A part of a web page with fewer words takes in the next; 0 = each is alone.", option=False),
        InRecipe(),
    ] = 100
