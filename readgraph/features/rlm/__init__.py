"""Programs that a model writes search the text and ask about pieces (RLM)."""
