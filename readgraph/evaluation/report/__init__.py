"""The report of an evaluation: one HTML page with its tables, plots, questions and answers."""
