"""Tests of the reading room."""
