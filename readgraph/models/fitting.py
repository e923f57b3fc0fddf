"""The settings of a reading, with sizes that fit its models."""

from collections.abc import Mapping
from typing import Any

from readgraph.models.batches.calls import check_batch
from readgraph.models.local import local_settings
from readgraph.models.names import window_settings
from readgraph.state.context import ReaderContext


def context_for(settings: Mapping[str, Any]) -> ReaderContext:
    """The context of these settings; sizes that are left out fit the models. Raises `BadInput`."""
    models = ReaderContext(**{name: settings[name] for name in ("model", "reading_model", "batch") if name in settings})
    check_batch(models)
    both = (models.model, models.reading_model)
    return ReaderContext(**{**local_settings(*both), **window_settings(*both), **settings})
