"""Benchmarks, to be run by hand; they print ratios, because machines differ."""
