"""Carry out an instruction on a web site in a real browser: what is read, and each action, stays on one origin."""
