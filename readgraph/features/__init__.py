"""What readgraph does besides the core: each folder plugs in by the hooks of `readgraph.plugins`."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:  # so that type checkers know the settings of all folders that are here
    from readgraph.features.agents.settings import Chaining, MemoryParts, MemoryPressure
    from readgraph.features.batches.settings import Batching
    from readgraph.features.look.settings import Looking
    from readgraph.features.overwrite.settings import LookingBack, NoteGates, NoteTaking
    from readgraph.features.rlm.settings import Programs
    from readgraph.features.summary.settings import SummaryForm
    from readgraph.features.survey.settings import Surveying
    from readgraph.features.web.settings import Subtrees

    class FeatureSettings(
        Subtrees,
        Surveying,
        SummaryForm,
        Programs,
        NoteTaking,
        NoteGates,
        LookingBack,
        Looking,
        MemoryPressure,
        MemoryParts,
        Chaining,
        Batching,
    ):
        """The settings of all features."""
