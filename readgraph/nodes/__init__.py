"""What one step does: one file a capability, prompts and replies beside them."""
