"""Embedding models: their names, the requests to them, and the vectors in their replies."""
