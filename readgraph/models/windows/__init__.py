"""How long a prompt may be for its model."""
