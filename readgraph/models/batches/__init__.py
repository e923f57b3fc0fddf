"""Calls that are made in batches, which a server answers hours later."""
