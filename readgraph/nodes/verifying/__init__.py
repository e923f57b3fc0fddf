"""A draft is checked: its claims, the evidence for each, what rules and a model say of it."""
