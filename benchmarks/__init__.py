"""Benchmarks: run them by hand; they print ratios, since machines differ."""
