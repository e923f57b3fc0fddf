"""All that talks to language models and embedding models."""
