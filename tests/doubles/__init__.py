"""Doubles: servers and scripts that stand in for models."""
