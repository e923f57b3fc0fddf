"""Evaluation: how well methods answer the questions of datasets, and what that costs."""
