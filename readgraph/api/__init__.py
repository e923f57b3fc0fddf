"""Readgraph for other programs and agents: functions over a library.

Those of features, of doors and of other packages are here too: what the hook `functions` of `readgraph.plugins` gives.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

__all__ = ["RunThread", "ask", "list_documents", "open_page", "read", "remember", "research", "search", "until_left"]

if TYPE_CHECKING:
    from readgraph.api.functions import ask, list_documents, open_page, read, remember, research, search
    from readgraph.api.running import RunThread
    from readgraph.doors.langchain.adding import add_documents as add_documents
    from readgraph.doors.langchain.retrieving import as_retriever as as_retriever
    from readgraph.doors.langchain.searching import searched_by as searched_by
    from readgraph.doors.langchain.tools import as_tool as as_tool
    from readgraph.doors.langchain.tools import research_tool as research_tool
    from readgraph.features.changes.functions import changes as changes
    from readgraph.features.compression.functions import compress as compress
    from readgraph.features.local_models.servers import local_model as local_model
    from readgraph.features.replay.functions import replay_answer as replay_answer
    from readgraph.features.replay.functions import save_answer as save_answer
    from readgraph.features.summary.functions import summarise as summarise
    from readgraph.features.survey.functions import table as table
    from readgraph.features.verify.functions import verify as verify
    from readgraph.features.wiki.functions import wiki as wiki
    from readgraph.state.loops import until_left
else:
    from readgraph.plugins import Places, leave_out, plugged_in
    from readgraph.state.lazy_names import lazy_names

    _OTHERS = {"running": {"RunThread"}, "readgraph.state.loops": {"until_left"}}
    # Imported when first used: the command uses some files of this room, and must not wait for the others.
    _get, _names = lazy_names(__name__, {**_OTHERS, "functions": {*__all__}.difference(*_OTHERS.values())})

    def _places() -> dict[str, str]:
        """Where the functions of plug-ins stand; none replaces another."""
        places = dict[str, str]()
        for package, (name, place) in plugged_in("functions", Places):
            if name in places or name in __all__:
                leave_out(package, f"there is another function '{name}'")
            else:
                places[name] = place
        return places

    def __getattr__(name: str) -> Any:
        """A name of the core, or the function of a plug-in."""
        if name not in __all__ and not name.startswith("_") and (place := _places().get(name)):
            module, _, function = place.partition(":")
            try:
                return getattr(import_module(module), function)
            except AttributeError as problem:
                raise AttributeError(f"There is no function '{name}' at {place}, where a package says.") from problem
        return _get(name)

    def __dir__() -> list[str]:
        return sorted({*_names(), *_places()})
