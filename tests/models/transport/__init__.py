"""Tests of how model servers are reached."""
