"""Fifty questions without a model, and the quotes as a person would see them, to be read aloud.

    python -m benchmarks.read_aloud

Texts and questions are our own, written after the rules for quotes, and nothing was tuned on them: a chat with dates,
minutes, a handbook, letters. `docs/guides/without-a-model.md` says in which quotes the answer stands.
"""
