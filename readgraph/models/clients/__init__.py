"""Which client speaks to the server of a model."""
