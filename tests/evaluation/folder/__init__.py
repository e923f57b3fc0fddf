"""Tests of `readgraph.evaluation.folder.evaluation_folder`."""
