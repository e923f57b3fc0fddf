"""Tests of `readgraph.doors.langchain`."""
