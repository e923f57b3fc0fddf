"""Fifty questions without a model, and the answers as a person would see them, to be read aloud.

    python -m benchmarks.read_aloud

Texts and questions are our own, written after the rules for answers, and nothing was tuned on them: a chat with dates,
minutes, a handbook, letters. `docs/guides/without-a-model.md` holds what came out, and which of it helps.
"""
