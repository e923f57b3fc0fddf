"""Tests of `readgraph.doors.report`."""
