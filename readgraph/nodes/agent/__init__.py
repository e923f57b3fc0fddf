"""MemGPT's steps: an agent that manages its own limited context."""
