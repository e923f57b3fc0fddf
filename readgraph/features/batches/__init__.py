"""Calls that a model server answers in batches, at half the price, minutes to hours later (`--batch`)."""
