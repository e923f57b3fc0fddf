"""Tests of what a model's name stands for."""
