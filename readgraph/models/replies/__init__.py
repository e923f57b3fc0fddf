"""Replies of models: how they are asked for in a form, what they mean, and how they are mended."""
