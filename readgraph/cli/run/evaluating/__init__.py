"""Measure methods, and repeat what others measured."""
