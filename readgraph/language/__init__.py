"""What readgraph knows of languages: sentences, terms, dates, numbers, names, questions, and how statements compare.

Functions of strings: no graph, no store, no model.
"""
