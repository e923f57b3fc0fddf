"""Prompts, each with its version and the reply it asks for, in our own words after the papers' facts.

A change of a prompt's text raises its version; memories built with the earlier version stay in use until rebuilt.
"""
