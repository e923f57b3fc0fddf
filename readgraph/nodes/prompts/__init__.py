"""Prompts, each with its version and the reply it asks for, in our own words after the papers' facts.

They stand in rooms, or files, with the names of the rooms whose steps ask them; what several use stands beside.

A change of a prompt's text raises its version; memories built with the earlier version stay in use until rebuilt.
"""
