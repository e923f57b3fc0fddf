"""Tests of what the project shows and ships: pages, notebooks, examples, the house itself."""
