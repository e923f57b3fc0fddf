"""Surveys: what a whole text holds of one kind, counted, listed and compared."""
