"""Tests of methods with datasets."""
