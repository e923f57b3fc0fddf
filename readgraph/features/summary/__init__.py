"""Summaries of a text or a part of it; each sentence is checked and cited."""
