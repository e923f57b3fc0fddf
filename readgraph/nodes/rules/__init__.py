"""How sentences are compared without a model: their tokens, what is equal, and what stands as said."""
