"""Tests of how replies are read."""
